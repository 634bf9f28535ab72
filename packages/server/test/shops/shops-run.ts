/**
 * Eight sellers sell through two nodes that are killed, while the mail server comes and goes and the APIs of sellers
 * are away. In the end every paid sale is a license or waits for a person, nobody has a license without a payment, and
 * no license lasts longer than what was paid plus its grace.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Buyer, Seller, Step, Told } from '../../scripts/shops/sellers/seller.ts';
import { sentAgain } from '../../scripts/shops/sellers/seller.ts';
import { SellerApi } from '../../scripts/shops/sellers/seller-api.ts';
import { SELLERS } from '../../scripts/shops/sellers/sellers.ts';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../src/ground/base/clock.ts';
import { deliver, newBuyer, SHOP_SETTINGS, Shop } from '../commerce/connectors/shop.ts';
import { Cluster } from '../faults/cluster.ts';
import { randomOf } from '../faults/random.ts';
import { MailServer } from '../support/mail-server.ts';
import { execute, rowsOf } from '../support/own-connection.ts';
import { QUICK_MAILS } from '../support/sent-mails.ts';
import { appOf } from './process-app.ts';

export interface ShopsRunOptions {
  readonly seed: number;
  readonly durationMs: number;
  readonly say: (line: string) => void;
}

/** The tally of a run. */
export interface ShopsTally {
  readonly sales: number;
  readonly licensed: number;
  readonly inAttention: number;
  /** Forged sales and sales that the seller does not know, none of which has a license. */
  readonly unpaid: number;
  readonly requests: number;
  /** Requests that a seller gave up; catching up brought what they told. */
  readonly givenUp: number;
  readonly kills: number;
  readonly mails: number;
}

/** The lives of sales that a run tells, whole or in part. */
const LIVES: readonly (readonly Step[])[] = [
  ['buy', 'refundPart', 'refundRest'],
  ['buy', 'dispute', 'win'],
  ['subscribe', 'renew', 'changePlan', 'end'],
  ['subscribe', 'pause', 'resume', 'renew'],
];
/** Sellers whose connectors catch up: they give a request up after so many attempts, as the real ones do in time. */
const LISTING = ['stripe', 'lemonsqueezy', 'gumroad'];
const ATTEMPTS_OF_LISTING = 2;
const RETRY_MS = 100;
/** Sales that are told at once. */
const AT_ONCE = 6;
const LONGEST_SETTLING_MS = 180_000;
/** Forged requests in a minute: a network that sends 60 is refused whatever it sends, and here all have one network. */
const MOST_FORGED_A_MINUTE = 40;
/** The longest grace that connectors give. */
const MAX_GRACE_DAYS = 14;
const MONTH_MS = 31 * DAY_MS;

interface Sale {
  readonly name: string;
  readonly buyer: Buyer;
  readonly isPaid: boolean;
  readonly isSubscription: boolean;
  /** The moment of the last payment. */
  paidAt: number;
}

/** Runs it. @throws at the first promise that is broken */
export async function runShops({ seed, durationMs, say }: ShopsRunOptions): Promise<ShopsTally> {
  const below = randomOf(seed);
  const chance = (percent: number) => below(100) < percent;
  const one = <Item>(items: readonly Item[]): Item => items[below(items.length)]!;
  const api = await SellerApi.start();
  let mailServer = await MailServer.start();
  const { port } = mailServer;
  const received: MailServer['received'][number][] = [];
  const plan = { addresses: [], mailSender: QUICK_MAILS, shopOrigins: api.origins };
  const cluster = await Cluster.start('postgres', {
    environment: {
      ...SHOP_SETTINGS,
      LATCHKEY_SMTP_URL: `smtp://127.0.0.1:${port}`,
      LATCHKEY_MAIL_FROM: 'Shop <shop@example.com>',
      LATCHKEY_MAIL_RATE: '100000',
    },
    program: [join(import.meta.dirname, '../support/sending-service.ts'), JSON.stringify(plan)],
  });
  const app = appOf(() => cluster.serving()[0]!);
  const shops = new Map<string, Shop>();
  const sales: Sale[] = [];
  let [requests, givenUp, kills] = [0, 0, 0];
  const forgedAt: number[] = [];
  const mayForge = () => forgedAt.filter((at) => at > performance.now() - MINUTE_MS).length < MOST_FORGED_A_MINUTE;
  const endsAt = performance.now() + durationMs;
  // One form of each seller: two connectors with one account would both catch up with all of its sales.
  const forms = Map.groupBy(Object.keys(SELLERS), (name) => SELLERS[name]!(newBuyer()).source.name);
  const names = [...forms.values()].map(one);
  const isOver = () => performance.now() > endsAt;

  /** Sends a request as its seller does: again after a failure, to any node. */
  const send = async (name: string, seller: Seller, told: Told, secret?: string): Promise<number> => {
    const isListing = LISTING.includes(seller.source.name);
    for (let attempts = 1; ; attempts += 1) {
      const node = one(cluster.serving());
      requests += 1;
      const signed = seller.sign(told, Date.now(), secret);
      const status =
        node === undefined
          ? 503
          : await deliver(node, shops.get(name)!.url, signed).then(
              (answer) => answer.status,
              () => 503,
            );
      if (status < 500) return status;
      if (isListing && attempts === ATTEMPTS_OF_LISTING) {
        givenUp += 1;
        return status;
      }
      await wait(RETRY_MS);
    }
  };

  const sell = async () => {
    const name = one(names);
    const buyer = newBuyer();
    const seller = SELLERS[name]!(buyer);
    const isPaid = chance(90) || !mayForge();
    const life = one(LIVES.filter((steps) => seller.steps[steps[0]!] !== undefined));
    const sale = { name, buyer, isPaid, isSubscription: life[0] === 'subscribe', paidAt: 0 };
    sales.push(sale);
    if (!isPaid) {
      // The seller does not know the sale, and a forger does not know the secret.
      for (const told of seller.steps[life[0]!]!(Date.now())) {
        forgedAt.push(performance.now());
        const status = await send(name, seller, told, `forged-${seller.secret}`);
        assert.ok(
          status === 401 || seller.source.secret === 'none' || status >= 500,
          `${name} answered a forged sale ${status}`,
        );
      }
      return;
    }
    api.add(seller);
    const steps = life.slice(0, 1 + below(life.length));
    const told = steps.flatMap((step) => {
      if (step === 'subscribe' || step === 'renew' || step === 'resume') sale.paidAt = Date.now();
      return [...(seller.steps[step]?.(Date.now()) ?? [])];
    });
    const order = chance(50) ? told : shuffled(told, below);
    const again = one(told);
    for (const each of [...order, again, sentAgain(seller.source, again, 1)]) await send(name, seller, each);
  };

  const disturb = async () => {
    while (!isOver()) {
      await wait(1_500 + below(1_500));
      if (isOver()) return;
      const index = chance(50) ? 0 : 1;
      await cluster.killNode(index);
      kills += 1;
      say(`killed node ${index}; ${sales.length} sales`);
      if (chance(50)) {
        api.status = 503;
        await wait(2_000);
        api.status = 200;
      } else {
        received.push(...mailServer.received);
        await mailServer.close();
        await wait(2_000);
        mailServer = await MailServer.start({ port });
      }
    }
  };

  try {
    for (const name of names) shops.set(name, await new Shop(app, SELLERS[name]!(newBuyer())).open());
    const selling = Array.from({ length: AT_ONCE }, async () => {
      while (!isOver()) await sell();
    });
    await Promise.all([...selling, disturb()]);
    api.status = 200;
    say(`${sales.length} sales told; the service settles`);
    await settle(cluster);

    received.push(...mailServer.received);
    const { licensed, inAttention, unpaid, mailed } = await compare(cluster, sales);
    const letters = Map.groupBy(
      received.filter(({ mail }) => mail.messageId !== undefined),
      ({ to }) => to[0] ?? '',
    );
    for (const email of mailed) {
      const ids = new Set((letters.get(email) ?? []).map(({ mail }) => mail.messageId));
      assert.equal(ids.size, 1, `${ids.size} e-mails to ${email}`);
    }
    const paid = sales.filter(({ isPaid }) => isPaid).length;
    return { sales: paid, licensed, inAttention, unpaid, requests, givenUp, kills, mails: mailed.length };
  } finally {
    await cluster.stop();
    await mailServer.close();
    await api.stop();
  }
}

/** Makes everything due that waits for an hour or a failure to pass, and waits until nothing goes on by itself. */
async function settle(cluster: Cluster): Promise<void> {
  const { database } = cluster;
  await execute(database, "update connector_catch_up set due_at = '2000-01-01T00:00:00.000Z', caught_up_at = null");
  const endsAt = performance.now() + LONGEST_SETTLING_MS;
  for (let looks = 0; ; looks += 1) {
    if (looks % 10 === 0) {
      const due = "= '2000-01-01T00:00:00.000Z'";
      await execute(database, `update shop_event set look_up_at ${due} where state = 'looking up'`);
      await execute(database, `update shop_event set due_at ${due} where state = 'received'`);
      await execute(database, `update mail set due_at ${due} where state = 'waiting'`);
      await execute(database, "delete from job_lease where job in ('ask sellers', 'apply shop events', 'send mail')");
    }
    await wait(SECOND_MS);
    const left = await rowsOf<{ readonly what: string; readonly count: string }>(
      database,
      `select state as what, count(*) as count from shop_event where state in ('received', 'looking up') group by state
       union all select 'mail', count(*) from mail where state = 'waiting' having count(*) > 0
       union all select 'catching up', count(*) from connector_catch_up where caught_up_at is null having count(*) > 0`,
    );
    if (left.length === 0) return;
    assert.ok(performance.now() < endsAt, `still waiting: ${JSON.stringify(left)}`);
  }
}

async function compare(cluster: Cluster, sales: readonly Sale[]) {
  const licenses = Map.groupBy(
    await rowsOf<{ readonly email: string; readonly expires: string | null; readonly grace: number | null }>(
      cluster.database,
      'select email, expires_at as expires, grace_days as grace from license',
    ),
    ({ email }) => email,
  );
  const events = await rowsOf<{ readonly told: string }>(
    cluster.database,
    "select body || looked_up as told from shop_event where state in ('attention', 'held')",
  );
  const mails = Map.groupBy(
    await rowsOf<{ readonly email: string; readonly state: string }>(
      cluster.database,
      'select to_address as email, state from mail',
    ),
    ({ email }) => email,
  );
  let [licensed, inAttention, unpaid] = [0, 0, 0];
  const mailed: string[] = [];
  for (const { name, buyer, isPaid, isSubscription, paidAt } of sales) {
    const own = licenses.get(buyer.email) ?? [];
    if (!isPaid) {
      assert.equal(own.length, 0, `a license for a sale that ${name} does not know`);
      unpaid += 1;
    } else if (own.length === 0) {
      assert.ok(
        events.some(({ told }) => told.includes(buyer.email)),
        `the sale of ${name} to ${buyer.email} is lost`,
      );
      inAttention += 1;
    } else {
      licensed += 1;
      const expected = isSubscription ? 1 : 2;
      assert.equal(own.length, expected, `${own.length} licenses of a sale of ${name}`);
      for (const { expires, grace } of own)
        if (isSubscription) {
          assert.ok(expires !== null, `a subscription of ${name} without an end`);
          assert.ok(Date.parse(expires) <= paidAt + MONTH_MS, `a subscription of ${name} ends after what was paid`);
          assert.ok((grace ?? 0) <= MAX_GRACE_DAYS);
        }
      const [mail, ...others] = mails.get(buyer.email) ?? [];
      assert.ok(mail !== undefined && others.length === 0, `no e-mail, or several, to a buyer of ${name}`);
      if (mail.state === 'sent') mailed.push(buyer.email);
      else assert.equal(mail.state, 'dropped', 'an e-mail that failed');
    }
  }
  return { licensed, inAttention, unpaid, mailed };
}

/** Things in an order that `below` chooses. */
function shuffled<Item>(items: readonly Item[], below: (bound: number) => number): readonly Item[] {
  const rest = [...items];
  return items.map(() => rest.splice(below(rest.length), 1)[0]!);
}
