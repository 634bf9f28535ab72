/** Replies repeated for an Idempotency-Key: which ones, to which callers, and the stored data. */
import assert from 'node:assert/strict';
import { createDecipheriv, hash } from 'node:crypto';
import { describe, it } from 'node:test';
import { DAY_MS } from '../../../src/ground/base/clock.ts';
import { mintUuid } from '../../../src/ground/base/random.ts';
import { type Storage, statement } from '../../../src/storage/contract/storage.ts';
import { openStorage } from '../../../src/storage/opening/open.ts';
import { makeCode } from '../../commerce/discount-codes/creator.ts';
import { ADMIN_SECRET, startApp, type TestApp } from '../../support/app.ts';
import { Creator, mustSucceed } from '../../support/creator.ts';
import { engines, freshDatabase } from '../../support/databases.ts';
import { Machine } from '../../support/machine.ts';
import { startedApp } from '../../support/started-app.ts';
import type { TestDatabase } from '../../support/test-database.ts';

const keyed = (key: string) => ({ headers: { 'Idempotency-Key': key } });
const order = { email: 'ada@example.com', productId: 'app' };

const countReplies = statement('test_replies.count', 'select count(*) as "count" from idempotent_reply');
const listReplies = statement(
  'test_replies.list',
  'select caller, status, reply from idempotent_reply order by created_at, caller',
);
const swapReplies = statement(
  'test_replies.swap',
  `update idempotent_reply set reply = (select r.reply from idempotent_reply r
     where r.caller = $2 and r.idempotency_key = idempotent_reply.idempotency_key)
   where caller = $1`,
);
const spoilReplies = statement('test_replies.spoil', 'update idempotent_reply set reply = $1');

async function withStorage<T>({ database }: Pick<TestDatabase, 'database'>, work: (storage: Storage) => Promise<T>) {
  const storage = await openStorage(database);
  try {
    return await work(storage);
  } finally {
    await storage.close();
  }
}

const repliesKept = (app: Pick<TestApp, 'database'>) =>
  withStorage(app, async (storage) => {
    const row = await storage.read((sql) => sql.first<{ count: number }>(countReplies));
    return row?.count ?? 0;
  });

for (const engine of engines) {
  describe(`the client endpoints and an Idempotency-Key on ${engine}`, () => {
    const app = startedApp(engine);

    it('/verify and /validate refuse a revoked license, regardless of their earlier answers to the key', async () => {
      const machine = await new Machine(app, await app.license()).activated();
      for (const call of [() => machine.verify(keyed('ask')), () => machine.validate(keyed('ask'))])
        assert.equal((await call()).body.valid, true);
      await app.admin('/revokeLicense', { licenseKey: machine.licenseKey });
      for (const call of [() => machine.verify(keyed('ask')), () => machine.validate(keyed('ask'))])
        assert.deepEqual([(await call()).status, (await call()).body.valid], [403, false]);
    });

    it('/activate counts as an attempt again and gives another token', async () => {
      const machine = new Machine(app, await app.license());
      const first = await machine.activate(keyed('again'));
      const second = await machine.activate(keyed('again'));
      assert.deepEqual([first.status, second.status, second.body.machinesUsed], [200, 200, 1]);
      for (let attempt = 2; attempt < 15; attempt++) assert.equal((await machine.activate(keyed('again'))).status, 200);
      assert.equal((await machine.activate(keyed('again'))).status, 429);
    });

    it('a second /deactivate is 404', async () => {
      const machine = await new Machine(app, await app.license()).activated();
      assert.equal((await machine.deactivate(keyed('leave'))).status, 200);
      const again = await machine.deactivate(keyed('leave'));
      assert.deepEqual([again.status, again.body.error], [404, 'Machine not activated']);
    });

    it('keep nothing, and ignore earlier uses and the form of the key', async () => {
      const before = await repliesKept(app);
      const machine = await new Machine(app, await app.license({ licenseType: 'floating' })).activated();
      for (const key of ['one', 'no key at all', 'x'.repeat(300)]) {
        const answers = [
          machine.verify(keyed(key)),
          machine.activate(keyed(key)),
          machine.validate(keyed(key)),
          machine.heartbeat(keyed(key)),
        ];
        for (const { status } of await Promise.all(answers)) assert.equal(status, 200);
      }
      assert.equal((await machine.deactivate(keyed('one'))).status, 200);
      assert.equal(await repliesKept(app), before);
    });

    it('say in the reference what repeating each of them does, and take no such header', async () => {
      const { body } = await app.send('/openapi.json', undefined, { method: 'GET' });
      for (const path of ['/verify', '/activate', '/validate', '/deactivate', '/heartbeat']) {
        const { description, parameters, responses } = body.paths[path].post;
        assert.match(description, /repeat/i, path);
        assert.equal(parameters, undefined, path);
        assert.equal(responses[422], undefined, path);
      }
      const { parameters, responses } = body.paths['/createLicense'].post;
      assert.deepEqual(parameters, [{ $ref: '#/components/parameters/IdempotencyKey' }]);
      assert.ok(responses[422] !== undefined && responses[409] !== undefined);
    });
  });

  describe(`an answer that is kept for an Idempotency-Key on ${engine}`, () => {
    const app = startedApp(engine);

    it('is kept for /redeemTrialCode, too, which issues licenses', async () => {
      const trial = { code: await makeCode(app), productId: 'app', email: `${mintUuid()}@example.com` };
      const first = await app.send('/redeemTrialCode', trial, keyed('trial'));
      const second = await app.send('/redeemTrialCode', trial, keyed('trial'));
      assert.deepEqual([first.status, second.status, second.body], [200, 200, first.body]);
      assert.equal((await app.send('/redeemTrialCode', trial, keyed('other-trial'))).status, 409);
    });

    it('is replayed only to a caller with all the original credentials', async () => {
      const creator = await Creator.of(app);
      const productId = await creator.product();
      const fields = { ...order, productId, email: `${mintUuid()}@example.com` };
      const both = { 'x-admin-secret': ADMIN_SECRET, 'x-api-key': creator.apiKey };
      const send = (headers: Readonly<Record<string, string>>) =>
        app.send('/createLicense', fields, { headers: { ...headers, 'Idempotency-Key': 'both' } });
      const keys = [
        await mustSucceed(send(both)),
        await mustSucceed(send({ 'x-api-key': creator.apiKey })),
        await mustSucceed(send({ 'x-admin-secret': ADMIN_SECRET })),
      ].map(({ licenseKey }) => licenseKey);
      assert.equal(new Set(keys).size, 3);
      assert.equal((await mustSucceed(send(both))).licenseKey, keys[0]);
      assert.equal((await mustSucceed(send({ 'x-api-key': creator.apiKey }))).licenseKey, keys[1]);
    });

    it('is refused to an API key that was revoked since', async () => {
      const creator = await Creator.of(app);
      const fields = { ...order, productId: await creator.product() };
      await mustSucceed(creator.send('/createLicense', fields, keyed('revoked-since')));
      await mustSucceed(app.admin('/revokeApiKey', { apiKeyToRevoke: creator.apiKey }));
      assert.equal((await creator.send('/createLicense', fields, keyed('revoked-since'))).status, 401);
    });

    it('does not open with the Idempotency-Key alone, and shows nothing of the request', async () => {
      const guessed = 'order-1001';
      const body = { creatorId: 'ada', name: 'Key', adminSecret: ADMIN_SECRET };
      await mustSucceed(app.send('/createApiKey', body, keyed(guessed)));
      const rows = await withStorage(app, (storage) =>
        storage.read((sql) => sql.all<Record<string, unknown>>(listReplies)),
      );
      // The sealing key of older versions, derived from the Idempotency-Key alone.
      const key = hash('sha256', `latchkey reply ${guessed}`, 'buffer');
      const requestHash = hash('sha256', `/createApiKey\n${JSON.stringify(body)}`, 'base64url');
      for (const row of rows) {
        const bytes = Buffer.from(row.reply as string, 'base64url');
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12));
        decipher.setAuthTag(bytes.subarray(12, 28));
        decipher.update(bytes.subarray(28));
        assert.throws(() => decipher.final());
        assert.ok(!JSON.stringify(row).includes(requestHash));
      }
    });

    it('409 if it can no longer be opened, and the request is not executed again', async () => {
      const email = `${mintUuid()}@example.com`;
      await mustSucceed(app.admin('/createLicense', { ...order, email }, keyed('spoiled')));
      for (const spoiled of ['', 'AAAA', 'A'.repeat(100)]) {
        await withStorage(app, (storage) => storage.transaction((tx) => tx.run(spoilReplies, spoiled)));
        const answer = await app.admin('/createLicense', { ...order, email }, keyed('spoiled'));
        assert.deepEqual(
          [answer.status, answer.body.error],
          [409, 'This Idempotency-Key was used before, and its first answer is no longer available'],
        );
      }
      assert.equal((await app.admin('/listLicenses', { email })).body.count, 1);
      app.clock.move(DAY_MS);
      assert.equal((await app.admin('/createLicense', { ...order, email }, keyed('spoiled'))).status, 200);
    });

    it('opens in no other row than its own', async () => {
      const creator = await Creator.of(app);
      const productId = await creator.product();
      const fields = { ...order, productId };
      await mustSucceed(app.admin('/createLicense', fields, keyed('moved')));
      await mustSucceed(creator.send('/createLicense', fields, keyed('moved')));
      const caller = `key:${hash('sha256', creator.apiKey, 'hex')}`;
      const moved = await withStorage(app, (storage) =>
        storage.transaction((tx) => tx.run(swapReplies, caller, 'admin')),
      );
      assert.equal(moved, 1);
      assert.equal((await creator.send('/createLicense', fields, keyed('moved'))).status, 409);
    });
  });

  describe(`changing the administrator's secret on ${engine}`, () => {
    const NEW_SECRET = 'another-admin-secret-of-the-tests';
    const NEWEST_SECRET = 'the-newest-admin-secret-of-the-tests';

    it('leaves answers open under the previous secret, and closes them under none', async (test) => {
      const database = await freshDatabase(engine, test);
      const email = `${mintUuid()}@example.com`;
      const creatorFields = { creatorId: 'ada', name: 'kept' };
      const runs: [environment: Record<string, string>, secret: string, status: number][] = [
        [{}, ADMIN_SECRET, 200],
        [{ LATCHKEY_ADMIN_SECRET: NEW_SECRET, LATCHKEY_ADMIN_SECRET_PREVIOUS: ADMIN_SECRET }, NEW_SECRET, 200],
        [{ LATCHKEY_ADMIN_SECRET: NEWEST_SECRET, LATCHKEY_ADMIN_SECRET_PREVIOUS: NEW_SECRET }, NEWEST_SECRET, 409],
      ];
      const keys: unknown[] = [];
      for (const [environment, secret, status] of runs) {
        const app = await startApp(engine, environment, database);
        const headers = { 'x-admin-secret': secret, 'Idempotency-Key': 'kept' };
        const answer = await app.send('/createApiKey', creatorFields, { headers });
        const license = await app.send(
          '/createLicense',
          { ...order, email },
          {
            headers: { 'x-admin-secret': secret, 'Idempotency-Key': 'license' },
          },
        );
        await app.stop();
        assert.deepEqual([answer.status, license.status], [status, status]);
        keys.push(answer.body.apiKey);
      }
      assert.equal(keys[0], keys[1]);
      assert.notEqual(keys[0], undefined);
    });
  });
}
