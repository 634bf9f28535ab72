/** Connectors as their owners make and change them (rules 15.1). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { lemonSqueezySeller } from '../../../scripts/shops/sellers/lemonsqueezy.ts';
import { paddleSeller } from '../../../scripts/shops/sellers/paddle.ts';
import { HOUR_MS } from '../../../src/ground/base/clock.ts';
import { mintUuid } from '../../../src/ground/base/random.ts';
import { WITH_JOBS } from '../../support/app.ts';
import { Creator, mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { startedApp } from '../../support/started-app.ts';
import { deliver, newBuyer, SHOP_SETTINGS, Shop } from './shop.ts';

const newPrefix = () => mintUuid().slice(0, 18);

for (const engine of engines)
  describe(`a connector, ${engine}`, () => {
    const app = startedApp(engine, SHOP_SETTINGS, undefined, WITH_JOBS);

    it('gets a secret where the seller takes one, and shows four characters of it', async () => {
      const made = await mustSucceed(
        app.admin('/createConnector', { source: 'lemonsqueezy', name: 'Shop', mode: 'live', prefix: newPrefix() }),
      );
      assert.match(made.connectorId, /^con_[\w-]{22}$/);
      assert.equal(made.url, `/connect/${made.connectorId}`);
      assert.ok(made.steps.some((step: string) => step.includes(made.secret)));
      const { connectors } = await mustSucceed(app.admin('/listConnectors', {}));
      const shown = connectors.find(({ connectorId }: Shop) => connectorId === made.connectorId);
      assert.deepEqual([shown.state, shown.secretHints], ['watching', [made.secret.slice(-4)]]);
      assert.doesNotMatch(JSON.stringify(connectors), new RegExp(made.secret));
    });

    it('takes a former secret until its overlap ends, and three at most', async () => {
      const shop = await new Shop(app, paddleSeller(newBuyer())).open();
      const { connectorId, seller } = shop;
      const statusWith = async (secret: string) => {
        const [told] = seller.steps.buy!(app.clock.now());
        return (await deliver(app, shop.url, seller.sign(told!, app.clock.now(), secret))).status;
      };
      const change = (secret: string, overlapHours = 24) =>
        mustSucceed(app.admin('/updateConnector', { connectorId, secret, overlapHours }));
      await change('second-secret-0123');
      assert.deepEqual([await statusWith(seller.secret), await statusWith('second-secret-0123')], [200, 200]);
      await change('third-secret-01234');
      const { connector } = await change('fourth-secret-0123');
      assert.equal(connector.secretHints.length, 3);
      assert.deepEqual([await statusWith(seller.secret), await statusWith('second-secret-0123')], [401, 200]);
      app.clock.move(24 * HOUR_MS + 1);
      assert.deepEqual([await statusWith('second-secret-0123'), await statusWith('fourth-secret-0123')], [401, 200]);
    });

    it('has a prefix of its own, and bad parts are named', async () => {
      const fields = { source: 'paddle', name: 'Shop', mode: 'live', prefix: newPrefix() };
      await mustSucceed(app.admin('/createConnector', fields));
      const again = await app.admin('/createConnector', fields);
      assert.deepEqual([again.status, again.body.error], [409, 'Connector prefix already exists']);
      for (const [more, error] of [
        [{ prefix: 'A b' }, 'prefix must be 1 to 40 of a-z 0-9 -'],
        [{ settings: { graceDays: -1 } }, 'settings.graceDays must be a whole number from 0 to 365'],
        [{ settings: { origins: ['http://shop.example.com'] } }, /^settings\.origins must be/],
        [{ mappings: [{ match: 'price' }] }, 'mappings.0.id must be a string of at most 255 characters'],
        [{ mappings: [{ match: 'any' }] }, 'mappings.0.productId must be a string of at most 255 characters'],
      ] as const) {
        const { status, body } = await app.admin('/createConnector', { ...fields, ...more });
        assert.equal(status, 400);
        assert.match(body.error, typeof error === 'string' ? new RegExp(`^${RegExp.escape(error)}$`) : error);
      }
      const missing = await app.admin('/createConnector', { source: 'paddle' });
      assert.deepEqual([missing.status, missing.body.error], [400, 'Missing source, name or mode']);
    });

    it('cannot be deleted while the service works on its events', async () => {
      const shop = await new Shop(app, lemonSqueezySeller(newBuyer())).open();
      const refund = shop.seller.steps.refundRest;
      shop.seller.steps.buy!(app.clock.now());
      await shop.tell(refund?.(app.clock.now()));
      const { connectorId } = shop;
      const states = (await shop.settled()).map(({ state }) => state);
      assert.ok(states.includes('held'), String(states));
      const refused = await app.admin('/deleteConnector', { connectorId });
      assert.deepEqual([refused.status, refused.body.error], [409, 'Events are still waiting']);
      for (const { eventId, state } of await shop.settled())
        if (state === 'held') await mustSucceed(app.admin('/decideShopEvent', { eventId, remedy: 'dismiss' }));
      await mustSucceed(app.admin('/deleteConnector', { connectorId }));
      const [told] = shop.seller.steps.buy!(app.clock.now());
      assert.equal((await deliver(app, shop.url, shop.seller.sign(told!, app.clock.now()))).status, 404);
    });

    it('of a creator is one of 20 at most', async () => {
      const creator = await Creator.of(app);
      const make = () =>
        creator.send('/createConnector', { source: 'polar', name: 'Shop', mode: 'live', prefix: newPrefix() });
      for (let count = 0; count < 20; count += 1) await mustSucceed(make());
      const refused = await make();
      assert.deepEqual([refused.status, refused.body.error], [409, 'Too many connectors (20). Delete one first.']);
      assert.equal((await mustSucceed(creator.send('/listConnectors', {}))).connectors.length, 20);
    });
  });

describe('a connector without a key for secrets', () => {
  const app = startedApp('postgres');

  it('is refused', async () => {
    const { status, body } = await app.admin('/createConnector', { source: 'paddle', name: 'Shop', mode: 'live' });
    assert.deepEqual([status, body.error], [409, 'The service has no LATCHKEY_SECRETS_KEY, so it cannot keep secrets']);
  });
});
