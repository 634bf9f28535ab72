/** The commands for connected shops, beside a running service, and the lines of `check` and `copy` about them. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { paddleSeller } from '../../../scripts/shops/sellers/paddle.ts';
import { stripeSeller } from '../../../scripts/shops/sellers/stripe.ts';
import { newBuyer, SHOP_SETTINGS, Shop } from '../../commerce/connectors/shop.ts';
import { startApp, WITH_JOBS } from '../../support/app.ts';
import { environmentOf, runCommandHere } from '../../support/command.ts';
import { mustSucceed } from '../../support/creator.ts';
import { engines, freshDatabase } from '../../support/databases.ts';
import { appFor, emptyFor } from '../../support/for-test.ts';
import { rowsOf } from '../../support/own-connection.ts';

const SETTINGS = { ...SHOP_SETTINGS, LATCHKEY_DELIVERIES: 'off' };

for (const engine of engines)
  describe(`commands for shops, ${engine}`, () => {
    it('list connectors with their state, and replay events of one', async (test) => {
      const app = await appFor(test, engine, SETTINGS, undefined, WITH_JOBS);
      const environment = { ...environmentOf(app.database), ...SETTINGS };
      const run = async (...args: string[]) => {
        const { code, out, err } = await runCommandHere(args, environment);
        assert.equal(code, 0, err);
        return out;
      };
      assert.equal(await run('shops'), 'There are no connectors of shops.\n');
      const buyer = newBuyer();
      const shop = await new Shop(app, paddleSeller(buyer)).open({ mappings: [] });
      const { connectorId } = shop;
      assert.match(
        await run('shops'),
        new RegExp(`^${connectorId}  operator  paddle  on  Shop of paddle  no event yet; 0 waiting; 0 to decide\n$`),
      );
      await shop.tell(shop.seller.steps.buy!(app.clock.now()));
      await shop.settled();
      const listed = await run('shops');
      assert.match(listed, /; 0 waiting; 1 to decide\n$/);
      assert.doesNotMatch(listed, /pdl_|connect\//);

      const replayed = await run('shops', 'replay', '--connector', connectorId, '--state', 'attention');
      assert.match(replayed, /^Queued 1 event\. /);
      const of = async (...args: string[]) => (await runCommandHere(args, environment)).err;
      assert.match(
        await of('shops', 'replay', '--connector', connectorId, '--state', 'lost'),
        /--state must be one of/,
      );
      assert.match(
        await of('shops', 'replay', '--connector', 'con_x', '--state', 'held'),
        /There is no connector con_x/,
      );
      await mustSucceed(app.admin('/updateConnector', { connectorId, state: 'paused' }));
      assert.match(
        await of('shops', 'replay', '--connector', connectorId, '--state', 'held'),
        /The connector is paused, so its events are not applied/,
      );
    });

    it('check each connector’s secrets', async (test) => {
      const app = await appFor(test, engine, SETTINGS, undefined, WITH_JOBS);
      const shop = await new Shop(app, paddleSeller(newBuyer())).open();
      const check = async (key: string) => {
        const environment = { ...environmentOf(app.database), ...SETTINGS, LATCHKEY_SECRETS_KEY: key };
        return (await runCommandHere(['check'], environment)).err;
      };
      assert.doesNotMatch(await check(SETTINGS.LATCHKEY_SECRETS_KEY), /connector/);
      assert.match(
        await check('another-key-of-these-tests'),
        new RegExp(`connector ${shop.connectorId} \\(Shop of paddle\\) has secrets that this node cannot open`),
      );
    });

    it('copy a connector so that the copy asks no seller', async (test) => {
      const original = await freshDatabase(engine);
      const app = await startApp(engine, SETTINGS, original);
      await new Shop(app, stripeSeller(newBuyer())).open();
      const rows = 'select connector_id from connector_catch_up';
      assert.equal((await rowsOf(app.database, rows)).length, 1);
      await app.stop();
      const named = (database: typeof app.database) =>
        database.engine === 'sqlite' ? `sqlite:${database.file}` : database.url;
      for (const [options, count] of [
        [[], 0],
        [['--keep-sending'], 1],
      ] as const) {
        const database = await emptyFor(test, engine);
        const args = ['copy', '--from', named(app.database), '--to', named(database), ...options];
        const { code, err } = await runCommandHere(args, SETTINGS);
        assert.equal(code, 0, err);
        assert.equal((await rowsOf(database, rows)).length, count);
        assert.equal((await rowsOf(database, 'select connector_id from connector')).length, 1);
      }
      await original.remove();
    });
  });
