/** Nodes that share an inbox, and a node whose key opens no secret (rules 15.2, 15.3). */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { paddleSeller } from '../../../scripts/shops/sellers/paddle.ts';
import { SellerApi } from '../../../scripts/shops/sellers/seller-api.ts';
import { stripeSeller } from '../../../scripts/shops/sellers/stripe.ts';
import { HOUR_MS, SECOND_MS } from '../../../src/ground/base/clock.ts';
import { type Answer, startApp, WITH_JOBS } from '../../support/app.ts';
import { mustSucceed } from '../../support/creator.ts';
import { engines, freshDatabase } from '../../support/databases.ts';
import { twoNodesFor } from '../../support/for-test.ts';
import { rowsOf } from '../../support/own-connection.ts';
import { deliver, newBuyer, SHOP_SETTINGS, Shop } from './shop.ts';
import { MAIL_SETTINGS } from './story-shops.ts';

const SALES = 12;

it('two nodes that get and apply the same events at once carry each out once', async (test) => {
  const [one, other] = await twoNodesFor(test, { ...SHOP_SETTINGS, ...MAIL_SETTINGS }, WITH_JOBS);
  const sellers = Array.from({ length: SALES }, () => {
    const buyer = newBuyer();
    return { buyer, seller: paddleSeller(buyer) };
  });
  const shop = await new Shop(one, sellers[0]!.seller).open();
  const now = one.clock.now();
  await Promise.all(
    sellers.flatMap(({ seller }) => {
      const told = [...seller.steps.buy!(now), ...seller.steps.subscribe!(now), ...seller.steps.renew!(now)];
      return [one, other, one].map(async (app) => {
        for (const each of told) assert.equal((await deliver(app, shop.url, seller.sign(each, now))).status, 200);
      });
    }),
  );
  const { connectorId } = shop;
  const states = async () =>
    (await mustSucceed(one.admin('/listConnectors'))).connectors[0].counts as Readonly<Record<string, number>>;
  const settle = async () => {
    for (let looks = 0; (await states()).received !== undefined; looks += 1) {
      assert.ok(looks < 500, JSON.stringify(await states()));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  await settle();
  // Both nodes have the events due at the same moment.
  for (const state of ['applied', 'nothing new'])
    await Promise.all([one, other].map((app) => app.admin('/replayShopEvents', { connectorId, state })));
  one.clock.move(11 * SECOND_MS);
  other.clock.move(11 * SECOND_MS);
  await settle();
  assert.equal((await rowsOf(one.database, 'select 1 as one from license')).length, SALES * 3);
  // One for the order and one for the subscription.
  assert.equal((await rowsOf(one.database, 'select 1 as one from mail')).length, SALES * 2);
});

for (const engine of engines) {
  it(`a node without the key of the secrets takes no event and loses none, ${engine}`, async () => {
    const database = await freshDatabase(engine);
    const buyer = newBuyer();
    const seller = paddleSeller(buyer);
    const former = await startApp(engine, SHOP_SETTINGS, database, WITH_JOBS);
    const { url } = await new Shop(former, seller).open();
    await former.stop();
    const locked = await startApp(engine, { LATCHKEY_SECRETS_KEY: 'another-key-of-these-tests' }, database);
    const told = seller.steps.buy!(locked.clock.now());
    for (const each of told)
      assert.equal((await deliver(locked, url, seller.sign(each, locked.clock.now()))).status, 401);
    const [connector] = (await mustSucceed(locked.admin('/listConnectors'))).connectors;
    assert.deepEqual([connector.rejected, connector.counts], [told.length, {}]);
    await locked.stop();
    // The seller repeats them.
    const opened = await startApp(engine, SHOP_SETTINGS, database, WITH_JOBS);
    const shop = Object.assign(new Shop(opened, seller), { connectorId: connector.connectorId, url });
    await shop.tell(told);
    await shop.settled();
    assert.equal((await shop.licenses(buyer.email)).length, 2);
    await opened.stop();
    await database.remove();
  });

  it(`a sale is licensed after the API of the seller was away for two days, ${engine}`, async () => {
    const api = await SellerApi.start();
    const app = await startApp(engine, SHOP_SETTINGS, undefined, { ...WITH_JOBS, shopOrigins: api.origins });
    const buyer = newBuyer();
    const seller = stripeSeller(buyer);
    api.add(seller);
    const shop = await new Shop(app, seller).open();
    api.status = 503;
    await shop.tell(seller.steps.buy!(app.clock.now()));
    const reached = async (isReached: (events: readonly Answer['body'][]) => boolean) => {
      for (let looks = 0; ; looks += 1) {
        const { events } = await mustSucceed(app.admin('/listShopEvents', { connectorId: shop.connectorId }));
        if (isReached(events)) return;
        assert.ok(looks < 500, JSON.stringify(events));
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    for (let failures = 1; failures <= 3; failures += 1) {
      await reached((events) => events.some(({ attempts }) => attempts >= failures));
      app.clock.move(16 * HOUR_MS);
    }
    await reached((events) => events.some(({ attempts, state }) => attempts >= 4 && state === 'looking up'));
    api.status = 200;
    app.clock.move(HOUR_MS);
    await reached((events) => events.every(({ state }) => state !== 'looking up' && state !== 'received'));
    assert.equal((await shop.licenses(buyer.email)).length, 2);
    await app.stop();
    await api.stop();
  });
}
