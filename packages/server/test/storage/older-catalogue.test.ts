/** Variants and purchases that an older version stored survive the migration unchanged, and boards show them. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { systemClock } from '../../src/ground/base/clock.ts';
import type { Database } from '../../src/storage/contract/database.ts';
import { migrations } from '../../src/storage/migrations/migrations.ts';
import { migrateDatabase } from '../../src/storage/opening/open.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { emptyDatabase, engines, type TestDatabase } from '../support/databases.ts';
import { execute } from '../support/own-connection.ts';

/** Before purchases were distinguished by creator, and variants by product and name. */
const OLD_VERSION = 12;

const license = (key: string, productId: string) => `insert into license
  values ('${key}', 'ada@example.com', 'ada@example.com', '${productId}', 'indie', 'per-machine', null, 'active', 2, null,
    '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', null, null, 'order-1', null, '[]', 0, null, 0, 0, '[]', '{}');`;

const STORED = `
  insert into product values ('a', 'A', 'ada', 'live', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z');
  insert into product values ('a-b', 'A B', 'bob', 'live', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z');
  insert into variant values ('a-b-c', 'a', 'b-c', 'floating', 5, 3, 7, 30, '12.5', 0);
  insert into purchase values ('order-1', '2026-01-01T00:00:00.000Z');
  ${license('AAAAA-AAAAA-AAAAA-AAAAA-AAAAA', 'a')}
  ${license('BBBBB-BBBBB-BBBBB-BBBBB-BBBBB', 'unknown')}
  insert into violation values ('AAAAA-AAAAA-AAAAA-AAAAA-AAAAA', 'v-1', 'fraud', 4, 1, '2026-01-01T00:00:00.000Z',
    '2026-01-01T00:00:00.000Z', '{}', null);
  insert into activation values ('BBBBB-BBBBB-BBBBB-BBBBB-BBBBB', 'f-1', 'a-1', 'Old-Laptop', '2026-01-01T00:00:00.000Z',
    '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', '9999-01-01T00:00:00.000Z', '[]',
    null, '9999-01-01T00:00:00.000Z');
  update license set license_type = 'floating', sessions_held = 1 where product_id = 'unknown';
`;

/** Applies the migrations up to a version, as an older Latchkey did. */
async function migrateTo(database: Database, version: number): Promise<void> {
  const older = migrations.filter((each) => each.version <= version);
  await migrateDatabase(database, systemClock(), older);
}

for (const engine of engines)
  describe(`variants and purchases of an older version on ${engine}`, () => {
    let database: TestDatabase;
    let app: TestApp;
    before(async () => {
      database = await emptyDatabase(engine);
      await migrateTo(database.database, OLD_VERSION);
      await execute(database.database, STORED);
      app = await startApp(engine, {}, database);
    });
    after(async () => {
      await app.stop();
      await database.remove();
    });

    const deliver = (productId: string) =>
      app.webhook('/storefrontWebhook', {
        type: 'purchase.completed',
        email: 'ada@example.com',
        productId,
        purchaseId: 'order-1',
      });

    it('a variant keeps every field, and its name is free for another', async () => {
      const { body } = await app.admin('/listVariants', { productId: 'a', includeInactive: true });
      assert.deepEqual(body.variants, [
        {
          variantId: 'a-b-c',
          productId: 'a',
          name: 'b-c',
          licenseType: 'floating',
          maxMachines: 5,
          maxConcurrent: 3,
          defaultTrialDays: 7,
          durationDays: 30,
          price: 12.5,
          active: false,
        },
      ]);
      assert.equal((await app.admin('/createVariant', { productId: 'a-b', name: 'c' })).status, 200);
    });

    it('boards and searches show its violations, sessions and machines', async () => {
      const { violations } = (await app.admin('/listViolations', { productId: 'a', open: true })).body;
      assert.deepEqual(
        violations.map(({ id }: { id: string }) => id),
        ['v-1'],
      );
      const { pools } = (await app.admin('/listLiveSessions', { productId: 'unknown' })).body;
      assert.deepEqual([pools.length, pools[0].inUse, pools[0].sessions[0].fingerprint], [1, 1, 'f-1']);
      for (const query of ['old-lap', 'f-1']) {
        const { hits } = (await app.admin('/searchEverything', { query })).body;
        assert.deepEqual([hits.length, hits[0].kind], [1, 'machine'], query);
      }
    });

    it('a purchase still leads to its license, of the creator and of the operator, and to no other', async () => {
      assert.deepEqual((await deliver('a')).body.licenseKey, 'AAAAA-AAAAA-AAAAA-AAAAA-AAAAA');
      assert.deepEqual((await deliver('not known either')).body.licenseKey, 'BBBBB-BBBBB-BBBBB-BBBBB-BBBBB');
      assert.equal((await deliver('a-b')).body.duplicate, false);
    });
  });
