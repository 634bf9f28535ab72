/**
 * A purchaseId names licenses of one creator only; the same id on licenses of others is another purchase (rules 6.1).
 */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import pg from 'pg';
import { DAY_MS } from '../../../src/ground/base/clock.ts';
import { mintId, mintUuid } from '../../../src/ground/base/random.ts';
import { Creator, mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { fillPool } from '../../support/full-pool.ts';
import { startedApp } from '../../support/started-app.ts';
import { Customer, readLicense } from './storefront.ts';

for (const engine of engines)
  describe(`a purchaseId that several creators use on ${engine}`, () => {
    let seller: Creator;
    let other: Creator;
    const app = startedApp(engine);
    before(async () => {
      seller = await Creator.of(app);
      other = await Creator.of(app);
      // Races need open connections.
      await Promise.all(Array.from({ length: 20 }, () => app.admin('/listLicenses', { limit: 1 })));
    });

    const customerOf = (productId: string) => Object.assign(new Customer(app), { productId });
    const products = async () => [await seller.product(), await other.product()] as const;

    it("gives a purchase its own license, even if another creator's license has the purchaseId", async () => {
      const [sold, foreign] = await products();
      const purchaseId = mintUuid();
      const theirs = await other.license(foreign, { purchaseId });
      app.clock.move(1000);
      const customer = customerOf(sold);
      const { licenseKey, duplicate } = await customer.reported('purchase.completed', { purchaseId });
      assert.notEqual(licenseKey, theirs);
      assert.equal(duplicate, false);
      assert.partialDeepStrictEqual(await readLicense(app, licenseKey), { email: customer.email, productId: sold });
      const again = await customer.reported('purchase.completed', { purchaseId });
      assert.deepEqual(again, { success: true, licenseKey, duplicate: true });
    });

    it('leads a purchase to its own license, too, when others write the purchaseId on theirs later', async () => {
      const [sold, foreign] = await products();
      const purchaseId = mintUuid();
      const customer = customerOf(sold);
      const { key } = await customer.bought({ purchaseId });
      await other.license(foreign, { purchaseId });
      const again = await customer.reported('purchase.completed', { purchaseId });
      assert.deepEqual(again, { success: true, licenseKey: key, duplicate: true });
    });

    it('sells once for each creator, however many deliveries of both arrive at once', async () => {
      const ids = await products();
      const purchaseId = mintUuid();
      const bodies = await Promise.all(
        Array.from({ length: 40 }, async (_, index) => {
          const productId = ids[index % 2]!;
          return { productId, ...(await customerOf(productId).reported('purchase.completed', { purchaseId })) };
        }),
      );
      for (const productId of ids) {
        const own = bodies.filter((body) => body.productId === productId);
        assert.equal(new Set(own.map(({ licenseKey }) => licenseKey)).size, 1);
        assert.equal(own.filter(({ duplicate }) => !duplicate).length, 1);
        assert.equal((await app.admin('/listLicenses', { productId })).body.count, 1);
      }
    });

    it('sells once to deliveries at once, even if the first sale went to another creator with its product', async () => {
      const [[given], [kept]] = [await products(), await products()];
      const purchaseId = mintUuid();
      const { key } = await customerOf(given).bought({ purchaseId });
      await mustSucceed(app.admin('/updateProduct', { productId: given, creatorId: other.creatorId }));
      const customer = customerOf(kept);
      await fillPool(app);
      const bodies = await Promise.all(
        Array.from({ length: 20 }, () => customer.reported('purchase.completed', { purchaseId })),
      );
      const keys = new Set(bodies.map(({ licenseKey }) => licenseKey));
      assert.deepEqual([keys.size, keys.has(key)], [1, false]);
      assert.equal(bodies.filter(({ duplicate }) => !duplicate).length, 1);
    });

    for (const isFirst of [true, false])
      it(`sells, while others write the purchaseId on licenses ${isFirst ? 'just before' : 'just after'}`, async () => {
        for (let round = 0; round < 5; round += 1) {
          const [sold, foreign] = await products();
          const purchaseId = mintUuid();
          const write = () => Array.from({ length: 5 }, () => other.license(foreign, { purchaseId }));
          const early = isFirst ? write() : [];
          const customer = customerOf(sold);
          const sales = Array.from({ length: 5 }, () => customer.reported('purchase.completed', { purchaseId }));
          const theirs = await Promise.all([...early, ...(isFirst ? [] : write())]);
          const bodies = await Promise.all(sales);
          assert.equal(bodies.filter(({ duplicate }) => !duplicate).length, 1);
          const keys = new Set(bodies.map(({ licenseKey }) => licenseKey));
          assert.equal(keys.size, 1);
          for (const key of theirs) assert.ok(!keys.has(key));
        }
      });

    for (const type of ['purchase.refunded', 'purchase.disputed'])
      it(`${type} takes the license of its own product and leaves the older one of others`, async () => {
        const [sold, foreign] = await products();
        const purchaseId = mintUuid();
        const theirs = await other.license(foreign, { purchaseId });
        const customer = customerOf(sold);
        assert.equal((await customer.report(type, { purchaseId })).status, 404);
        assert.equal((await readLicense(app, theirs)).status, 'active');
        app.clock.move(1000);
        const { key } = await customer.bought({ purchaseId });
        assert.equal((await customer.reported(type, { purchaseId })).licenseKey, key);
        assert.equal((await readLicense(app, theirs)).status, 'active');
      });

    for (const type of ['subscription.renewed', 'subscription.cancelled'])
      it(`${type} finds the license of its own product and leaves the older one of others`, async () => {
        const [sold, foreign] = await products();
        const purchaseId = mintUuid();
        const expiresAt = app.clock.at(DAY_MS);
        const theirs = await other.license(foreign, { purchaseId, expiresAt });
        app.clock.move(1000);
        const customer = customerOf(sold);
        const period = { purchaseId, durationDays: 30 };
        const { key } = await customer.bought(period);
        assert.equal((await customer.reported(type, period)).licenseKey, key);
        assert.equal((await readLicense(app, theirs)).expiresAt, expiresAt);
      });

    it('names the oldest license of all products of one creator', async () => {
      const purchaseId = mintUuid();
      const [first, second] = [await seller.product(), await seller.product()];
      const oldest = await seller.license(second, { purchaseId });
      app.clock.move(1000);
      await seller.license(first, { purchaseId });
      const body = await customerOf(first).reported('purchase.completed', { purchaseId });
      const { success, licenseKey, duplicate, productId, warnings } = body;
      assert.deepEqual([success, licenseKey, duplicate], [true, oldest, true]);
      assert.deepEqual([productId, warnings], [second, ['other_product']]);
    });

    it("is the operator's for products that the catalogue does not know", async () => {
      const purchaseId = mintUuid();
      await other.license(await other.product(), { purchaseId });
      app.clock.move(1000);
      const customer = customerOf(`unknown-${mintId()}`);
      const { key } = await customer.bought({ purchaseId });
      customer.productId = `unknown-${mintId()}`;
      assert.equal((await customer.reported('purchase.refunded', { purchaseId })).licenseKey, key);
    });

    it('goes with a product that gets into the catalogue, or to another creator', async () => {
      const purchaseId = mintUuid();
      const slug = `moved-${mintId()}`;
      const { key } = await customerOf(slug).bought({ purchaseId });
      const duplicate = { success: true, licenseKey: key, duplicate: true };
      await app.admin('/createProduct', { slug, name: slug, creatorId: other.creatorId });
      const sold = await other.product();
      assert.partialDeepStrictEqual(await customerOf(sold).reported('purchase.completed', { purchaseId }), duplicate);
      await app.admin('/updateProduct', { productId: slug, creatorId: seller.creatorId });
      assert.equal((await customerOf(sold).report('purchase.refunded', { purchaseId })).status, 404);
      const own = await seller.product();
      assert.partialDeepStrictEqual(await customerOf(own).reported('purchase.completed', { purchaseId }), duplicate);
    });

    it('is found among the licenses of many others', async () => {
      const purchaseId = mintUuid();
      for (let count = 0; count < 40; count += 1) await other.license(await other.product(), { purchaseId });
      app.clock.move(1000);
      const customer = customerOf(await seller.product());
      const { key } = await customer.bought({ purchaseId });
      assert.equal((await customer.reported('purchase.refunded', { purchaseId })).licenseKey, key);
    });

    if (engine === 'postgres')
      it('waits for no purchase of others that is under way', async (test) => {
        const [sold, foreign] = await products();
        const purchaseId = mintUuid();
        const client = new pg.Client({ connectionString: (app.database as { url: string }).url });
        await client.connect();
        test.after(() => client.end());
        await customerOf(foreign).bought({ purchaseId });
        await client.query('begin');
        const { rowCount } = await client.query('select 1 from purchase where purchase_id = $1 for update', [
          purchaseId,
        ]);
        assert.equal(rowCount, 1);
        assert.equal((await customerOf(sold).reported('purchase.completed', { purchaseId })).duplicate, false);
      });
  });
