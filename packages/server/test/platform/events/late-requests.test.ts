/**
 * SQLite enters events into the index by request late, too. A look-up by request finds every event from its commit on,
 * on the same pages as later. Until the events enter, it also visits the few waiting ones.
 */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { MINUTE_MS, systemClock } from '../../../src/ground/base/clock.ts';
import type { Event } from '../../../src/platform/events/event.ts';
import { enterWaitingEvents, startIndexingLate } from '../../../src/platform/events/late-index.ts';
import { recordChanges } from '../../../src/platform/events/record.ts';
import { askCounted } from '../../support/ask-counted.ts';
import { Creator, mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { originAt } from '../../support/origin.ts';
import { execute } from '../../support/own-connection.ts';
import { openSqliteFile } from '../../support/sqlite-file.ts';
import { startedWithStorage } from '../../support/started-app.ts';
import { freshStorage } from '../../support/storages.ts';
import { countedEvents, countWaiting, eventAt, idsOf, insertAll, readAll } from './events-of-rows.ts';

type Fields = Readonly<Record<string, unknown>>;
type Ask = (fields: Fields) => Promise<{ events: { id: string }[]; nextCursor?: string }>;

/** The events that wait at most: those short of a run, and those of the commit that begins it. */
const [SHORT_OF_A_RUN, FULL_BATCH] = [511, 256];
const LONGEST_TAIL = SHORT_OF_A_RUN + FULL_BATCH;

/** Which events wait, as a change of the rows; `middle` is the id of an event among them. */
const STATES = (middle: string) =>
  [
    ['all wait', 'update event set unindexed = 1 where product_id is not null'],
    ['the newer half waits', `update event set unindexed = null where event_id < '${middle}'`],
    [
      'some wait among others',
      `update event set unindexed = case when event_id like '%0' or event_id like '%7' then 1 end
       where product_id is not null`,
    ],
    ['an earlier version wrote them', 'update event set unindexed = null'],
  ] as const;

for (const engine of engines)
  describe(`events of a request on ${engine}`, () => {
    const { app, storage } = startedWithStorage(engine);
    let ada: Creator;
    let bo: Creator;
    before(async () => {
      [ada, bo] = [await Creator.of(app), await Creator.of(app)];
    });
    const asOperator: Ask = (fields) => mustSucceed(app.admin('/listEvents', fields));
    const asCreator =
      (creator: Creator): Ask =>
      (fields) =>
        mustSucceed(creator.send('/listEvents', fields));

    it('are found from their commit on, before and after they enter the index, by those who may see them', async () => {
      const [productId, another] = [await ada.product(), await ada.product()];
      const created = await ada.send('/createLicense', { email: 'ada@example.com', productId });
      const requestId = String(created.headers['x-request-id']);
      const find = async () => {
        const found: Record<string, unknown> = {};
        for (const [name, ask] of Object.entries({ operator: asOperator, ada: asCreator(ada), bo: asCreator(bo) }))
          for (const product of [{}, { productId }, { productId: another }])
            found[`${name} ${JSON.stringify(product)}`] = (await ask({ requestId, ...product })).events;
        const query = { query: requestId };
        found.searched = (await mustSucceed(app.admin('/searchEverything', query))).hits;
        found.searchedByAda = (await mustSucceed(ada.send('/searchEverything', query))).hits;
        found.searchedByBo = (await mustSucceed(bo.send('/searchEverything', query))).hits;
        return found;
      };
      assert.equal((await countWaiting(app.database)) > 0, engine === 'sqlite');
      const atOnce = await find();
      const numbers = Object.entries(atOnce).map(([name, found]) => [name, (found as unknown[]).length]);
      assert.deepEqual(Object.fromEntries(numbers), {
        'operator {}': 1,
        [`operator {"productId":"${productId}"}`]: 1,
        [`operator {"productId":"${another}"}`]: 0,
        'ada {}': 1,
        [`ada {"productId":"${productId}"}`]: 1,
        [`ada {"productId":"${another}"}`]: 0,
        'bo {}': 0,
        [`bo {"productId":"${productId}"}`]: 0,
        [`bo {"productId":"${another}"}`]: 0,
        ...{ searched: 1, searchedByAda: 1, searchedByBo: 0 },
      });
      if (engine === 'sqlite') await enterWaitingEvents(storage);
      assert.equal(await countWaiting(app.database), 0);
      assert.deepEqual(await find(), atOnce);
    });

    it('have the same pages and cursors, whichever of them wait, and when they enter between two pages', async () => {
      const products = [await ada.product(), await ada.product(), await bo.product()];
      const now = app.clock.now() - MINUTE_MS;
      const stored = Array.from({ length: 90 }, (_, index) => {
        const productId = index % 5 === 4 ? null : products[(index * 7) % 3]!;
        const owner = productId === products[2] || (productId === null && index % 2 === 0) ? bo : ada;
        return eventAt(now + Math.floor(index / 2), {
          type: index % 4 === 0 ? 'license.created' : 'activation.created',
          productId,
          creatorId: owner.creatorId,
          requestId: index % 3 === 0 ? 'asked-for' : 'another',
        });
      });
      await insertAll(storage, stored);
      const middle = stored[45]!.eventId;
      const ofRequest = stored
        .filter(({ requestId }) => requestId === 'asked-for')
        .toSorted((one, other) => (one.eventId < other.eventId ? 1 : -1));
      const lists: readonly (readonly [string, Ask, Fields, (event: Event) => boolean])[] = [
        ['operator', asOperator, {}, () => true],
        ...products.map((productId): readonly [string, Ask, Fields, (event: Event) => boolean] => [
          'operator',
          asOperator,
          { productId },
          (event) => event.productId === productId,
        ]),
        ['operator', asOperator, { types: ['license.created'] }, ({ type }) => type === 'license.created'],
        ['ada', asCreator(ada), {}, ({ creatorId }) => creatorId === ada.creatorId],
        ['ada', asCreator(ada), { productId: products[0] }, ({ productId }) => productId === products[0]],
        ['ada', asCreator(ada), { productId: products[2] }, () => false],
        ['bo', asCreator(bo), {}, ({ creatorId }) => creatorId === bo.creatorId],
      ];
      // An odd number of pages passes the boundary between waiting and settled events within a page, too.
      const pages = async (ask: Ask, fields: Fields, between: () => Promise<void> = async () => {}) => {
        const read: { ids: string[]; nextCursor: string | undefined }[] = [];
        for (let cursor: string | undefined; ; ) {
          const { events, nextCursor } = await ask({
            ...{ requestId: 'asked-for', limit: 4, ...fields },
            ...(cursor === undefined ? {} : { cursor }),
          });
          read.push({ ids: events.map(({ id }) => id), nextCursor });
          if (nextCursor === undefined) return read;
          cursor = nextCursor;
          await between();
        }
      };
      for (const [who, ask, fields, isMeant] of lists) {
        const title = `${who} ${JSON.stringify(fields)}`;
        await execute(app.database, 'update event set unindexed = null');
        const settled = await pages(ask, fields);
        const ids = settled.flatMap((page) => page.ids);
        assert.deepEqual(ids, idsOf(ofRequest.filter(isMeant)), title);
        for (const [state, change] of STATES(middle)) {
          await execute(app.database, change);
          assert.deepEqual(await pages(ask, fields), settled, `${title}: ${state}`);
        }
        await execute(app.database, STATES(middle)[0][1]);
        const entering = () => execute(app.database, 'update event set unindexed = null');
        assert.deepEqual(await pages(ask, fields, entering), settled, `${title}: they enter after the first page`);
      }
    });
  });

for (const engine of engines)
  describe(`a look-up by request on ${engine}`, () => {
    const [PRODUCTS, LIMIT, SETTLED] = [5, 20, 1500];
    const REQUESTS = ['asked-for', 'another-5', 'long-ago', 'nobody sent it'];
    const NOW = systemClock();
    const productAt = (index: number) => `product-${index % PRODUCTS}`;
    const all = Array.from({ length: PRODUCTS }, (_, index) => productAt(index));
    const eventsAt = (count: number, from: number) =>
      Array.from({ length: count }, (_, index) =>
        eventAt(from + index, {
          type: 'activation.created',
          productId: productAt(index),
          requestId: index % 10 < 2 ? 'asked-for' : `another-${index}`,
        }),
      );
    const ofEachProduct = eventsAt(PRODUCTS, NOW - 2 * MINUTE_MS).map((event) => ({ ...event, requestId: 'long-ago' }));
    const settled = [...ofEachProduct, ...eventsAt(SETTLED, NOW - MINUTE_MS)];
    const tail = eventsAt(LONGEST_TAIL, NOW);
    const maxOfProduct = Math.ceil(LONGEST_TAIL / PRODUCTS);
    /** PostgreSQL enters events at once, so none waits. */
    const [allWaiting, waitingOfProduct] = engine === 'sqlite' ? [LONGEST_TAIL, maxOfProduct] : [0, 0];

    const { counting, database } = countedEvents(engine, async (storage) => {
      await insertAll(storage, settled);
      if (engine === 'sqlite') await enterWaitingEvents(storage);
      await insertAll(storage, tail);
      const owned = all.map(
        (productId, index) =>
          `insert into product values ('${productId}', 'P', '${index < 2 ? 'ada' : 'bo'}', 'live', '', '');`,
      );
      await execute(database, owned.join(' '));
    });

    it('is counted where the longest tail waits', async () => {
      assert.equal(await countWaiting(database), allWaiting);
    });

    const expected = (requestId: string, productIds: readonly string[]) =>
      idsOf(
        [...settled, ...tail].filter(
          (event) => event.requestId === requestId && productIds.includes(event.productId ?? ''),
        ),
      ).reverse();
    /** A page reads one row more than it shows from each index of a product, and once more where it continues. */
    const ofPages = (products: number) => 3 * LIMIT * products;

    for (const requestId of REQUESTS)
      it(`visits the waiting events of the given products, and its page: ${requestId}`, async () => {
        for (const productIds of [['product-0'], ['product-0', 'product-3'], ['nobody has it']]) {
          const { ids, rows } = await readAll(counting, { productIds, requestId }, LIMIT);
          assert.deepEqual(ids, expected(requestId, productIds));
          const known = productIds.filter((each) => all.includes(each)).length;
          const most = known * waitingOfProduct + ofPages(productIds.length);
          assert.ok(rows <= most, `${rows} rows instead of ${most}`);
        }
      });

    for (const requestId of REQUESTS)
      it(`without a product visits each waiting event twice at most, and its page: ${requestId}`, async () => {
        const { ids, rows } = await readAll(counting, { productIds: null, requestId }, LIMIT);
        assert.deepEqual(ids, expected(requestId, all));
        // Once to find the products of the request, and once in those products. Each settled product takes a look-up.
        const most = 2 * allWaiting + ofPages(PRODUCTS) + PRODUCTS;
        assert.ok(rows <= most, `${rows} rows instead of ${most}`);
      });

    it('visits waiting events no more often where a further filter rejects what it finds', async () => {
      const filter = { productIds: null, requestId: 'asked-for', types: ['license.created'] as const };
      const { ids, rows } = await readAll(counting, filter, LIMIT);
      assert.deepEqual(ids, []);
      const most = 2 * allWaiting + expected('asked-for', all).length + ofPages(PRODUCTS);
      assert.ok(rows <= most, `${rows} rows instead of ${most}`);
    });

    it('of a creator visits the waiting events of its own products only', async () => {
      const fields = { query: 'another-5' };
      const { answer, work } = await askCounted(counting, '/searchEverything', fields, 'ada', NOW);
      const { hits } = answer as { hits: { id: string }[] };
      assert.deepEqual([hits.length, hits[0]?.id], [1, 'another-5']);
      const most = 2 * waitingOfProduct + 20;
      assert.ok(work.rows <= most, `${work.rows} rows instead of ${most}`);
    });
  });

describe('events that wait for the index by request', () => {
  it('are fewer than 512 before a commit, and those of this commit', async (test) => {
    const { database, storage } = await freshStorage('sqlite', test);
    const file = openSqliteFile((database as { file: string }).file);
    test.after(() => file.close());
    const count = file.prepare('select count(*) as "rows" from event where unindexed is not null');
    const numbers: number[] = [];
    storage.onCommitted(() => numbers.push(Number(count.get()?.rows)));
    const stop = startIndexingLate(storage, (error) => assert.fail(String(error)));
    const change = { type: 'activation.created', productId: 'product', origin: originAt(systemClock()) } as const;
    for (const size of [SHORT_OF_A_RUN, ...Array.from({ length: 12 }, () => FULL_BATCH)])
      await storage.transaction((tx) => recordChanges(tx, Array(size).fill(change)));
    await stop();
    assert.equal(numbers.length, 13);
    assert.equal(Math.max(...numbers), LONGEST_TAIL);
  });
});
