/** SQLite enters events into the index by product late. Lists still find every event, and visit as few rows. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { MINUTE_MS, systemClock } from '../../../src/ground/base/clock.ts';
import type { Event } from '../../../src/platform/events/event.ts';
import { enterWaitingEvents, startIndexingLate } from '../../../src/platform/events/late-index.ts';
import { recordChanges } from '../../../src/platform/events/record.ts';
import { allStatements, type Storage } from '../../../src/storage/contract/storage.ts';
import { openStorage } from '../../../src/storage/opening/open.ts';
import { sqliteDialect } from '../../../src/storage/sqlite/sqlite-dialect.ts';
import { engines, freshDatabase } from '../../support/databases.ts';
import { originAt } from '../../support/origin.ts';
import { execute } from '../../support/own-connection.ts';
import { openSqliteFile } from '../../support/sqlite-file.ts';
import { freshStorage, plainStorage } from '../../support/storages.ts';
import type { TestDatabase } from '../../support/test-database.ts';
import { countedEvents, countWaiting, eventAt, idsOf, insertAll, readAll } from './events-of-rows.ts';

const NOW = systemClock();
const PRODUCTS = 5;
const EVENTS = 1500;
const LIMIT = 20;
/** A page reads one row more than it shows from each index, and once more where it continues. */
const MAX_ROWS = 3 * LIMIT;

for (const engine of engines)
  describe(`events of a product on ${engine}`, () => {
    const stored: Event[] = Array.from({ length: EVENTS }, (_, index) =>
      eventAt(NOW - MINUTE_MS + index, { type: 'activation.created', productId: `product-${index % PRODUCTS}` }),
    );
    const { counting, database } = countedEvents(engine, (storage) => insertAll(storage, stored));

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
        await execute(database, change);
        for (const productIds of [['product-1'], ['product-2', 'product-4'], ['nobody has it']]) {
          const expected = stored.filter(({ productId }) => productIds.includes(productId ?? ''));
          const { ids, rows } = await readAll(counting, { productIds }, LIMIT);
          assert.deepEqual(ids, idsOf(expected).reverse());
          assert.ok(rows <= MAX_ROWS * productIds.length, `${rows} rows`);
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
  const record = (count: number, productId: string | null = 'product') => {
    const change = { type: 'activation.created', productId, origin: originAt(NOW) } as const;
    return storage.transaction((tx) => recordChanges(tx, Array(count).fill(change)));
  };

  it('are those of products, on SQLite alone', async (test) => {
    await record(3);
    await record(2, null);
    assert.equal(await countWaiting(fresh.database), 3);
    const other = await freshStorage('postgres', test);
    await insertAll(other.storage, [eventAt(NOW, { type: 'activation.created', productId: 'product' })]);
    assert.equal(await countWaiting(other.database), 0);
  });

  it('are found by an index', async () => {
    const enter = allStatements().find(({ name }) => name === 'event.enter_late_indexes');
    const connection = openSqliteFile((fresh.database as { file: string }).file);
    const steps = connection.prepare(`explain query plan ${enter?.text(sqliteDialect)}`).all() as { detail: string }[];
    connection.close();
    assert.deepEqual(
      steps.map(({ detail }) => detail).filter((detail) => /SCAN|SEARCH|SORT|TEMP/.test(detail)),
      ['SEARCH event USING PRIMARY KEY (event_id=?)', 'SEARCH e USING INDEX event_late_by_product (product_id>?)'],
    );
  });

  it('enter it when a service starts', async () => {
    assert.notEqual(await countWaiting(fresh.database), 0);
    await startIndexingLate(storage, fail)();
    assert.equal(await countWaiting(fresh.database), 0);
  });

  it('enter it in several steps when an interrupted import has left many', async () => {
    await record(2500);
    await startIndexingLate(storage, fail)();
    assert.equal(await countWaiting(fresh.database), 2500 - 1024, 'it stops between two steps');
    await enterWaitingEvents(storage);
    assert.equal(await countWaiting(fresh.database), 0);
  });

  it('enter it together once there are enough', async () => {
    const stop = startIndexingLate(storage, fail);
    await record(511);
    assert.equal(await countWaiting(fresh.database), 511);
    await record(1);
    await stop();
    assert.equal(await countWaiting(fresh.database), 0);
  });

  it('are tried again with the next when that failed', async () => {
    const failures: unknown[] = [];
    let isFailing = true;
    const failing: Storage = {
      ...plainStorage(storage),
      transaction: (work) => (isFailing ? Promise.reject(new Error('the disk is full')) : storage.transaction(work)),
    };
    const stop = startIndexingLate(failing, (error) => failures.push(error));
    await record(512);
    assert.equal(await countWaiting(fresh.database), 512);
    isFailing = false;
    await record(512);
    await stop();
    assert.equal(await countWaiting(fresh.database), 0);
    assert.match(String(failures[0]), /the disk is full/);
  });
});
