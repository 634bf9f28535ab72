/** Forgetting a buyer reaches what sellers told of the address (rules 15.8). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { lemonSqueezySeller } from '../../../scripts/shops/sellers/lemonsqueezy.ts';
import { polarSeller } from '../../../scripts/shops/sellers/polar.ts';
import { DAY_MS } from '../../../src/ground/base/clock.ts';
import { WITH_JOBS } from '../../support/app.ts';
import { mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { rowsOf } from '../../support/own-connection.ts';
import { startedApp } from '../../support/started-app.ts';
import { newBuyer, SHOP_SETTINGS, Shop } from './shop.ts';

for (const engine of engines)
  describe(`a buyer at a seller who is forgotten, ${engine}`, () => {
    const app = startedApp(engine, SHOP_SETTINGS, undefined, WITH_JOBS);

    it('leaves no address in sales, customers and bodies, and those of others stay', async () => {
      const [ada, other] = [newBuyer(), newBuyer()];
      const shop = new Shop(app, lemonSqueezySeller(ada));
      await shop.open();
      await shop.tell(shop.seller.steps.buy!(app.clock.now()));
      const others = new Shop(app, lemonSqueezySeller(other));
      await others.open();
      await others.tell(others.seller.steps.buy!(app.clock.now()));
      await shop.settled();
      await others.settled();
      const holding = async (email: string) => {
        const rows = await Promise.all(
          ['shop_subject', 'shop_customer', 'shop_event'].map((table) =>
            rowsOf(app.database, `select * from ${table}`),
          ),
        );
        return rows.map((each) => JSON.stringify(each).includes(email));
      };
      assert.deepEqual((await holding(ada.email))[0], true);
      const { complete, pseudonym, replaced } = await mustSucceed(app.admin('/forgetCustomer', { email: ada.email }));
      assert.ok(complete && replaced.shopSales > 0, JSON.stringify(replaced));
      assert.deepEqual(await holding(ada.email), [false, false, false]);
      assert.deepEqual((await holding(other.email))[0], true);
      assert.equal((await shop.licenses(pseudonym)).length, 2);
    });

    it('stays a pseudonym when the seller tells the address again, and the subscription goes on', async () => {
      const ada = newBuyer();
      const shop = await new Shop(app, polarSeller(ada)).open();
      const now = app.clock.now();
      await shop.tell(shop.seller.steps.subscribe!(now));
      await shop.settled();
      const { pseudonym } = await mustSucceed(app.admin('/forgetCustomer', { email: ada.email }));
      const [before] = await shop.licenses(pseudonym);
      await shop.tell(shop.seller.steps.renew!(now + 30 * DAY_MS));
      await shop.settled();
      const [after] = await shop.licenses(pseudonym);
      assert.ok(after.expiresAt > before.expiresAt);
      for (const table of ['shop_subject', 'shop_customer', 'shop_event', 'license', 'event'])
        assert.doesNotMatch(
          JSON.stringify(await rowsOf(app.database, `select * from ${table}`)),
          RegExp(ada.email),
          table,
        );
      // Without its body an event cannot be replayed, and is left as it is.
      const { connectorId } = shop;
      await mustSucceed(app.admin('/replayShopEvents', { connectorId, state: 'applied' }));
      const states = new Set((await shop.settled()).map(({ state }) => state));
      assert.ok(!states.has('attention'), [...states].join());
    });
  });
