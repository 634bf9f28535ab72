/** Stories of sales through the real service: shops of all sellers with many buyers each, whose ends are compared. */
import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { type Buyer, type Seller, type Step, sentAgain, type Told } from '../../../scripts/shops/sellers/seller.ts';
import type { SellerApi } from '../../../scripts/shops/sellers/seller-api.ts';
import { SELLERS } from '../../../scripts/shops/sellers/sellers.ts';
import { DAY_MS } from '../../../src/ground/base/clock.ts';
import type { Answer, TestApp } from '../../support/app.ts';
import { mustSucceed } from '../../support/creator.ts';
import { deliver, newBuyer, Shop } from './shop.ts';

/** The service sends e-mails; nothing listens there, so they stay in the outbox. */
export const MAIL_SETTINGS = { LATCHKEY_SMTP_URL: 'smtp://127.0.0.1:1', LATCHKEY_MAIL_FROM: 'Shop <shop@example.com>' };

/** The stories. A seller without one of the steps has no such story. */
export const STORIES: Readonly<Record<string, readonly Step[]>> = {
  'an order that is refunded in parts': ['buy', 'refundPart', 'refundRest'],
  'an order whose dispute is won': ['buy', 'dispute', 'win'],
  'an order that is disputed and refunded': ['buy', 'refundPart', 'dispute', 'refundRest'],
  'a subscription that ends': ['subscribe', 'renew', 'end'],
  'a subscription to another plan': ['subscribe', 'changePlan', 'renew'],
  'a paused subscription': ['subscribe', 'pause', 'resume'],
  'a long subscription': ['subscribe', 'renew', 'changePlan', 'pause', 'resume', 'refundRenewal', 'end'],
};

/** The stories of a seller by name. */
export function storiesOf(name: string): readonly (readonly [title: string, steps: readonly Step[]])[] {
  const { steps } = SELLERS[name]!({ number: 1, email: 'a@example.com' });
  return Object.entries(STORIES).filter(([, wanted]) => wanted.every((step) => steps[step] !== undefined));
}

/** Stories that are told at once. */
const AT_ONCE = 16;
/** Deliveries up to which every order is told. */
const MOST_PERMUTED = 5;
const LOOK_MS = 20;
const LONGEST_MS = 120_000;

/** The end of a story: the licenses of the buyer, the e-mails to the buyer, and the decisions that a person owes. */
export interface StoryEnd {
  readonly licenses: readonly { readonly expiresAt: string | null }[];
  readonly mails: readonly string[];
  readonly attention: readonly string[];
}

/** A buyer, with the seller's account of the buyer's sales. */
interface Customer {
  readonly buyer: Buyer;
  readonly seller: Seller;
}

export class StoryShops {
  readonly #app: TestApp;
  readonly #api: SellerApi;
  readonly #shops = new Map<string, Promise<Shop>>();
  readonly #start: number;

  constructor(app: TestApp, api: SellerApi) {
    this.#app = app;
    this.#api = api;
    // In whole seconds, as most sellers count.
    this.#start = Math.floor(app.clock.now() / 1000) * 1000 - 30 * DAY_MS;
  }

  /** Tells a story as it happens, each step once the service has done the former. */
  async quietEnd(name: string, steps: readonly Step[]): Promise<StoryEnd> {
    const shop = await this.#shopOf(name);
    const customer = this.#newCustomer(name);
    const { seller } = customer;
    for (const [index, step] of steps.entries()) {
      await this.#tell(shop, seller, seller.steps[step]!(this.#start + index * DAY_MS));
      await this.#settle(shop);
    }
    const [end] = await this.#endsOf(shop, [customer]);
    return end!;
  }

  /**
   * Tells a story in other orders, each with two repeats, one of them under another id.
   *
   * @param most orders that are tried; every order of a few deliveries, others at random
   */
  async shuffledEnds(name: string, steps: readonly Step[], most: number): Promise<readonly StoryEnd[]> {
    const shop = await this.#shopOf(name);
    const orders = ordersOf(this.#toldBy(this.#newCustomer(name).seller, steps).length, most);
    const customers = orders.map(() => this.#newCustomer(name));
    const stories = orders.entries();
    const tellSome = async () => {
      for (const [index, order] of stories) {
        const { seller } = customers[index]!;
        const told = this.#toldBy(seller, steps);
        const again = told[index % told.length]!;
        await this.#tell(shop, seller, [
          ...order.map((each) => told[each]!),
          again,
          sentAgain(seller.source, again, 1),
        ]);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, tellSome));
    await this.#settle(shop);
    return this.#endsOf(shop, customers);
  }

  #toldBy(seller: Seller, steps: readonly Step[]): readonly Told[] {
    return steps.flatMap((step, index) => [...seller.steps[step]!(this.#start + index * DAY_MS)]);
  }

  #newCustomer(name: string): Customer {
    const buyer = newBuyer();
    const seller = SELLERS[name]!(buyer);
    this.#api.add(seller);
    return { buyer, seller };
  }

  #shopOf(name: string): Promise<Shop> {
    const opened = this.#shops.get(name) ?? new Shop(this.#app, SELLERS[name]!(newBuyer())).open();
    this.#shops.set(name, opened);
    return opened;
  }

  async #tell(shop: Shop, seller: Seller, told: readonly Told[]): Promise<void> {
    for (const each of told) {
      const { status, body } = await deliver(this.#app, shop.url, seller.sign(each, this.#app.clock.now()));
      assert.deepEqual([status, body], [200, { received: true }]);
    }
  }

  /** Resolves once the service goes on with no event of a shop by itself; held events wait for others. */
  async #settle({ connectorId }: Shop): Promise<void> {
    for (const endsAt = Date.now() + LONGEST_MS; ; ) {
      const { connectors } = await mustSucceed(this.#app.admin('/listConnectors'));
      const { counts } = connectors.find((each: { connectorId: string }) => each.connectorId === connectorId);
      if (counts.received === undefined && counts['looking up'] === undefined) return;
      assert.ok(Date.now() < endsAt, JSON.stringify(counts));
      await wait(LOOK_MS);
    }
  }

  async #endsOf({ connectorId }: Shop, customers: readonly Customer[]): Promise<readonly StoryEnd[]> {
    const mails = Map.groupBy(await this.#all('/listMails', 'mails'), ({ to }) => to);
    const events = await this.#all('/listShopEvents', 'events', { connectorId, state: 'attention' });
    const ends: StoryEnd[] = [];
    for (const { buyer } of customers) {
      const { licenses } = await mustSucceed(this.#app.admin('/listLicenses', { email: buyer.email }));
      const keys = new Set(licenses.map(({ key }: Answer['body']) => key));
      const whole = [];
      for (const key of keys)
        whole.push((await mustSucceed(this.#app.admin('/getLicense', { licenseKey: key }))).license);
      ends.push({
        licenses: whole.map(compared).toSorted(byText),
        mails: (mails.get(buyer.email) ?? []).map(({ kind }) => kind).toSorted(),
        attention: [
          ...new Set(
            events
              .filter(({ outcome }) => outcome.some((each: Answer['body']) => keys.has(each.licenseKey)))
              .map(({ reason }) => reason),
          ),
        ].toSorted(),
      });
    }
    return ends;
  }

  async #all(path: string, name: string, fields: Readonly<Record<string, unknown>> = {}): Promise<Answer['body'][]> {
    const all: Answer['body'][] = [];
    let cursor: string | undefined;
    do {
      const page = await mustSucceed(
        this.#app.admin(path, { ...fields, limit: 1000, ...(cursor === undefined ? {} : { cursor }) }),
      );
      all.push(...page[name]);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return all;
  }
}

/** The compared fields of a license. */
function compared({ variant, status, maxMachines, expiresAt, graceDays, disputeReason }: Answer['body']) {
  // A refund of some units changes no limit of a license that is revoked already.
  return {
    variant,
    status,
    maxMachines: status === 'revoked' ? null : maxMachines,
    expiresAt,
    graceDays,
    disputeReason,
  };
}

function byText(one: object, other: object): number {
  return JSON.stringify(one) < JSON.stringify(other) ? -1 : 1;
}

/** Orders of some things, by their indexes: every other order of a few things, or `most` at random. */
function ordersOf(things: number, most: number): readonly (readonly number[])[] {
  const quiet = Array.from({ length: things }, (_, index) => index);
  if (things > MOST_PERMUTED) return Array.from({ length: most }, (_, seed) => shuffled(quiet, seed + 1));
  const all = permutations(quiet).slice(1);
  return all.length <= most ? all : shuffled(all, things).slice(0, most);
}

function permutations(things: readonly number[]): readonly (readonly number[])[] {
  if (things.length <= 1) return [things];
  return things.flatMap((first) =>
    permutations(things.filter((each) => each !== first)).map((rest) => [first, ...rest]),
  );
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
