/** Which conditions the operator is told of, and when: the pure rule. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/ground/base/clock.ts';
import { type Condition, decideRound, type KnownCondition } from '../../../src/insight/operator-notices/condition.ts';
import { conditionsOf } from '../../../src/insight/operator-notices/note-node.ts';
import { isSpike, usualCount, usualHours, watchedHours } from '../../../src/insight/operator-notices/refusals-spike.ts';

const START = Date.parse('2026-11-28T21:30:00.000Z');
const ROUND_MS = 5 * MINUTE_MS;

const about = (subject: string, more: Partial<Condition> = {}): Condition => ({
  ...{ kind: 'destination_failing', subject, stage: 0, facts: {} },
  ...more,
});

/** Rounds one after the other; `told` holds the news of each, as `what subject`. */
class Rounds {
  now = START;
  known: readonly KnownCondition[] = [];

  look(present: readonly Condition[], { after = ROUND_MS, mayTell = true } = {}): readonly string[] {
    this.now += after;
    const { saved, removed, news } = decideRound(this.known, present, mayTell, this.now);
    const id = ({ kind, subject }: Condition) => `${kind} ${subject}`;
    const changed = new Set([...saved, ...removed].map(id));
    this.known = [...this.known.filter((each) => !changed.has(id(each))), ...saved];
    return news.map(({ what, subject }) => `${what} ${subject}`);
  }

  /** The news of rounds at the usual interval for some time. */
  lookFor(milliseconds: number, present: () => readonly Condition[]): readonly string[] {
    const told: string[] = [];
    for (const end = this.now + milliseconds; this.now < end; ) told.push(...this.look(present()));
    return told;
  }
}

describe('the rule of notices', () => {
  it('tells when a condition begins, after a day, once a week from then on, and when it ends', () => {
    const rounds = new Rounds();
    assert.deepEqual(rounds.look([]), []);
    assert.deepEqual(rounds.look([about('a')]), ['began a']);
    assert.deepEqual(
      rounds.lookFor(DAY_MS - ROUND_MS, () => [about('a')]),
      [],
    );
    assert.deepEqual(rounds.look([about('a')]), ['lasts a']);
    assert.deepEqual(
      rounds.lookFor(7 * DAY_MS, () => [about('a')]),
      ['lasts a'],
    );
    assert.deepEqual(rounds.look([]), ['ended a']);
    assert.deepEqual(
      rounds.lookFor(2 * DAY_MS, () => []),
      [],
    );
    assert.deepEqual(rounds.known, [], 'nothing is left of it');
    assert.deepEqual(rounds.look([about('a')]), ['began a']);
  });

  it('tells of a condition that comes and goes twice a day at most', () => {
    const rounds = new Rounds();
    let isOn = false;
    const told = rounds.lookFor(3 * DAY_MS, () => {
      isOn = !isOn;
      return isOn ? [about('a')] : [];
    });
    assert.ok(told.length >= 4 && told.length <= 7, told.join());
    assert.deepEqual(told.slice(0, 2), ['began a', 'ended a']);
  });

  it('names every condition of a kind in its reminder', () => {
    const rounds = new Rounds();
    rounds.look([about('a')]);
    assert.deepEqual(rounds.look([about('a'), about('b')], { after: 20 * HOUR_MS }), ['began b']);
    assert.deepEqual(rounds.look([about('a'), about('b')], { after: 4 * HOUR_MS }), ['lasts a', 'lasts b']);
    assert.deepEqual(rounds.look([about('a'), about('b')], { after: 23 * HOUR_MS }), []);
  });

  it('tells of a graver stage at once, and does not remind of certificates', () => {
    const rounds = new Rounds();
    const certificate = (stage: number) => [about('c', { kind: 'certificate_ending', stage })];
    assert.deepEqual(rounds.look(certificate(1)), ['began c']);
    assert.deepEqual(rounds.look(certificate(1), { after: 9 * DAY_MS }), []);
    assert.deepEqual(rounds.look(certificate(2), { mayTell: false }), []);
    assert.deepEqual(rounds.look(certificate(2)), ['began c']);
    assert.deepEqual(rounds.look(certificate(3)), ['began c']);
    assert.deepEqual(rounds.look(certificate(3)), []);
  });

  it('tells later of news that may not be told now, also of an end', () => {
    const rounds = new Rounds();
    const silent = { mayTell: false };
    assert.deepEqual(rounds.look([about('a'), about('short')], silent), []);
    assert.deepEqual(rounds.look([about('a')]), ['began a'], 'the other one is over');
    assert.deepEqual(rounds.look([], silent), []);
    assert.deepEqual(rounds.look([]), ['ended a']);
    // An end that nobody heard of is none if the condition is back.
    rounds.look([about('b')]);
    assert.deepEqual(rounds.look([], silent), []);
    assert.deepEqual(rounds.look([about('b')]), []);
  });

  it('goes on after a clock that was ahead', () => {
    const rounds = new Rounds();
    rounds.look([about('a')], { after: 365 * DAY_MS });
    assert.deepEqual(rounds.look([about('a')], { after: -365 * DAY_MS }), []);
    assert.deepEqual(rounds.look([about('a')], { after: DAY_MS }), ['lasts a']);
  });
});

describe('the conditions of a node', () => {
  const report = { hostname: 'licenses-1', certificate: null, lastBackupAt: null };
  const ending = (days: number) => {
    const certificate = { name: 'licenses.example.com', endsAt: START + days * DAY_MS, isSelfSigned: false };
    return conditionsOf({ ...report, certificate }, START).map(({ kind, stage }) => [kind, stage]);
  };

  it('are none without a certificate and without a known backup', () => {
    assert.deepEqual(conditionsOf(report, START), []);
  });

  it('grow graver 14 days and 3 days before the end of the certificate, and at its end', () => {
    assert.deepEqual(ending(14.01), []);
    for (const [days, stage] of [
      [14, 1],
      [3.01, 1],
      [3, 2],
      [0.01, 2],
      [0, 3],
      [-40, 3],
    ] as const)
      assert.deepEqual(ending(days), [['certificate_ending', stage]], `${days} days`);
  });

  it('include a backup that is older than 36 hours', () => {
    const aged = (milliseconds: number) =>
      conditionsOf({ ...report, lastBackupAt: START - milliseconds }, START).length;
    assert.deepEqual([aged(36 * HOUR_MS), aged(36 * HOUR_MS + 1)], [0, 1]);
  });
});

describe('a spike of refusals', () => {
  it('is 50 refusals in an hour and five times the median of this hour on 13 days', () => {
    assert.deepEqual(
      [isSpike(49, 0), isSpike(50, 0), isSpike(50, 10), isSpike(50, 11), isSpike(1_000, 201)],
      [...[false, true, true, false], false],
    );
    // Six bad days do not make a rule.
    assert.equal(usualCount([...Array(7).fill(4), ...Array(6).fill(900)]), 4);
    assert.equal(usualCount(Array(13).fill(0)), 0);
  });

  it('is looked for in the running hour and the one before it', () => {
    const at = (hours: readonly number[]) => hours.map((hour) => new Date(hour).toISOString());
    assert.deepEqual(at(watchedHours(START)), ['2026-11-28T20:00:00.000Z', '2026-11-28T21:00:00.000Z']);
    const usual = at(usualHours(Date.parse('2026-11-28T21:00:00.000Z')));
    assert.deepEqual(
      [usual.length, usual[0], usual.at(-1)],
      [13, '2026-11-27T21:00:00.000Z', '2026-11-15T21:00:00.000Z'],
    );
  });
});
