/** Catching up with the API of a seller: sales whose events never arrived (rules 15.2). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { gumroadSeller } from '../../../scripts/shops/sellers/gumroad.ts';
import { lemonSqueezySeller } from '../../../scripts/shops/sellers/lemonsqueezy.ts';
import { paddleSeller } from '../../../scripts/shops/sellers/paddle.ts';
import type { Buyer, Seller } from '../../../scripts/shops/sellers/seller.ts';
import { SellerApi } from '../../../scripts/shops/sellers/seller-api.ts';
import { stripeSeller } from '../../../scripts/shops/sellers/stripe.ts';
import { HOUR_MS, MINUTE_MS } from '../../../src/ground/base/clock.ts';
import { type Answer, startApp, type TestApp, WITH_JOBS } from '../../support/app.ts';
import { mustSucceed } from '../../support/creator.ts';
import { engines, freshDatabase } from '../../support/databases.ts';
import { newBuyer, SHOP_SETTINGS, Shop } from './shop.ts';

const LISTING: Readonly<Record<string, (buyer: Buyer) => Seller>> = {
  stripe: stripeSeller,
  lemonsqueezy: lemonSqueezySeller,
  gumroad: gumroadSeller,
};

/** Looks until something is reached. */
async function reached<Found>(look: () => Promise<Found>, isReached: (found: Found) => boolean): Promise<Found> {
  for (let looks = 0; ; looks += 1) {
    const found = await look();
    if (isReached(found)) return found;
    assert.ok(looks < 500, JSON.stringify(found));
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

for (const engine of engines)
  describe(`catching up, ${engine}`, () => {
    let api: SellerApi;
    let app: TestApp;
    before(async () => {
      api = await SellerApi.start();
      app = await startApp(engine, SHOP_SETTINGS, undefined, { ...WITH_JOBS, shopOrigins: api.origins });
    });
    after(async () => {
      await app.stop();
      await api.stop();
    });
    const connectorOf = async ({ connectorId }: Shop): Promise<Answer['body']> => {
      const { connectors } = await mustSucceed(app.admin('/listConnectors'));
      return connectors.find((each: Answer['body']) => each.connectorId === connectorId);
    };
    /** A shop that caught up when it was made. */
    const opened = async (make: (buyer: Buyer) => Seller, buyer: Buyer) => {
      const seller = make(buyer);
      api.status = 200;
      const shop = await new Shop(app, seller).open();
      await reached(
        () => connectorOf(shop),
        ({ caughtUpAt }) => caughtUpAt !== null,
      );
      api.add(seller);
      return shop;
    };
    const licensed = (shop: Shop, buyer: Buyer) =>
      reached(
        () => shop.licenses(buyer.email),
        ({ length }) => length > 0,
      );

    for (const [name, make] of Object.entries(LISTING)) {
      it(`at ${name} gives the license of a sale that nobody told, within an hour and once`, async () => {
        const buyer = newBuyer();
        const shop = await opened(make, buyer);
        const told = shop.seller.steps.buy!(app.clock.now());
        app.clock.move(HOUR_MS + MINUTE_MS);
        const licenses = await licensed(shop, buyer);
        // The seller tells it after all, and the next hour lists it again.
        await shop.tell(told);
        const { caughtUpAt } = await connectorOf(shop);
        app.clock.move(HOUR_MS + MINUTE_MS);
        await reached(
          () => connectorOf(shop),
          (connector) => connector.caughtUpAt > caughtUpAt,
        );
        await shop.settled();
        assert.deepEqual(await shop.licenses(buyer.email), licenses);
      });

      it(`at ${name} happens at once where the vendor wants it`, async () => {
        const buyer = newBuyer();
        const shop = await opened(make, buyer);
        shop.seller.steps.buy!(app.clock.now());
        const { connectorId } = shop;
        await mustSucceed(app.admin('/updateConnector', { connectorId, catchUp: true }));
        await licensed(shop, buyer);
      });
    }

    it('goes on after the API was away, and says why it could not', async () => {
      const buyer = newBuyer();
      const shop = await opened(stripeSeller, buyer);
      shop.seller.steps.buy!(app.clock.now());
      api.status = 503;
      app.clock.move(HOUR_MS + MINUTE_MS);
      const failing = await reached(
        () => connectorOf(shop),
        ({ catchUpFailure }) => catchUpFailure !== null,
      );
      assert.equal(failing.catchUpFailure, 'The seller answered 503');
      assert.deepEqual(await shop.licenses(buyer.email), []);
      api.status = 200;
      app.clock.move(2 * HOUR_MS);
      await licensed(shop, buyer);
      await reached(
        () => connectorOf(shop),
        ({ catchUpFailure }) => catchUpFailure === null,
      );
    });

    it('reads several pages', async () => {
      const buyers = Array.from({ length: 60 }, newBuyer);
      const shop = await opened(stripeSeller, newBuyer());
      for (const buyer of buyers) {
        const seller = stripeSeller(buyer);
        api.add(seller);
        seller.steps.buy!(app.clock.now());
      }
      const { connectorId } = shop;
      await mustSucceed(app.admin('/updateConnector', { connectorId, catchUp: true }));
      for (const buyer of buyers) await licensed(shop, buyer);
    });

    it('stores the events of a connector that only watches, and needs a key and a list', async () => {
      const seller = stripeSeller(newBuyer());
      api.add(seller);
      seller.steps.buy!(app.clock.now());
      const shop = await new Shop(app, seller).open({ state: 'watching' });
      await reached(
        () => connectorOf(shop),
        ({ counts }) => counts.watched > 0,
      );
      const { connectorId } = shop;
      await mustSucceed(app.admin('/updateConnector', { connectorId, sellerApiKey: null }));
      const without = await app.admin('/updateConnector', { connectorId, catchUp: true });
      assert.deepEqual(
        [without.status, without.body.error],
        [400, 'catchUp needs a sellerApiKey, at one of: stripe, lemonsqueezy, gumroad'],
      );
      const paddle = await new Shop(app, paddleSeller(newBuyer())).open();
      const other = await app.admin('/updateConnector', { connectorId: paddle.connectorId, catchUp: true });
      assert.equal(other.status, 400);
    });
  });

for (const engine of engines)
  it(`a node that starts catches up at once, and one without deliveries never does, ${engine}`, async () => {
    const api = await SellerApi.start();
    const database = await freshDatabase(engine);
    const start = (environment: Readonly<Record<string, string>> = {}) =>
      startApp(engine, { ...SHOP_SETTINGS, ...environment }, database, { ...WITH_JOBS, shopOrigins: api.origins });
    const buyer = newBuyer();
    const seller = stripeSeller(buyer);
    const caughtUpAt = async (app: TestApp) =>
      (await mustSucceed(app.admin('/listConnectors'))).connectors[0].caughtUpAt;

    const former = await start();
    await new Shop(former, seller).open();
    await reached(
      () => caughtUpAt(former),
      (moment) => moment !== null,
    );
    await former.stop();

    api.add(seller);
    seller.steps.buy!(former.clock.now());
    const asked = api.asked.length;
    const silent = await start({ LATCHKEY_DELIVERIES: 'off' });
    silent.clock.move(2 * HOUR_MS);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    assert.equal(api.asked.length, asked);
    await silent.stop();
    const next = await start();
    // The next run would be due in an hour.
    const licenses = await reached(
      () => new Shop(next, seller).licenses(buyer.email),
      ({ length }) => length > 0,
    );
    assert.ok(licenses.length > 0);
    await next.stop();
    await database.remove();
    await api.stop();
  });
