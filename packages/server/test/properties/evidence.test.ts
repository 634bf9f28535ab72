/** The evidence of violations is short for any input, and still distinguishes machines (rules 2.3). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { DAY_MS, MINUTE_MS } from '../../src/ground/base/clock.ts';
import type { Observation } from '../../src/licensing/violations/observation.ts';
import { gather, merged, type Violation } from '../../src/licensing/violations/violation.ts';

const KIBIBYTE = 1024;

/** Names of every kind: long, of characters that take much room, alike at their beginning. */
const unit = fc.constantFrom('a', ' ', '"', '\\', '\u0001', 'ä', '𝄞', '\u2028');
const name = fc.oneof(
  fc.string({ unit, minLength: 1, maxLength: 255, size: 'max' }),
  fc.tuple(fc.constantFrom('x', '\u0001', '𝄞'), fc.nat(40)).map(([start, end]) => `${start.repeat(240)}${end}`),
);
const machine = { fingerprint: name, hostname: name };
const country = fc.string({ unit: fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'), minLength: 2, maxLength: 2 });
const observation: fc.Arbitrary<Observation> = fc.oneof(
  fc.record({ type: fc.constant('machine_limit' as const), limit: fc.integer({ min: 1, max: 1e9 }), ...machine }),
  fc.record({ type: fc.constant('activation_rate' as const), ...machine }),
  fc.record({
    type: fc.constant('token_replay' as const),
    shownBy: name,
    tokenOf: fc.constantFrom('another machine' as const, 'another license' as const),
    endpoint: fc.constant('/deactivate'),
  }),
  fc.record({ type: fc.constant('country_spread' as const), countries: fc.uniqueArray(country, { maxLength: 60 }) }),
);
const history = fc.array(fc.tuple(observation, fc.nat(MINUTE_MS)), { minLength: 1, maxLength: 120, size: 'max' });

/** The open violations of a license after these observations, by type. */
function gatherAll(observations: readonly (readonly [Observation, number])[]): Map<string, Violation> {
  const open = new Map<string, Violation>();
  let now = DAY_MS;
  for (const [each, later] of observations) {
    now += later;
    open.set(each.type, gather(open.get(each.type), each, 'K', now));
  }
  return open;
}

const bytesOf = (all: Iterable<Violation>) =>
  [...all].reduce((sum, { evidence }) => sum + Buffer.byteLength(JSON.stringify(evidence)), 0);

interface MachineSeen {
  readonly fingerprint: string;
  readonly hostname?: string;
  readonly hash?: string;
}
const machinesOf = ({ evidence }: Violation) => (evidence.machines ?? []) as readonly MachineSeen[];

function assertShort(all: Iterable<Violation>): void {
  for (const violation of all) {
    for (const { fingerprint, hostname = '' } of machinesOf(violation)) {
      assert.ok([...fingerprint].length <= 100 && [...hostname].length <= 100);
      assert.ok(fingerprint.isWellFormed() && hostname.isWellFormed());
    }
    assert.ok(machinesOf(violation).length <= 20);
    assert.ok(((violation.evidence.countries ?? []) as unknown[]).length <= 20);
  }
  assert.ok(bytesOf(all) <= 16 * KIBIBYTE, `${bytesOf(all)} bytes`);
}

describe('the evidence of all collected violations of a license', () => {
  it('is 16 KiB at most, its names 100 characters, its lists 20 entries', () => {
    fc.assert(fc.property(history, (observations) => assertShort(gatherAll(observations).values())));
  });

  it('is as short when what two servers collected comes together', () => {
    fc.assert(
      fc.property(history, history, (one, other) => {
        const [first, second] = [gatherAll(one), gatherAll(other)];
        const all = new Map([...first, ...second]);
        for (const [type, violation] of first) {
          const beside = second.get(type);
          if (beside !== undefined) all.set(type, merged(violation, beside, DAY_MS));
        }
        assertShort(all.values());
      }),
    );
  });

  it('holds twenty machines whose names have a hundred letters', () => {
    const observations = Array.from({ length: 25 }, (_, index): readonly [Observation, number] => [
      { type: 'machine_limit', limit: 2, fingerprint: `${index}`.padEnd(100, 'f'), hostname: 'h'.repeat(255) },
      1,
    ]);
    const machines = machinesOf(gatherAll(observations).get('machine_limit')!);
    assert.equal(machines.length, 20);
    assert.equal(machines[0]?.fingerprint, '24'.padEnd(100, 'f'));
    assert.equal(machines[0]?.hostname, 'h'.repeat(100));
  });

  it('holds the latest five machines, which make machine_limit more severe, beside long facts of an import', () => {
    const sevenMachines = Array.from({ length: 7 }, (_, index): readonly [Observation, number] => [
      { type: 'machine_limit', limit: 2, fingerprint: `${index}`, hostname: 'Laptop' },
      1,
    ]);
    const collected = gatherAll(sevenMachines).get('machine_limit')!;
    const imported = { ...collected, severity: 1, evidence: { note: 'n'.repeat(16 * KIBIBYTE) } };
    const violation = merged(imported, { ...collected, severity: 1 }, DAY_MS);
    assert.deepEqual(
      machinesOf(violation).map(({ fingerprint }) => fingerprint),
      ['6', '5', '4', '3', '2'],
    );
    assert.equal(violation.severity, 2);
  });

  it('cuts what an older version kept at full length', () => {
    const long = 'f'.repeat(255);
    const open = gatherAll([[{ type: 'activation_rate', fingerprint: 'a', hostname: 'a' }, 1]]).get('activation_rate')!;
    const stored = {
      ...open,
      evidence: {
        machines: Array.from({ length: 20 }, (_, index) => ({
          fingerprint: `${index} ${long}`,
          hostname: long,
          lastSeen: '',
        })),
      },
    };
    assertShort([gather(stored, { type: 'activation_rate', fingerprint: 'b', hostname: 'b' }, 'K', DAY_MS)]);
    assertShort([merged(stored, open, DAY_MS)]);
  });
});

describe('machines whose names begin alike', () => {
  it('are distinguished in the evidence, and five of them make machine_limit more severe', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(9), { minLength: 1, maxLength: 40 }), (indexes) => {
        const observations = indexes.map((index): readonly [Observation, number] => [
          {
            type: 'machine_limit',
            limit: 1,
            fingerprint: `${'\u0001'.repeat(200)}${index}`,
            hostname: '𝄞'.repeat(255),
          },
          1,
        ]);
        const violation = gatherAll(observations).get('machine_limit')!;
        const different = new Set(indexes).size;
        assert.equal(violation.severity, different >= 5 ? 2 : 1);
        assert.equal(new Set(machinesOf(violation).map(({ hash }) => hash)).size, machinesOf(violation).length);
        assert.ok(machinesOf(violation).length >= Math.min(5, different));
      }),
    );
  });
});
