/** Log lines name the caller and the licenses made or changed, and contain neither a secret nor a whole key. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ADMIN_SECRET, type Answer, WEBHOOK_SECRET } from '../../support/app.ts';
import { engines, freshDatabase } from '../../support/databases.ts';
import { type ServerProcess, startServerProcess } from '../../support/server-process.ts';
import type { TestDatabase } from '../../support/test-database.ts';

const masked = (licenseKey: string) => `${licenseKey.slice(0, 5)}…${licenseKey.slice(-5)}`;

for (const engine of engines)
  describe(`the log lines of a service on ${engine}`, { timeout: 60_000 }, () => {
    let database: TestDatabase;
    let service: ServerProcess;
    let apiKey: string;
    let keyId = '';
    /** Keys that must not appear in the log unmasked. */
    const keys: string[] = [];
    before(async () => {
      database = await freshDatabase(engine);
      const environment = engine === 'sqlite' ? { LATCHKEY_DATA_DIR: dataDirectoryOf(database) } : {};
      service = await startServerProcess(database.database, { ...environment, LATCHKEY_LOG_LEVEL: 'debug' });
      const made = await admin('/createApiKey', { creatorId: 'ada', name: 'shop' });
      apiKey = made.body.apiKey;
      keyId = made.body.keyId;
      await send('/createProduct', { apiKey, name: 'App', slug: 'app' });
    });
    after(async () => {
      await service.stop();
      await database.remove();
    });

    const send = (path: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
      service.send(path, body, { headers });
    const admin = (path: string, body: object) => send(path, { adminSecret: ADMIN_SECRET, ...body });
    const webhook = (body: object) => send('/storefrontWebhook', body, { 'x-webhook-secret': WEBHOOK_SECRET });

    /** Fields about the caller and the licenses in the log line of a reply. */
    async function said(answer: Answer): Promise<Readonly<Record<string, unknown>>> {
      for (;;) {
        const line = service.log.find(({ requestId }) => requestId === answer.headers['x-request-id']);
        if (line !== undefined) {
          const { status, caller, keyName, license, changed } = line;
          return JSON.parse(JSON.stringify({ status, caller, keyName, license, changed }));
        }
        await new Promise((resolve) => setImmediate(resolve));
      }
    }

    it('name the operator, and the license that was made', async () => {
      const answer = await admin('/createLicense', { email: 'bo@example.com', productId: 'other' });
      const { licenseKey } = answer.body;
      keys.push(licenseKey);
      assert.deepEqual(await said(answer), { status: 200, caller: 'operator', changed: [masked(licenseKey)] });
    });

    it('name a creator and the API key, and the license that was changed', async () => {
      const created = await send('/createLicense', { apiKey, email: 'bo@example.com', productId: 'app' });
      const { licenseKey } = created.body;
      keys.push(licenseKey);
      const creator = { status: 200, caller: 'creator:ada', keyName: 'shop' };
      assert.deepEqual(await said(created), { ...creator, changed: [masked(licenseKey)] });
      const revoked = await send('/revokeLicense', { apiKey, licenseKey });
      const license = masked(licenseKey);
      assert.deepEqual(await said(revoked), { ...creator, license, changed: [license] });
      const read = await send('/getLicense', { apiKey, licenseKey });
      assert.deepEqual(await said(read), { ...creator, license });
    });

    it('end at a line feed alone, not at another separator of lines within a name', async () => {
      const creatorId = 'ada\u2028\u2029\r\n';
      const made = await admin('/createApiKey', { creatorId, name: 'shop' });
      const created = await send('/createProduct', { apiKey: made.body.apiKey, name: 'App', slug: 'separators' });
      assert.deepEqual(await said(created), { status: 200, caller: `creator:${creatorId}`, keyName: 'shop' });
    });

    it('name the caller of a refused request, but no license, because none was changed', async () => {
      const licenseKey = 'AAAAA-BBBBB-CCCCC-DDDDD-EEEEE';
      const absent = await send('/revokeLicense', { apiKey, licenseKey });
      const creator = { caller: 'creator:ada', keyName: 'shop' };
      assert.deepEqual(await said(absent), { status: 404, ...creator, license: masked(licenseKey) });
      const incomplete = await admin('/createLicense', {});
      assert.deepEqual(await said(incomplete), { status: 400, caller: 'operator' });
      const unknown = await send('/revokeLicense', { apiKey: 'lk_wrong', licenseKey });
      assert.deepEqual(await said(unknown), { status: 401, license: masked(licenseKey) });
    });

    it('name the storefront, and the licenses that it sold and took back', async () => {
      const purchase = { email: 'cy@example.com', productId: 'app', purchaseId: 'p1' };
      const sold = await webhook({ type: 'purchase.completed', ...purchase });
      assert.equal(sold.status, 200, JSON.stringify(sold.body));
      const { changed, ...line } = await said(sold);
      assert.deepEqual(line, { status: 200, caller: 'storefront' });
      const names = changed as string[];
      assert.equal(names.length, 1);
      assert.match(names[0]!, /^\w{5}…\w{5}$/);
      const refunded = await webhook({ type: 'purchase.refunded', ...purchase });
      assert.deepEqual(await said(refunded), { status: 200, caller: 'storefront', changed: names });
    });

    it('name no caller at the client endpoints, but show the license key', async () => {
      const licenseKey = keys[0]!;
      const verified = await send('/verify', { licenseKey, productId: 'other' });
      assert.deepEqual(await said(verified), { status: 200, license: masked(licenseKey) });
    });

    it('name no secret and no whole key', () => {
      const log = JSON.stringify(service.log);
      assert.ok(keyId !== apiKey);
      for (const secret of [ADMIN_SECRET, WEBHOOK_SECRET, apiKey, ...keys]) assert.ok(!log.includes(secret));
    });
  });

/** The directory of the SQLite file: the process makes its other files beside it. */
function dataDirectoryOf({ database }: TestDatabase): string {
  assert.equal(database.engine, 'sqlite');
  return database.engine === 'sqlite' ? database.file.slice(0, database.file.lastIndexOf('/')) : '';
}
