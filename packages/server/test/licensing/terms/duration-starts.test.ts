/** Licenses whose time begins with the first activation (rules 14.4). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS, daysAfter, fromTimestamp } from '../../../src/ground/base/clock.ts';
import { timeAfter } from '../../../src/licensing/products/duration.ts';
import { Customer, makeProductWithVariant, readLicense } from '../../commerce/storefront/storefront.ts';
import { checkIn, explain } from '../../insight/explanations/explaining.ts';
import { inspect } from '../../support/answers.ts';
import { mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { fillPool } from '../../support/full-pool.ts';
import { Machine } from '../../support/machine.ts';
import { startedApp } from '../../support/started-app.ts';

type Fields = Readonly<Record<string, unknown>>;
const WAITING = { durationStarts: 'activation' } as const;

for (const engine of engines)
  describe(`time that begins with the first activation on ${engine}`, () => {
    const app = startedApp(engine);

    async function customerOf(variant: Fields): Promise<Customer> {
      const customer = new Customer(app);
      customer.productId = await makeProductWithVariant(app, { ...WAITING, maxMachines: 20, ...variant });
      return customer;
    }

    async function createdOf(variant: Fields, fields: Fields = {}) {
      const { productId, email } = await customerOf(variant);
      return (await mustSucceed(app.admin('/createLicense', { email, productId, variant: 'indie', ...fields })))
        .license;
    }

    const activated = async (productId: string, licenseKey: string, fingerprint = 'first') =>
      mustSucceed(new Machine(app, licenseKey, fingerprint, productId).activate());
    const shown = (licenseKey: string) => readLicense(app, licenseKey);
    const changed = async (licenseKey: string, fields: Fields) =>
      (await mustSucceed(app.admin('/updateLicense', { licenseKey, ...fields }))).license;
    const endsOf = ({ expiresAt, updatesUntil, waiting }: Fields) => [expiresAt, updatesUntil ?? null, waiting ?? null];
    async function eventsOf(licenseKey: string, type: string) {
      const { events } = await mustSucceed(app.admin('/listEvents', { licenseKey, limit: 100 }));
      return events.filter((event: { readonly type: string }) => event.type === type);
    }

    it('has no end before it, and the ends of its lengths from it on', async () => {
      const customer = await customerOf({ durationMonths: 12, updatesDays: 90 });
      const license = await customer.bought();
      assert.deepEqual(endsOf(license), [null, null, { months: 12, updatesDays: 90 }]);
      assert.equal(license.durationStarts, 'activation');
      app.clock.move(40 * DAY_MS);
      const machine = new Machine(app, license.key, 'first', customer.productId);
      const verified = await mustSucceed(machine.verify());
      assert.deepEqual([verified.status, verified.licenseExpiresAt, verified.daysRemaining], ['active', null, null]);
      const now = app.clock.now();
      const [end, updatesUntil] = [timeAfter(now, { months: 12 }), daysAfter(now, 90)];
      const answer = await mustSucceed(machine.activate());
      assert.deepEqual([answer.licenseExpiresAt, answer.updatesUntil], [end, updatesUntil]);
      assert.deepEqual(endsOf(await shown(license.key)), [end, updatesUntil, null]);
      assert.equal((await shown(license.key)).durationStarts, undefined);
      const again = await mustSucceed(machine.verify());
      assert.deepEqual([again.licenseExpiresAt, again.updatesUntil], [end, updatesUntil]);
      app.clock.move(DAY_MS);
      assert.equal((await activated(customer.productId, license.key, 'second')).licenseExpiresAt, end);
    });

    it('is refused at its end like any other', async () => {
      const { key, productId } = await createdOf({ durationDays: 30 }, { duration: 'variant' });
      app.clock.move(31 * DAY_MS);
      await activated(productId, key);
      app.clock.move(30 * DAY_MS);
      const { status, body } = await new Machine(app, key, 'second', productId).activate();
      assert.deepEqual([status, body.error], [403, 'License has expired']);
      const { licenses } = await mustSucceed(
        app.admin('/listLicenses', { productId, status: 'expired', detail: true, limit: 10 }),
      );
      assert.equal(licenses.length, 1);
    });

    it('begins once for 20 machines that activate at once', async () => {
      const customer = await customerOf({ durationDays: 30 });
      const { key } = await customer.bought();
      await fillPool(app);
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          new Machine(app, key, `at-once-${index}`, customer.productId).activate(),
        ),
      );
      const accepted = answers.filter(({ status }) => status === 200);
      // The limit of an hour refuses five.
      assert.equal(accepted.length, 15);
      const ends = new Set(accepted.map(({ body }) => body.licenseExpiresAt));
      assert.equal(ends.size, 1);
      assert.deepEqual(endsOf(await shown(key)), [[...ends][0], null, null]);
      const events = await eventsOf(key, 'license.updated');
      assert.equal(events.length, 1);
      assert.deepEqual(events[0].before, { expiresAt: null, waiting: { days: 30 } });
      assert.deepEqual(events[0].after, { expiresAt: [...ends][0], waiting: null, reason: 'activation' });
      assert.equal(events[0].actor.kind, 'client');
    });

    it('is not begun by a refused activation', async () => {
      const { key, productId } = await createdOf({ durationDays: 30 }, { duration: 'variant' });
      const { status } = await new Machine(app, key, 'first', 'another').activate();
      assert.equal(status, 403);
      assert.deepEqual(endsOf(await shown(key)), [null, null, { days: 30 }]);
      await activated(productId, key);
    });

    it('is chosen for one license, whatever its variant says', async () => {
      const now = app.clock.now();
      const atOnce = await createdOf({ durationDays: 30 }, { duration: 'variant', durationStarts: 'issue' });
      assert.deepEqual(endsOf(atOnce), [daysAfter(now, 30), null, null]);
      const later = await createdOf({ durationDays: 30, durationStarts: 'issue' }, { duration: 'variant', ...WAITING });
      assert.deepEqual(endsOf(later), [null, null, { days: 30 }]);
      const sold = await (await customerOf({ durationStarts: 'issue' })).bought({ durationDays: 7, ...WAITING });
      assert.deepEqual(endsOf(sold), [null, null, { days: 7 }]);
    });

    it('waits for nothing without a length, and for updates alone where only they have one', async () => {
      const perpetual = await createdOf({ durationDays: 30 });
      assert.deepEqual(endsOf(perpetual), [null, null, null]);
      await activated(perpetual.productId, perpetual.key);
      assert.equal((await shown(perpetual.key)).expiresAt, null);
      const updated = await createdOf({ updatesDays: 365 });
      assert.deepEqual(endsOf(updated), [null, null, { updatesDays: 365 }]);
      const until = daysAfter(app.clock.now(), 365);
      await activated(updated.productId, updated.key);
      assert.deepEqual(endsOf(await shown(updated.key)), [null, until, null]);
    });

    it('gets longer with each renewal before it, 20 at once', async () => {
      const customer = await customerOf({ durationMonths: 1, updatesDays: 10 });
      const { key } = await customer.bought();
      await fillPool(app);
      await Promise.all(
        Array.from({ length: 20 }, () => customer.reported('subscription.renewed', { durationDays: 5 })),
      );
      await customer.reported('subscription.renewed', { updatesDays: 20 });
      assert.deepEqual(endsOf(await shown(key)), [null, null, { days: 100, months: 2, updatesDays: 30 }]);
      const now = app.clock.now();
      await activated(customer.productId, key);
      const months = fromTimestamp(timeAfter(now, { months: 2 }));
      assert.deepEqual(endsOf(await shown(key)), [daysAfter(months, 100), daysAfter(now, 30), null]);
    });

    it('of updates alone gets longer with a renewal; one without a length is answered 400', async () => {
      const customer = await customerOf({ updatesDays: 365 });
      const { key } = await customer.bought();
      await customer.reported('subscription.renewed');
      await customer.reported('subscription.renewed', { durationMonths: 2 });
      assert.deepEqual(endsOf(await shown(key)), [null, null, { updatesDays: 730, updatesMonths: 2 }]);
      const bought = await customerOf({});
      await bought.bought({ durationDays: 7 });
      const { status, body } = await bought.report('subscription.renewed');
      assert.deepEqual(
        [status, body.error],
        [400, 'durationDays is required: neither the event nor the variant gives a period'],
      );
    });

    it('ends with an expiry that somebody sets: at the sale, with a renewal, a plan or a change', async () => {
      const end = '2040-05-31T23:59:59.999Z';
      const now = app.clock.now();
      const ends = [end, daysAfter(now, 90), null];
      const terms = { durationMonths: 12, updatesDays: 90 };
      const sold = await customerOf(terms);
      assert.deepEqual(endsOf(await sold.bought({ expiresAt: '2040-05-31' })), ends);
      const renewed = await customerOf(terms);
      const { key } = await renewed.bought();
      await renewed.reported('subscription.renewed', { expiresAt: '2040-05-31' });
      assert.deepEqual(endsOf(await shown(key)), ends);
      const planned = await customerOf(terms);
      const license = await planned.bought({ purchaseId: `order of ${planned.email}` });
      const plan = { variant: 'indie', purchaseId: `order of ${planned.email}` };
      await planned.reported('subscription.updated', plan);
      assert.deepEqual(endsOf(await shown(license.key)), [null, null, { months: 12, updatesDays: 90 }]);
      await planned.reported('subscription.updated', { ...plan, expiresAt: '2040-05-31' });
      assert.deepEqual(endsOf(await shown(license.key)), ends);
      const made = await createdOf(terms, { duration: 'variant' });
      assert.deepEqual(endsOf(await changed(made.key, { expiresAt: '2040-05-31' })), ends);
      const perpetual = await createdOf(terms, { duration: 'variant' });
      assert.deepEqual(endsOf(await changed(perpetual.key, { expiresAt: null })), [null, daysAfter(now, 90), null]);
      assert.deepEqual(endsOf(await createdOf(terms, { expiresAt: end })), ends);
    });

    it('stays with other changes; an end of the updates ends the wait for them alone', async () => {
      const { key } = await createdOf({ durationDays: 30, updatesDays: 90 }, { duration: 'variant' });
      const waiting = { days: 30, updatesDays: 90 };
      assert.deepEqual(endsOf(await changed(key, { maxMachines: 7 })), [null, null, waiting]);
      assert.deepEqual(endsOf(await changed(key, { terms: 'variant' })), [null, null, waiting]);
      const updatesUntil = '2040-05-31T23:59:59.999Z';
      assert.deepEqual(endsOf(await changed(key, { updatesUntil })), [null, updatesUntil, { days: 30 }]);
    });

    it('begins with a license file of an operator, for a machine and for any machine', async () => {
      for (const machine of [{ machineFingerprint: 'far', hostname: 'Far away' }, { anyMachine: true }]) {
        const { key } = await createdOf({ durationDays: 30 }, { duration: 'variant' });
        const end = daysAfter(app.clock.now(), 30);
        await mustSucceed(app.admin('/createLicenseFile', { licenseKey: key, ...machine }));
        assert.deepEqual(endsOf(await shown(key)), [end, null, null]);
      }
    });

    it('is explained', async () => {
      const { key } = await createdOf({ durationDays: 30 }, { duration: 'variant' });
      const explained = await explain(app, { licenseKey: key, machineFingerprint: 'new' });
      assert.equal(
        checkIn(explained, '/activate').sentence,
        'A slot is free for the machine. The time of the license begins with it.',
      );
      assert.equal(
        checkIn(explained, '/verify').sentence,
        'The license is good for this product. Its time begins with the first activation.',
      );
      assert.equal((await inspect(app, key)).license.expiresAt, null);
    });

    it('is a term of the variant that a change replaces or clears', async () => {
      const { productId } = await customerOf({ durationDays: 30 });
      const change = async (fields: Fields) =>
        (await mustSucceed(app.admin('/updateVariant', { variantId: `${productId}-indie`, ...fields }))).variant;
      assert.equal((await change({ price: 100 })).durationStarts, 'activation');
      assert.equal((await change({ durationStarts: null })).durationStarts, undefined);
      const { status, body } = await app.admin('/updateVariant', {
        variantId: `${productId}-indie`,
        durationStarts: 'later',
      });
      assert.deepEqual([status, body.error], [400, 'durationStarts must be one of issue, activation, or null']);
    });
  });
