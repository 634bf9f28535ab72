/**
 * Sales of several sellers at a steady rate, and sales that wait: each becomes its licenses, and no event is left.
 * Prints how long that took.
 */
import assert from 'node:assert/strict';
import { Agent } from 'node:https';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Told } from '../../scripts/shops/sellers/seller.ts';
import { SELLERS } from '../../scripts/shops/sellers/sellers.ts';
import { findConnector } from '../../src/commerce/connectors/connector-store.ts';
import { storeEvents } from '../../src/commerce/connectors/received.ts';
import { openStorage } from '../../src/storage/opening/open.ts';
import { deliver, newBuyer, SHOP_SETTINGS, Shop } from '../commerce/connectors/shop.ts';
import type { TestApp } from '../support/app.ts';
import { mustSucceed } from '../support/creator.ts';
import { type Engine, freshDatabase } from '../support/databases.ts';
import { rowsOf } from '../support/own-connection.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import type { TestDatabase } from '../support/test-database.ts';
import { appOf } from './process-app.ts';

type Say = (line: string) => void;

/** Sellers of whom nothing is looked up, so that only the service is measured. */
const NAMES = Object.keys(SELLERS).filter(
  (name) => SELLERS[name]!({ number: 1, email: 'a@example.com' }).apiKey === null,
);
const LICENSES_OF_SALE = 2;
/** Events that are stored in one transaction while a backlog is made. */
const STORED_AT_ONCE = 500;
const CONNECTIONS = 32;
/** The pause of a seller after a refusal. */
const REPEAT_MS = 100;
const LOOK_MS = 250;
const LONGEST_MS = 900_000;

/** A request of a seller to one of the shops. */
interface Delivered extends Pick<Shop, 'connectorId' | 'url' | 'seller'> {
  readonly told: Told;
}

/**
 * Delivers so many events a second, each at its time whatever the answers do and again after a 503, and waits until all
 * are applied.
 */
export async function runRate(engine: Engine, perSecond: number, seconds: number, say: Say): Promise<void> {
  await withShops(engine, async (app, database) => {
    const shops = await openShops(app, 'on');
    const { events, buyers } = salesOf(shops, perSecond * seconds);
    const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
    const startedAt = performance.now();
    const took: number[] = [];
    const answered: Promise<void>[] = [];
    let refused = 0;
    const send = async ({ url, seller, told }: Delivered, dueAt: number) => {
      for (;;) {
        const status = await deliver(app, url, seller.sign(told, Date.now()), agent).then(
          (answer) => answer.status,
          // The service closed a connection that was idle.
          () => 503,
        );
        if (status === 200) break;
        assert.equal(status, 503);
        refused += 1;
        await wait(REPEAT_MS);
      }
      took.push(performance.now() - dueAt);
    };
    for (const [index, event] of events.entries()) {
      const dueAt = startedAt + (index * 1000) / perSecond;
      await wait(Math.max(0, dueAt - performance.now()));
      answered.push(send(event, dueAt));
    }
    await Promise.all(answered);
    agent.destroy();
    const answeredAfter = performance.now() - startedAt;
    await applied(app);
    const sorted = took.toSorted((one, other) => one - other);
    const percentile = (part: number) => Math.round(sorted[Math.floor(part * (sorted.length - 1))]!);
    say(
      `${engine}: ${events.length} events at ${perSecond} a second: answered within ${percentile(0.5)} ms (half), ` +
        `${percentile(0.99)} ms (99 of 100), ${percentile(1)} ms (all), ${refused} refused at first; the last answer after ${inSeconds(answeredAfter)}, ` +
        `all applied after ${inSeconds(performance.now() - startedAt)}`,
    );
    await compare(database, buyers);
  });
}

/** Lets so many events wait for a shop that is turned on, and waits until all are applied. */
export async function runBacklog(engine: Engine, count: number, say: Say): Promise<void> {
  await withShops(engine, async (app, database, restart) => {
    const shops = await openShops(app, 'watching');
    const { events, buyers } = salesOf(shops, count);
    await restart(() => storeAll(database, events));
    const startedAt = performance.now();
    for (const { connectorId } of shops)
      await mustSucceed(app.admin('/updateConnector', { connectorId, state: 'on', applyWatched: true }));
    await applied(app);
    const took = performance.now() - startedAt;
    const rate = Math.round(events.length / (took / 1000));
    say(`${engine}: a backlog of ${events.length} events was applied in ${inSeconds(took)}, ${rate} a second`);
    await compare(database, buyers);
  });
}

/** Runs with a server process; `restart` stops it while it works on the database. */
async function withShops(
  engine: Engine,
  work: (
    app: TestApp,
    database: TestDatabase['database'],
    restart: (meanwhile: () => Promise<void>) => Promise<void>,
  ) => Promise<void>,
): Promise<void> {
  const { database, remove } = await freshDatabase(engine);
  const ofFile = database.engine === 'sqlite' ? { LATCHKEY_DATA_DIR: dirname(database.file) } : {};
  const start = () => startServerProcess(database, { ...SHOP_SETTINGS, ...ofFile });
  let server: ServerProcess = await start();
  try {
    await work(
      appOf(() => server),
      database,
      async (meanwhile) => {
        await server.stop();
        await meanwhile();
        server = await start();
      },
    );
  } finally {
    await server.stop();
    await remove();
  }
}

async function openShops(app: TestApp, state: 'on' | 'watching'): Promise<readonly Shop[]> {
  const shops: Shop[] = [];
  for (const name of NAMES) shops.push(await new Shop(app, SELLERS[name]!(newBuyer())).open({ state }));
  return shops;
}

/** At least so many events of sales to buyers of their own, at one seller after the other. */
function salesOf(shops: readonly Shop[], least: number) {
  const events: Delivered[] = [];
  const buyers: string[] = [];
  while (events.length < least) {
    const at = buyers.length % shops.length;
    const buyer = newBuyer();
    buyers.push(buyer.email);
    const { connectorId, url } = shops[at]!;
    const seller = SELLERS[NAMES[at]!]!(buyer);
    for (const told of seller.steps.buy!(Date.now())) events.push({ connectorId, url, seller, told });
  }
  return { events, buyers };
}

/** Stores events as they are stored when they arrive. */
async function storeAll(database: TestDatabase['database'], events: readonly Delivered[]): Promise<void> {
  const storage = await openStorage(database);
  for (const [connectorId, own] of Map.groupBy(events, (event) => event.connectorId)) {
    const connector = (await storage.read((sql) => findConnector(sql, connectorId, { creatorId: null })))!;
    for (let first = 0; first < own.length; first += STORED_AT_ONCE) {
      const now = Date.now();
      const delivered = own
        .slice(first, first + STORED_AT_ONCE)
        .flatMap(({ seller, told }) => [...seller.source.events(seller.sign(told, now))]);
      await storage.transaction((tx) => storeEvents(tx, connector, delivered, { now, dueAt: now }));
    }
  }
  await storage.close();
}

/** Resolves once no event waits. */
async function applied(app: TestApp): Promise<void> {
  for (const endsAt = performance.now() + LONGEST_MS; ; ) {
    const { connectors } = await mustSucceed(app.admin('/listConnectors'));
    const left = connectors.map(({ counts }: { readonly counts: Readonly<Record<string, number>> }) =>
      ['watched', 'received', 'looking up', 'held'].reduce((sum, state) => sum + (counts[state] ?? 0), 0),
    );
    if (left.every((count: number) => count === 0)) return;
    assert.ok(performance.now() < endsAt, `still waiting: ${left.join(', ')}`);
    await wait(LOOK_MS);
  }
}

/** Compares the licenses with the sales, and finds that no person must decide. */
async function compare(database: TestDatabase['database'], buyers: readonly string[]): Promise<void> {
  const licenses = await rowsOf<{ readonly email: string }>(database, 'select email from license');
  assert.equal(licenses.length, LICENSES_OF_SALE * buyers.length);
  assert.deepEqual(new Set(licenses.map(({ email }) => email)), new Set(buyers));
  const undecided = await rowsOf(database, "select reason from shop_event where state = 'attention'");
  assert.deepEqual(undecided, []);
}

const inSeconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
