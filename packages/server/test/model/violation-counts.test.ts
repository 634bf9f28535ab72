/**
 * Despite transactions that fail, repeats that are written late, violations that are resolved and other servers, every
 * observation is counted once, and one server rates a license as if it wrote each at once.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { MINUTE_MS, systemClock } from '../../src/ground/base/clock.ts';
import { LicenseChanges } from '../../src/licensing/client-endpoints/license-changes.ts';
import { mintLicenseKey } from '../../src/licensing/licenses/license.ts';
import { lockLicenses } from '../../src/licensing/licenses/license-set-store.ts';
import { saveLicenses } from '../../src/licensing/licenses/save.ts';
import { insertLicenses } from '../../src/licensing/licenses/store.ts';
import { collectViolations, writeRepeats } from '../../src/licensing/licenses/violation-record.ts';
import type { Observation } from '../../src/licensing/violations/observation.ts';
import { gather, type Violation } from '../../src/licensing/violations/violation.ts';
import { listViolations, resolveViolations } from '../../src/licensing/violations/violation-store.ts';
import { ViolationTally } from '../../src/licensing/violations/violation-tally.ts';
import { type Statement, type Storage, statement, type Tx } from '../../src/storage/contract/storage.ts';
import { engines } from '../support/databases.ts';
import { aLicense } from '../support/plain-license.ts';
import { startedStorage } from '../support/storages.ts';
import { unrecorded } from '../support/unrecorded.ts';

const findThreat = statement(
  'test_counts.threat',
  'select threat_level as "threat" from license where license_key = $1',
);

const observation = fc.oneof(
  fc.record({
    type: fc.constant('machine_limit' as const),
    limit: fc.constant(1),
    fingerprint: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
    hostname: fc.constant('host'),
  }),
  fc.record({
    type: fc.constant('token_replay' as const),
    shownBy: fc.constantFrom('a', 'b'),
    tokenOf: fc.constant('another machine' as const),
    endpoint: fc.constant('/validate'),
  }),
  fc.record({
    type: fc.constant('country_spread' as const),
    countries: fc.constantFrom(['AT', 'BE', 'CH'], ['AT', 'BE', 'CH', 'DE', 'ES']),
  }),
) satisfies fc.Arbitrary<Observation>;

const node = fc.nat(1);
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('observe' as const),
      node,
      license: fc.nat(1),
      observations: fc.array(observation, { minLength: 1, maxLength: 4 }),
      isAborted: fc.constantFrom(false, false, false, true),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('wait' as const), milliseconds: fc.nat(90_000) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('write' as const), node, isAborted: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('resolve' as const), license: fc.nat(1) }) },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;
const steps = fc.array(step, { minLength: 5, maxLength: 40, size: 'max' });

for (const engine of engines)
  describe(`violations on ${engine}`, () => {
    const storage = startedStorage(engine);

    /** Two servers with one database; only the first is used where `nodes` is 1. */
    async function play(given: readonly Step[], nodes: 1 | 2, most?: number): Promise<void> {
      const keys = [mintLicenseKey(), mintLicenseKey()];
      const tallies = [new ViolationTally(most), new ViolationTally(most)];
      let now = systemClock();
      await storage.transaction(async (tx) => {
        await insertLicenses(
          unrecorded(tx),
          keys.map((licenseKey) => aLicense({ licenseKey })),
          now,
        );
      });
      const counted = new Map<string, number>();
      /** By license key, then by type: the violations as if each observation were written at once. */
      const expected = new Map(keys.map((key) => [key, new Map<string, Violation>()]));

      for (const each of given)
        switch (each.kind) {
          case 'wait':
            now += each.milliseconds;
            break;
          case 'observe': {
            const licenseKey = keys[each.license]!;
            const { observations } = each;
            const isKept = await abortable(each.isAborted, (end) =>
              storage.transaction(async (tx) => {
                await observe(tx, licenseKey, observations, tallies[each.node % nodes]!, now);
                end();
              }),
            );
            if (!isKept) break;
            const open = expected.get(licenseKey)!;
            for (const one of observations) {
              const key = JSON.stringify([licenseKey, one.type]);
              counted.set(key, (counted.get(key) ?? 0) + 1);
              open.set(one.type, gather(open.get(one.type), one, licenseKey, now));
            }
            break;
          }
          case 'write':
            await abortable(each.isAborted, (end) =>
              writeRepeats(each.isAborted ? failing(storage, end) : storage, tallies[each.node % nodes]!, now, false),
            );
            break;
          case 'resolve': {
            const licenseKey = keys[each.license]!;
            await storage.transaction(async (tx) => {
              await lockLicenses(tx, [licenseKey]);
              const ids = (await listViolations(tx, licenseKey)).map(({ violationId }) => violationId);
              if (ids.length > 0) await resolveViolations(unrecorded(tx), licenseKey, ids, now);
            });
            expected.get(licenseKey)!.clear();
            break;
          }
        }

      if (nodes === 1) for (const key of keys) await compareSeverities(key, expected.get(key)!);
      for (const tally of tallies) await writeRepeats(storage, tally, now, true);
      for (const key of keys) {
        const totals: Record<string, number> = {};
        for (const { type, occurrences } of await storage.read((sql) => listViolations(sql, key)))
          totals[type] = (totals[type] ?? 0) + occurrences;
        for (const type of ['machine_limit', 'token_replay', 'country_spread'])
          assert.equal(totals[type] ?? 0, counted.get(JSON.stringify([key, type])) ?? 0, type);
      }
      if (nodes === 1) for (const key of keys) await compareSeverities(key, expected.get(key)!);
    }

    /** Checks the stored severities, and that the threat level of the license is no lower. */
    async function compareSeverities(licenseKey: string, expected: ReadonlyMap<string, Violation>): Promise<void> {
      const open = (await storage.read((sql) => listViolations(sql, licenseKey))).filter((each) => !each.resolvedAt);
      const severities = (all: Iterable<Violation>) =>
        [...all].map(({ type, severity }) => `${type} ${severity}`).sort();
      assert.deepEqual(severities(open), severities(expected.values()));
      const row = await storage.read((sql) => sql.first<{ threat: number }>(findThreat, licenseKey));
      assert.ok(row!.threat >= Math.max(0, ...open.map(({ severity }) => severity)));
    }

    it('are counted and rated by one server as if each observation were written at once', async () => {
      await fc.assert(
        fc.asyncProperty(steps, (given) => play(given, 1)),
        { numRuns: 40 },
      );
    });

    it('are counted exactly by two servers together', async () => {
      await fc.assert(
        fc.asyncProperty(steps, (given) => play(given, 2)),
        { numRuns: 40 },
      );
    });

    it('are counted exactly with hardly any room in memory', async () => {
      await fc.assert(
        fc.asyncProperty(steps, (given) => play(given, 2, 1)),
        { numRuns: 20 },
      );
    });

    it("are rated by both servers' observations once both have written", async () => {
      const licenseKey = mintLicenseKey();
      const now = systemClock();
      const tallies = [new ViolationTally(), new ViolationTally()];
      await storage.transaction((tx) => insertLicenses(unrecorded(tx), [aLicense({ licenseKey })], now));
      for (const [index, fingerprint] of ['a', 'b', 'c', 'd', 'e'].entries())
        await storage.transaction((tx) =>
          observe(tx, licenseKey, [limitMet(fingerprint)], tallies[index % 2]!, now + index),
        );
      const severity = async () => (await storage.read((sql) => listViolations(sql, licenseKey)))[0]?.severity;
      assert.equal(await severity(), 1);
      for (const tally of tallies) await writeRepeats(storage, tally, now + MINUTE_MS + 5, false);
      assert.equal(await severity(), 2);
      const row = await storage.read((sql) => sql.first<{ threat: number }>(findThreat, licenseKey));
      assert.equal(row?.threat, 2);
    });

    it('are not written again by calls that only repeat, until a minute is over', async () => {
      const licenseKey = mintLicenseKey();
      const now = systemClock();
      const tally = new ViolationTally();
      await storage.transaction((tx) => insertLicenses(unrecorded(tx), [aLicense({ licenseKey })], now));
      const writes = async (at: number) => {
        const names: string[] = [];
        await storage.transaction((tx) => observe(writing(tx, names), licenseKey, [limitMet('a')], tally, at));
        return names;
      };
      const opening = ['violation.insert', 'license.update_use', 'event.insert', 'event_feed.insert'];
      assert.deepEqual(await writes(now), opening);
      for (let second = 1; second < 60; second += 1) assert.deepEqual(await writes(now + second * 1000), []);
      assert.deepEqual(await writes(now + MINUTE_MS), ['violation.add']);
      assert.deepEqual(await writes(now + MINUTE_MS + 1), []);
      // Nor is one that another server wrote just now.
      const other = new ViolationTally();
      const names: string[] = [];
      await storage.transaction((tx) =>
        observe(writing(tx, names), licenseKey, [limitMet('a')], other, now + MINUTE_MS + 2),
      );
      assert.deepEqual(names, []);
    });

    it('get the repeats of a minute although no call comes any more', async () => {
      const licenseKey = mintLicenseKey();
      const now = systemClock();
      const tally = new ViolationTally();
      await storage.transaction((tx) => insertLicenses(unrecorded(tx), [aLicense({ licenseKey })], now));
      for (let times = 0; times < 5; times += 1)
        await storage.transaction((tx) => observe(tx, licenseKey, [limitMet('a')], tally, now));
      const occurrences = async () => (await storage.read((sql) => listViolations(sql, licenseKey)))[0]?.occurrences;
      await writeRepeats(storage, tally, now + MINUTE_MS - 1, false);
      assert.equal(await occurrences(), 1);
      await writeRepeats(storage, tally, now + MINUTE_MS, false);
      assert.equal(await occurrences(), 5);
      await writeRepeats(storage, tally, now + 3 * MINUTE_MS, false);
      assert.equal(await occurrences(), 5);
    });
  });

function limitMet(fingerprint: string): Observation {
  return { type: 'machine_limit', limit: 1, fingerprint, hostname: 'host' };
}

async function observe(
  tx: Tx,
  licenseKey: string,
  observations: readonly Observation[],
  tally: ViolationTally,
  now: number,
): Promise<void> {
  const [locked] = await lockLicenses(tx, [licenseKey]);
  assert.ok(locked);
  const changes = new LicenseChanges(locked, 0);
  for (const observation of observations)
    changes.observe(observation, { requestId: 'test', now, country: null, address: '192.0.2.1' });
  const collected = await collectViolations(tx, [changes], tally, now);
  await saveLicenses(tx, [changes.save(collected.get(licenseKey))], now);
}

/** Runs `work`, which `end` makes fail if it is to be aborted; returns whether it was committed. */
async function abortable(isAborted: boolean, work: (end: () => void) => Promise<void>): Promise<boolean> {
  const failure = new Error('aborted on purpose');
  try {
    await work(() => {
      if (isAborted) throw failure;
    });
    return true;
  } catch (error) {
    assert.equal(error, failure);
    return false;
  }
}

/** A storage whose transactions fail at their end. */
function failing(storage: Storage, end: () => void): Storage {
  return {
    ...storage,
    transaction: (work) =>
      storage.transaction(async (tx) => {
        const value = await work(tx);
        end();
        return value;
      }),
  };
}

/** The same transaction, which appends the names of its writing statements to a list. */
function writing(tx: Tx, names: string[]): Tx {
  return {
    all: (text, ...values) => tx.all(text, ...values),
    first: (text, ...values) => tx.first(text, ...values),
    run: (text: Statement, ...values) => {
      names.push(text.name);
      return tx.run(text, ...values);
    },
    runLast: (text, ...values) => {
      names.push(text.name);
      return tx.runLast(text, ...values);
    },
    publish: (topic, message) => tx.publish(topic, message),
    afterwards: (effect) => tx.afterwards(effect),
  };
}
