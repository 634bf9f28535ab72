/** A page of events is as cheap far down a list, and behind its end, as at its beginning: the index leads to it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NEWEST_ID } from '../../../src/platform/events/bounded-scans.ts';
import { type EventPath, scanEvents, scanEventsUp } from '../../../src/platform/events/scan-store.ts';
import { askCounted } from '../../support/ask-counted.ts';
import { engines } from '../../support/databases.ts';
import { execute } from '../../support/own-connection.ts';
import { countedEvents } from './events-of-rows.ts';

const EVENTS = 20_000;
const PAGE = 10;
/** The index of 20,000 events has 100 to 200 blocks. */
const MAX_BLOCKS = 2 * PAGE + 10;

/** Of one product and actor; every other one is of another type. */
const insertEvents = `insert into event
  (event_id, type, product_id, creator_id, actor, request_id, occurred_at, before_facts, after_facts)
  with recursive counted(n) as (select 1 union all select n + 1 from counted where n < ${EVENTS})
  select 'evt_' || substr('00000' || n, length('00000' || n) - 5),
    case when n % 2 = 0 then 'license.updated' else 'license.renewed' end, 'app', 'ada', 'operator', 'shared',
    '2027-01-01T00:00:00.000Z', 'null', 'null' from counted`;

const PATHS: readonly EventPath[] = [
  ['all'],
  ['product', 'app'],
  ['type', 'license.renewed'],
  ['productType', 'app', 'license.renewed'],
  ['productType', 'app', 'license.updated'],
  ['actor', 'operator'],
  ['productActor', 'app', 'operator'],
  ['requestProduct', 'shared', 'app'],
];

for (const engine of engines)
  describe(`a page of events on ${engine}`, () => {
    const { counting, database } = countedEvents(engine, async () => {
      await execute(database, insertEvents);
      if (engine === 'postgres') await execute(database, 'vacuum analyze event');
    });

    const assertFew = (found: number, expected = PAGE) => {
      const { rows, blocks } = counting.done();
      assert.equal(found, expected);
      assert.ok(rows <= PAGE + 1, `${rows} rows`);
      assert.ok(blocks <= MAX_BLOCKS, `${blocks} blocks`);
    };

    for (const path of PATHS)
      for (const place of [NEWEST_ID, 'evt_010000', 'evt_000100'])
        it(`costs the same before ${place}: ${path.join(' ')}`, async () => {
          counting.done();
          assertFew((await scanEvents(counting.sql, path, place, PAGE)).length);
        });

    for (const path of [...PATHS, ['productType', 'app', 'license.created']] as const)
      it(`costs as little where nothing follows: ${path.join(' ')}`, async () => {
        counting.done();
        assertFew((await scanEvents(counting.sql, path, 'evt_000000', PAGE)).length, 0);
      });

    it('costs an operator a row for each of its events, and one for the question whether more follow', async () => {
      counting.done();
      const { answer, work } = await askCounted(counting, '/listEvents', { limit: PAGE }, null, 0);
      const { count, nextCursor } = answer as { count: number; nextCursor: string };
      assert.deepEqual([count, nextCursor, work.rows], [PAGE, 'evt_019991', PAGE + 1]);
    });

    for (const place of ['', 'evt_010000', 'evt_019900'])
      it(`costs the same after ${place === '' ? 'nothing' : place}, oldest first`, async () => {
        counting.done();
        assertFew((await scanEventsUp(counting.sql, 'license.updated', place, PAGE)).length);
      });
  });
