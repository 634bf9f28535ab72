/** SQLite enters events into the index by product late. Lists still find every event, and visit as few rows. */
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { MINUTE_MS, systemClock } from '../../src/base/clock.ts';
import type { Event } from '../../src/events/event.ts';
import { enterWaitingEvents, startIndexingLate } from '../../src/events/late-index.ts';
import { pageOfEvents } from '../../src/events/listing-store.ts';
import { recordChanges } from '../../src/events/record.ts';
import { sqliteDialect } from '../../src/storage/dialects.ts';
import { openStorage } from '../../src/storage/open.ts';
import { allStatements, type Storage } from '../../src/storage/storage.ts';
import { eventAt, insertAll } from '../events/events-of-rows.ts';
import { engines, freshDatabase, type TestDatabase } from '../support/databases.ts';
import { originAt } from '../support/origin.ts';
import { execute, rowOf } from '../support/own-connection.ts';
import { type CountingSql, countRowsVisited } from '../support/rows-visited.ts';

const NOW = systemClock();
const PRODUCTS = 5;
const EVENTS = 1500;
const LIMIT = 20;
/** A page reads one row more than it shows from each index, and once more where it continues. */
const MOST_ROWS = 3 * LIMIT;

async function waiting({ database }: TestDatabase): Promise<number> {
  return Number((await rowOf(database, 'select count(*) as "rows" from event where unindexed is not null'))?.rows);
}

for (const engine of engines)
  describe(`events of a product on ${engine}`, () => {
    let fresh: TestDatabase;
    let counting: CountingSql;
    const stored: Event[] = Array.from({ length: EVENTS }, (_, index) =>
      eventAt(NOW - MINUTE_MS + index, { type: 'activation.created', productId: `product-${index % PRODUCTS}` }),
    );
    before(async () => {
      fresh = await freshDatabase(engine);
      const storage = await openStorage(fresh.database);
      await insertAll(storage, stored);
      await storage.close();
      counting = await countRowsVisited(fresh.database);
    });
    after(async () => {
      await counting.close();
      await fresh.remove();
    });

    /** Reads every page of a product; returns the events, and the most rows that a page visited. */
    async function readAll(productIds: readonly string[]) {
      const found: Event[] = [];
      let rows = 0;
      for (let place: string | null = null; ; ) {
        const page = await pageOfEvents(counting.sql, { productIds }, place, LIMIT);
        rows = Math.max(rows, counting.done().rows);
        found.push(...page.events);
        if (page.next === null) return { ids: found.map(({ eventId }) => eventId), rows };
        place = page.next;
      }
    }

    for (const [state, change] of [
      ['all of which wait', 'update event set unindexed = 1'],
      ['of which some wait', `update event set unindexed = null where event_id < '${stored[EVENTS / 2]!.eventId}'`],
      [
        'of which some wait among others',
        `update event set unindexed = 1 where license_number is null and subject is null
         and (event_id like '%0' or event_id like '%7')`,
      ],
      ['of which none waits', 'update event set unindexed = null'],
    ] as const)
      it(`are listed, and no more rows are visited: events ${state}`, async () => {
        await execute(fresh.database, change);
        for (const productIds of [['product-1'], ['product-2', 'product-4'], ['nobody has it']]) {
          const expected = stored.filter(({ productId }) => productIds.includes(productId ?? ''));
          const { ids, rows } = await readAll(productIds);
          assert.deepEqual(ids, expected.map(({ eventId }) => eventId).reverse());
          assert.ok(rows <= MOST_ROWS * productIds.length, `${rows} rows`);
        }
      });
  });

describe('events that wait for their index', () => {
  let fresh: TestDatabase;
  let storage: Storage;
  before(async () => {
    fresh = await freshDatabase('sqlite');
    storage = await openStorage(fresh.database);
  });
  after(async () => {
    await storage.close();
    await fresh.remove();
  });
  const fail = (error: unknown) => assert.fail(String(error));
  const record = (count: number, productId: string | null = 'product') =>
    storage.transaction((tx) =>
      recordChanges(
        tx,
        Array.from(
          { length: count },
          () => ({ type: 'activation.created', productId, origin: originAt(NOW) }) as const,
        ),
      ),
    );

  it('are those of products, on SQLite alone', async () => {
    await record(3);
    await record(2, null);
    assert.equal(await waiting(fresh), 3);
    const other = await freshDatabase('postgres');
    const onPostgres = await openStorage(other.database);
    await insertAll(onPostgres, [eventAt(NOW, { type: 'activation.created', productId: 'product' })]);
    await onPostgres.close();
    assert.equal(await waiting(other), 0);
    await other.remove();
  });

  it('are found by an index', async () => {
    const enter = allStatements().find(({ name }) => name === 'event.enter_late_indexes');
    const connection = new DatabaseSync((fresh.database as { file: string }).file);
    const steps = connection.prepare(`explain query plan ${enter?.text(sqliteDialect)}`).all() as { detail: string }[];
    connection.close();
    assert.deepEqual(
      steps.map(({ detail }) => detail).filter((detail) => /SCAN|SEARCH|SORT|TEMP/.test(detail)),
      ['SEARCH event USING PRIMARY KEY (event_id=?)', 'SEARCH e USING INDEX event_late_by_product (product_id>?)'],
    );
  });

  it('enter it when a service starts', async () => {
    assert.notEqual(await waiting(fresh), 0);
    await startIndexingLate(storage, fail)();
    assert.equal(await waiting(fresh), 0);
  });

  it('enter it in several steps when an interrupted import has left many', async () => {
    await record(2500);
    await startIndexingLate(storage, fail)();
    assert.equal(await waiting(fresh), 2500 - 1024, 'it stops between two steps');
    await enterWaitingEvents(storage);
    assert.equal(await waiting(fresh), 0);
  });

  it('enter it together once there are enough', async () => {
    const stop = startIndexingLate(storage, fail);
    await record(511);
    assert.equal(await waiting(fresh), 511);
    await record(1);
    await stop();
    assert.equal(await waiting(fresh), 0);
  });

  it('are tried again with the next when that failed', async () => {
    const failures: unknown[] = [];
    let isFailing = true;
    const failing: Storage = {
      ...{ engine: 'sqlite', read: (work) => storage.read(work), close: () => storage.close() },
      onCommitted: (listener) => storage.onCommitted(listener),
      onAvailability: (listener) => storage.onAvailability(listener),
      transaction: (work) => (isFailing ? Promise.reject(new Error('the disk is full')) : storage.transaction(work)),
    };
    const stop = startIndexingLate(failing, (error) => failures.push(error));
    await record(512);
    assert.equal(await waiting(fresh), 512);
    isFailing = false;
    await record(512);
    await stop();
    assert.equal(await waiting(fresh), 0);
    assert.match(String(failures[0]), /the disk is full/);
  });
});
