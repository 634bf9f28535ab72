/** Tidying removes useless rows, a bounded number at a time, and changes no reply. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { DAY_MS, HOUR_MS, MINUTE_MS, systemClock, toTimestamp } from '../../../src/ground/base/clock.ts';
import { issueLicense } from '../../../src/licensing/licenses/issue.ts';
import { believingEvery } from '../../../src/platform/believed-time/believed-time.ts';
import type { JobTime } from '../../../src/platform/jobs/job.ts';
import { startJobs } from '../../../src/platform/jobs/schedule.ts';
import { type StepDone, tidying } from '../../../src/platform/jobs/tidying.ts';
import { type Storage, statement, tableOf } from '../../../src/storage/contract/storage.ts';
import { openStorage } from '../../../src/storage/opening/open.ts';
import { startApp } from '../../support/app.ts';
import { mustSucceed } from '../../support/creator.ts';
import { engines, freshDatabase } from '../../support/databases.ts';
import { originAt } from '../../support/origin.ts';
import { plainStorage } from '../../support/storages.ts';
import type { TestDatabase } from '../../support/test-database.ts';
import { standingAt, tidy, tidyingJobs } from '../../support/tidy.ts';

/** Delay between the expiry of a license and its mark. */
const MARK_DELAY_MS = 5 * MINUTE_MS;
/** Interval of the service's tidying. */
const INTERVAL_MS = MINUTE_MS;
/** Maximum of rows of one kind that one transaction touches. */
const ROWS_AT_ONCE = 200;
/** Rows touched by the first steps of a process, if they take no time. */
const FIRST_STEPS = [50, 100];
/** Number of rows for this many steps after the first two. */
const rowsOfSteps = (steps: number) => 150 + steps * ROWS_AT_ONCE;
/** More than anybody could make useless in a minute a year ago: 40,000 rows. */
const MANY_STEPS = 200;
/** The names of the jobs in their order. None of them runs, so they need no storage. */
const NAMES = tidyingJobs({} as Storage).map(({ name }) => name);
const JOBS = NAMES.length;
const REPLIES = NAMES.indexOf('delete old idempotent replies');
const RATES = NAMES.indexOf('delete old rates');
/** Results of the jobs before the one that deletes replies, in tests that give them no work. */
const BEFORE = Array(REPLIES).fill(0);
/** Results of the jobs between that one and the one that deletes rates. */
const BETWEEN = Array(RATES - REPLIES - 1).fill(0);
/** Results of the jobs after these. */
const FURTHER = Array(JOBS - RATES - 1).fill(0);
/** Without the pauses between steps, and as if they took no time. */
const AT_ONCE = { pauseMs: 0, stopwatch: () => 0 };

/** A statement that inserts rows `n`, each with a name and the moment that decides its age. */
const inserting = (table: string, columns: string, values: string) =>
  statement(
    `test_tidying.insert_${table}`,
    (dialect) => `insert into ${table} (${columns})
      select ${values} from ${dialect.table('$1', { name: 'text', at: 'text' })} n`,
  );
/** A statement that lists the names of rows. */
const listing = (table: string, name: string) =>
  statement(`test_tidying.list_${table}`, `select ${name} as "name" from ${table} order by 1`);

const REPLY_COLUMNS = 'caller, idempotency_key, status, reply, created_at';
const insertReplies = inserting('idempotent_reply', REPLY_COLUMNS, "'tests', n.name, 200, '', n.at");
const insertLongReply = statement(
  'test_tidying.insert_long_reply',
  `insert into idempotent_reply (${REPLY_COLUMNS}) values ('tests', $1, 200, $2, $3)`,
);
const insertRates = inserting('rate', 'subject, counts, ends_at', "n.name, '[]', n.at");
const insertLeases = inserting('job_lease', 'job, leased_until', 'n.name, n.at');
const insertRefusals = inserting(
  'kept_refusal',
  `license_key, refusal_id, code, endpoint, fingerprint, count, first_at, last_at, details, request_id, product_id`,
  `'key', n.name, 'machine_limit', '/activate', '', 1, n.at, n.at, 'null', 'r', 'app'`,
);
const insertStatistics = inserting(
  'statistic',
  'product_id, step, metric, at, value',
  "'app', n.name, 'verify.ok', n.at, 1",
);
const listReplies = listing('idempotent_reply', 'idempotency_key');
const listRates = listing('rate', 'subject');
const listRefusalIds = listing('kept_refusal', 'refusal_id');
const listStatisticSteps = listing('statistic', "step || ' ' || at");
const listMarks = statement(
  'test_license.list_marks',
  'select email as "name", status_mark as "mark" from license order by email',
);

type Rows = Readonly<Record<string, number>>;

/** Rows by name, each with the moment that decides its age. */
const rowsOf = (rows: Rows) => tableOf(Object.entries(rows).map(([name, at]) => [name, toTimestamp(at)]));

/** This many rows of one moment. */
const manyRows = (count: number, at: number): Rows =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`row ${index}`, at]));

/** The rows touched by all steps together. */
const touchedIn = (results: readonly unknown[]) =>
  results.reduce<number>((sum, result) => sum + (typeof result === 'number' ? result : 0), 0);

/** A step of a job that was not held by another node. */
const isStep = (result: unknown): result is { done: StepDone } =>
  typeof result === 'object' && result !== null && 'done' in result;

/** The same storage, recording the result of each transaction: for steps, the number of rows that they touched. */
function watched(storage: Storage, begins = () => {}): { storage: Storage; results: unknown[] } {
  const results: unknown[] = [];
  return {
    results,
    storage: {
      ...plainStorage(storage),
      async transaction(work) {
        const result = await storage.transaction((tx) => {
          begins();
          return work(tx);
        });
        results.push(isStep(result) ? result.done.rows : result);
        return result;
      },
    },
  };
}

for (const engine of engines)
  describe(`tidying on ${engine}`, () => {
    const NOW = systemClock();
    const PRESENT = standingAt(NOW);

    async function database(test: TestContext): Promise<TestDatabase> {
      const fresh = await freshDatabase(engine, test);
      return fresh;
    }

    async function open(test: TestContext, fresh?: TestDatabase): Promise<Storage> {
      const storage = await openStorage((fresh ?? (await database(test))).database);
      test.after(() => storage.close());
      return storage;
    }

    const start = (storage: Storage, time: JobTime, report: (failure: unknown) => void) =>
      startJobs(tidyingJobs(storage), { storage, clock: time.steadyNow, time }, report);

    const namesIn = async (storage: Storage, list: typeof listReplies) =>
      (await storage.read((sql) => sql.all<{ name: string }>(list))).map(({ name }) => name);

    it('lists show each status exactly before the mark, with it, and when the license is extended', async (test) => {
      const fresh = await database(test);
      const app = await startApp(engine, {}, fresh);
      test.after(() => app.stop());
      const storage = await open(test, fresh);
      const keys = {
        perpetual: await app.license(),
        soon: await app.license({ expiresAt: app.clock.at(HOUR_MS) }),
        later: await app.license({ expiresAt: app.clock.at(2 * HOUR_MS) }),
        revoked: await app.license({ expiresAt: app.clock.at(HOUR_MS) }),
      };
      await mustSucceed(app.admin('/revokeLicense', { licenseKey: keys.revoked }));
      const names = new Map(Object.entries(keys).map(([name, key]) => [key, name]));
      const lists = async () => {
        const found: Record<string, (string | undefined)[]> = {};
        for (const status of ['active', 'revoked', 'expired']) {
          const { licenses } = await mustSucceed(app.admin('/listLicenses', { status }));
          for (const license of licenses) assert.equal(license.status, status);
          found[status] = licenses.map(({ key }: { key: string }) => names.get(key)).sort();
        }
        return found;
      };
      const marks = async () =>
        (await storage.read((sql) => sql.all<{ mark: string }>(listMarks))).map(({ mark }) => mark).sort();

      app.clock.move(HOUR_MS + MARK_DELAY_MS);
      const truth = { active: ['later', 'perpetual'], revoked: ['revoked'], expired: ['soon'] };
      assert.deepEqual(await marks(), ['active', 'active', 'active', 'revoked']);
      assert.deepEqual(await lists(), truth);
      assert.equal(await tidy(storage, believingEvery(app.clock.now)), 1);
      assert.deepEqual(await marks(), ['active', 'active', 'expired', 'revoked']);
      assert.deepEqual(await lists(), truth);

      await mustSucceed(app.admin('/updateLicense', { licenseKey: keys.soon, expiresAt: null }));
      assert.deepEqual(await lists(), { active: ['later', 'perpetual', 'soon'], revoked: ['revoked'], expired: [] });
      app.clock.move(2 * HOUR_MS);
      await tidy(storage, believingEvery(app.clock.now));
      assert.deepEqual(await lists(), { active: ['perpetual', 'soon'], revoked: ['revoked'], expired: ['later'] });
    });

    it('marks licenses that lapsed five minutes ago or earlier, and no other', async (test) => {
      const storage = await open(test);
      const expiries = {
        'a day ago': toTimestamp(NOW - DAY_MS),
        'five minutes ago': toTimestamp(NOW - MARK_DELAY_MS),
        'just not': toTimestamp(NOW - MARK_DELAY_MS + 1),
        never: null,
      };
      await storage.transaction(async (tx) => {
        for (const [email, expiresAt] of Object.entries(expiries))
          await issueLicense(tx, { email, productId: 'app', expiresAt }, originAt(NOW - 2 * DAY_MS));
      });
      assert.equal(await tidy(storage, PRESENT), 2);
      assert.deepEqual(await storage.read((sql) => sql.all(listMarks)), [
        { name: 'a day ago', mark: 'expired' },
        { name: 'five minutes ago', mark: 'expired' },
        { name: 'just not', mark: 'active' },
        { name: 'never', mark: 'active' },
      ]);
    });

    for (const [what, ageMs, insert, list] of [
      ['answers to idempotent requests after a day', DAY_MS, insertReplies, listReplies],
      ['counts for limits an hour after they count no longer', HOUR_MS, insertRates, listRates],
      ['refusals after 90 days', 90 * DAY_MS, insertRefusals, listRefusalIds],
    ] as const)
      it(`deletes ${what}`, async (test) => {
        const storage = await open(test);
        const rows = rowsOf({ old: NOW - ageMs, young: NOW - ageMs + 1, new: NOW });
        await storage.transaction((tx) => tx.run(insert, rows));
        assert.equal(await tidy(storage, PRESENT, AT_ONCE), 1);
        assert.deepEqual(await namesIn(storage, list), ['new', 'young']);
      });

    it('deletes refusals that a clock which was ahead has dated, as they would keep out those of today', async (test) => {
      const storage = await open(test);
      const rows = rowsOf({ new: NOW, next: NOW + DAY_MS, far: NOW + DAY_MS + 1, farther: NOW + 365 * DAY_MS });
      await storage.transaction((tx) => tx.run(insertRefusals, rows));
      assert.equal(await tidy(storage, PRESENT, AT_ONCE), 2);
      assert.deepEqual(await namesIn(storage, listRefusalIds), ['new', 'next']);
    });

    it('deletes statistics of hours after 14 days and of days after three years', async (test) => {
      const storage = await open(test);
      const [hours, days] = [NOW - 14 * DAY_MS, NOW - 1_096 * DAY_MS];
      for (const [step, moment] of [
        ['hour', hours],
        ['hour', hours + 1],
        ['day', hours],
        ['day', days],
        ['day', days + 1],
      ] as const)
        await storage.transaction((tx) => tx.run(insertStatistics, rowsOf({ [step]: moment })));
      assert.equal(await tidy(storage, PRESENT, AT_ONCE), 2);
      assert.deepEqual(await namesIn(storage, listStatisticSteps), [
        `day ${toTimestamp(days + 1)}`,
        `day ${toTimestamp(hours)}`,
        `hour ${toTimestamp(hours + 1)}`,
      ]);
    });

    it('goes on until nothing is left, 200 rows at a time at most', async (test) => {
      const { storage, results } = watched(await open(test));
      await storage.transaction(async (tx) => {
        await tx.run(insertReplies, rowsOf(manyRows(rowsOfSteps(MANY_STEPS) + 1, NOW - DAY_MS)));
        await tx.run(insertRates, rowsOf(manyRows(rowsOfSteps(1) + 1, NOW - HOUR_MS)));
      });
      results.length = 0;
      assert.equal(await tidy(storage, PRESENT, AT_ONCE), rowsOfSteps(MANY_STEPS) + rowsOfSteps(1) + 2);
      const steps = Array(MANY_STEPS).fill(ROWS_AT_ONCE);
      assert.deepEqual(results, [
        ...BEFORE,
        ...FIRST_STEPS,
        ...steps,
        1,
        ...BETWEEN,
        ...FIRST_STEPS,
        ROWS_AT_ONCE,
        1,
        ...FURTHER,
      ]);
      assert.deepEqual(await namesIn(storage, listReplies), []);
    });

    it('makes its steps smaller while they take long, and larger again when they do not', async (test) => {
      // Duration of each step in milliseconds: the jobs before have one each.
      const lengths = [...BEFORE, 40, 20, 10, 10, 4, 4, 4, 4, 4, 4];
      let isBegun = false;
      let now = 0;
      const stopwatch = () => {
        if (isBegun) now += lengths[results.length] ?? 0;
        isBegun = true;
        return now;
      };
      // A step that the server rolls back runs again, and its time starts again.
      const { storage, results } = watched(await open(test), () => {
        isBegun = false;
      });
      await storage.transaction((tx) => tx.run(insertReplies, rowsOf(manyRows(1_000, NOW - DAY_MS))));
      results.length = 0;
      assert.equal(await tidy(storage, PRESENT, { pauseMs: 0, stopwatch }), 1_000);
      // A step is meant to take 10 ms.
      const steps = [50, 12, 6, 6, 6, 12, 25, 50, 100, 200, 200, 200];
      assert.deepEqual(results.slice(BEFORE.length, BEFORE.length + steps.length), steps);
    });

    it('does one row at least, however long a row takes', async (test) => {
      const { storage, results } = watched(await open(test));
      await storage.transaction((tx) => tx.run(insertReplies, rowsOf(manyRows(53, NOW - DAY_MS))));
      results.length = 0;
      let now = 0;
      const stopwatch = () => (now += 5_000);
      assert.equal(await tidy(storage, PRESENT, { pauseMs: 0, stopwatch }), 53);
      assert.deepEqual(results.slice(BEFORE.length, BEFORE.length + 5), [50, 1, 1, 1, 0]);
    });

    it('deletes long answers a few at a time, and one at least, however long it is', async (test) => {
      const { storage, results } = watched(await open(test));
      // A transaction each, because a server that aborts transactions at random would abort a long one again and again.
      const insert = (name: string, length: number, days: number) =>
        storage.transaction((tx) =>
          tx.run(insertLongReply, name, 'x'.repeat(length), toTimestamp(NOW - days * DAY_MS)),
        );
      // Half a mebibyte each: the second step takes two mebibytes to the byte, all later ones four.
      for (let index = 0; index < 20; index += 1) await insert(`long ${index}`, 512 * 1024, 2);
      await insert('longest', 12 * 1024 * 1024, 3);
      results.length = 0;
      assert.equal(await tidy(storage, PRESENT, AT_ONCE), 21);
      assert.deepEqual(results.slice(BEFORE.length, BEFORE.length + 5), [1, 4, 8, 8, 0]);
      assert.deepEqual(await namesIn(storage, listReplies), []);
    });

    it('goes on with the other jobs when one fails, and says what failed', async (test) => {
      const storage = await open(test);
      await storage.transaction((tx) => tx.run(insertReplies, rowsOf({ old: NOW - DAY_MS })));
      let transactions = 0;
      const failing: Storage = {
        ...plainStorage(storage),
        transaction: (work) => {
          transactions += 1;
          return transactions === 1 ? Promise.reject(new Error('the disk is full')) : storage.transaction(work);
        },
      };
      await assert.rejects(tidy(failing, PRESENT, AT_ONCE), /the disk is full/);
      assert.deepEqual(await namesIn(storage, listReplies), []);
    });

    it('lets others through between its steps', async (test) => {
      const { storage, results } = watched(await open(test));
      await storage.transaction((tx) => tx.run(insertReplies, rowsOf(manyRows(10 * ROWS_AT_ONCE, NOW - DAY_MS))));
      results.length = 0;
      const round = tidy(storage, PRESENT, AT_ONCE);
      while (results.length < BEFORE.length + 2) await new Promise((resolve) => setImmediate(resolve));
      await storage.transaction(async () => 'somebody else');
      await round;
      const position = results.indexOf('somebody else');
      assert.ok(position < results.length - 4, `after ${position} of ${results.length} transactions`);
    });

    it('ends after the step under way when it is stopped, and another node goes on at once', async (test) => {
      const fresh = await database(test);
      const { storage, results } = watched(await open(test, fresh));
      const rows = 20 * ROWS_AT_ONCE;
      await storage.transaction((tx) => tx.run(insertReplies, rowsOf(manyRows(rows, NOW - DAY_MS))));
      results.length = 0;
      test.mock.timers.enable({ apis: ['setInterval'] });
      const failures: unknown[] = [];
      const stop = start(storage, PRESENT, (failure) => failures.push(failure));
      test.mock.timers.tick(INTERVAL_MS);
      while (results.length < BEFORE.length + 2) await new Promise((resolve) => setImmediate(resolve));
      await stop();
      assert.deepEqual(failures, []);
      const done = touchedIn(results);
      assert.ok(done < rows / 2, `${done} rows`);
      assert.equal((await namesIn(storage, listReplies)).length, rows - done);
      const ended = results.length;
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
      assert.equal(results.length, ended, 'nothing happens any more');
      const other = await open(test, fresh);
      assert.equal(await tidy(other, PRESENT, AT_ONCE), rows - done);
    });

    it('begins no second round beside one that takes longer than a minute', async (test) => {
      const { storage, results } = watched(await open(test));
      await storage.transaction((tx) => tx.run(insertReplies, rowsOf(manyRows(rowsOfSteps(5), NOW - DAY_MS))));
      results.length = 0;
      test.mock.timers.enable({ apis: ['setInterval'] });
      const stop = start(storage, PRESENT, (failure) => assert.fail(String(failure)));
      test.mock.timers.tick(5 * INTERVAL_MS);
      const jobsWithoutWork = () => results.filter((result) => result === 0).length;
      while (jobsWithoutWork() < JOBS - 1) await new Promise((resolve) => setImmediate(resolve));
      await stop();
      assert.equal(touchedIn(results), rowsOfSteps(5));
      assert.ok(!results.includes(null), 'a second round would have found the jobs leased');
    });

    it('stops at a job that another node has taken since', async (test) => {
      const fresh = await database(test);
      const { storage, results } = watched(await open(test, fresh));
      const other = await open(test, fresh);
      await storage.transaction((tx) => tx.run(insertReplies, rowsOf(manyRows(rowsOfSteps(5), NOW - DAY_MS))));
      results.length = 0;
      // The node is suspended before its fourth step of this job, for longer than its lease.
      let moments = 0;
      let taken: number | undefined;
      const slow: Storage = {
        ...storage,
        async transaction(work) {
          if (results.at(-1) === ROWS_AT_ONCE && taken === undefined) {
            taken = 0;
            taken = await tidy(other, standingAt(NOW + 2 * INTERVAL_MS), AT_ONCE);
          }
          return storage.transaction(work);
        },
      };
      const clock = () => NOW + moments++;
      assert.equal(await tidy(slow, believingEvery(clock), AT_ONCE), rowsOfSteps(1));
      assert.equal(taken, 4 * ROWS_AT_ONCE);
      const steps = results.filter((result) => typeof result !== 'boolean');
      assert.deepEqual(steps, [...BEFORE, ...FIRST_STEPS, ROWS_AT_ONCE, null, ...BETWEEN, 0, ...FURTHER]);
    });

    it('leaves the next minute to any node, however long it took', async (test) => {
      const storage = await open(test);
      let now = NOW;
      const longJob = (steps: number) => {
        let left = steps;
        const step = async () => {
          now += INTERVAL_MS / 2;
          left -= 1;
          return { rows: 1, isLast: left === 0 };
        };
        const time = believingEvery(() => now);
        return tidy(storage, time, { ...AT_ONCE, jobs: [tidying('a long job', { step, ageMs: null })] });
      };
      assert.equal(await longJob(4), 4);
      assert.equal(await longJob(1), 1);
    });

    it('is done by one of two nodes that begin at once, each job', async (test) => {
      const fresh = await database(test);
      const nodes = [watched(await open(test, fresh)), watched(await open(test, fresh))];
      const [node] = nodes;
      await node?.storage.transaction(async (tx) => {
        await tx.run(insertReplies, rowsOf(manyRows(10, NOW - DAY_MS)));
        await tx.run(insertRates, rowsOf(manyRows(10, NOW - HOUR_MS)));
        const order = { email: 'ada@example.com', productId: 'app', expiresAt: toTimestamp(NOW - DAY_MS) };
        for (let index = 0; index < 10; index++) await issueLicense(tx, order, originAt(NOW - 2 * DAY_MS));
      });
      for (const { results } of nodes) results.length = 0;
      const touched = await Promise.all(nodes.map(({ storage }) => tidy(storage, PRESENT)));
      assert.equal(touched[0]! + touched[1]!, 30);
      const results = nodes.flatMap((each) => each.results);
      assert.equal(results.length, 2 * JOBS, 'each node asked for each job');
      assert.equal(results.filter((result) => result === null).length, JOBS, 'each job was taken by one node');
    });

    it('belongs to the node that took it until the minute is over, even if that node is gone', async (test) => {
      const fresh = await database(test);
      const gone = await openStorage(fresh.database);
      await tidy(gone, PRESENT);
      await gone.close();
      const { storage, results } = watched(await open(test, fresh));
      await storage.transaction((tx) => tx.run(insertReplies, rowsOf({ old: NOW - DAY_MS })));
      results.length = 0;
      assert.equal(await tidy(storage, standingAt(NOW + INTERVAL_MS - 2)), 0);
      assert.deepEqual(results, Array(JOBS).fill(null));
      assert.equal(await tidy(storage, standingAt(NOW + INTERVAL_MS - 1)), 1);
    });

    it('ignores a lease that was taken while a clock was ahead', async (test) => {
      const { storage, results } = watched(await open(test));
      await storage.transaction((tx) => tx.run(insertReplies, rowsOf({ old: NOW - 2 * DAY_MS })));
      const lease = rowsOf({ 'delete old idempotent replies': NOW + INTERVAL_MS });
      await storage.transaction((tx) => tx.run(insertLeases, lease));
      results.length = 0;
      assert.equal(await tidy(storage, PRESENT), 0, 'held until the minute is over');
      assert.deepEqual(results, [...BEFORE, null, ...BETWEEN, 0, ...FURTHER]);
      assert.equal(await tidy(storage, standingAt(NOW - 1)), 1, 'nobody leases for longer than a minute');
    });

    it('begins every minute, goes on after a failure, and has ended when it is stopped', async (test) => {
      const storage = await open(test);
      await storage.transaction((tx) => tx.run(insertReplies, rowsOf({ old: NOW - DAY_MS })));
      test.mock.timers.enable({ apis: ['setInterval'] });
      const failures: unknown[] = [];
      let isBroken = true;
      const clock = () => {
        if (isBroken) throw new Error('no time');
        return NOW;
      };
      const stop = start(storage, believingEvery(clock), (failure) => failures.push(failure));
      test.mock.timers.tick(INTERVAL_MS);
      await new Promise((resolve) => setImmediate(resolve));
      assert.match(String(failures), /no time/);
      isBroken = false;
      test.mock.timers.tick(INTERVAL_MS);
      while ((await namesIn(storage, listReplies)).length > 0) await new Promise((resolve) => setImmediate(resolve));
      await stop();
      assert.equal(failures.length, 1);
      await storage.transaction((tx) => tx.run(insertReplies, rowsOf({ later: NOW - DAY_MS })));
      test.mock.timers.tick(10 * INTERVAL_MS);
      await new Promise((resolve) => setImmediate(resolve));
      assert.deepEqual(await namesIn(storage, listReplies), ['later']);
    });
  });
