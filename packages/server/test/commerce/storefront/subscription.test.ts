import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS } from '../../../src/ground/base/clock.ts';
import { mintUuid } from '../../../src/ground/base/random.ts';
import { engines } from '../../support/databases.ts';
import { fillPool } from '../../support/full-pool.ts';
import { Machine } from '../../support/machine.ts';
import { startedApp } from '../../support/started-app.ts';
import { Customer, makeProductWithVariant, readLicense } from './storefront.ts';

for (const engine of engines)
  describe(`subscriptions on ${engine}`, () => {
    const app = startedApp(engine);

    describe('subscription.renewed', () => {
      it('adds durationDays to the expiry and answers the license', async () => {
        const customer = new Customer(app);
        const purchaseId = mintUuid();
        const license = await customer.bought({ purchaseId, durationDays: 30 });
        const expiresAt = app.clock.at(60 * DAY_MS);
        assert.deepEqual(await customer.reported('subscription.renewed', { purchaseId, durationDays: 30 }), {
          success: true,
          licenseKey: license.key,
          license: { ...license, expiresAt },
          expiresAt,
        });
        assert.equal((await readLicense(app, license.key)).expiresAt, expiresAt);
      });

      it('starts at the present when the license has expired, and makes it work again', async () => {
        const customer = new Customer(app);
        const { key } = await customer.bought({ durationDays: 30 });
        const machine = new Machine(app, key);
        app.clock.move(45 * DAY_MS);
        assert.equal((await machine.verify()).status, 403);
        const { expiresAt, license } = await customer.reported('subscription.renewed', { durationDays: 30 });
        assert.deepEqual([expiresAt, license.status], [app.clock.at(30 * DAY_MS), 'active']);
        assert.equal((await machine.verify()).status, 200);
      });

      it('extends with every delivery, 20 of them at once, too', async () => {
        const customer = new Customer(app);
        const { key, expiresAt } = await customer.bought({ durationDays: 1 });
        await fillPool(app);
        await Promise.all(
          Array.from({ length: 20 }, () => customer.reported('subscription.renewed', { durationDays: 1 })),
        );
        assert.equal(Date.parse((await readLicense(app, key)).expiresAt) - Date.parse(expiresAt), 20 * DAY_MS);
      });

      it("takes the variant's durationDays where the event has none", async () => {
        const customer = new Customer(app);
        customer.productId = await makeProductWithVariant(app, { durationDays: 365 });
        await customer.bought({ durationDays: 10 });
        const { expiresAt } = await customer.reported('subscription.renewed');
        assert.equal(expiresAt, app.clock.at(375 * DAY_MS));
      });

      it('400 when neither says how long', async () => {
        const customer = new Customer(app);
        const license = await customer.bought({ durationDays: 30 });
        const { status, body } = await customer.report('subscription.renewed');
        assert.equal(status, 400);
        assert.match(body.error, /^durationDays is required/);
        assert.deepEqual(await readLicense(app, license.key), license);
      });

      it('leaves a perpetual license perpetual, whether or not it says how long', async () => {
        const customer = new Customer(app);
        await customer.bought();
        for (const length of [{ durationDays: 30 }, {}]) {
          const { expiresAt, license } = await customer.reported('subscription.renewed', length);
          assert.deepEqual([expiresAt, license.expiresAt], [null, null]);
        }
      });

      it('extends a revoked license and leaves it revoked', async () => {
        const customer = new Customer(app);
        const { key } = await customer.bought({ durationDays: 30 });
        await customer.reported('purchase.disputed');
        const { license } = await customer.reported('subscription.renewed', { durationDays: 30 });
        assert.deepEqual([license.status, license.expiresAt], ['revoked', app.clock.at(60 * DAY_MS)]);
        assert.equal((await new Machine(app, key).verify()).body.error, 'License has been revoked');
      });

      it('prefers the license of its purchaseId to a newer one', async () => {
        const customer = new Customer(app);
        const purchaseId = mintUuid();
        const { key } = await customer.bought({ purchaseId, durationDays: 30 });
        app.clock.move(1000);
        await customer.bought({ purchaseId: mintUuid(), durationDays: 30 });
        const { licenseKey } = await customer.reported('subscription.renewed', { purchaseId, durationDays: 30 });
        assert.equal(licenseKey, key);
      });

      it('finds the newest license of e-mail and product, also when its purchaseId is new', async () => {
        const customer = new Customer(app);
        await customer.bought({ purchaseId: mintUuid(), durationDays: 30 });
        app.clock.move(1000);
        const { key } = await customer.bought({ purchaseId: mintUuid(), durationDays: 30 });
        await app.license({ email: customer.email, productId: 'another' });
        for (const fields of [{}, { purchaseId: mintUuid() }, { email: customer.email.toUpperCase() }]) {
          const { licenseKey } = await customer.reported('subscription.renewed', { durationDays: 30, ...fields });
          assert.equal(licenseKey, key);
        }
      });

      it('searches the licenses of a variant if it names one', async () => {
        const customer = new Customer(app);
        const { key } = await customer.bought({ variant: 'studio', durationDays: 30 });
        app.clock.move(1000);
        await customer.bought({ durationDays: 30 });
        const order = { durationDays: 30, variant: 'studio' };
        assert.equal((await customer.reported('subscription.renewed', order)).licenseKey, key);
        assert.equal((await customer.report('subscription.renewed', { ...order, variant: 'site' })).status, 404);
      });

      it('404 when there is no license', async () => {
        const { status, body } = await new Customer(app).report('subscription.renewed', { durationDays: 30 });
        assert.deepEqual([status, body], [404, { success: false, error: 'License not found' }]);
      });

      it('ends at the last moment there is', async () => {
        const customer = new Customer(app);
        await customer.bought({ durationDays: 1_000_000_000 });
        const { expiresAt } = await customer.reported('subscription.renewed', { durationDays: 30 });
        assert.equal(expiresAt, '9999-12-31T23:59:59.999Z');
      });
    });

    describe('subscription.cancelled', () => {
      it('changes nothing: the license runs to its end', async () => {
        const customer = new Customer(app);
        const license = await customer.bought({ durationDays: 30 });
        const body = await customer.reported('subscription.cancelled');
        assert.deepEqual(body, { success: true, licenseKey: license.key, license });
        assert.deepEqual(await readLicense(app, license.key), license);
        assert.equal((await new Machine(app, license.key).verify()).status, 200);
      });

      it('is accepted when there is no license', async () => {
        assert.deepEqual(await new Customer(app).reported('subscription.cancelled'), { success: true });
      });
    });
  });
