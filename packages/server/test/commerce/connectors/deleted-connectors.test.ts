/** A deleted connector leaves licenses, and neither events nor sales (rules 15.1). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { lemonSqueezySeller } from '../../../scripts/shops/sellers/lemonsqueezy.ts';
import { connectorTables } from '../../../src/commerce/connectors/tables.ts';
import { mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { rowsOf } from '../../support/own-connection.ts';
import { startedApp } from '../../support/started-app.ts';
import { newBuyer, SHOP_SETTINGS, Shop } from './shop.ts';

for (const engine of engines)
  describe(`a deleted connector, ${engine}`, () => {
    const app = startedApp(engine, SHOP_SETTINGS, undefined, { leasedJobIntervalMs: 250 });

    it('leaves its licenses, and no row of its events and sales; those of others stay', async () => {
      const [ada, other] = [newBuyer(), newBuyer()];
      const shop = await new Shop(app, lemonSqueezySeller(ada)).open();
      const others = await new Shop(app, lemonSqueezySeller(other)).open();
      for (const each of [shop, others]) {
        const { buy, subscribe, refundPart } = each.seller.steps;
        const now = app.clock.now();
        await each.tell([...buy!(now), ...subscribe!(now), ...refundPart!(now)]);
        await each.settled();
      }
      const rowsOfConnector = async (connectorId: string) => {
        const found: string[] = [];
        for (const { name } of connectorTables)
          if (
            (await rowsOf(app.database, `select 1 as one from ${name} where connector_id = '${connectorId}'`)).length >
            0
          )
            found.push(name);
        return found;
      };
      const before = await rowsOfConnector(others.connectorId);
      assert.ok(before.length >= 6, before.join());
      await mustSucceed(app.admin('/deleteConnector', { connectorId: shop.connectorId }));
      const isLeft = async () => (await rowsOf(app.database, 'select 1 as one from connector_remains')).length > 0;
      for (let looks = 0; await isLeft(); looks += 1) {
        assert.ok(looks < 500, (await rowsOfConnector(shop.connectorId)).join());
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      assert.deepEqual(await rowsOfConnector(shop.connectorId), []);
      assert.deepEqual(await rowsOfConnector(others.connectorId), before);
      assert.equal((await shop.licenses(ada.email)).length, 3);
    });
  });
