/**
 * The feed of events: every committed event once, in commit order, regardless of clocks and concurrent transactions.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setImmediate, setTimeout as wait } from 'node:timers/promises';
import { DAY_MS, toTimestamp } from '../../../src/ground/base/clock.ts';
import { mintEventId, type Origin } from '../../../src/platform/events/event.ts';
import { FeedReader } from '../../../src/platform/events/feed.ts';
import { deleteOldEntries, findPositionBefore, type WantedEvents } from '../../../src/platform/events/feed-store.ts';
import { recordChanges } from '../../../src/platform/events/record.ts';
import { type Storage, statement, type Tx } from '../../../src/storage/contract/storage.ts';
import { openStorage } from '../../../src/storage/opening/open.ts';
import { engines, freshDatabase } from '../../support/databases.ts';
import type { TestDatabase } from '../../support/test-database.ts';
import { idsOf } from './events-of-rows.ts';

const NOW = Date.parse('2027-03-01T09:30:00.000Z');
const origin = (now = NOW): Origin => ({ actor: { kind: 'operator' }, requestId: 'test', now });

const addDestination = statement(
  'test_feed.add_destination',
  `insert into destination (destination_id, creator_id, url, types, product_ids, include_license_keys,
     include_personal_data, requests_per_second, secret, state, created_at, updated_at)
   values ('dst_1', '', 'https://a.example', '["*"]', 'null', 0, 0, 50, '', 'paused', '', '')`,
);

/** Records an event in a transaction; `last` runs before its end. */
function record(storage: Storage, now = NOW, last: (tx: Tx) => Promise<void> = async () => {}): Promise<string> {
  return storage.transaction(async (tx) => {
    const eventId = mintEventId(now);
    await recordChanges(tx, [{ type: 'product.created', productId: 'paint', eventId, origin: origin(now) }]);
    await last(tx);
    return eventId;
  });
}

/** Reads the feed page by page to its end; returns the ids and the last position. */
async function readAll(reader: FeedReader, from = 0): Promise<{ ids: string[]; upTo: number }> {
  const ids: string[] = [];
  let upTo = from;
  for (;;) {
    const page = await reader.read(upTo, 7);
    ids.push(...idsOf(page.entries.map(({ event }) => event)));
    if (page.upTo === upTo) return { ids, upTo };
    upTo = page.upTo;
  }
}

for (const engine of engines)
  describe(`the feed on ${engine}`, () => {
    let database: TestDatabase;
    let storage: Storage;
    before(async () => {
      database = await freshDatabase(engine);
      storage = await openStorage(database.database, { poolSize: 10 });
    });
    after(async () => {
      await storage.close();
      await database.remove();
    });

    it('is empty while there is no destination', async () => {
      await record(storage);
      const nothing = { entries: [], upTo: 0, hasMore: false, heldBackMs: 0 };
      assert.deepEqual(await new FeedReader(storage).read(0, 10), nothing);
      await storage.transaction((tx) => tx.run(addDestination));
    });

    it('reads the fields that decide where an event is sent, and not the facts of its change', async () => {
      await record(storage);
      const [entry] = (await new FeedReader(storage).read(0, 10)).entries;
      const fields = ['eventId', 'type', 'licenseKey', 'productId', 'creatorId', 'subject'];
      assert.deepEqual(Object.keys(entry?.event ?? {}), fields);
    });

    it('has every committed event once, in the order of commits, and none that was rolled back', async () => {
      const committed: string[] = [];
      const seen: string[] = [];
      const reader = new FeedReader(storage);
      let upTo = (await readAll(reader)).upTo;
      let isOver = false;
      const reading = (async () => {
        for (let last = false; !last; ) {
          last = isOver;
          // SQLite reads do not yield to its writer.
          await setImmediate();
          const read = await readAll(reader, upTo);
          seen.push(...read.ids);
          upTo = read.upTo;
        }
      })();
      const writer = async (number: number) => {
        for (let turn = 0; turn < 12; turn++) {
          const isRolledBack = (number + turn) % 4 === 0;
          // SQLite has one writer, which must await nothing but statements.
          const hold = engine === 'postgres' ? ((number * 7 + turn * 3) % 5) * 4 : 0;
          const eventId = await record(storage, NOW, async () => {
            if (hold > 0) await wait(hold);
            if (isRolledBack) throw new Error('rolled back');
          }).catch((error: Error) => {
            assert.equal(error.message, 'rolled back');
            return null;
          });
          if (eventId !== null) committed.push(eventId);
        }
      };
      await Promise.all(Array.from({ length: 8 }, (_, number) => writer(number)));
      isOver = true;
      await reading;
      assert.equal(new Set(seen).size, seen.length, 'twice');
      assert.deepEqual(seen.toSorted(), committed.toSorted());
      assert.equal(committed.length, 72);
    });

    it('reads an event of another transaction together with the one that a transaction held back', async () => {
      const reader = new FeedReader(storage);
      const { upTo } = await readAll(reader);
      const [held, begun] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const holding = record(storage, NOW, async () => {
        begun.resolve();
        // SQLite has one writer, which must await nothing but statements.
        if (engine === 'postgres') await held.promise;
      });
      await begun.promise;
      if (engine === 'postgres') assert.deepEqual((await reader.read(upTo, 10)).entries, []);
      held.resolve();
      const ids = [await holding, await record(storage)];
      const { entries } = await reader.read(upTo, 10);
      assert.deepEqual(idsOf(entries.map(({ event }) => event)), ids);
    });

    it('goes on in the order of commits after the clock was set back', async () => {
      const reader = new FeedReader(storage);
      const { upTo } = await readAll(reader);
      const ids: string[] = [];
      for (const at of [NOW + DAY_MS, NOW - DAY_MS, NOW]) ids.push(await record(storage, at));
      assert.deepEqual((await readAll(reader, upTo)).ids, ids);
      assert.deepEqual((await readAll(new FeedReader(storage), upTo)).ids, ids);
    });

    it('returns the wanted events alone, and reads as many positions as without them', async () => {
      const { upTo } = await readAll(new FeedReader(storage));
      const changes = [
        { type: 'product.created', productId: 'paint', creatorId: 'ada' },
        { type: 'product.updated', productId: 'paint', creatorId: 'ada' },
        { type: 'product.created', productId: 'draw', creatorId: 'grace' },
        { type: 'product.created', productId: 'write', creatorId: 'ada' },
        { type: 'product.updated', productId: 'sing', creatorId: 'grace' },
      ] as const;
      const recorded = changes.map((change) => ({ ...change, origin: origin() }));
      await storage.transaction((tx) => recordChanges(tx, recorded));
      const read = async (wanted: WantedEvents, from: number, limit: number) => {
        const page = await new FeedReader(storage).read(from, limit, wanted);
        const products = page.entries.map(({ event }) => `${event.type} ${event.productId}`);
        return { products, upTo: page.upTo, hasMore: page.hasMore };
      };
      const updates = { types: ['product.updated'], of: null };
      assert.deepEqual(await read(updates, upTo, 3), {
        products: ['product.updated paint'],
        upTo: upTo + 3,
        hasMore: true,
      });
      assert.deepEqual(await read(updates, upTo + 3, 3), {
        products: ['product.updated sing'],
        upTo: upTo + 5,
        hasMore: false,
      });
      const ofSome = { types: ['product.created'], of: { productIds: ['draw'], creatorIds: ['ada'] } };
      assert.deepEqual((await read(ofSome, upTo, 10)).products, [
        ...['product.created paint', 'product.created draw', 'product.created write'],
      ]);
      const ofNone = { types: null, of: { productIds: [], creatorIds: [] } };
      assert.deepEqual(await read(ofNone, upTo, 10), { products: [], upTo: upTo + 5, hasMore: false });
    });

    it('finds the position before a moment, whatever was deleted or rolled back in between', async () => {
      const { upTo } = await readAll(new FeedReader(storage));
      const early = await record(storage, NOW + 2 * DAY_MS);
      await record(storage, NOW, async () => {
        throw new Error('rolled back');
      }).catch(() => {});
      const late = await record(storage, NOW + 4 * DAY_MS);
      const after = async (moment: number) =>
        (await readAll(new FeedReader(storage), await storage.read((sql) => findPositionBefore(sql, moment)))).ids;
      assert.deepEqual(await after(NOW + DAY_MS + 1), [early, late]);
      assert.deepEqual(await after(NOW + 2 * DAY_MS), [early, late]);
      assert.deepEqual(await after(NOW + 2 * DAY_MS + 1), [late]);
      assert.deepEqual(await after(NOW + 5 * DAY_MS), []);
      assert.equal((await after(0)).length, (await readAll(new FeedReader(storage))).ids.length);
      assert.ok(upTo > 0);
    });

    it('loses the places of old events, and never gives one twice', async () => {
      const { upTo } = await readAll(new FeedReader(storage));
      const bound = mintEventId(Date.parse(toTimestamp(NOW + 30 * DAY_MS)));
      assert.ok((await storage.transaction((tx) => deleteOldEntries(tx, bound, 1000))) > 10);
      const next = await record(storage);
      const reader = new FeedReader(storage);
      assert.deepEqual((await readAll(reader, upTo)).ids, [next]);
    });

    if (engine === 'postgres')
      it('holds events back while a transaction is open that began to write before them', async () => {
        const reader = new FeedReader(storage);
        const { upTo } = await readAll(reader);
        const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
        const slow = record(storage, NOW, async () => {
          begun.resolve();
          await ended.promise;
        });
        let quick: string;
        try {
          await begun.promise;
          quick = await record(storage);
          const held = await reader.read(upTo, 10);
          assert.deepEqual(held.entries, []);
          assert.ok(held.heldBackMs > 0);
        } finally {
          ended.resolve();
        }
        // Until it has committed, the events stay held back.
        const first = await slow;
        assert.deepEqual((await readAll(reader, upTo)).ids, [first, quick]);
      });
  });
