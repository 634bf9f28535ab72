/** Stories of sales in other orders than the quiet one: the same end (rules 15.2 to 15.6). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { SellerApi } from '../../../scripts/shops/sellers/seller-api.ts';
import { SELLERS } from '../../../scripts/shops/sellers/sellers.ts';
import { startApp, type TestApp, WITH_JOBS } from '../../support/app.ts';
import { engines } from '../../support/databases.ts';
import { SHOP_SETTINGS } from './shop.ts';
import { MAIL_SETTINGS, StoryShops, storiesOf } from './story-shops.ts';

/** Orders that are tried of each story; `npm run shops` tries every order of a few deliveries. */
const ORDERS = 4;

for (const engine of engines)
  describe(`stories of sales, ${engine}`, () => {
    let app: TestApp;
    let api: SellerApi;
    let shops: StoryShops;
    before(async () => {
      api = await SellerApi.start();
      app = await startApp(engine, { ...SHOP_SETTINGS, ...MAIL_SETTINGS }, undefined, {
        ...WITH_JOBS,
        shopOrigins: api.origins,
      });
      shops = new StoryShops(app, api);
    });
    after(async () => {
      await app.stop();
      await api.stop();
    });
    for (const name of Object.keys(SELLERS))
      it(`at ${name} end alike in every order, with repeats`, async () => {
        await Promise.all(
          storiesOf(name).map(async ([title, steps]) => {
            const quiet = await shops.quietEnd(name, steps);
            assert.ok(quiet.licenses.length > 0, title);
            assert.equal(quiet.mails.length, 1, title);
            if (steps.includes('subscribe'))
              for (const license of quiet.licenses) assert.notEqual(license.expiresAt, null, `${title} without an end`);
            for (const end of await shops.shuffledEnds(name, steps, ORDERS)) assert.deepEqual(end, quiet, title);
          }),
        );
      });
  });
