import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mintUuid } from '../../../src/ground/base/random.ts';
import { inspect } from '../../support/answers.ts';
import { engines } from '../../support/databases.ts';
import { fillPool } from '../../support/full-pool.ts';
import { Machine } from '../../support/machine.ts';
import { startedApp } from '../../support/started-app.ts';
import { Customer, readLicense } from './storefront.ts';

for (const engine of engines)
  describe(`refunds and chargebacks on ${engine}`, () => {
    const app = startedApp(engine);

    const violationsOf = async (licenseKey: string) => (await inspect(app, licenseKey)).violations;

    for (const [type, reason] of [
      ['purchase.refunded', 'refund'],
      ['purchase.disputed', 'chargeback'],
    ] as const)
      describe(type, () => {
        it('revokes at once and answers the license', async () => {
          const customer = new Customer(app);
          const purchaseId = mintUuid();
          const bought = await customer.bought({ purchaseId });
          const machine = await new Machine(app, bought.key).activated();
          const license = { ...bought, status: 'revoked', threatLevel: 4, disputeReason: reason };
          const body = await customer.reported(type, { purchaseId });
          assert.deepEqual(body, { success: true, licenseKey: bought.key, license });
          for (const refused of [await machine.verify(), await machine.validate(), await machine.activate()])
            assert.deepEqual([refused.status, refused.body.error], [403, 'License has been revoked']);
        });

        it('leaves a violation with amount, currency and purchaseId as evidence', async () => {
          const customer = new Customer(app);
          const paid = { purchaseId: mintUuid(), amount: 49.9, currency: 'EUR' };
          const { key } = await customer.bought(paid);
          await customer.reported(type, paid);
          const [violation, ...more] = await violationsOf(key);
          assert.deepEqual(more, []);
          assert.partialDeepStrictEqual(violation, {
            type: reason,
            severity: 4,
            resolvedAt: null,
            evidence: { reportedBy: 'storefront', ...paid },
          });
        });

        it('applies once more with every delivery, also of two at once', async () => {
          const customer = new Customer(app);
          const { key } = await customer.bought();
          await fillPool(app);
          await Promise.all([customer.reported(type), customer.reported(type)]);
          await customer.reported(type);
          assert.equal((await violationsOf(key)).length, 3);
          await app.admin('/reinstateLicense', { licenseKey: key });
          await customer.reported(type);
          assert.equal((await readLicense(app, key)).status, 'revoked');
        });

        it('finds the license by purchaseId alone, with any e-mail and product', async () => {
          const customer = new Customer(app);
          const purchaseId = mintUuid();
          const { key } = await customer.bought({ purchaseId });
          app.clock.move(1000);
          const newer = await customer.bought({ purchaseId: mintUuid() });
          const stranger = { email: 'other@example.com', productId: 'other' };
          assert.equal((await customer.reported(type, { purchaseId, ...stranger })).licenseKey, key);
          assert.equal((await readLicense(app, newer.key)).status, 'active');
        });

        it('404 for a purchaseId without a license, and no other license is touched', async () => {
          const customer = new Customer(app);
          const { key } = await customer.bought();
          const { status, body } = await customer.report(type, { purchaseId: mintUuid() });
          assert.deepEqual([status, body], [404, { success: false, error: 'License not found' }]);
          assert.equal((await readLicense(app, key)).status, 'active');
        });

        it('without a purchaseId finds the newest of e-mail and product', async () => {
          const customer = new Customer(app);
          const older = await customer.bought({ purchaseId: mintUuid() });
          app.clock.move(1000);
          const newer = await customer.bought({ purchaseId: mintUuid() });
          assert.equal((await customer.reported(type)).licenseKey, newer.key);
          assert.equal((await readLicense(app, older.key)).status, 'active');
          assert.equal((await new Customer(app).report(type)).status, 404);
        });

        it('takes the money back for a negative amount, too', async () => {
          const customer = new Customer(app);
          const { key } = await customer.bought({ amount: 10 });
          await customer.reported(type, { amount: -10 });
          assert.equal((await violationsOf(key))[0].evidence.amount, -10);
        });
      });

    it('a refund after a chargeback does not soften it, a chargeback after a refund hardens it', async () => {
      for (const types of [
        ['purchase.disputed', 'purchase.refunded'],
        ['purchase.refunded', 'purchase.disputed'],
      ]) {
        const customer = new Customer(app);
        const { key: licenseKey } = await customer.bought();
        for (const type of types) await customer.reported(type);
        assert.equal((await readLicense(app, licenseKey)).disputeReason, 'chargeback');
        const { status } = await app.admin('/updateLicense', { licenseKey, status: 'active' });
        assert.equal(status, 409, 'only /reinstateLicense undoes a chargeback');
      }
    });

    it('a chargeback is undone by /reinstateLicense', async () => {
      const customer = new Customer(app);
      const { key: licenseKey } = await customer.bought();
      await customer.reported('purchase.disputed');
      assert.equal((await app.admin('/reinstateLicense', { licenseKey })).status, 200);
      assert.equal((await new Machine(app, licenseKey).verify()).status, 200);
    });
  });
