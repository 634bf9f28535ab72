/** A refusal is never stored under an Idempotency-Key: a later attempt may succeed. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { GUESSES_PER_HOUR } from '../../../src/commerce/discount-codes/network-limit.ts';
import { HOUR_MS } from '../../../src/ground/base/clock.ts';
import { mintUuid } from '../../../src/ground/base/random.ts';
import { makeCode } from '../../commerce/discount-codes/creator.ts';
import { Customer } from '../../commerce/storefront/storefront.ts';
import { engines } from '../../support/databases.ts';
import { Machine } from '../../support/machine.ts';
import { startedApp } from '../../support/started-app.ts';

const keyed = (key: string) => ({ headers: { 'Idempotency-Key': key } });

for (const engine of engines)
  describe(`a retry with the same Idempotency-Key on ${engine}`, () => {
    const app = startedApp(engine);

    it('acts after a 404: a refund that came before its purchase is applied when it is delivered again', async () => {
      const customer = new Customer(app);
      const purchaseId = mintUuid();
      const { email, productId } = customer;
      const refund = { type: 'purchase.refunded', email, productId, purchaseId };
      const deliver = () => app.webhook('/storefrontWebhook', refund, keyed(`refund-${purchaseId}`));
      assert.equal((await deliver()).status, 404);
      const { key } = await customer.bought({ purchaseId });
      const again = await deliver();
      assert.deepEqual([again.status, again.body.license?.status], [200, 'revoked']);
      assert.equal((await new Machine(app, key).verify()).status, 403);
      await app.admin('/reinstateLicense', { licenseKey: key });
      assert.deepEqual((await deliver()).body, again.body, 'the success is replayed');
      assert.equal((await new Machine(app, key).verify()).status, 200, 'and not applied twice');
    });

    it('acts after a 400, also with a body that was corrected', async () => {
      const licenseKey = await app.license();
      assert.equal((await app.admin('/revokeLicense', {}, keyed('fields'))).status, 400);
      assert.equal((await app.admin('/revokeLicense', { licenseKey }, keyed('fields'))).status, 200);
    });

    it('acts after a 409', async () => {
      const licenseKey = await app.license();
      await app.admin('/revokeLicense', { licenseKey, reason: 'chargeback' });
      const lift = () => app.admin('/updateLicense', { licenseKey, status: 'active' }, keyed('conflict'));
      assert.equal((await lift()).status, 409);
      await app.admin('/reinstateLicense', { licenseKey });
      assert.equal((await lift()).status, 200);
    });

    it('acts after a 401', async () => {
      const order = { email: `${mintUuid()}@example.com`, productId: 'app' };
      const send = (secret: string) =>
        app.send('/createLicense', order, { headers: { 'x-admin-secret': secret, 'Idempotency-Key': 'secret' } });
      assert.equal((await send('not-the-admin-secret')).status, 401);
      assert.equal((await send('admin-secret-of-the-tests')).status, 200);
      const unknown = { ...order, apiKey: 'lk_unknown' };
      assert.equal((await app.send('/createLicense', unknown, keyed('unknown'))).status, 401);
      assert.equal((await app.send('/createLicense', unknown, keyed('unknown'))).status, 401);
      assert.equal((await app.admin('/listLicenses', { email: order.email })).body.count, 1);
    });

    it('acts after a 429', async () => {
      const code = await makeCode(app);
      const trial = { code, productId: 'app', email: `${mintUuid()}@example.com` };
      const redeem = () => app.send('/redeemTrialCode', trial, keyed('trial'));
      for (let guess = 0; guess < GUESSES_PER_HOUR; guess++)
        assert.equal((await app.send('/redeemTrialCode', { ...trial, code: 'guess' })).status, 404);
      assert.equal((await redeem()).status, 429);
      app.clock.move(HOUR_MS);
      const redeemed = await redeem();
      assert.equal(redeemed.status, 200);
    });
  });
