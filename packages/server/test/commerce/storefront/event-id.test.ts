import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS } from '../../../src/ground/base/clock.ts';
import { mintUuid } from '../../../src/ground/base/random.ts';
import { inspect } from '../../support/answers.ts';
import { engines } from '../../support/databases.ts';
import { fillPool } from '../../support/full-pool.ts';
import { startedApp } from '../../support/started-app.ts';
import { Customer, makeProductWithVariant, readLicense } from './storefront.ts';

for (const engine of engines)
  describe(`an eventId on ${engine}`, () => {
    const app = startedApp(engine);

    const violationsOf = async (licenseKey: string) => (await inspect(app, licenseKey)).violations;

    it('lets a renewal act once, also when it is delivered again after weeks', async () => {
      const customer = new Customer(app);
      const purchaseId = mintUuid();
      await customer.bought({ purchaseId, durationDays: 30 });
      const renewal = { purchaseId, durationDays: 30, eventId: mintUuid() };
      const first = await customer.reported('subscription.renewed', renewal);
      assert.equal(first.expiresAt, app.clock.at(60 * DAY_MS));
      for (const days of [0, 2, 20]) {
        app.clock.move(days * DAY_MS);
        const again = await customer.reported('subscription.renewed', renewal);
        assert.deepEqual(again, { ...first, duplicate: true });
      }
      const next = { ...renewal, eventId: mintUuid() };
      const later = await customer.reported('subscription.renewed', next);
      assert.ok(later.expiresAt > first.expiresAt, 'another event extends again');
      const again = await customer.reported('subscription.renewed', renewal);
      assert.equal(again.expiresAt, later.expiresAt, 'a repeat answers the license as it is');
    });

    for (const type of ['purchase.refunded', 'purchase.disputed'])
      it(`lets ${type} act once, also after the license was reinstated`, async () => {
        const customer = new Customer(app);
        const { key } = await customer.bought();
        const event = { eventId: mintUuid() };
        const first = await customer.reported(type, event);
        assert.deepEqual(await customer.reported(type, event), { ...first, duplicate: true });
        assert.equal((await violationsOf(key)).length, 1);
        await app.admin('/reinstateLicense', { licenseKey: key });
        assert.equal((await customer.reported(type, event)).duplicate, true);
        assert.equal((await readLicense(app, key)).status, 'active');
      });

    it('makes one license of a purchase without a purchaseId', async () => {
      const customer = new Customer(app);
      const event = { eventId: mintUuid() };
      const first = await customer.reported('purchase.completed', event);
      assert.equal(first.duplicate, false);
      assert.deepEqual(await customer.reported('purchase.completed', event), { ...first, duplicate: true });
    });

    it('acts once for 20 deliveries at once', async () => {
      const customer = new Customer(app);
      const purchaseId = mintUuid();
      const { key, expiresAt } = await customer.bought({ purchaseId, durationDays: 1 });
      const renewal = { purchaseId, durationDays: 1, eventId: mintUuid() };
      const refund = { purchaseId, eventId: mintUuid() };
      await fillPool(app);
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, index) =>
          index % 2 === 0
            ? customer.reported('subscription.renewed', renewal)
            : customer.reported('purchase.refunded', refund),
        ),
      );
      assert.equal(answers.filter(({ duplicate }) => duplicate !== true).length, 2);
      const license = await readLicense(app, key);
      assert.equal(Date.parse(license.expiresAt), Date.parse(expiresAt) + DAY_MS);
      assert.equal((await violationsOf(key)).length, 1);
    });

    it('stays unused by an event that was refused', async () => {
      const customer = new Customer(app);
      const purchaseId = mintUuid();
      const refund = { purchaseId, eventId: mintUuid() };
      assert.equal((await customer.report('purchase.refunded', refund)).status, 404);
      const { key } = await customer.bought({ purchaseId });
      const applied = await customer.reported('purchase.refunded', refund);
      assert.deepEqual([applied.licenseKey, applied.duplicate], [key, undefined]);
      const renewal = { eventId: mintUuid() };
      const other = new Customer(app);
      await other.bought({ trialDays: 5 });
      assert.equal((await other.report('subscription.renewed', renewal)).status, 400);
      const renewed = await other.reported('subscription.renewed', { ...renewal, durationDays: 5 });
      assert.equal(renewed.duplicate, undefined);
      const early = { eventId: mintUuid() };
      const nobody = new Customer(app);
      assert.deepEqual(await nobody.reported('subscription.cancelled', early), { success: true });
      const { key: bought } = await nobody.bought();
      assert.equal((await nobody.reported('subscription.cancelled', early)).licenseKey, bought);
    });

    it('belongs to one type, and to one creator', async () => {
      const eventId = mintUuid();
      const customer = new Customer(app);
      await customer.bought({ durationDays: 5 });
      for (const type of ['subscription.renewed', 'purchase.refunded', 'purchase.disputed'])
        assert.equal((await customer.reported(type, { eventId, durationDays: 5 })).duplicate, undefined, type);
      const product = await makeProductWithVariant(app, { durationDays: 5 });
      const buyer = new Customer(app);
      buyer.productId = product;
      await buyer.bought();
      assert.equal((await buyer.reported('subscription.renewed', { eventId })).duplicate, undefined);
    });

    it('is refused for another purchase or product, which is another event', async () => {
      const customer = new Customer(app);
      const [one, other] = [mintUuid(), mintUuid()];
      await customer.bought({ purchaseId: one });
      const { key } = await customer.bought({ purchaseId: other });
      const eventId = mintUuid();
      await customer.reported('purchase.refunded', { eventId, purchaseId: one });
      for (const fields of [{ purchaseId: other }, {}, { purchaseId: one, productId: 'another' }]) {
        const { status, body } = await customer.report('purchase.refunded', { eventId, ...fields });
        assert.deepEqual([status, body.error], [409, 'eventId was already used for another purchase or product']);
      }
      assert.equal((await readLicense(app, key)).status, 'active');
    });

    it('has at most 255 characters', async () => {
      const customer = new Customer(app);
      await customer.bought({ durationDays: 5 });
      const longest = 'e'.repeat(255);
      await customer.reported('subscription.renewed', { durationDays: 5, eventId: longest });
      for (const eventId of [`${longest}e`, 7]) {
        const { status, body } = await customer.report('subscription.renewed', { durationDays: 5, eventId });
        assert.equal(status, 400);
        assert.match(body.error, /^eventId must be a string of at most 255 characters/);
      }
    });

    it('is kept when the customer is forgotten, and names nobody', async () => {
      const customer = new Customer(app);
      const { key } = await customer.bought({ durationDays: 5 });
      const event = { eventId: mintUuid(), durationDays: 5 };
      const first = await customer.reported('subscription.renewed', event);
      for (let isComplete = false; !isComplete; ) {
        const { status, body } = await app.admin('/forgetCustomer', { email: customer.email });
        assert.equal(status, 200, JSON.stringify(body));
        isComplete = body.complete;
      }
      const again = await customer.reported('subscription.renewed', event);
      assert.deepEqual([again.licenseKey, again.duplicate], [key, true]);
      assert.equal(again.expiresAt, first.expiresAt);
      assert.notEqual(again.license.email, customer.email);
    });
  });
