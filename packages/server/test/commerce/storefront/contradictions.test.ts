import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS } from '../../../src/ground/base/clock.ts';
import { mintUuid } from '../../../src/ground/base/random.ts';
import { statement } from '../../../src/storage/contract/storage.ts';
import { product, variant } from '../../licensing/products/catalogue.ts';
import { engines } from '../../support/databases.ts';
import { fillPool } from '../../support/full-pool.ts';
import { Machine } from '../../support/machine.ts';
import { startedWithStorage } from '../../support/started-app.ts';
import { Customer, makeProductWithVariant, readLicense } from './storefront.ts';

const listAddresses = statement(
  'test.list_addresses_of_events',
  'select e.email as "email" from storefront_event e where e.license_key = $1',
);

for (const engine of engines)
  describe(`events that contradict a license on ${engine}`, () => {
    const { app, storage } = startedWithStorage(engine);

    it('warn of a variant that the catalogue of a known product lacks, and keep the sale', async () => {
      const customer = new Customer(app);
      customer.productId = await makeProductWithVariant(app, { durationDays: 30 });
      const sold = await customer.reported('purchase.completed', { variant: 'indi' });
      assert.deepEqual(sold.warnings, ['variant_not_found']);
      assert.equal((await readLicense(app, sold.licenseKey)).variant, 'indi');
      assert.equal((await customer.reported('purchase.completed', { variant: 'indie' })).warnings, undefined);
      assert.equal((await new Customer(app).reported('purchase.completed', { variant: 'indi' })).warnings, undefined);
    });

    it('warn of a purchase whose license is of another product', async () => {
      const customer = new Customer(app);
      const purchaseId = mintUuid();
      const { key } = await customer.bought({ purchaseId });
      customer.productId = 'other';
      assert.deepEqual(await customer.reported('purchase.completed', { purchaseId }), {
        success: true,
        licenseKey: key,
        duplicate: true,
        productId: 'app',
        variant: 'indie',
        warnings: ['other_product'],
      });
    });

    describe('subscription.updated', () => {
      /** A license of a plan, and the product's other plan. */
      async function soldPlan() {
        const customer = new Customer(app);
        customer.productId = await product(app);
        const { productId } = customer;
        await variant(app, { productId, name: 'indie', maxMachines: 2, features: { export: false } });
        const studio = { maxMachines: 5, graceDays: 7, updatesDays: 100, features: { export: true } };
        await variant(app, { productId, name: 'studio', ...studio });
        const purchaseId = mintUuid();
        const license = await customer.bought({ purchaseId, variant: 'indie', durationDays: 30 });
        return { customer, purchaseId, license };
      }

      it('gives the same key the terms of the other variant, limits times the quantity', async () => {
        const { customer, purchaseId, license } = await soldPlan();
        const machine = await new Machine(app, license.key, 'machine-1', customer.productId).activated();
        const changed = await customer.reported('subscription.updated', { purchaseId, variant: 'studio', quantity: 3 });
        assert.equal(changed.licenseKey, license.key);
        assert.deepEqual(changed.license.features, { export: true });
        assert.partialDeepStrictEqual(await readLicense(app, license.key), {
          variant: 'studio',
          maxMachines: 15,
          graceDays: 7,
          updatesUntil: app.clock.at(100 * DAY_MS),
          features: { export: true },
          expiresAt: license.expiresAt,
        });
        assert.equal((await machine.verify()).body.features.export, true);
      });

      it('may shorten the license to the end that the shop states', async () => {
        const { customer, purchaseId, license } = await soldPlan();
        const expiresAt = app.clock.at(5 * DAY_MS);
        await customer.reported('subscription.updated', { purchaseId, variant: 'studio', expiresAt });
        assert.equal((await readLicense(app, license.key)).expiresAt, expiresAt);
      });

      it('404 for an unknown purchase or variant, 400 without either: nothing changes', async () => {
        const { customer, purchaseId, license } = await soldPlan();
        for (const [status, fields] of [
          [404, { purchaseId: mintUuid(), variant: 'studio' }],
          [404, { purchaseId, variant: 'studdio' }],
          [400, { purchaseId }],
          [400, { variant: 'studio' }],
        ] as const)
          assert.equal((await customer.report('subscription.updated', fields)).status, status);
        assert.deepEqual(await readLicense(app, license.key), license);
      });

      it('leaves the terms of one of the plans, and no mixture, when 20 change at once', async () => {
        const { customer, purchaseId, license } = await soldPlan();
        await fillPool(app);
        await Promise.all(
          Array.from({ length: 20 }, (_, index) =>
            customer.reported('subscription.updated', { purchaseId, variant: index % 2 === 0 ? 'indie' : 'studio' }),
          ),
        );
        const { variant, maxMachines, graceDays } = await readLicense(app, license.key);
        assert.deepEqual([maxMachines, graceDays], variant === 'studio' ? [5, 7] : [2, undefined]);
      });
    });

    it('note a dispute that was won, and leave the license revoked until it is reinstated', async () => {
      const customer = new Customer(app);
      const purchaseId = mintUuid();
      const { key: licenseKey } = await customer.bought({ purchaseId });
      await customer.reported('purchase.disputed', { purchaseId });
      const { license } = await customer.reported('purchase.dispute_won', { purchaseId });
      assert.equal(license.status, 'revoked');
      const { history } = (await app.admin('/getLicense', { licenseKey, history: true })).body;
      const noted = history.find(({ kind }: { kind: string }) => kind === 'note').event.after;
      assert.match(noted.text, /The dispute was won/);
      assert.equal(noted.reason, 'dispute_won');
      assert.equal((await app.admin('/reinstateLicense', { licenseKey })).body.license.status, 'active');
      assert.equal((await customer.report('purchase.dispute_won', { purchaseId: mintUuid() })).status, 404);
    });

    it('never bring back the address of a forgotten customer: the event gets the pseudonym', async () => {
      const customer = new Customer(app);
      const purchaseId = mintUuid();
      const { key } = await customer.bought({ purchaseId, durationDays: 30 });
      const { pseudonym } = (await app.admin('/forgetCustomer', { email: customer.email })).body;
      for (const type of ['subscription.renewed', 'subscription.cancelled', 'purchase.refunded'])
        await customer.reported(type, { purchaseId, durationDays: 30 });
      const rows = await storage.read((sql) => sql.all<{ email: string }>(listAddresses, key));
      assert.deepEqual(new Set(rows.map(({ email }) => email)), new Set([pseudonym]));
      assert.equal(rows.length, 4);
    });
  });
