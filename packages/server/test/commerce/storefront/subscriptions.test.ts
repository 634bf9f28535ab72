import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS } from '../../../src/ground/base/clock.ts';
import { mintUuid } from '../../../src/ground/base/random.ts';
import { variant } from '../../licensing/products/catalogue.ts';
import { engines } from '../../support/databases.ts';
import { startedApp } from '../../support/started-app.ts';
import { Customer, makeProductWithVariant, readLicense } from './storefront.ts';

const ABOUT_SUBSCRIPTIONS = ['subscription.renewed', 'subscription.cancelled', 'subscription.payment_failed'];

for (const engine of engines)
  describe(`a subscriptionId on ${engine}`, () => {
    const app = startedApp(engine);

    /** Two subscriptions of one customer to one product. */
    async function twoSubscriptions() {
      const customer = new Customer(app);
      const buy = (subscriptionId: string) =>
        customer.bought({ subscriptionId, purchaseId: mintUuid(), durationDays: 30 });
      const ids = [mintUuid(), mintUuid()] as const;
      return { customer, ids, licenses: [await buy(ids[0]), await buy(ids[1])] as const };
    }

    it('finds the license that was bought with it, whatever the purchaseId of the period', async () => {
      const { customer, ids, licenses } = await twoSubscriptions();
      for (const type of ABOUT_SUBSCRIPTIONS)
        for (const index of [0, 1] as const) {
          const event = { subscriptionId: ids[index], purchaseId: mintUuid(), durationDays: 30 };
          assert.equal((await customer.reported(type, event)).licenseKey, licenses[index].key);
        }
    });

    it('waits for its purchase: a renewal before it is answered 404 and extends no other license', async () => {
      const { customer, licenses } = await twoSubscriptions();
      const subscriptionId = mintUuid();
      const renewal = { subscriptionId, purchaseId: licenses[0].purchaseId, eventId: mintUuid(), durationDays: 30 };
      assert.equal((await customer.report('subscription.renewed', renewal)).status, 404);
      for (const { key, expiresAt } of licenses) assert.equal((await readLicense(app, key)).expiresAt, expiresAt);
      const { key } = await customer.bought({ subscriptionId, purchaseId: mintUuid(), durationDays: 30 });
      const { licenseKey, expiresAt } = await customer.reported('subscription.renewed', renewal);
      assert.deepEqual([licenseKey, expiresAt], [key, app.clock.at(60 * DAY_MS)]);
    });

    it('without a license: a cancellation is accepted, a failed payment is 404', async () => {
      const { customer } = await twoSubscriptions();
      const subscriptionId = mintUuid();
      assert.deepEqual(await customer.reported('subscription.cancelled', { subscriptionId }), { success: true });
      assert.equal((await customer.report('subscription.payment_failed', { subscriptionId })).status, 404);
    });

    it('finds the license of a changed plan and of a refund without a purchaseId', async () => {
      const { customer, ids, licenses } = await twoSubscriptions();
      customer.productId = await makeProductWithVariant(app, { name: 'studio', maxMachines: 9 });
      const subscriptionId = mintUuid();
      const { key } = await customer.bought({ subscriptionId, variant: 'indie' });
      const changed = await customer.reported('subscription.updated', { subscriptionId, variant: 'studio' });
      assert.deepEqual([changed.licenseKey, changed.license.maxMachines], [key, 9]);
      customer.productId = 'app';
      const refund = await customer.reported('purchase.refunded', { subscriptionId: ids[0] });
      assert.equal(refund.licenseKey, licenses[0].key);
    });

    it('of several products renews the product that the event names', async () => {
      const customer = new Customer(app);
      const subscriptionId = mintUuid();
      const productIds = [await makeProductWithVariant(app, {}), await makeProductWithVariant(app, {})];
      const keys: string[] = [];
      for (const [index, productId] of productIds.entries()) {
        const line = { subscriptionId, purchaseId: 'order', lineId: `${index}`, productId, durationDays: 30 };
        keys.push((await customer.bought({ ...line, purchaseId: subscriptionId })).key);
      }
      const renewal = { subscriptionId, durationDays: 30 };
      for (const [index, productId] of productIds.entries())
        assert.equal(
          (await customer.reported('subscription.renewed', { ...renewal, productId })).licenseKey,
          keys[index],
        );
    });

    it('is tied to a license that was sold without it when the purchase is reported again', async () => {
      const customer = new Customer(app);
      const purchaseId = mintUuid();
      const subscriptionId = mintUuid();
      const { key } = await customer.bought({ purchaseId, durationDays: 30 });
      const again = await customer.reported('purchase.completed', { purchaseId, subscriptionId });
      assert.deepEqual(again, { success: true, licenseKey: key, duplicate: true });
      const renewed = await customer.reported('subscription.renewed', { subscriptionId, durationDays: 30 });
      assert.equal(renewed.licenseKey, key);
      // A license that has a subscription keeps it.
      const other = mintUuid();
      await customer.reported('purchase.completed', { purchaseId, subscriptionId: other });
      assert.equal((await customer.report('subscription.renewed', { subscriptionId: other })).status, 404);
    });

    it('of another creator is another subscription', async () => {
      const { ids, licenses } = await twoSubscriptions();
      const other = new Customer(app);
      other.productId = await makeProductWithVariant(app, {});
      await variant(app, { productId: other.productId, name: 'studio' });
      for (const type of ['subscription.renewed', 'subscription.updated', 'purchase.refunded']) {
        const event = { subscriptionId: ids[0], durationDays: 30, variant: 'studio' };
        assert.equal((await other.report(type, event)).status, 404);
      }
      assert.deepEqual(await readLicense(app, licenses[0].key), licenses[0]);
    });

    it('under the eventId of another subscription is refused', async () => {
      const { customer, ids } = await twoSubscriptions();
      const event = { eventId: mintUuid(), durationDays: 30 };
      await customer.reported('subscription.renewed', { ...event, subscriptionId: ids[0] });
      assert.equal((await customer.report('subscription.renewed', { ...event, subscriptionId: ids[1] })).status, 409);
    });
  });
