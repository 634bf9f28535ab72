/** The search finds the licenses of a connected shop by the ids of their sale at the seller (rules 4.3.1). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { paddleSeller } from '../../../scripts/shops/sellers/paddle.ts';
import { WITH_JOBS } from '../../support/app.ts';
import { Creator, mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { startedApp } from '../../support/started-app.ts';
import { newBuyer, SHOP_SETTINGS, Shop } from './shop.ts';

interface Hit {
  readonly kind: string;
  readonly matchedBy: string;
  readonly licenseKey: string | null;
}

for (const engine of engines)
  describe(`a search for the id of a sale at its seller, ${engine}`, () => {
    const app = startedApp(engine, SHOP_SETTINGS, undefined, WITH_JOBS);

    it('finds the licenses of an order and of a subscription, within the reach of the caller', async () => {
      const buyer = newBuyer();
      const shop = await new Shop(app, paddleSeller(buyer)).open();
      const now = app.clock.now();
      await shop.tell([...shop.seller.steps.buy!(now), ...shop.seller.steps.subscribe!(now)]);
      await shop.settled();
      const keys = new Set((await shop.licenses(buyer.email)).map(({ key }) => key));
      assert.equal(keys.size, 3);
      const found = async (query: string): Promise<readonly Hit[]> =>
        (await mustSucceed(app.admin('/searchEverything', { query }))).hits.filter(
          ({ matchedBy }: Hit) => matchedBy === 'sellerId',
        );
      const [order, subscription] = [`txn_01hvorder${buyer.number}`, `sub_01hvplan${buyer.number}`];
      for (const [id, count] of [
        [order, 2],
        [subscription, 1],
      ] as const) {
        const hits = await found(id);
        assert.equal(hits.length, count, id);
        for (const { kind, licenseKey } of hits) assert.ok(kind === 'purchase' && keys.has(licenseKey));
      }
      const stranger = await Creator.of(app);
      assert.deepEqual((await mustSucceed(stranger.send('/searchEverything', { query: order }))).hits, []);
    });
  });
