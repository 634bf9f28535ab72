/** Observed calls wait in bounded memory until they can be written, and are counted once in spite of failures. */

import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { HOUR_MS, MINUTE_MS, toTimestamp } from '../../../src/ground/base/clock.ts';
import { activate } from '../../../src/licensing/client-endpoints/activate.ts';
import { issueLicense } from '../../../src/licensing/licenses/issue.ts';
import { metricsOf } from '../../../src/licensing/observed-calls/metrics.ts';
import { type Observed, ObservedCalls } from '../../../src/licensing/observed-calls/observed-calls.ts';
import { RefusalBuffer } from '../../../src/licensing/observed-calls/refusal-buffer.ts';
import { ObservedWriter } from '../../../src/licensing/observed-calls/write-observed.ts';
import { TokenKeys } from '../../../src/licensing/session-tokens/token-keys.ts';
import type { BatchResult } from '../../../src/platform/endpoint/endpoint.ts';
import { isRefusal } from '../../../src/platform/endpoint/refusals.ts';
import { recordedChanges } from '../../../src/platform/events/recorded-changes.ts';
import { RuleParts } from '../../../src/runtime/dispatch/rule-parts.ts';
import { CommitUnknown, type Storage, StorageAway, StorageBusy } from '../../../src/storage/contract/storage.ts';
import { openStorage } from '../../../src/storage/opening/open.ts';
import { requestContextAt, ruleContextOf, SETTINGS } from '../../support/contexts.ts';
import { type Engine, engines } from '../../support/databases.ts';
import { originAt } from '../../support/origin.ts';
import { openRows } from './observed-rows.ts';

const NOW = Date.UTC(2027, 0, 1, 12);

/** A refused call of a license and a machine. */
const refused = (licenseKey: string, fingerprint: string, now = NOW) => ({
  ...({ licenseKey, fingerprint, now, code: 'machine_limit', endpoint: '/activate' } as const),
  ...{ hostname: null, details: null, requestId: 'r' },
});

describe('gathered refusals', () => {
  it('of one license are 50 rows at most, the newest', () => {
    const gathered = new RefusalBuffer();
    for (let index = 0; index < 10_000; index += 1) gathered.gather(refused('key', `machine ${index}`));
    const machines = gathered.take().map(({ fingerprint }) => fingerprint);
    assert.deepEqual(
      machines,
      Array.from({ length: 50 }, (_, index) => `machine ${9_950 + index}`),
    );
    assert.ok(gathered.isEmpty);
  });

  it('have a maximum number of rows, written or not', () => {
    const gathered = new RefusalBuffer(100);
    const gather = (second: number, calls: number) => {
      for (let index = 0; index < calls; index += 1)
        gathered.gather(refused(`key ${second} ${index}`, 'one', NOW + second * 1_000));
    };
    for (let second = 0; second < 5; second += 1) gather(second, 1_000);
    const waiting = gathered.take();
    assert.equal(waiting.length, 200);
    gather(5, 70);
    gathered.giveBack(waiting);
    assert.equal(gathered.take().length, 200);
  });

  it('begin a bounded number of rows a second, also when passed on by others', () => {
    const gathered = new RefusalBuffer(100);
    const others = new RefusalBuffer(100);
    const rowsOf = (into: RefusalBuffer, name: string, now: number) => {
      for (let index = 0; index < 60; index += 1) into.gather(refused(`${name} ${index}`, 'one', now));
    };
    rowsOf(gathered, 'here', NOW);
    assert.equal(gathered.take().length, 60);
    rowsOf(others, 'there', NOW);
    gathered.add(others.take());
    assert.equal(gathered.take().length, 40);
    rowsOf(gathered, 'later', NOW + 999);
    assert.equal(gathered.take().length, 0);
    rowsOf(gathered, 'later', NOW + 1_000);
    assert.equal(gathered.take().length, 60);
    rowsOf(gathered, 'set back', NOW - HOUR_MS);
    assert.equal(gathered.take().length, 60);
  });

  it('begin at most 1,000 rows a second, and at most 2,000 wait, at a server', () => {
    const gathered = new RefusalBuffer();
    const flood = (second: number) => {
      for (let index = 0; index < 1_500; index += 1)
        gathered.gather(refused(`key ${second} ${index}`, 'one', NOW + second * 1_000));
    };
    flood(0);
    assert.equal(gathered.take().length, 1_000);
    for (const second of [1, 2, 3]) flood(second);
    assert.equal(gathered.take().length, 2_000);
  });

  it('begin at most fifty rows of a license in a minute, however often they are written', () => {
    const gathered = new RefusalBuffer();
    let taken = 0;
    for (let each = 0; each < 200; each += 1) {
      gathered.gather(refused('flooded', `machine ${each}`, NOW + each));
      taken += gathered.take().length;
    }
    assert.equal(taken, 50);
    gathered.gather(refused('other', 'one', NOW + 200));
    gathered.gather(refused('flooded', 'one of the next minute', NOW + MINUTE_MS));
    assert.deepEqual(
      gathered.take().map(({ licenseKey }) => licenseKey),
      ['other', 'flooded'],
    );
  });

  it('are given back to the rows that others of their kind began meanwhile', () => {
    const gathered = new RefusalBuffer();
    gathered.gather(refused('key', 'one'));
    const waiting = gathered.take();
    gathered.gather(refused('key', 'one', NOW + MINUTE_MS));
    gathered.giveBack(waiting);
    const [row, ...rest] = gathered.take();
    assert.deepEqual(rest, []);
    assert.deepEqual([row?.count, row?.firstAt, row?.lastAt], [2, toTimestamp(NOW), toTimestamp(NOW + MINUTE_MS)]);
  });

  it('of another hour begin another row, also where the clock was set back', () => {
    const gathered = new RefusalBuffer();
    for (const hours of [0, 0.9, 1, -1, 0.5]) gathered.gather(refused('key', 'one', NOW + hours * HOUR_MS));
    assert.deepEqual(
      gathered.take().map(({ count }) => count),
      [2, 2, 1],
    );
  });
});

/** A storage whose first transactions fail with these errors, in order; later ones succeed. */
function failing(storage: Storage, ...errors: Error[]): Storage {
  return {
    engine: storage.engine,
    read: (work) => storage.read(work),
    async transaction(work) {
      const error = errors.shift();
      if (error !== undefined) throw error;
      return storage.transaction(work);
    },
    onCommitted: (listener) => storage.onCommitted(listener),
    onAvailability: (listener) => storage.onAvailability(listener),
    close: () => storage.close(),
  };
}

/** An open database with one license, and a function that reads the written rows. */
async function openLicense(test: TestContext, engine: Engine) {
  const { database, rows } = await openRows(test, engine);
  const storage = await openStorage(database.database);
  test.after(() => storage.close());
  const { licenseKey } = await storage.transaction((tx) =>
    issueLicense(tx, { email: 'ada@example.com', productId: 'app', expiresAt: null }, originAt(NOW)),
  );
  return { storage, rows, licenseKey };
}

for (const engine of engines)
  describe(`observed calls on ${engine}`, () => {
    it('are kept while they cannot be written, and a failure is reported once', async (test) => {
      const { storage, rows, licenseKey } = await openLicense(test, engine);
      const observed = new ObservedCalls([]);
      const metrics = metricsOf('/activate');
      const note = () => observed.noteRefusal(metrics, 'app', 'machine_limit', refused(licenseKey, 'one'));
      const reported: unknown[] = [];
      const busy = () => new StorageBusy('a row is locked');
      const writer = new ObservedWriter(failing(storage, busy(), busy(), busy(), busy()), observed, (error) =>
        reported.push(String(error)),
      );
      for (let times = 0; times < 2; times += 1) {
        note();
        await writer.writeRefusals();
        await writer.writeCounts();
      }
      assert.deepEqual(reported, ['StorageBusy: a row is locked']);
      assert.equal(await rows.countRefusals(), 0);
      note();
      await writer.writeAll();
      const shown = (await rows.refusals(licenseKey)).map(({ count }) => count);
      assert.deepEqual(shown, [3]);
      assert.deepEqual(await rows.totals('app', 'day'), { 'activate.machine_limit': 3 });
      assert.equal(reported.length, 1);
    });

    it('forget names of machines also while they are on their way to the table, or come back from it', async (test) => {
      const { storage, rows, licenseKey } = await openLicense(test, engine);
      const observed = new ObservedCalls([]);
      const forgetting = (under: Storage): Storage => ({
        ...failing(under),
        transaction(work) {
          observed.refusals.renameMachines(licenseKey, 'forgotten');
          return under.transaction(work);
        },
      });
      for (const under of [storage, failing(storage, new StorageBusy('a row is locked'))]) {
        const writer = new ObservedWriter(forgetting(under), observed, () => {});
        observed.refusals.gather({ ...refused(licenseKey, 'one'), hostname: "Ada's" });
        await writer.writeRefusals();
        await writer.writeRefusals();
        assert.deepEqual(
          (await rows.refusals(licenseKey)).map(({ hostname }) => hostname),
          ['forgotten'],
        );
      }
    });

    it('forget names of machines that reached the table after it was looked through, and before that was committed', async (test) => {
      const { storage, rows, licenseKey } = await openLicense(test, engine);
      const observed = new ObservedCalls([]);
      const busy: Error[] = [];
      const busyAtTimes: Storage = {
        ...failing(storage),
        transaction: (work) => (busy.length > 0 ? Promise.reject(busy.pop()) : storage.transaction(work)),
      };
      const writer = new ObservedWriter(busyAtTimes, observed, () => {});
      const hostnames = async () => new Set((await rows.refusals(licenseKey)).map(({ hostname }) => hostname));
      observed.refusals.gather({ ...refused(licenseKey, 'one'), hostname: "Ada's" });
      await writer.writeRefusals();
      observed.refusals.renameMachines(licenseKey, 'forgotten');
      observed.refusals.gather({ ...refused(licenseKey, 'two'), hostname: 'a new one' });
      // The database is busy at the first try, and the names wait for the next.
      busy.push(new StorageBusy('a row is locked'), new StorageBusy('a row is locked'));
      await writer.writeRefusals();
      await writer.writeRefusals();
      assert.deepEqual(await hostnames(), new Set(['forgotten', 'a new one']));
    });

    it('are dropped rather than counted twice when nobody knows whether they were written', async (test) => {
      const { database, rows } = await openRows(test, engine);
      const storage = await openStorage(database.database);
      test.after(() => storage.close());
      const observed = new ObservedCalls([]);
      const reported: unknown[] = [];
      const unknown = new CommitUnknown('the connection was lost');
      const writer = new ObservedWriter(failing(storage, unknown), observed, (error) => reported.push(error));
      observed.noteSuccess(metricsOf('/verify'), 'app', NOW);
      await writer.writeAll();
      await writer.writeAll();
      assert.deepEqual(reported, [unknown]);
      assert.deepEqual(await rows.statistics(), []);
    });

    it('that are lost at the end are reported', async (test) => {
      const { database } = await openRows(test, engine);
      const storage = await openStorage(database.database);
      test.after(() => storage.close());
      const observed = new ObservedCalls([]);
      const reported: unknown[] = [];
      const away = Array.from({ length: 9 }, () => new StorageAway('it is away'));
      const writer = new ObservedWriter(failing(storage, ...away), observed, (error) => reported.push(String(error)));
      observed.noteSuccess(metricsOf('/verify'), 'app', NOW);
      await writer.writeCounts();
      assert.deepEqual(reported, [], 'the log says by itself that the database is away');
      await writer.writeAll();
      assert.match(String(reported), /lost/);
      assert.equal(reported.length, 1);
    });

    it('count a call once that is decided again, and none that is rolled back', async (test) => {
      const { database } = await openRows(test, engine);
      const storage = await openStorage(database.database);
      test.after(() => storage.close());
      const tokenKeys = new TokenKeys();
      await tokenKeys.open(storage, () => NOW);
      const { licenseKey } = await storage.transaction((tx) =>
        issueLicense(
          tx,
          { email: 'ada@example.com', productId: 'app', expiresAt: null, maxMachines: 1 },
          originAt(NOW),
        ),
      );
      const ruleContext = ruleContextOf(tokenKeys);
      storage.onCommitted((published) => ruleContext.observedCalls.noteChanges(published.of(recordedChanges)));
      assert.ok(activate.work.kind === 'batch' && activate.work.batch.mode === 'write');
      const { batch, bind } = activate.work;
      const calls = ['one', 'two'].map((machineFingerprint) =>
        bind({ licenseKey, machineFingerprint, hostname: 'host', productId: 'app' }, requestContextAt(NOW, 'DE')),
      );
      const run = (fail: () => boolean): Promise<readonly BatchResult[]> =>
        storage.transaction(async (tx) => {
          const results = await batch.run(tx, calls, ruleContext);
          if (fail()) throw new Error('a bug');
          return results;
        });
      await assert.rejects(run(() => true));
      assert.equal(ruleContext.observedCalls.take(), null);
      // With SQLite, a failing neighbour makes the whole group run again.
      const runs = [
        run(() => false),
        storage.transaction(async () => {
          throw new Error('a bug of a neighbour');
        }),
      ];
      const [ended] = await Promise.allSettled(runs);
      assert.ok(ended?.status === 'fulfilled');
      assert.deepEqual((ended.value as readonly object[]).map(isRefusal), [false, true]);
      const taken = ruleContext.observedCalls.take();
      assert.deepEqual(Object.fromEntries(taken!.counts.map(([, metric, , value]) => [metric, value])), {
        'activate.ok': 1,
        'activate.machine_limit': 1,
        'activation.created': 1,
        'activations.DE': 1,
        'machines.DE': 1,
        'violation.opened': 1,
        'violation.opened.machine_limit': 1,
      });
      assert.deepEqual(
        taken!.refusals.map(({ fingerprint, count, details }) => [fingerprint, count, details]),
        [['two', 1, { limit: 1 }]],
      );
    });
  });

describe('observations of the main thread', () => {
  it('waits in bounded memory while the writer does not take it, and the rest is handed over at the end', async () => {
    const options = { settings: SETTINGS, clock: () => NOW, thread: 'front', believesEveryClock: true } as const;
    const rules = new RuleParts({ ...options, bounds: { refusalIntervalMs: 1 } });
    const observed = rules.ruleContext.observedCalls;
    const handed: unknown[] = [];
    const verify = metricsOf('/verify');
    const stop = rules.startHandingOver(({ what }) => {
      handed.push(...(what as Observed).counts.map(([, , , value]) => value));
      return new Promise(() => {});
    });
    observed.noteSuccess(verify, 'app', NOW);
    while (handed.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    for (let times = 0; times < 3; times += 1) {
      observed.noteSuccess(verify, 'app', NOW);
      await new Promise((resolve) => setTimeout(resolve, 3));
    }
    assert.deepEqual(handed, [1]);
    stop();
    assert.deepEqual(handed, [1, 3]);
  });
});
