import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS, fromTimestamp, HOUR_MS } from '../../../src/ground/base/clock.ts';
import { mintUuid } from '../../../src/ground/base/random.ts';
import { timeAfter } from '../../../src/licensing/products/duration.ts';
import { engines } from '../../support/databases.ts';
import { fillPool } from '../../support/full-pool.ts';
import { Machine } from '../../support/machine.ts';
import { startedApp } from '../../support/started-app.ts';
import { Customer, makeProductWithVariant, readLicense } from './storefront.ts';

for (const engine of engines)
  describe(`paid periods on ${engine}`, () => {
    const app = startedApp(engine);
    const months = (from: string, count: number) => timeAfter(fromTimestamp(from), { months: count });

    it('last for months of the calendar, with the purchase and each renewal', async () => {
      const customer = new Customer(app);
      const { expiresAt } = await customer.bought({ durationMonths: 1 });
      assert.equal(expiresAt, months(app.clock.at(), 1));
      const renewed = await customer.reported('subscription.renewed', { durationMonths: 1 });
      assert.equal(renewed.expiresAt, months(expiresAt, 1));
    });

    it('last for the months of the variant where the event says nothing', async () => {
      const customer = new Customer(app);
      customer.productId = await makeProductWithVariant(app, { durationMonths: 12 });
      const { expiresAt } = await customer.bought();
      assert.equal(expiresAt, months(app.clock.at(), 12));
      assert.equal((await customer.reported('subscription.renewed')).expiresAt, months(expiresAt, 12));
    });

    it('400 for days and months at once', async () => {
      const { status, body } = await new Customer(app).report('purchase.completed', {
        durationDays: 30,
        durationMonths: 1,
      });
      assert.deepEqual([status, body.error], [400, 'durationMonths must not be given with durationDays']);
    });

    it("end when the shop says, which wins over a length; a day is that day's end in UTC", async () => {
      const customer = new Customer(app);
      const { expiresAt } = await customer.bought({ expiresAt: '2040-05-31', durationDays: 30 });
      assert.equal(expiresAt, '2040-05-31T23:59:59.999Z');
    });

    it('are never shortened by a renewal, whatever order and number of deliveries, 20 at once', async () => {
      const customer = new Customer(app);
      const { key } = await customer.bought({ expiresAt: '2040-01-31' });
      const ends = Array.from({ length: 20 }, (_, index) => `2040-${String((index % 12) + 1).padStart(2, '0')}-28`);
      await fillPool(app);
      await Promise.all(ends.map((expiresAt) => customer.reported('subscription.renewed', { expiresAt })));
      assert.equal((await readLicense(app, key)).expiresAt, '2040-12-28T23:59:59.999Z');
      const { expiresAt } = await customer.reported('subscription.renewed', { expiresAt: '2040-03-01' });
      assert.equal(expiresAt, '2040-12-28T23:59:59.999Z');
    });

    it('have a grace of the purchase: the license works in it, and the true end stays', async () => {
      const customer = new Customer(app);
      const license = await customer.bought({ durationDays: 30, graceDays: 10 });
      assert.equal(license.graceDays, 10);
      const machine = await new Machine(app, license.key).activated();
      app.clock.move(39 * DAY_MS);
      const { status, body } = await machine.verify();
      assert.deepEqual([status, body.licenseExpiresAt, body.daysRemaining], [200, license.expiresAt, 0]);
      assert.equal(body.graceUntil, new Date(Date.parse(license.expiresAt) + 10 * DAY_MS).toISOString());
      app.clock.move(DAY_MS);
      assert.equal((await machine.verify()).status, 403);
    });

    it('come with further terms of the purchase, in place of those of the variant', async () => {
      const customer = new Customer(app);
      customer.productId = await makeProductWithVariant(app, {
        licenseType: 'floating',
        maxConcurrent: 2,
        unlockedProducts: ['reverb'],
        features: { export: true },
      });
      const plain = await customer.bought();
      assert.deepEqual([plain.maxConcurrent, plain.unlockedProducts], [2, ['reverb']]);
      const own = { maxConcurrent: 5, unlockedProducts: ['delay'], features: { export: false } };
      const license = await customer.bought(own);
      const { maxConcurrent, unlockedProducts, ownFeatures, features } = license;
      assert.deepEqual({ maxConcurrent, unlockedProducts, features: ownFeatures }, own);
      assert.deepEqual(features, { export: false });
    });

    it('begin at the expiry within the grace, because the grace is lent, and now after it', async () => {
      for (const [late, from] of [
        [9 * DAY_MS, 'expiry'],
        [10 * DAY_MS, 'now'],
      ] as const) {
        const customer = new Customer(app);
        const { expiresAt } = await customer.bought({ durationDays: 30, graceDays: 10 });
        app.clock.move(30 * DAY_MS + late);
        const renewed = await customer.reported('subscription.renewed', { durationDays: 30 });
        const start = from === 'expiry' ? Date.parse(expiresAt) : fromTimestamp(app.clock.at());
        assert.equal(renewed.expiresAt, new Date(start + 30 * DAY_MS).toISOString(), from);
      }
    });

    it('move the covered builds of a perpetual license, never back', async () => {
      const customer = new Customer(app);
      customer.productId = await makeProductWithVariant(app, { updatesDays: 365 });
      const { expiresAt, updatesUntil } = await customer.bought();
      assert.deepEqual([expiresAt, updatesUntil], [null, app.clock.at(365 * DAY_MS)]);
      const renewal = async (fields: Readonly<Record<string, unknown>>) =>
        (await customer.reported('subscription.renewed', fields)).license.updatesUntil;
      assert.equal(await renewal({}), app.clock.at(730 * DAY_MS));
      assert.equal(await renewal({ durationMonths: 12 }), months(app.clock.at(730 * DAY_MS), 12));
      const { updatesUntil: kept } = await readLicense(
        app,
        (await customer.reported('purchase.completed', {})).licenseKey,
      );
      assert.equal(kept, updatesUntil, 'a further purchase is another license');
    });

    it('move the expiry of a license with both ends, and the builds by updatesDays of the event', async () => {
      const customer = new Customer(app);
      customer.productId = await makeProductWithVariant(app, { updatesDays: 100, durationDays: 30 });
      const { updatesUntil } = await customer.bought();
      const { license } = await customer.reported('subscription.renewed');
      assert.deepEqual([license.expiresAt, license.updatesUntil], [app.clock.at(60 * DAY_MS), updatesUntil]);
      const both = await customer.reported('subscription.renewed', { updatesDays: 20 });
      assert.deepEqual(
        [both.license.expiresAt, both.license.updatesUntil],
        [app.clock.at(90 * DAY_MS), app.clock.at(120 * DAY_MS)],
      );
    });

    it('bound the license file: it outlasts the grace by the leeway at most', async () => {
      const licenseKey = await app.license({ expiresAt: app.clock.at(10 * DAY_MS), graceDays: 5 });
      const machine = { machineFingerprint: 'lab', hostname: 'lab' };
      const { body } = await app.admin('/createLicenseFile', { licenseKey, ...machine, days: 365 });
      const beyond = Date.parse(body.expiresAt) - Date.parse(app.clock.at(15 * DAY_MS));
      assert.ok(beyond >= 0 && beyond <= 14 * DAY_MS, `${beyond / HOUR_MS} hours`);
      const plain = await app.license({ expiresAt: app.clock.at(10 * DAY_MS) });
      const file = await app.admin('/createLicenseFile', { licenseKey: plain, ...machine, days: 365 });
      assert.equal(Date.parse(body.expiresAt) - Date.parse(file.body.expiresAt), 5 * DAY_MS);
    });

    it('of which a payment failed are noted and change nothing; 404 without a license', async () => {
      const customer = new Customer(app);
      const purchaseId = mintUuid();
      const license = await customer.bought({ purchaseId, durationDays: 30 });
      const body = await customer.reported('subscription.payment_failed', { purchaseId });
      assert.deepEqual(body, { success: true, licenseKey: license.key, license });
      assert.deepEqual(await readLicense(app, license.key), license);
      assert.equal((await new Customer(app).report('subscription.payment_failed')).status, 404);
    });
  });
