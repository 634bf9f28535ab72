import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS } from '../../../src/ground/base/clock.ts';
import { engines } from '../../support/databases.ts';
import { fillPool } from '../../support/full-pool.ts';
import { startedApp } from '../../support/started-app.ts';

const keyed = (key: string) => ({ headers: { 'Idempotency-Key': key } });
const order = { email: 'ada@example.com', productId: 'app' };

for (const engine of engines)
  describe(`Idempotency-Key on ${engine}`, () => {
    const app = startedApp(engine);

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
      await fillPool(app);
      const answers = await Promise.all(
        Array.from({ length: 20 }, () =>
          app.admin('/createLicense', { ...order, email: 'twenty@example.com' }, keyed('twenty')),
        ),
      );
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
      assert.equal(new Set(answers.map(({ body }) => body.licenseKey)).size, 1);
      assert.equal((await app.admin('/listLicenses', { email: 'twenty@example.com' })).body.count, 1);
    });

    it('after exactly 24 hours the key is new, also for twenty at once, and not a millisecond earlier', async () => {
      const body = { ...order, email: 'day@example.com' };
      await app.admin('/createLicense', body, keyed('day'));
      app.clock.move(DAY_MS - 1);
      await app.admin('/createLicense', body, keyed('day'));
      assert.equal((await app.admin('/listLicenses', { email: 'day@example.com' })).body.count, 1);
      app.clock.move(1);
      await fillPool(app);
      await Promise.all(Array.from({ length: 20 }, () => app.admin('/createLicense', body, keyed('day'))));
      assert.equal((await app.admin('/listLicenses', { email: 'day@example.com' })).body.count, 2);
    });

    it('400 names the header when it is not visible ASCII', async () => {
      const answer = await app.admin('/createLicense', order, keyed('a b'));
      assert.equal(answer.status, 400);
      assert.match(answer.body.error, /^Idempotency-Key must be/);
    });
  });
