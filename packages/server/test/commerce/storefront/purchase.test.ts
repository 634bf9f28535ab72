import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS } from '../../../src/ground/base/clock.ts';
import { mintUuid } from '../../../src/ground/base/random.ts';
import { engines } from '../../support/databases.ts';
import { fillPool } from '../../support/full-pool.ts';
import { Machine } from '../../support/machine.ts';
import { startedApp } from '../../support/started-app.ts';
import { makeCode, makeCreator, readCode } from '../discount-codes/creator.ts';
import { Customer, makeProductWithVariant, readLicense } from './storefront.ts';

for (const engine of engines)
  describe(`purchase.completed on ${engine}`, () => {
    const app = startedApp(engine);

    it('answers the key of a license that works', async () => {
      const customer = new Customer(app);
      const { licenseKey, ...rest } = await customer.reported('purchase.completed', { purchaseId: mintUuid() });
      assert.deepEqual(rest, { success: true, duplicate: false });
      await new Machine(app, licenseKey).activated();
    });

    it("keeps the event's fields of the license", async () => {
      const customer = new Customer(app);
      const said = { variant: 'studio', purchaseId: mintUuid(), licenseType: 'site', maxMachines: -1 };
      assert.partialDeepStrictEqual(await customer.bought({ ...said, amount: 49.9, currency: 'EUR' }), {
        ...said,
        email: customer.email,
        productId: 'app',
        status: 'active',
        expiresAt: null,
        purchasedAt: app.clock.at(),
        threatLevel: 0,
        disputeReason: null,
      });
    });

    it('takes the stated defaults where neither event nor catalogue says otherwise', async () => {
      assert.partialDeepStrictEqual(await new Customer(app).bought(), {
        variant: 'indie',
        licenseType: 'per-machine',
        maxMachines: 2,
        purchaseId: null,
        discountCode: null,
      });
    });

    it('takes type and limits from the variant unless the event overrides them', async () => {
      const customer = new Customer(app);
      customer.productId = await makeProductWithVariant(app, {
        licenseType: 'floating',
        maxMachines: 9,
        maxConcurrent: 4,
      });
      const inherited = { licenseType: 'floating', maxMachines: 9, maxConcurrent: 4 };
      assert.partialDeepStrictEqual(await customer.bought(), inherited);
      const overridden = { licenseType: 'site', maxMachines: 3 };
      assert.partialDeepStrictEqual(await customer.bought(overridden), overridden);
    });

    it('treats null and empty fields as absent', async () => {
      const optional = [
        'variant',
        'purchaseId',
        'licenseType',
        'maxMachines',
        'discountCode',
        'trialDays',
        'durationDays',
      ];
      for (const nothing of [null, ''])
        assert.partialDeepStrictEqual(
          await new Customer(app).bought(
            Object.fromEntries([...optional, 'amount', 'currency'].map((field) => [field, nothing])),
          ),
          { variant: 'indie', maxMachines: 2, expiresAt: null, purchaseId: null },
        );
    });

    it('sells archived products, too', async () => {
      const customer = new Customer(app);
      const { productId } = await makeCreator(app);
      await app.admin('/updateProduct', { productId, status: 'archived' });
      customer.productId = productId;
      assert.equal((await customer.bought()).status, 'active');
    });

    describe('of one purchaseId', () => {
      it('answers the same license again and makes no other, with any other fields in the event', async () => {
        const customer = new Customer(app);
        const purchaseId = mintUuid();
        const { licenseKey } = await customer.reported('purchase.completed', { purchaseId });
        const again = await customer.reported('purchase.completed', { purchaseId, variant: 'studio', durationDays: 3 });
        assert.deepEqual(again, { success: true, licenseKey, duplicate: true });
        assert.partialDeepStrictEqual(await readLicense(app, licenseKey), { variant: 'indie', expiresAt: null });
        assert.equal((await app.admin('/listLicenses', { email: customer.email })).body.count, 1);
      });

      it('makes one license of 20 deliveries at once', async () => {
        const customer = new Customer(app);
        const purchaseId = mintUuid();
        await fillPool(app);
        const bodies = await Promise.all(
          Array.from({ length: 20 }, () => customer.reported('purchase.completed', { purchaseId })),
        );
        assert.equal(new Set(bodies.map(({ licenseKey }) => licenseKey)).size, 1);
        assert.equal(bodies.filter(({ duplicate }) => !duplicate).length, 1);
        assert.equal((await app.admin('/listLicenses', { email: customer.email })).body.count, 1);
      });

      it('counts a license of /createLicense, the oldest of several', async () => {
        const purchaseId = mintUuid();
        const oldest = await app.license({ purchaseId });
        app.clock.move(1);
        await app.license({ purchaseId });
        const body = await new Customer(app).reported('purchase.completed', { purchaseId });
        assert.deepEqual(body, { success: true, licenseKey: oldest, duplicate: true });
      });

      it('does not bring back a license that was refunded', async () => {
        const customer = new Customer(app);
        const purchaseId = mintUuid();
        const { key: licenseKey } = await customer.bought({ purchaseId });
        await customer.reported('purchase.refunded', { purchaseId });
        const again = await customer.reported('purchase.completed', { purchaseId });
        assert.deepEqual(again, { success: true, licenseKey, duplicate: true });
        assert.equal((await readLicense(app, licenseKey)).status, 'revoked');
      });

      it('without one every delivery is a purchase', async () => {
        const customer = new Customer(app);
        const keys = [await customer.bought(), await customer.bought()].map(({ key }) => key);
        assert.notEqual(keys[0], keys[1]);
      });
    });

    describe('decides the expiry by the first length that is known:', () => {
      const expiryIn = (days: number) => app.clock.at(days * DAY_MS);

      it('durationDays, trialDays, the trial of a redeemed code, durationDays of the variant, for ever', async () => {
        const inCatalogue = await makeProductWithVariant(app, { durationDays: 365 });
        const discountCode = await makeCode(app, { trialDays: 14 });
        for (const [productId, lengths, days] of [
          [inCatalogue, { durationDays: 30, trialDays: 7, discountCode }, 30],
          [inCatalogue, { trialDays: 7, discountCode }, 7],
          [inCatalogue, { discountCode }, 14],
          [inCatalogue, {}, 365],
          ['app', {}, null],
        ] as const) {
          const license = await new Customer(app).bought({ productId, ...lengths });
          assert.equal(license.expiresAt, days && expiryIn(days));
        }
      });

      it("not the variant's defaultTrialDays, which the storefront passes as trialDays", async () => {
        const customer = new Customer(app);
        customer.productId = await makeProductWithVariant(app, { defaultTrialDays: 14 });
        assert.equal((await customer.bought()).expiresAt, null);
      });

      it('the variant that the event names', async () => {
        const customer = new Customer(app);
        customer.productId = await makeProductWithVariant(app, { name: 'yearly', durationDays: 365 });
        assert.equal((await customer.bought({ variant: 'yearly' })).expiresAt, expiryIn(365));
        assert.equal((await customer.bought()).expiresAt, null);
      });

      it('at most the end of the year 9999', async () => {
        const { expiresAt } = await new Customer(app).bought({ durationDays: 1_000_000_000 });
        assert.equal(expiresAt, '9999-12-31T23:59:59.999Z');
      });
    });

    describe('with a discount code', () => {
      it('counts a use and remembers the customer, also where another length decides', async () => {
        const customer = new Customer(app);
        const code = await makeCode(app, { trialDays: 14 });
        const license = await customer.bought({ discountCode: code, durationDays: 30 });
        assert.equal(license.discountCode, code);
        assert.equal((await readCode(app, code)).usedCount, 1);
        const { status, body } = await app.send('/redeemTrialCode', { code, productId: 'app', email: customer.email });
        assert.deepEqual([status, body.error], [409, 'already_redeemed']);
      });

      it('counts no second use for a second delivery', async () => {
        const customer = new Customer(app);
        const order = { discountCode: await makeCode(app), purchaseId: mintUuid() };
        await customer.bought(order);
        await customer.bought(order);
        assert.equal((await readCode(app, order.discountCode)).usedCount, 1);
      });

      it('that cannot be redeemed sells all the same: no trial, no use, the code kept as text', async () => {
        const used = await makeCode(app, { maxUses: 1 });
        await new Customer(app).bought({ discountCode: used });
        const deactivated = await makeCode(app);
        await app.admin('/updateDiscountCode', { code: deactivated, active: false });
        const expired = await makeCode(app, { expiresAt: app.clock.at() });
        const foreign = await makeCode(app, { productId: 'another' });
        for (const [discountCode, usedCount] of [
          [used, 1],
          [deactivated, 0],
          [expired, 0],
          [foreign, 0],
          ['unknown to us', undefined],
        ] as const) {
          const license = await new Customer(app).bought({ discountCode });
          assert.partialDeepStrictEqual(license, { discountCode, expiresAt: null, status: 'active' });
          assert.equal((await readCode(app, discountCode))?.usedCount, usedCount);
        }
      });

      it('gives one trial per e-mail address', async () => {
        const customer = new Customer(app);
        const discountCode = await makeCode(app, { trialDays: 14 });
        assert.equal((await customer.bought({ discountCode })).expiresAt, app.clock.at(14 * DAY_MS));
        assert.equal((await customer.bought({ discountCode })).expiresAt, null);
        assert.equal((await readCode(app, discountCode)).usedCount, 1);
      });

      it('of an archived product still gives its trial', async () => {
        const { productId } = await makeCreator(app);
        const discountCode = await makeCode(app, { productId, trialDays: 14 });
        await app.admin('/updateProduct', { productId, status: 'archived' });
        const customer = new Customer(app);
        customer.productId = productId;
        assert.equal((await customer.bought({ discountCode })).expiresAt, app.clock.at(14 * DAY_MS));
      });
    });
  });
