/** Events of shops through the real service: stored before the answer, applied once, in any order (rules 6a.2 to 6a.4). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { lemonSqueezySeller } from '../../../scripts/shops/sellers/lemonsqueezy.ts';
import { stripeSeller } from '../../../scripts/shops/sellers/stripe.ts';
import { engines } from '../../support/databases.ts';
import { startedApp } from '../../support/started-app.ts';
import { deliver, newBuyer, SHOP_SETTINGS, Shop } from './shop.ts';

for (const engine of engines)
  describe(`events of shops, ${engine}`, () => {
    const app = startedApp(engine, SHOP_SETTINGS);

    it('give the licenses of a paid order, a unit each, once however often it is told', async () => {
      const buyer = newBuyer();
      const shop = await new Shop(app, lemonSqueezySeller(buyer)).open();
      const told = shop.seller.steps.buy!(app.clock.now());
      await shop.tell(told);
      await shop.tell(told);
      const events = await shop.settled();
      assert.deepEqual(events.map(({ state }) => state).sort(), []);
      const licenses = await shop.licenses(buyer.email);
      assert.deepEqual(licenses.length, 2);
    });

    it('of a stranger are refused', async () => {
      const shop = await new Shop(app, stripeSeller(newBuyer())).open();
      const [told] = shop.seller.steps.buy!(app.clock.now());
      const forged = shop.seller.sign(told!, app.clock.now(), 'whsec_other');
      const answer = await deliver(app, shop.url, forged);
      assert.deepEqual([answer.status, answer.body], [401, { success: false, error: 'Signature is not valid' }]);
      assert.deepEqual(await shop.settled(), []);
    });
  });
