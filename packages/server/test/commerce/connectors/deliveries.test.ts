/** What strangers and faulty shops send to the address of a connector (rules 15.2). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { stripeSeller } from '../../../scripts/shops/sellers/stripe.ts';
import { wooCommerceSeller } from '../../../scripts/shops/sellers/woocommerce.ts';
import type { Delivery } from '../../../src/commerce/connectors/sources/source.ts';
import { MINUTE_MS } from '../../../src/ground/base/clock.ts';
import { WITH_JOBS } from '../../support/app.ts';
import { mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { startedApp } from '../../support/started-app.ts';
import { deliver, newBuyer, SHOP_SETTINGS, Shop } from './shop.ts';

const REFUSED = [401, { success: false, error: 'Signature is not valid' }];

for (const engine of engines)
  describe(`the address of a connector, ${engine}`, () => {
    const app = startedApp(engine, SHOP_SETTINGS, undefined, WITH_JOBS);
    const opened = () => new Shop(app, stripeSeller(newBuyer())).open();
    const signed = (shop: Shop, at = app.clock.now(), body?: string): Delivery => {
      const [told] = shop.seller.steps.buy!(app.clock.now());
      return shop.seller.sign({ ...told!, ...(body === undefined ? {} : { body }) }, at);
    };
    const answerTo = async (shop: Shop, delivery: Delivery) => {
      const { status, body } = await deliver(app, shop.url, delivery);
      return [status, body];
    };

    it('refuses forged, altered, old, future and repeated signatures, and counts them', async () => {
      const shop = await opened();
      const good = signed(shop);
      const altered = { ...good, body: Buffer.concat([Buffer.from(good.body), Buffer.from(' ')]) };
      const signature = good.headers['stripe-signature'] ?? [];
      const twice = { ...good, headers: { ...good.headers, 'stripe-signature': [...signature, ...signature] } };
      const none = { ...good, headers: { ...good.headers, 'stripe-signature': [''] } };
      for (const bad of [altered, signed(shop, app.clock.now() - 6 * MINUTE_MS), twice, none])
        assert.deepEqual(await answerTo(shop, bad), REFUSED);
      assert.deepEqual(await answerTo(shop, signed(shop, app.clock.now() + 6 * MINUTE_MS)), REFUSED);
      const { connectors } = await mustSucceed(app.admin('/listConnectors', {}));
      const { rejected, lastRejection, counts } = connectors.find(
        ({ connectorId }: Shop) => connectorId === shop.connectorId,
      );
      assert.deepEqual(
        [rejected, lastRejection, counts],
        [5, 'The request was signed more than five minutes ahead', {}],
      );
      assert.equal((await answerTo(shop, good))[0], 200);
    });

    it('answers a network 429 after 60 wrong signatures in a minute, and still takes valid ones', async () => {
      const shop = await opened();
      app.clock.move(2 * MINUTE_MS);
      const forged = shop.seller.sign({ body: '{}', headers: {} }, app.clock.now(), 'whsec_other');
      const statuses: number[] = [];
      // Ten at once: a busy machine refuses more of one network with 503.
      for (let round = 0; round < 10; round += 1)
        statuses.push(
          ...(await Promise.all(Array.from({ length: 10 }, async () => (await answerTo(shop, forged))[0]))),
        );
      assert.deepEqual([statuses.filter((each) => each === 401).length, new Set(statuses)], [60, new Set([401, 429])]);
      assert.equal((await answerTo(shop, signed(shop)))[0], 200);
      app.clock.move(2 * MINUTE_MS);
      assert.equal((await answerTo(shop, forged))[0], 401);
    });

    it('is unknown, takes POST alone, and a body up to 1 MiB', async () => {
      const shop = await opened();
      const unknown = await deliver(app, '/connect/con_0000000000000000000000', signed(shop));
      assert.deepEqual([unknown.status, unknown.body.error], [404, 'Connector not found']);
      assert.equal((await app.send(shop.url, undefined, { method: 'GET' })).status, 405);
      const large = signed(shop, app.clock.now(), ' '.repeat(1_048_577));
      assert.deepEqual(await answerTo(shop, large), [413, { success: false, error: 'Body is larger than 1 MiB' }]);
    });

    it('keeps what it does not understand for a person', async () => {
      const shop = await opened();
      const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
      const next = JSON.stringify({
        id: 'evt_1',
        type: 'invoice.paid',
        created: 1,
        livemode: true,
        data: { object: {} },
      });
      for (const body of [deep, next])
        assert.equal((await answerTo(shop, signed(shop, app.clock.now(), body)))[0], 200);
      assert.deepEqual(
        (await shop.settled()).map(({ state, reason }) => [state, reason]),
        [
          ['attention', 'unknown_shape'],
          ['attention', 'unknown_shape'],
        ],
      );
    });

    it('answers the unsigned form with which a shop tries it, and stores nothing', async () => {
      const shop = await new Shop(app, wooCommerceSeller(newBuyer())).open();
      const form = { 'content-type': ['application/x-www-form-urlencoded'] };
      const trial = { body: Buffer.from('webhook_id=7'), headers: form };
      assert.deepEqual(await answerTo(shop, trial), [200, { received: true }]);
      assert.deepEqual(await shop.settled(), []);
    });
  });
