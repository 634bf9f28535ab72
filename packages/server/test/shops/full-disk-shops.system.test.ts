/**
 * A disk that is full while sellers deliver: an event is stored before it is answered 200, and each stored event is
 * applied once there is room.
 */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { shopifySeller } from '../../scripts/shops/sellers/shopify.ts';
import { deliver, newBuyer, SHOP_SETTINGS, Shop } from '../commerce/connectors/shop.ts';
import { fill, NO_SMALL_DISKS, startOnSmallDisk } from '../faults/service-on-small-disk.ts';
import { mustSucceed } from '../support/creator.ts';
import { appOf } from './process-app.ts';

/** Sellers that deliver at once. */
const AT_ONCE = 4;
const ROUNDS = 3;
/** Sales between two rounds. */
const SALES = 20;
const LICENSES_OF_SALE = 2;
const LONGEST_SETTLING_MS = 120_000;

it('a paid sale is a license once the disk has room, whenever it was full, and each only once', {
  skip: NO_SMALL_DISKS,
}, async (test) => {
  const { service, inside, filler } = await startOnSmallDisk(test, { size: '80m', environment: SHOP_SETTINGS });
  const app = appOf(() => service);
  const shop = await new Shop(app, shopifySeller(newBuyer())).open();
  const buyers: string[] = [];
  let [refused, isOver] = [0, false];

  const sell = async () => {
    const buyer = newBuyer();
    const seller = shopifySeller(buyer);
    for (const told of seller.steps.buy!(Date.now()))
      for (;;) {
        const { status } = await deliver(app, shop.url, seller.sign(told, Date.now()));
        if (status === 200) break;
        // The seller repeats it.
        assert.equal(status, 503);
        refused += 1;
        await wait(20);
      }
    buyers.push(buyer.email);
  };
  const selling = Array.from({ length: AT_ONCE }, async () => {
    while (!isOver) await sell();
  });
  const sold = async (more: number) => {
    for (const least = buyers.length + more; buyers.length < least; ) await wait(10);
  };

  await sold(SALES);
  for (let round = 0; round < ROUNDS; round += 1) {
    // Repeatedly, since a log that is written back frees room.
    for (const before = refused; refused < before + AT_ONCE; ) {
      fill(filler, inside);
      await wait(10);
    }
    rmSync(filler);
    await sold(SALES);
  }
  isOver = true;
  await Promise.all(selling);

  for (const endsAt = Date.now() + LONGEST_SETTLING_MS; ; await wait(200)) {
    const { connectors } = await mustSucceed(app.admin('/listConnectors'));
    const { received = 0, attention = 0 } = connectors[0].counts;
    assert.equal(attention, 0);
    if (received === 0) break;
    assert.ok(Date.now() < endsAt, `${received} events are not applied`);
  }
  test.diagnostic(`${buyers.length} sales, ${refused} requests refused meanwhile`);
  for (const email of buyers) {
    const { licenses } = await mustSucceed(app.admin('/listLicenses', { email }));
    assert.equal(licenses.length, LICENSES_OF_SALE);
  }
  assert.equal(await service.stop(), 0);
});
