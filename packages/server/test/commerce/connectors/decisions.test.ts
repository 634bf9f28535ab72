/** What a person decides about events of shops (rules 15.7). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { paddleSeller } from '../../../scripts/shops/sellers/paddle.ts';
import { WITH_JOBS } from '../../support/app.ts';
import { mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { startedApp } from '../../support/started-app.ts';
import { newBuyer, SHOP_SETTINGS, Shop } from './shop.ts';

for (const engine of engines)
  describe(`a decision about an event of a shop, ${engine}`, () => {
    const app = startedApp(engine, SHOP_SETTINGS, undefined, WITH_JOBS);

    it('gives the license of a sale that was below the minimum, by a remedy of the event alone', async () => {
      const buyer = newBuyer();
      const shop = new Shop(app, paddleSeller(buyer));
      await shop.open();
      const [once] = shop.mappings();
      const { connectorId } = shop;
      const mappings = [{ ...once, minimumAmount: 1_000_000 }];
      await mustSucceed(app.admin('/updateConnector', { connectorId, mappings }));
      await shop.tell(shop.seller.steps.buy!(app.clock.now()));
      const waiting = (await shop.settled()).find(({ state }) => state === 'attention');
      assert.equal(waiting.reason, 'below_minimum');
      const { eventId } = waiting;
      const refused = await app.admin('/decideShopEvent', { eventId, remedy: 'reinstate' });
      assert.deepEqual([refused.status, refused.body.error], [409, 'This event has no such remedy']);
      assert.deepEqual(await shop.licenses(buyer.email), []);
      const { event } = await mustSucceed(app.admin('/decideShopEvent', { eventId, remedy: 'issue' }));
      assert.deepEqual([event.state, event.reason], ['applied', null]);
      assert.equal((await shop.licenses(buyer.email)).length, 2);
    });
  });
