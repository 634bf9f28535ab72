/** Sales that a seller tells only when it is asked: look-ups at a stand-in of its API (rules 15.2). */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { gumroadSeller } from '../../../scripts/shops/sellers/gumroad.ts';
import type { Seller } from '../../../scripts/shops/sellers/seller.ts';
import { stripeSeller } from '../../../scripts/shops/sellers/stripe.ts';
import type { LookUp } from '../../../src/commerce/connectors/sources/source.ts';
import { MINUTE_MS } from '../../../src/ground/base/clock.ts';
import { startApp, type TestApp, WITH_JOBS } from '../../support/app.ts';
import { mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { newBuyer, SHOP_SETTINGS, Shop } from './shop.ts';

const LOOK_UPS: readonly LookUp['what'][] = ['session_items', 'invoice_lines', 'customer', 'sale'];

/** The look-up that a path asks for. */
function lookUpAt({ source }: Seller, path: string): LookUp | undefined {
  const ids = path.split(/[/?]/).map(decodeURIComponent);
  const all = ids.flatMap((id) => LOOK_UPS.map((what) => ({ what, id })));
  return all.find((each) => source.lookUps?.pathOf(each) === path);
}

for (const engine of engines)
  describe(`look-ups at sellers, ${engine}`, () => {
    let app: TestApp;
    let seller: Seller;
    /** The status of the next answers; 200 answers what the seller has. */
    let status = 200;
    const keys = new Set<string | undefined>();
    const api = createServer((request, response) => {
      keys.add(request.headers.authorization);
      const lookUp = lookUpAt(seller, request.url ?? '');
      const answer = lookUp === undefined ? undefined : seller.answer(lookUp);
      response.writeHead(answer === undefined ? 404 : status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer ?? {}));
    });
    before(async () => {
      await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
      const origin = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
      app = await startApp(engine, SHOP_SETTINGS, undefined, {
        ...WITH_JOBS,
        shopOrigins: { stripe: origin, gumroad: origin },
      });
    });
    after(async () => {
      await app.stop();
      api.close();
    });
    const opened = (made: Seller) => {
      seller = made;
      status = 200;
      return new Shop(app, made).open();
    };

    for (const [name, make] of Object.entries({ stripe: stripeSeller, gumroad: gumroadSeller }))
      it(`give the licenses of an order at ${name}, with the API key of the connector`, async () => {
        const buyer = newBuyer();
        const shop = await opened(make(buyer));
        await shop.tell(shop.seller.steps.buy!(app.clock.now()));
        await shop.settled();
        assert.ok((await shop.licenses(buyer.email)).length > 0);
        assert.ok(keys.has(`Bearer ${shop.seller.apiKey}`));
      });

    it('are repeated while the API of the seller fails, and end with a person where it refuses the key', async () => {
      const buyer = newBuyer();
      const shop = await opened(gumroadSeller(buyer));
      const eventsWhen = async (isReached: (event: Readonly<Record<string, unknown>>) => boolean) => {
        for (let looks = 0; looks < 500; looks += 1) {
          const { events } = await mustSucceed(app.admin('/listShopEvents', { connectorId: shop.connectorId }));
          if (events.every(isReached)) return events;
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
        return assert.fail('the events do not get there');
      };
      status = 500;
      await shop.tell(shop.seller.steps.buy!(app.clock.now()));
      await eventsWhen(({ attempts }) => attempts === 1);
      status = 403;
      app.clock.move(MINUTE_MS);
      const [refused] = await eventsWhen(({ state }) => state === 'attention');
      assert.deepEqual([refused.reason, refused.detail], ['lookup_denied', 'The seller answered 403']);
      status = 200;
      await mustSucceed(app.admin('/decideShopEvent', { eventId: refused.eventId, remedy: 'replay' }));
      await eventsWhen(({ state }) => state === 'applied');
      assert.ok((await shop.licenses(buyer.email)).length > 0);
    });
  });
