import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { ADMIN_SECRET, startApp } from '../../packages/server/test/support/app.ts';
import { mustSucceed } from '../../packages/server/test/support/creator.ts';
import { fillThroughApi } from '../src/api-filling.ts';

it('a service gets its licenses, and machines on a tenth of them, by calls of its API', async (test) => {
  const app = await startApp('sqlite');
  test.after(() => app.stop());
  const certificate = readFileSync(join(app.directory, 'tls-cert.pem'), 'utf8');
  const service = { addresses: [{ port: app.port, certificate }], adminSecret: ADMIN_SECRET };
  const done: number[] = [];
  await fillThroughApi(service, 40, (licenses) => done.push(licenses));
  assert.deepEqual([done.length, done.at(-1)], [40, 40]);
  const { licenses } = await mustSucceed(app.admin('/listLicenses', { limit: 100, detail: true }));
  assert.equal(licenses.length, 40);
  assert.equal(licenses.filter(({ machinesUsed }: { machinesUsed: number }) => machinesUsed === 1).length, 4);
  const wrong = { ...service, adminSecret: 'another secret' };
  await assert.rejects(
    fillThroughApi(wrong, 1, () => {}),
    /\/createLicense answered 401 while the database was filled/,
  );
});
