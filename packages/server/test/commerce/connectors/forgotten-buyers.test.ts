/** Forgetting a buyer reaches what sellers told of the address (rules 15.8). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { lemonSqueezySeller } from '../../../scripts/shops/sellers/lemonsqueezy.ts';
import { mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { rowsOf } from '../../support/own-connection.ts';
import { startedApp } from '../../support/started-app.ts';
import { newBuyer, SHOP_SETTINGS, Shop } from './shop.ts';

for (const engine of engines)
  describe(`a buyer at a seller who is forgotten, ${engine}`, () => {
    const app = startedApp(engine, SHOP_SETTINGS);

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
  });
