import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mintUuid } from '../../../src/ground/base/random.ts';
import { product, variant } from '../../licensing/products/catalogue.ts';
import { engines } from '../../support/databases.ts';
import { fillPool } from '../../support/full-pool.ts';
import { Machine } from '../../support/machine.ts';
import { startedApp } from '../../support/started-app.ts';
import { Customer, makeProductWithVariant, readLicense } from './storefront.ts';

for (const engine of engines)
  describe(`several copies in one sale on ${engine}`, () => {
    const app = startedApp(engine);

    const statusesOf = async (keys: readonly string[]) =>
      Promise.all(keys.map(async (key) => (await readLicense(app, key)).status));

    describe('of which each is a license', () => {
      /** A sale of some copies, and the keys. */
      async function soldCopies(quantity: number) {
        const customer = new Customer(app);
        const purchaseId = mintUuid();
        const sold = await customer.reported('purchase.completed', { purchaseId, quantity, durationDays: 30 });
        const keys: readonly string[] = sold.licenseKeys;
        return { customer, purchaseId, sold, keys };
      }

      it('answer all keys, also again, and make no more', async () => {
        const { customer, purchaseId, sold, keys } = await soldCopies(10);
        assert.deepEqual([new Set(keys).size, sold.licenseKey, sold.duplicate], [10, keys[0], false]);
        const again = await customer.reported('purchase.completed', { purchaseId, quantity: 10, durationDays: 30 });
        assert.deepEqual(again, { ...sold, duplicate: true });
        const plain = await customer.reported('purchase.completed', { purchaseId });
        assert.deepEqual(plain, { success: true, licenseKey: keys[0], duplicate: true });
        assert.equal((await app.admin('/listLicenses', { email: customer.email })).body.count, 10);
      });

      it('answer all keys to a repeated eventId', async () => {
        const customer = new Customer(app);
        const event = { purchaseId: mintUuid(), eventId: mintUuid(), quantity: 3 };
        const sold = await customer.reported('purchase.completed', event);
        assert.deepEqual(await customer.reported('purchase.completed', event), { ...sold, duplicate: true });
      });

      it('of one answer a list of one key', async () => {
        const { sold } = await soldCopies(1);
        assert.deepEqual(sold.licenseKeys, [sold.licenseKey]);
      });

      it('have up to 1,000, and a discount code counts once', async () => {
        const { keys } = await soldCopies(1000);
        assert.equal(new Set(keys).size, 1000);
        const { status, body } = await new Customer(app).report('purchase.completed', { quantity: 1001 });
        assert.equal(status, 400);
        assert.match(body.error, /^quantity /);
      });

      it('are renewed, and taken back, together', async () => {
        const { customer, purchaseId, keys } = await soldCopies(3);
        const renewed = await customer.reported('subscription.renewed', { purchaseId, durationDays: 30 });
        assert.deepEqual([renewed.licenseKey, renewed.licenseKeys], [keys[0], keys]);
        for (const key of keys) assert.equal((await readLicense(app, key)).expiresAt, renewed.expiresAt);
        assert.deepEqual((await customer.reported('purchase.refunded', { purchaseId })).licenseKeys, keys);
        assert.deepEqual(await statusesOf(keys), ['revoked', 'revoked', 'revoked']);
      });

      it('get the terms of another variant together, and keep their number', async () => {
        const customer = new Customer(app);
        customer.productId = await makeProductWithVariant(app, { name: 'studio', maxMachines: 7 });
        const purchaseId = mintUuid();
        const { licenseKeys } = await customer.reported('purchase.completed', { purchaseId, quantity: 2 });
        const plan = { purchaseId, variant: 'studio' };
        const refused = await customer.report('subscription.updated', { ...plan, quantity: 3 });
        assert.deepEqual(
          [refused.status, refused.body.error],
          [400, 'quantity must be 2: each copy has a license of its own'],
        );
        await customer.reported('subscription.updated', plan);
        for (const key of licenseKeys)
          assert.partialDeepStrictEqual(await readLicense(app, key), { variant: 'studio', maxMachines: 7 });
      });

      it('are taken back by number: those that no machine uses, the last ones first', async () => {
        const { customer, purchaseId, keys } = await soldCopies(4);
        await new Machine(app, keys[3]!).activated();
        const refund = await customer.reported('purchase.refunded', { purchaseId, quantity: 2 });
        assert.deepEqual(refund.licenseKeys?.toSorted(), [keys[1], keys[2]].toSorted());
        assert.deepEqual(await statusesOf(keys), ['active', 'revoked', 'revoked', 'active']);
        await customer.reported('purchase.refunded', { purchaseId, quantity: 1 });
        assert.deepEqual(await statusesOf(keys), ['revoked', 'revoked', 'revoked', 'active']);
      });

      it('stay where machines use them all: staff read how many were refunded', async () => {
        const { customer, purchaseId, keys } = await soldCopies(3);
        await new Machine(app, keys[0]!, 'one').activated();
        await new Machine(app, keys[2]!, 'two').activated();
        await customer.reported('purchase.refunded', { purchaseId, quantity: 2 });
        assert.deepEqual(await statusesOf(keys), ['active', 'revoked', 'active']);
        const { history } = (await app.admin('/getLicense', { licenseKey: keys[0], history: true })).body;
        assert.match(JSON.stringify(history), /refunded while in use: 1/);
      });

      it('go one by one when 20 refunds of one copy come at once', async () => {
        const { customer, purchaseId, keys } = await soldCopies(25);
        await fillPool(app);
        await Promise.all(
          Array.from({ length: 20 }, () => customer.reported('purchase.refunded', { purchaseId, quantity: 1 })),
        );
        const statuses = await statusesOf(keys);
        assert.equal(statuses.filter((status) => status === 'revoked').length, 20);
      });

      it('are sold once to 20 deliveries at once', async () => {
        const customer = new Customer(app);
        const order = { purchaseId: mintUuid(), quantity: 5 };
        await fillPool(app);
        const bodies = await Promise.all(
          Array.from({ length: 20 }, () => customer.reported('purchase.completed', order)),
        );
        assert.equal(new Set(bodies.map(({ licenseKeys }) => JSON.stringify(licenseKeys))).size, 1);
        assert.equal((await app.admin('/listLicenses', { email: customer.email })).body.count, 5);
      });

      it('refuse a refund that is partial and names a number', async () => {
        const { customer, purchaseId } = await soldCopies(2);
        const { status, body } = await customer.report('purchase.refunded', { purchaseId, partial: true, quantity: 1 });
        assert.deepEqual([status, body.error], [400, 'Provide partial or quantity, not both']);
      });
    });

    describe('that scale', () => {
      /** A sale of five copies of a variant that scales. */
      async function soldScaled(fields: object = {}) {
        const customer = new Customer(app);
        customer.productId = await product(app);
        const { productId } = customer;
        const limits = { licenseType: 'floating', maxMachines: 3, maxConcurrent: 2, quantity: 'scale' };
        await variant(app, { productId, name: 'team', ...limits });
        await variant(app, { productId, name: 'site', licenseType: 'site', maxMachines: -1, quantity: 'scale' });
        const purchaseId = mintUuid();
        const order = { purchaseId, variant: 'team', quantity: 5, ...fields };
        const sold = await customer.reported('purchase.completed', order);
        const limitsNow = async () => {
          const { maxMachines, maxConcurrent, status } = await readLicense(app, sold.licenseKey);
          return [maxMachines, maxConcurrent, status];
        };
        return { customer, purchaseId, sold, limitsNow };
      }

      it('are one license with the limits times the quantity', async () => {
        const { sold, limitsNow } = await soldScaled();
        assert.deepEqual(sold.licenseKeys, [sold.licenseKey]);
        assert.deepEqual(await limitsNow(), [15, 10, 'active']);
      });

      it('multiply the limit of the event, and leave an unlimited one', async () => {
        assert.deepEqual((await (await soldScaled({ maxMachines: 4 })).limitsNow())[0], 20);
        assert.deepEqual((await (await soldScaled({ variant: 'site' })).limitsNow())[0], -1);
      });

      it('keep their number in another variant, unless the event names one', async () => {
        const { customer, purchaseId, limitsNow } = await soldScaled();
        const change = (fields: object) =>
          customer.reported('subscription.updated', { purchaseId, variant: 'team', ...fields });
        await change({});
        assert.deepEqual(await limitsNow(), [15, 10, 'active']);
        await change({ quantity: 7 });
        assert.deepEqual(await limitsNow(), [21, 14, 'active']);
        await change({});
        assert.deepEqual(await limitsNow(), [21, 14, 'active']);
      });

      it('have lower limits after a refund of some, and end with the last', async () => {
        const { customer, purchaseId, limitsNow } = await soldScaled();
        await customer.reported('purchase.refunded', { purchaseId, quantity: 2 });
        assert.deepEqual(await limitsNow(), [9, 6, 'active']);
        await customer.reported('purchase.refunded', { purchaseId, quantity: 3 });
        assert.deepEqual(await limitsNow(), [9, 6, 'revoked']);
      });

      it('count each of 4 refunds at once', async () => {
        const { customer, purchaseId, limitsNow } = await soldScaled();
        await fillPool(app);
        await Promise.all(
          Array.from({ length: 4 }, () => customer.reported('purchase.refunded', { purchaseId, quantity: 1 })),
        );
        assert.deepEqual(await limitsNow(), [3, 2, 'active']);
      });
    });

    it('are licenses of their own again after an update of the variant, null clears it', async () => {
      const customer = new Customer(app);
      customer.productId = await makeProductWithVariant(app, { quantity: 'scale' });
      const variantId = `${customer.productId}-indie`;
      const keys = async () =>
        (await customer.reported('purchase.completed', { quantity: 2 })).licenseKeys.length as number;
      assert.equal(await keys(), 1);
      await app.admin('/updateVariant', { variantId, quantity: null });
      assert.equal(await keys(), 2);
      await app.admin('/updateVariant', { variantId, quantity: 'licenses' });
      const order = { quantity: 2, subscriptionId: mintUuid() };
      assert.equal((await customer.reported('purchase.completed', order)).licenseKeys.length, 2);
      assert.equal((await app.admin('/updateVariant', { variantId, quantity: 'both' })).status, 400);
    });

    it('are one license where a subscription pays, unless the variant says otherwise', async () => {
      const customer = new Customer(app);
      const subscriptionId = mintUuid();
      assert.equal((await customer.bought({ subscriptionId, quantity: 4 })).maxMachines, 8);
      customer.productId = await makeProductWithVariant(app, { quantity: 'licenses' });
      const order = { subscriptionId: mintUuid(), quantity: 4 };
      assert.equal((await customer.reported('purchase.completed', order)).licenseKeys.length, 4);
    });
  });
