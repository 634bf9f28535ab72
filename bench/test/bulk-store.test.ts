import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { insertLicense } from '@latchkey/server/licenses/store.ts';
import { migrateDatabase, openStorage } from '@latchkey/server/storage/open.ts';
import { statement } from '@latchkey/server/storage/storage.ts';
import { insertLicenses } from '../src/bulk-store.ts';
import { Catalogue } from '../src/catalogue.ts';

const FILLED_AT = Date.parse('2026-01-31T09:30:00.000Z');
const listRows = statement('test.list_license_rows', 'select * from license order by license_key');
const deleteRows = statement('test.delete_license_rows', 'delete from license');

it('licenses that are inserted together are the rows that the service would have written', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'latchkey-bench-test-'));
  const database = { engine: 'sqlite', file: join(directory, 'latchkey.db') } as const;
  await migrateDatabase(database, FILLED_AT);
  const catalogue = new Catalogue(100, FILLED_AT);
  const plain = Array.from({ length: catalogue.size }, (_, number) => catalogue.license(number));
  const unusual = plain.slice(0, 1).map((license) => ({
    ...license,
    ...{ licenseKey: 'Z', email: 'Somebody@Example.com', discountCode: 'CODE', bundleId: 'bundle', threatLevel: 4 },
    ...{ disputeReason: 'refund', unlockedProducts: ['a', 'b'], attempts: [1, 2], countriesSeen: { DE: 'then' } },
  })) as typeof plain;
  const licenses = [...plain, ...unusual];

  const storage = await openStorage(database);
  const rows = () => storage.read((sql) => sql.all<Record<string, unknown>>(listRows));
  await storage.transaction(async (tx) => {
    for (const license of licenses) await insertLicense(tx, license, FILLED_AT);
  });
  const written = await rows();
  await storage.transaction((tx) => tx.run(deleteRows));
  await storage.transaction((tx) => insertLicenses(tx, licenses, FILLED_AT));
  assert.equal(written.length, licenses.length);
  assert.deepEqual(await rows(), written);
  await storage.close();
  await rm(directory, { recursive: true });
});
