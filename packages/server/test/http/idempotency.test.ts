import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { DAY_MS } from '../../src/clock.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { engines } from '../support/databases.ts';
import { Machine } from '../support/machine.ts';

const keyed = (key: string) => ({ headers: { 'Idempotency-Key': key } });
const order = { email: 'ada@example.com', productId: 'app' };

for (const engine of engines)
  describe(`Idempotency-Key on ${engine}`, () => {
    let app: TestApp;
    before(async () => {
      app = await startApp(engine);
    });
    after(() => app.stop());

    it('the same request with the same key acts once and gets the first answer again', async () => {
      const first = await app.admin('/createLicense', { ...order, email: 'once@example.com' }, keyed('once'));
      const second = await app.admin('/createLicense', { ...order, email: 'once@example.com' }, keyed('once'));
      assert.equal(second.status, 200);
      assert.deepEqual(second.body, first.body);
      const { body } = await app.admin('/listLicenses', { email: 'once@example.com' });
      assert.equal(body.count, 1);
    });

    it('422 when the key comes with another body', async () => {
      await app.admin('/createLicense', order, keyed('other-body'));
      const answer = await app.admin('/createLicense', { ...order, variant: 'pro' }, keyed('other-body'));
      assert.equal(answer.status, 422);
      assert.equal(answer.body.error, 'Idempotency-Key was already used with a different request');
    });

    it('422 when the key comes with the same body at another endpoint', async () => {
      const licenseKey = await app.license();
      assert.equal((await app.admin('/revokeLicense', { licenseKey }, keyed('other-path'))).status, 200);
      assert.equal((await app.admin('/reinstateLicense', { licenseKey }, keyed('other-path'))).status, 422);
    });

    it('twenty at once make one license, and all get its key', async () => {
      const answers = await Promise.all(
        Array.from({ length: 20 }, () =>
          app.admin('/createLicense', { ...order, email: 'twenty@example.com' }, keyed('twenty')),
        ),
      );
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
      assert.equal(new Set(answers.map(({ body }) => body.licenseKey)).size, 1);
      assert.equal((await app.admin('/listLicenses', { email: 'twenty@example.com' })).body.count, 1);
    });

    it('a machine that retries /activate gets the same token and spends one attempt', async () => {
      const machine = new Machine(app, await app.license());
      const first = await machine.activate(keyed('retry'));
      const second = await machine.activate(keyed('retry'));
      assert.equal(first.status, 200);
      assert.equal(second.body.token, first.body.token);
      for (let attempt = 2; attempt <= 15; attempt++) assert.equal((await machine.activate()).status, 200);
      assert.equal((await machine.activate()).status, 429);
    });

    it('two callers may use one key', async () => {
      const [one, other] = [new Machine(app, await app.license()), new Machine(app, await app.license())];
      const [first, second] = [await one.activate(keyed('shared')), await other.activate(keyed('shared'))];
      assert.equal(first.status, 200);
      assert.equal(second.status, 200);
      assert.notEqual(first.body.token, second.body.token);
    });

    it('a refusal of the state is replayed, a refusal of the fields is not kept', async () => {
      const licenseKey = await app.license();
      const missing = await app.admin('/resolveLicense', { licenseKey }, keyed('fields'));
      assert.equal(missing.status, 400);
      const corrected = await app.admin('/resolveLicense', { licenseKey, violationIds: ['none'] }, keyed('fields'));
      assert.equal(corrected.status, 404);
      const again = await app.admin('/resolveLicense', { licenseKey, violationIds: ['none'] }, keyed('fields'));
      assert.deepEqual(again.body, corrected.body);
    });

    it('after 24 hours the key is new, also for twenty at once', async () => {
      const body = { ...order, email: 'day@example.com' };
      await app.admin('/createLicense', body, keyed('day'));
      app.clock.move(DAY_MS + 1);
      await Promise.all(Array.from({ length: 20 }, () => app.admin('/createLicense', body, keyed('day'))));
      assert.equal((await app.admin('/listLicenses', { email: 'day@example.com' })).body.count, 2);
    });

    it('400 names the header when it is not visible ASCII', async () => {
      const answer = await app.admin('/createLicense', order, keyed('a b'));
      assert.equal(answer.status, 400);
      assert.match(answer.body.error, /^Idempotency-Key must be/);
    });
  });
