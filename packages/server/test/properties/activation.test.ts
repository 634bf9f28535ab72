/** A machine's signs of life and its floating session. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { DAY_MS, toTimestamp } from '../../src/ground/base/clock.ts';
import { newActivation } from '../../src/licensing/client-endpoints/license-changes.ts';
import { type Activation, isSessionLive, seenAt, withLiveSession } from '../../src/licensing/machines/activation.ts';
import { aLicense } from '../support/plain-license.ts';
import { moment } from './arbitraries.ts';

const bound = (now: number): Activation => newActivation(aLicense({}), 'machine', 'host', 'id', now);
const timeout = fc.integer({ min: 1, max: DAY_MS });

describe('a floating session', () => {
  it('is live from its sign of life until the timeout has passed, to the millisecond', () => {
    fc.assert(
      fc.property(moment, timeout, (now, timeoutMs) => {
        const session = withLiveSession(bound(now), now, timeoutMs);
        assert.ok(isSessionLive(session, now));
        assert.ok(isSessionLive(session, now + timeoutMs - 1));
        assert.ok(!isSessionLive(session, now + timeoutMs));
      }),
    );
  });

  it('keeps its beginning while signs of life move its end', () => {
    fc.assert(
      fc.property(moment, timeout, fc.array(fc.nat(DAY_MS)), (now, timeoutMs, laters) => {
        let session = withLiveSession(bound(now), now, timeoutMs);
        let at = now;
        for (const later of laters) {
          at += later;
          session = withLiveSession(session, at, timeoutMs);
        }
        assert.equal(session.sessionStarted, toTimestamp(now));
        assert.equal(session.sessionDeadline, toTimestamp(at + timeoutMs));
      }),
    );
  });

  it('is looked at before its end at the latest, and put off by no sign of life', () => {
    const signs = fc.array(fc.record({ later: fc.nat(DAY_MS), timeoutMs: timeout }), { minLength: 1 });
    fc.assert(
      fc.property(moment, timeout, signs, (now, timeoutMs, laters) => {
        let session = withLiveSession(bound(now), now, timeoutMs);
        let at = now;
        for (const { later, timeoutMs: changed } of laters) {
          at += later;
          const before = session;
          session = withLiveSession(session, at, changed);
          assert.ok(session.sessionDue! <= session.sessionDeadline!);
          assert.ok(session.sessionDue! <= before.sessionDue!);
          // Kept wherever possible: the column is indexed, and signs of life are frequent.
          if (session.sessionDeadline! >= before.sessionDue!) assert.equal(session.sessionDue, before.sessionDue);
        }
      }),
    );
  });

  it('is none on a machine that has not begun one, and begins at its sign of life', () => {
    fc.assert(
      fc.property(moment, fc.nat(DAY_MS), timeout, (now, later, timeoutMs) => {
        assert.ok(!isSessionLive(bound(now), now));
        assert.equal(withLiveSession(bound(now), now + later, timeoutMs).sessionStarted, toTimestamp(now + later));
      }),
    );
  });
});

describe('a sign of life', () => {
  it('remembers each country once, in the order they were first seen, and the last', () => {
    const country = fc.option(fc.constantFrom('AT', 'BE', 'CH'));
    fc.assert(
      fc.property(fc.array(country), moment, (countries, now) => {
        const seen = countries.reduce((machine, each) => seenAt(machine, now, each), bound(now));
        const known = countries.filter((each) => each !== null);
        assert.deepEqual(seen.countries, [...new Set(known)]);
        assert.equal(seen.lastCountry, known.at(-1) ?? null);
        assert.equal(seen.lastSeen, toTimestamp(now));
      }),
    );
  });
});
