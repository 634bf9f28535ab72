/** The figures of sales equal the changes of licenses that the stories of customers make (rules 10.16). */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { before, describe, it } from 'node:test';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/ground/base/clock.ts';
import { mintUuid } from '../../../src/ground/base/random.ts';
import { issueLicense } from '../../../src/licensing/licenses/issue.ts';
import { importLines } from '../../../src/operations/transfer/import.ts';
import type { Storage } from '../../../src/storage/contract/storage.ts';
import { openStorage } from '../../../src/storage/opening/open.ts';
import { product, variant } from '../../licensing/products/catalogue.ts';
import { mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { Machine } from '../../support/machine.ts';
import { execute } from '../../support/own-connection.ts';
import { startedWithStorage } from '../../support/started-app.ts';
import { Customer } from '../storefront/storefront.ts';
import { countNow, figuresOf, runSalesJobs } from './shop.ts';

type Fields = Readonly<Record<string, unknown>>;

for (const engine of engines)
  describe(`the figures of sales on ${engine}`, () => {
    const { app, storage } = startedWithStorage(engine);
    before(() => app.clock.move(DAY_MS - (app.clock.now() % DAY_MS) + 9 * HOUR_MS));

    /** A customer of a product of its own. */
    function customerOf(productId = `paint-${mintUuid()}`): Customer {
      return Object.assign(new Customer(app), { productId });
    }
    const salesOf = (productId: string) => mustSucceed(app.admin('/getSales', { productId }));
    async function counted(productId: string): Promise<Readonly<Record<string, Fields>>> {
      await countNow(app, storage);
      return figuresOf(await salesOf(productId));
    }

    it('count a purchase, its renewal, a part that went back, the refund, its end and a chargeback', async () => {
      const customer = customerOf();
      const purchaseId = mintUuid();
      const { key: licenseKey } = await customer.bought({ purchaseId, variant: 'pro', durationDays: 30 });
      await customer.reported('subscription.renewed', { purchaseId, durationDays: 30 });
      await customer.reported('purchase.refunded', { purchaseId, partial: true, amount: 5, currency: 'EUR' });
      assert.deepEqual(await counted(customer.productId), {
        pro: { issued: 1, purchased: 1, renewed: 1, partlyRefunded: 1 },
      });
      await customer.reported('purchase.refunded', { purchaseId });
      await customer.reported('purchase.refunded', { purchaseId });
      const refunded = { issued: 1, purchased: 1, renewed: 1, partlyRefunded: 1, refunded: 1 };
      assert.deepEqual(await counted(customer.productId), { pro: refunded }, 'a repeated report counts once');
      await mustSucceed(app.admin('/reinstateLicense', { licenseKey }));
      await customer.reported('purchase.disputed', { purchaseId });
      assert.deepEqual(await counted(customer.productId), { pro: { ...refunded, reinstated: 1, chargedBack: 1 } });
    });

    it('count a license without a purchase as issued alone, and other changes not at all', async () => {
      const { productId } = customerOf();
      const licenseKey = await app.license({ productId, discountCode: 'SPRING' });
      await new Machine(app, licenseKey, 'machine', productId).activated();
      await mustSucceed(app.admin('/updateLicense', { licenseKey, maxMachines: 7 }));
      await mustSucceed(app.admin('/addNote', { licenseKey, text: 'He said "reason":"refund".' }));
      await mustSucceed(app.admin('/revokeLicense', { licenseKey }));
      await mustSucceed(app.admin('/reinstateLicense', { licenseKey }));
      await mustSucceed(app.admin('/revokeLicense', { licenseKey, reason: 'fraud' }));
      assert.deepEqual(await counted(productId), { indie: { issued: 1 } });
    });

    it('count each license of several copies, and copies that one license lost as a part', async () => {
      const customer = customerOf(await product(app));
      await variant(app, { productId: customer.productId, name: 'indie', maxMachines: 1 });
      const purchaseId = mintUuid();
      await customer.reported('purchase.completed', { purchaseId, quantity: 3 });
      await customer.reported('purchase.refunded', { purchaseId, quantity: 2 });
      assert.deepEqual(await counted(customer.productId), { indie: { issued: 3, purchased: 3, refunded: 2 } });
      const subscriptionId = mintUuid();
      await customer.reported('purchase.completed', { purchaseId: mintUuid(), subscriptionId, quantity: 4 });
      await customer.reported('purchase.refunded', { subscriptionId, quantity: 1 });
      assert.deepEqual(await counted(customer.productId), {
        indie: { issued: 4, purchased: 4, refunded: 2, partlyRefunded: 1 },
      });
    });

    it('count a trial code, and the first purchase of its redeemer within 90 days as its success', async () => {
      const productId = await product(app);
      const [code] = [`TRY-${mintUuid()}`];
      await mustSucceed(app.admin('/createDiscountCode', { code, productId, trialDays: 14 }));
      const [buyer, late] = [customerOf(productId), customerOf(productId)];
      for (const { email } of [buyer, late])
        await mustSucceed(app.send('/redeemTrialCode', { code, productId, email }));
      assert.deepEqual(await counted(productId), { indie: { trialsStarted: 2 } });
      app.clock.move(DAY_MS);
      const again = { email: buyer.email.toUpperCase(), variant: 'pro' };
      await buyer.reported('purchase.completed', { purchaseId: mintUuid(), quantity: 2, ...again });
      await buyer.reported('purchase.completed', { purchaseId: mintUuid(), ...again });
      await customerOf(productId).bought({ purchaseId: mintUuid(), variant: 'pro' });
      const sold = { indie: { trialsStarted: 2, trialsConverted: 1 }, pro: { issued: 4, purchased: 4 } };
      assert.deepEqual(await counted(productId), sold);
      await buyer.reported('purchase.completed', { purchaseId: mintUuid(), ...again });
      app.clock.move(90 * DAY_MS);
      await late.bought({ purchaseId: mintUuid(), variant: 'pro' });
      const { variants } = await mustSucceed(app.admin('/getSales', { productId, step: 'month' }));
      assert.deepEqual(figuresOf({ variants }), sold);
      await countNow(app, storage);
      const inAll = await mustSucceed(app.admin('/getSales', { productId, step: 'month' }));
      assert.deepEqual(figuresOf(inAll), { ...sold, pro: { issued: 6, purchased: 6 } });
    });

    it('count a trial without a key, and a sold license on its machine as its success', async () => {
      const productId = await product(app);
      await variant(app, { productId, name: 'try', defaultTrialDays: 14, trialWithoutKey: true });
      for (const machineFingerprint of ['buyer', 'other'])
        await mustSucceed(app.send('/startTrial', { productId, machineFingerprint, hostname: 'Studio' }));
      const { key } = await customerOf(productId).bought({ purchaseId: mintUuid(), variant: 'pro' });
      await new Machine(app, key, 'buyer', productId).activated();
      // A search finds a new machine some minutes later.
      app.clock.move(10 * MINUTE_MS);
      const expected = { try: { trialsStarted: 2, trialsConverted: 1 }, pro: { issued: 1, purchased: 1 } };
      assert.deepEqual(await counted(productId), expected);
      assert.deepEqual(await counted(productId), expected, 'once');
    });

    it('count nothing for another key of a license', async () => {
      const customer = customerOf();
      const purchaseId = mintUuid();
      const { key: licenseKey } = await customer.bought({ purchaseId });
      await mustSucceed(app.admin('/replaceLicense', { licenseKey }));
      await customer.reported('purchase.refunded', { purchaseId });
      assert.deepEqual(await counted(customer.productId), { indie: { issued: 1, purchased: 1, refunded: 1 } });
    });

    it('count nothing for licenses that an import brings', async () => {
      const { productId } = customerOf();
      const license = { licenseKey: `OLD-${mintUuid()}`, email: 'ada@example.com', productId, purchaseId: mintUuid() };
      const lines = Readable.from([Buffer.from(`${JSON.stringify({ kind: 'license', ...license })}\n`)]);
      const listener = { refused: (_line: number, reason: string) => assert.fail(reason), handled() {} };
      await importLines(storage, lines, { isDry: false, now: app.clock.now() }, listener);
      assert.equal((await mustSucceed(app.admin('/listLicenses', { productId }))).count, 1);
      assert.deepEqual(await counted(productId), {});
    });

    it('count nothing twice when a run ends before its commit', async () => {
      const customer = customerOf();
      for (let times = 0; times < 5; times += 1) await customer.bought({ purchaseId: mintUuid() });
      app.clock.move(MINUTE_MS);
      let counts = 0;
      const dying: Storage = {
        ...storage,
        transaction: (work) =>
          storage.transaction(async (tx) => {
            await work({
              ...tx,
              all: (...asked) => tx.all(...asked),
              first: (...asked) => tx.first(...asked),
              run: (statement, ...values) => {
                if (statement.name === 'sale_count.add') counts += 1;
                return tx.run(statement, ...values);
              },
            });
            throw new Error('the process was killed');
          }),
      };
      await assert.rejects(runSalesJobs(dying, app.clock.now(), ['count sales']), /was killed/);
      assert.equal(counts, 1, 'it counted before');
      assert.deepEqual(await counted(customer.productId), { indie: { issued: 5, purchased: 5 } });
    });

    it('count each event once while several nodes count', async () => {
      const customer = customerOf();
      for (let times = 0; times < 30; times += 1) await customer.bought({ purchaseId: mintUuid() });
      app.clock.move(MINUTE_MS);
      const others = await Promise.all([1, 2, 3].map(() => openStorage(app.database)));
      await Promise.all([storage, ...others].map((each) => runSalesJobs(each, app.clock.now(), ['count sales'])));
      await Promise.all(others.map((each) => each.close()));
      assert.deepEqual(await counted(customer.productId), { indie: { issued: 30, purchased: 30 } });
    });

    it('count the history of a database that has no figures yet, and give the same', async () => {
      await countNow(app, storage);
      const all = () => mustSucceed(app.admin('/getSales', { step: 'month' }));
      const { completeTo: _first, ...figures } = await all();
      assert.ok(figures.totals.purchased > 10);
      // The row of a trial without a key says when it became paid; no event does.
      await execute(
        app.database,
        "update event set in_sales = null; delete from sale_count where metric <> 'trialsConverted' or variant = 'indie'",
      );
      assert.ok((await all()).completeTo < app.clock.at());
      await countNow(app, storage);
      const { completeTo: _second, ...again } = await all();
      assert.deepEqual(again, figures);
    });
  });

describe('the figures of sales on PostgreSQL', () => {
  const { app, storage } = startedWithStorage('postgres');

  it('include an event that is committed after later ones were counted', async () => {
    const productId = `paint-${mintUuid()}`;
    const order = (purchaseId: string) => ({ email: 'ada@example.com', productId, purchaseId });
    const origin = { actor: { kind: 'operator' }, requestId: null, now: app.clock.now() } as const;
    const written = Promise.withResolvers<void>();
    const counted = Promise.withResolvers<void>();
    const late = storage.transaction(async (tx) => {
      await issueLicense(tx, order('first'), origin);
      written.resolve();
      await counted.promise;
    });
    await written.promise;
    await app.license(order('second'));
    const figures = async () => {
      await countNow(app, storage);
      return figuresOf(await mustSucceed(app.admin('/getSales', { productId })));
    };
    assert.deepEqual(await figures(), { indie: { issued: 1, purchased: 1 } });
    counted.resolve();
    await late;
    assert.deepEqual(await figures(), { indie: { issued: 2, purchased: 2 } });
  });
});
