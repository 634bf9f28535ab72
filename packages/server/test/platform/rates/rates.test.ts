/** Limits of the kind "at most N in an hour", counted on one database by several nodes. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS, HOUR_MS, MINUTE_MS, systemClock, toTimestamp } from '../../../src/ground/base/clock.ts';
import { askRates, countRates, lockRates, type RateLimit } from '../../../src/platform/rates/rates.ts';
import { type Storage, statement } from '../../../src/storage/contract/storage.ts';
import { openStorage } from '../../../src/storage/opening/open.ts';
import { engines } from '../../support/databases.ts';
import { rowOf } from '../../support/own-connection.ts';
import { freshStorage } from '../../support/storages.ts';

const listSubjects = statement(
  'test_rates.list_subjects',
  'select r.subject as "subject" from rate r order by r.subject',
);
const NOW = systemClock();
const hourly = (subject: string, max: number): RateLimit => ({ subject, max, windowMs: HOUR_MS });

const count = (storage: Storage, limits: readonly RateLimit[], now = NOW, times = 1) =>
  storage.transaction((tx) => countRates(tx, limits, now, times));
const ask = (storage: Storage, limits: readonly RateLimit[], now = NOW, times = 1) =>
  storage.read((sql) => askRates(sql, limits, now, times));

for (const engine of engines)
  describe(`rates on ${engine}`, () => {
    it('let exactly as many through as the limit allows, of many at once at two nodes', async (test) => {
      const { database, storage } = await freshStorage(engine, test);
      const other = await openStorage(database);
      test.after(() => other.close());
      // Each call names the limits in another order; the narrow one is shared by half of the calls.
      const [wide, narrow, apart] = [hourly('wide', 15), hourly('narrow', 10), hourly('apart', 50)];
      const calls = Array.from({ length: 40 }, (_, index) =>
        count(index % 3 === 0 ? other : storage, index % 2 === 0 ? [wide, narrow] : [apart, wide]),
      );
      const pauses = await Promise.all(calls);
      assert.equal(pauses.filter((pause) => pause === null).length, 15);
      for (const pause of pauses) assert.ok(pause === null || (pause > 0 && pause <= 3_660), `${pause}`);
      const narrowed = pauses.filter((pause, index) => pause === null && index % 2 === 0).length;
      assert.ok(narrowed <= 10);
      assert.equal((await ask(storage, [narrow])) === null, narrowed < 10);
      assert.notEqual(await ask(other, [wide]), null);
      assert.equal(await ask(other, [apart]), null);
    });

    it('count in all limits or in none', async (test) => {
      const { storage } = await freshStorage(engine, test);
      const [one, two] = [hourly('one', 1), hourly('two', 2)];
      assert.equal(await count(storage, [one]), null);
      assert.notEqual(await count(storage, [two, one]), null);
      assert.equal(await count(storage, [two], NOW, 2), null, 'the refused call counted nothing');
      assert.notEqual(await count(storage, [two]), null);
    });

    it('write nothing for a refused call, also of subjects that are seen for the first time', async (test) => {
      const { storage } = await freshStorage(engine, test);
      const wide = hourly('wide', 1);
      assert.equal(await count(storage, [wide, hourly('narrow 0', 1)]), null);
      for (let each = 1; each < 10; each += 1)
        assert.notEqual(await count(storage, [wide, hourly(`narrow ${each}`, 1)]), null);
      const rows = await storage.read((sql) => sql.all<{ subject: string }>(listSubjects));
      assert.deepEqual(
        rows.map(({ subject }) => subject),
        ['narrow 0', 'wide'],
      );
    });

    it('count several at once only if all of them fit', async (test) => {
      const { storage } = await freshStorage(engine, test);
      const limit = [hourly('bytes', 100)];
      assert.equal(await count(storage, limit, NOW, 60), null);
      assert.notEqual(await ask(storage, limit, NOW, 41), null);
      assert.notEqual(await count(storage, limit, NOW, 41), null);
      assert.equal(await ask(storage, limit, NOW, 40), null);
      assert.equal(await count(storage, limit, NOW, 40), null);
      assert.notEqual(await ask(storage, limit), null);
    });

    it('are refused for as long as they say, and no longer', async (test) => {
      const { storage } = await freshStorage(engine, test);
      const limits = [hourly('hour', 1), { subject: 'day', max: 2, windowMs: DAY_MS }];
      assert.equal(await count(storage, limits), null);
      const pause = (await ask(storage, limits)) ?? 0;
      assert.ok(pause > 3_540 && pause <= 3_660, `${pause}`);
      assert.notEqual(await ask(storage, limits, NOW + pause * 1000 - 1000), null);
      assert.equal(await count(storage, limits, NOW + pause * 1000), null);
      const longer = (await ask(storage, limits, NOW + pause * 1000)) ?? 0;
      assert.ok(longer > 20 * 3_600, 'the longer pause of both is the answer');
    });

    it('refuse nobody by what a clock counted that was ahead', async (test) => {
      const { storage } = await freshStorage(engine, test);
      const limit = [hourly('ahead', 1)];
      assert.equal(await count(storage, limit, NOW + 20 * HOUR_MS), null);
      assert.notEqual(await ask(storage, limit, NOW + 20 * HOUR_MS), null);
      assert.equal(await count(storage, limit), null);
      assert.notEqual(await ask(storage, limit), null, 'the count of the right clock holds');
    });

    it('count nothing without a limit', async (test) => {
      const { database, storage } = await freshStorage(engine, test);
      assert.equal(await ask(storage, []), null);
      assert.equal(await count(storage, []), null);
      assert.deepEqual(await rowOf(database, 'select subject from rate'), null);
    });

    it('count beyond a limit where the caller decides so, and leave a row until nothing of it counts', async (test) => {
      const { database, storage } = await freshStorage(engine, test);
      const limit = { ...hourly('all', Infinity), partMs: MINUTE_MS };
      await storage.transaction(async (tx) => {
        const rates = await lockRates(tx, [limit], NOW);
        for (let times = 0; times < 3; times++) {
          assert.equal(rates.pauseSeconds(), null);
          rates.count();
        }
        await rates.save();
      });
      assert.notEqual(await ask(storage, [hourly('all', 3)]), null);
      assert.equal(await ask(storage, [hourly('all', 4)]), null);
      const row = await rowOf(database, "select ends_at from rate where subject = 'all'");
      const end = Math.floor(NOW / MINUTE_MS) * MINUTE_MS + MINUTE_MS - 1 + HOUR_MS;
      assert.deepEqual(row, { ends_at: toTimestamp(end) });
      assert.notEqual(await ask(storage, [hourly('all', 3)], end - 1), null);
      assert.equal(await ask(storage, [hourly('all', 3)], end), null);
    });
  });
