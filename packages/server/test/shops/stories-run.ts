/** Every order of the stories of all sellers, through a real service. */
import assert from 'node:assert/strict';
import { SellerApi } from '../../scripts/shops/sellers/seller-api.ts';
import { SELLERS } from '../../scripts/shops/sellers/sellers.ts';
import { SHOP_SETTINGS } from '../commerce/connectors/shop.ts';
import { MAIL_SETTINGS, StoryShops, storiesOf } from '../commerce/connectors/story-shops.ts';
import { startApp } from '../support/app.ts';
import type { Engine } from '../support/databases.ts';

/**
 * Tells each story in every order of up to five events, and longer ones in so many orders at random.
 *
 * @throws at the first end that differs from that of the quiet story
 */
export async function runStories(engine: Engine, most: number, say: (line: string) => void): Promise<void> {
  const api = await SellerApi.start();
  const settings = { ...SHOP_SETTINGS, ...MAIL_SETTINGS };
  const app = await startApp(engine, settings, undefined, { shopOrigins: api.origins });
  try {
    const shops = new StoryShops(app, api);
    for (const name of Object.keys(SELLERS)) {
      let orders = 0;
      for (const [title, steps] of storiesOf(name)) {
        const quiet = await shops.quietEnd(name, steps);
        const ends = await shops.shuffledEnds(name, steps, most);
        for (const end of ends) assert.deepEqual(end, quiet, `${title} at ${name}`);
        orders += ends.length;
      }
      say(`${engine}: ${orders} orders of the stories at ${name} end alike`);
    }
  } finally {
    await app.stop();
    await api.stop();
  }
}
