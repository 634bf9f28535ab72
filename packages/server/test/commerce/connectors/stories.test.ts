/** Stories of sales in other orders than the quiet one: the same licenses in the end (rules 15.2 to 15.6). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Seller, Step, Told } from '../../../scripts/shops/sellers/seller.ts';
import { SELLERS } from '../../../scripts/shops/sellers/sellers.ts';
import { DAY_MS } from '../../../src/ground/base/clock.ts';
import type { TestApp } from '../../support/app.ts';
import { engines } from '../../support/databases.ts';
import { startedApp } from '../../support/started-app.ts';
import { newBuyer, SHOP_SETTINGS, Shop } from './shop.ts';

const ONCE: readonly Step[] = ['buy', 'refundPart', 'refundRest', 'dispute'];
const SUBSCRIBED: readonly Step[] = ['subscribe', 'renew', 'changePlan', 'end'];
/** Orders that are tried of each story. */
const ORDERS = 6;

/** The sellers that tell everything without a look-up. */
const TELLING = Object.entries(SELLERS).filter(
  ([, make]) => make({ number: 1, email: 'a@example.com' }).apiKey === null,
);

function toldIn(seller: Seller, steps: readonly Step[], start: number): Told[] {
  return steps.flatMap((step, index) => [...(seller.steps[step]?.(start + index * DAY_MS) ?? [])]);
}

/** An order of things that a number chooses. */
function shuffled<Item>(items: readonly Item[], seed: number): Item[] {
  const rest = [...items];
  const chosen: Item[] = [];
  let state = seed * 7919 + 13;
  while (rest.length > 0) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    chosen.push(...rest.splice(state % rest.length, 1));
  }
  return chosen;
}

/** What is compared of the licenses of a story. */
async function endOf(shop: Shop, email: string) {
  await shop.settled();
  const licenses = await shop.licenses(email);
  return licenses
    .map(({ variant, status, maxMachines, expiresAt, disputeReason }) => ({
      // A refund of some units changes no limit of a license that is revoked already.
      ...{ variant, status, maxMachines: status === 'revoked' ? null : maxMachines, expiresAt, disputeReason },
    }))
    .sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
}

async function endOfStory(app: TestApp, name: string, steps: readonly Step[], order: number) {
  const buyer = newBuyer();
  const shop = await new Shop(app, SELLERS[name]!(buyer)).open();
  const told = toldIn(shop.seller, steps, start(app));
  const inOrder = order === 0 ? told : shuffled([...told, ...told.slice(0, 2)], order);
  await shop.tell(inOrder);
  return endOf(shop, buyer.email);
}

const starts = new WeakMap<TestApp, number>();

/** The moment at which all stories of an app begin, in whole seconds, as most sellers count. */
function start(app: TestApp): number {
  const known = starts.get(app) ?? Math.floor(app.clock.now() / 1000) * 1000 - 30 * DAY_MS;
  starts.set(app, known);
  return known;
}

for (const engine of engines)
  describe(`stories of sales, ${engine}`, () => {
    const app = startedApp(engine, SHOP_SETTINGS);
    for (const [name] of TELLING)
      for (const [kind, steps] of Object.entries({ 'an order': ONCE, 'a subscription': SUBSCRIBED }))
        it(`of ${kind} at ${name} end alike in every order, with repeats`, async () => {
          const quiet = await endOfStory(app, name, steps, 0);
          for (let order = 1; order <= ORDERS; order += 1)
            assert.deepEqual(await endOfStory(app, name, steps, order), quiet, `order ${order}`);
        });
  });
