/** Violations: which observations are counted together, how severe they are, and that they stay small (rules 2.3). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { DAY_MS, fromTimestamp, HOUR_MS } from '../../src/ground/base/clock.ts';
import type { Observation } from '../../src/licensing/violations/observation.ts';
import { gather, sightCountry, type Violation } from '../../src/licensing/violations/violation.ts';
import { WaitingMachines } from '../../src/licensing/violations/waiting-machines.ts';

const name = fc.integer({ min: 1, max: 40 }).map(String);
const machine = { fingerprint: name, hostname: name };

const machineLimit: fc.Arbitrary<Observation> = fc.record({
  type: fc.constant('machine_limit'),
  limit: fc.integer({ min: 1, max: 9 }),
  ...machine,
});
const ofOneType: readonly fc.Arbitrary<Observation>[] = [
  machineLimit,
  fc.record({ type: fc.constant('activation_rate'), ...machine }),
  fc.record({
    type: fc.constant('token_replay'),
    shownBy: name,
    tokenOf: fc.constantFrom('another machine', 'another license'),
    endpoint: fc.constantFrom('/validate', '/heartbeat'),
  }),
  fc.record({
    type: fc.constant('country_spread'),
    countries: fc.uniqueArray(fc.constantFrom('AT', 'BE', 'CH', 'DE', 'ES', 'FR', 'IT'), { minLength: 3 }),
  }),
];
/** Observations of one type, each some time after the one before. */
const history = fc
  .constantFrom(...ofOneType)
  .chain((observation) => fc.array(fc.tuple(observation, fc.nat(2 * DAY_MS)), { minLength: 1, maxLength: 60 }));

function gatherAll(observations: readonly (readonly [Observation, number])[]): Violation[] {
  let open: Violation | undefined;
  let now = DAY_MS;
  return observations.map(([observation, later]) => {
    now += later;
    open = gather(open, observation, 'K', now);
    return open;
  });
}

describe('a violation that gathers observations', () => {
  it('stays one record, counts them all, and spans from the first to the last', () => {
    fc.assert(
      fc.property(history, (observations) => {
        const stages = gatherAll(observations);
        const last = stages.at(-1)!;
        assert.equal(new Set(stages.map(({ violationId }) => violationId)).size, 1);
        assert.equal(last.occurrences, observations.length);
        assert.equal(last.firstSeen, stages[0]?.lastSeen);
        assert.equal(last.type, observations[0]?.[0].type);
        assert.ok(stages.every(({ resolvedAt }) => resolvedAt === null));
      }),
    );
  });

  it('never gets milder, and never as grave as a refund', () => {
    fc.assert(
      fc.property(history, (observations) => {
        let mostSevere = 1;
        for (const { severity } of gatherAll(observations)) {
          assert.ok(severity >= mostSevere && severity <= 3);
          mostSevere = severity;
        }
      }),
    );
  });

  it('keeps evidence of a bounded size, the newest machine first and none twice', () => {
    fc.assert(
      fc.property(history, (observations) => {
        for (const [index, { evidence }] of gatherAll(observations).entries()) {
          assert.ok(JSON.stringify(evidence).length < 2500);
          const machines = evidence.machines as { fingerprint: string }[] | undefined;
          if (machines === undefined) continue;
          const [observation] = observations[index]!;
          const seen =
            observation.type === 'token_replay'
              ? observation.shownBy
              : 'fingerprint' in observation && observation.fingerprint;
          assert.equal(machines[0]?.fingerprint, seen);
          assert.ok(machines.length <= 20);
          assert.equal(new Set(machines.map(({ fingerprint }) => fingerprint)).size, machines.length);
        }
      }),
    );
  });

  it('of too many machines is more severe exactly once five different ones came within a day', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(machineLimit, fc.nat(DAY_MS / 2)), { maxLength: 30 }), (observations) => {
        let now = DAY_MS;
        const seenAt = new Map<string, number>();
        let isSevere = false;
        const stages = gatherAll(observations);
        for (const [index, [observation, later]] of observations.entries()) {
          now += later;
          assert.ok(observation.type === 'machine_limit');
          seenAt.set(observation.fingerprint, now);
          isSevere ||= [...seenAt.values()].filter((at) => at > now - DAY_MS).length >= 5;
          assert.equal(stages[index]?.severity, isSevere ? 2 : 1);
        }
      }),
    );
  });
});

describe('the machines that wait for a seat', () => {
  it('are remembered for 4,096 licenses; then the license that waited longest ago is forgotten', () => {
    const waiting = new WaitingMachines();
    const wait = (license: number, fingerprint: string) =>
      waiting.add(
        { licenseKey: String(license), email: 'owner@example.com' },
        { type: 'machine_limit', limit: 1, fingerprint, hostname: 'pc' },
        DAY_MS,
      );
    for (let license = 0; license < 4_096; license += 1)
      for (const fingerprint of ['one', 'two', 'three', 'four']) assert.equal(wait(license, fingerprint), false);
    assert.equal(wait(0, 'five'), true);
    wait(4_096, 'one');
    assert.equal(wait(1, 'five'), false);
    assert.equal(wait(0, 'five'), true);
  });
});

describe('the countries of a license', () => {
  const country = fc.constantFrom('AT', 'BE', 'CH', 'DE', 'ES', 'FR');
  const sightings = fc.array(fc.tuple(country, fc.oneof(fc.nat(HOUR_MS), fc.nat(DAY_MS))), { maxLength: 40 });

  /** Sights countries in order, and records every sighting. */
  function sightAll(given: readonly (readonly [string, number])[]) {
    let countriesSeen: Readonly<Record<string, string>> = {};
    let now = DAY_MS;
    const all: { country: string; at: number }[] = [];
    return given.map(([seen, later]) => {
      now += later;
      const before = { countriesSeen, all: [...all] };
      const { spread, ...after } = sightCountry(countriesSeen, seen, now);
      countriesSeen = after.countriesSeen;
      all.push({ country: seen, at: now });
      return { now, seen, before, countriesSeen, spread, all: [...all] };
    });
  }

  it('are those of the last day, each remembered to within an hour', () => {
    fc.assert(
      fc.property(sightings, (given) => {
        for (const { now, countriesSeen, all, seen } of sightAll(given)) {
          assert.ok(seen in countriesSeen);
          for (const [each, at] of Object.entries(countriesSeen)) {
            const last = all.findLast((sighting) => sighting.country === each)?.at ?? Number.NaN;
            assert.ok(fromTimestamp(at) <= last && last - fromTimestamp(at) < HOUR_MS, `${each} at ${at}, now ${now}`);
          }
        }
      }),
    );
  });

  it('are a spread when a country new to the day makes three or more, and are reported once', () => {
    fc.assert(
      fc.property(sightings, (given) => {
        for (const { now, seen, before, spread } of sightAll(given)) {
          const isIn = (at: string | undefined) => at !== undefined && fromTimestamp(at) > now - DAY_MS;
          const others = Object.entries(before.countriesSeen)
            .filter(([, at]) => isIn(at))
            .map(([each]) => each);
          const isNew = !others.includes(seen);
          const expected = isNew && others.length >= 2 ? [...others, seen].sort() : null;
          assert.deepEqual(spread, expected);
        }
      }),
    );
  });

  it('are not written again within an hour of the same country', () => {
    fc.assert(
      fc.property(country, fc.nat(HOUR_MS - 1), (seen, later) => {
        const first = sightCountry({}, seen, DAY_MS);
        const again = sightCountry(first.countriesSeen, seen, DAY_MS + later);
        assert.equal(again.countriesSeen, first.countriesSeen);
        assert.equal(again.spread, null);
      }),
    );
  });
});
