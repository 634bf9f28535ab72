/** Calls of the pages for customers that fail unexpectedly: the log names them, whatever the customer sees. */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { statement } from '../../../src/storage/contract/storage.ts';
import { openStorage } from '../../../src/storage/opening/open.ts';
import { ADMIN_SECRET } from '../../support/app.ts';
import { engines, freshDatabase } from '../../support/databases.ts';
import { type ServerProcess, startServerProcess } from '../../support/server-process.ts';
import { CustomerBrowser } from './customer-browser.ts';
import { MAIL, SELF_SERVICE } from './shop.ts';

const hideBrands = statement('test_brand.hide', 'alter table brand rename to hidden_brand');
const hideSignIns = statement('test_sign_in.hide', 'alter table customer_sign_in rename to hidden_sign_in');

async function start(test: TestContext, engine: (typeof engines)[number]) {
  const { database, remove } = await freshDatabase(engine);
  const place = database.engine === 'sqlite' ? { LATCHKEY_DATA_DIR: dirname(database.file) } : {};
  const service = await startServerProcess(database, { ...SELF_SERVICE, ...MAIL, ...place });
  test.after(async () => {
    await service.kill();
    await remove();
  });
  return { database, service };
}

/** The failures of requests in the log. */
const failuresOf = ({ log }: ServerProcess) =>
  log
    .filter(({ path, failure }) => path !== undefined && failure !== undefined)
    .map(({ path, status, failure }) => ({ path, status, failure }));

for (const engine of engines)
  describe(`a call of a page for customers that fails on ${engine}`, () => {
    it('is logged with its failure: of the page, of its form, and of the logo', async (test) => {
      const { database, service } = await start(test, engine);
      const browser = new CustomerBrowser(service);
      const asking = await browser.open('/my');
      const storage = await openStorage(database);
      for (const hide of [hideBrands, hideSignIns]) await storage.transaction((tx) => tx.run(hide));
      await storage.close();

      const statuses = [
        (await browser.open('/my/code')).status,
        (await browser.request('GET', '/my/logo')).status,
        (await browser.submit(asking, '/my', { email: 'ada@example.com' })).status,
      ];
      assert.deepEqual(statuses, [200, 500, 500]);
      await service.stop();
      const failures = failuresOf(service);
      assert.deepEqual(
        failures.map(({ path, status }) => [path, status]),
        [
          ['/my/code', 200],
          ['/my/logo', 500],
          ['/my', 500],
        ],
      );
      for (const [index, table] of ['brand', 'brand', 'customer_sign_in'].entries())
        assert.ok(String(failures[index]?.failure).includes(table), String(failures[index]?.failure));
    });
  });

describe('a form that is shown again because it was refused', () => {
  it('is logged with the code of the refusal', async (test) => {
    const { service } = await start(test, 'sqlite');
    const browser = new CustomerBrowser(service);
    const asking = await browser.open('/my');
    const entering = await browser.submit(asking, '/my', { email: 'ada@example.com' });
    const { status } = await browser.submit(entering, '/my/code', { code: 'ABCD-EFGH' });
    await service.stop();
    const line = service.log.find((each) => each.path === '/my/code' && each.method === 'POST');
    assert.deepEqual([line?.status, line?.code], [status, 'code_not_accepted']);
  });
});

describe('a form of which it is unknown whether it was kept', () => {
  it('is logged as such', async (test) => {
    const { database, service } = await start(test, 'sqlite');
    assert.ok(database.engine === 'sqlite');
    const browser = new CustomerBrowser(service);
    const asking = await browser.open('/my');
    const license = { adminSecret: ADMIN_SECRET, email: 'ada@example.com', productId: 'app' };
    assert.equal((await service.send('/createLicense', license)).status, 200);
    rmSync(database.file);
    assert.equal((await browser.submit(asking, '/my', { email: 'ada@example.com' })).status, 503);
    await service.stop();
    assert.match(String(failuresOf(service)[0]?.failure), /latchkey\.db was deleted or replaced/);
  });
});
