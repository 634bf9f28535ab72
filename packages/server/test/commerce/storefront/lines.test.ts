import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mintUuid } from '../../../src/ground/base/random.ts';
import { product } from '../../licensing/products/catalogue.ts';
import { engines } from '../../support/databases.ts';
import { fillPool } from '../../support/full-pool.ts';
import { startedApp } from '../../support/started-app.ts';
import { Customer, makeProductWithVariant, readLicense } from './storefront.ts';

for (const engine of engines)
  describe(`lines of an order on ${engine}`, () => {
    const app = startedApp(engine);

    /** A customer and an order of two products of the catalogue, each a line. */
    async function orderOfTwo(fields: object = {}) {
      const customer = new Customer(app);
      const purchaseId = mintUuid();
      const [first, second] = [await product(app), await product(app)];
      const buy = (lineId: string, productId: string) =>
        customer.bought({ purchaseId, lineId, productId, durationDays: 30, ...fields });
      const one = await buy('1', first);
      app.clock.move(1000);
      const two = await buy('2', second);
      const statuses = async () => Promise.all([one, two].map(async ({ key }) => (await readLicense(app, key)).status));
      return { customer, purchaseId, first, second, one, two, statuses };
    }

    it('are sold each, once', async () => {
      const { customer, purchaseId, first, second, one, two } = await orderOfTwo();
      assert.notEqual(one.key, two.key);
      assert.deepEqual([one.productId, two.productId], [first, second]);
      assert.deepEqual([one.purchaseId, two.purchaseId], [purchaseId, purchaseId]);
      const again = await customer.reported('purchase.completed', { purchaseId, lineId: '2', productId: second });
      assert.deepEqual(again, { success: true, licenseKey: two.key, duplicate: true });
      assert.equal((await app.admin('/listLicenses', { email: customer.email })).body.count, 2);
    });

    it('of one product are sales of their own', async () => {
      const customer = new Customer(app);
      const purchaseId = mintUuid();
      const keys = [];
      for (const lineId of ['1', '2', '1']) keys.push((await customer.bought({ purchaseId, lineId })).key);
      assert.deepEqual([keys[0] === keys[2], keys[0] === keys[1]], [true, false]);
    });

    it('warn of a line whose license is of another product', async () => {
      const { customer, purchaseId, first, second, two } = await orderOfTwo();
      assert.deepEqual(await customer.reported('purchase.completed', { purchaseId, lineId: '2', productId: first }), {
        success: true,
        licenseKey: two.key,
        duplicate: true,
        productId: second,
        variant: 'indie',
        warnings: ['other_product'],
      });
    });

    for (const [type, revoked] of [
      ['purchase.refunded', 'refund'],
      ['purchase.disputed', 'chargeback'],
    ])
      it(`${type} takes back the named line, or the named product, alone`, async () => {
        for (const named of [{ lineId: '2' }, {}]) {
          const { customer, purchaseId, second, two, statuses } = await orderOfTwo();
          const { licenseKey, license } = await customer.reported(type!, { purchaseId, productId: second, ...named });
          assert.deepEqual([licenseKey, license.disputeReason], [two.key, revoked]);
          assert.deepEqual(await statuses(), ['active', 'revoked']);
        }
      });

    it('a refund of an unknown line is answered 404 and takes nothing back', async () => {
      const { customer, purchaseId, second, statuses } = await orderOfTwo();
      const { status } = await customer.report('purchase.refunded', { purchaseId, lineId: '3', productId: second });
      assert.equal(status, 404);
      assert.deepEqual(await statuses(), ['active', 'active']);
    });

    it('a refund of a product that the purchase lacks takes back the oldest license of the purchase', async () => {
      const { customer, purchaseId, one, statuses } = await orderOfTwo();
      const productId = await product(app);
      assert.equal((await customer.reported('purchase.refunded', { purchaseId, productId })).licenseKey, one.key);
      assert.deepEqual(await statuses(), ['revoked', 'active']);
    });

    it('a renewal extends the license of the named product', async () => {
      const { customer, purchaseId, second, one, two } = await orderOfTwo();
      const renewed = await customer.reported('subscription.renewed', {
        purchaseId,
        productId: second,
        durationDays: 9,
      });
      assert.equal(renewed.licenseKey, two.key);
      assert.equal((await readLicense(app, one.key)).expiresAt, one.expiresAt);
    });

    it('need the purchaseId of their order', async () => {
      const { status, body } = await new Customer(app).report('purchase.completed', { lineId: '1' });
      assert.deepEqual([status, body.error], [400, 'lineId needs the purchaseId of its order']);
    });

    it('under one eventId are several events: the second is refused, and never lost in silence', async () => {
      const customer = new Customer(app);
      const order = { purchaseId: mintUuid(), eventId: mintUuid() };
      await customer.reported('purchase.completed', { ...order, lineId: '1' });
      assert.equal((await customer.report('purchase.completed', { ...order, lineId: '2' })).status, 409);
    });

    it('of another creator with the same ids are another sale', async () => {
      const { purchaseId, statuses } = await orderOfTwo();
      const other = new Customer(app);
      other.productId = await makeProductWithVariant(app, {});
      // Products outside the catalogue are the operator's.
      const outside = new Customer(app);
      assert.equal((await outside.reported('purchase.completed', { purchaseId, lineId: '2' })).duplicate, false);
      assert.equal(
        (await outside.reported('purchase.refunded', { purchaseId, lineId: '2' })).license.status,
        'revoked',
      );
      assert.deepEqual(await statuses(), ['active', 'active']);
    });

    it('give one license each to 20 deliveries at once', async () => {
      const customer = new Customer(app);
      const purchaseId = mintUuid();
      await fillPool(app);
      const bodies = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          customer.reported('purchase.completed', { purchaseId, lineId: `${index % 2}` }),
        ),
      );
      assert.equal(new Set(bodies.map(({ licenseKey }) => licenseKey)).size, 2);
      assert.equal(bodies.filter(({ duplicate }) => !duplicate).length, 2);
      assert.equal((await app.admin('/listLicenses', { email: customer.email })).body.count, 2);
    });
  });
