/** A clock may jump between two calls of a batch. Each call is dated by itself, or tidying would remove its event. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS, fromTimestamp, toTimestamp } from '../../../src/ground/base/clock.ts';
import { LicenseChanges } from '../../../src/licensing/client-endpoints/license-changes.ts';
import type { Activation } from '../../../src/licensing/machines/activation.ts';
import { aLicense } from '../../support/plain-license.ts';

const BELIEVED = fromTimestamp('2027-01-31T10:00:00.000Z');
const BEHIND = BELIEVED - 3 * 365 * DAY_MS;

/** As a service that sees its clock behind. */
const dates = { sessionNow: (now: number) => Math.max(now, BELIEVED), believableNow: () => null };

function machine(fingerprint: string): Activation {
  return {
    licenseKey: 'K',
    fingerprint,
    activationId: fingerprint,
    hostname: 'host',
    firstSeen: toTimestamp(BEHIND),
    lastSeen: toTimestamp(BEHIND),
    tokenExpiry: toTimestamp(BEHIND),
    sessionStarted: null,
    sessionDeadline: null,
    sessionDue: null,
    fileUntil: null,
    countries: [],
    lastCountry: null,
    user: null,
    userFolded: null,
  };
}

describe('the calls of a batch during which the clock jumps', () => {
  const floating = aLicense({ licenseType: 'floating', maxConcurrent: 2, maxMachines: 2 });

  for (const [when, changes] of [
    ['together', new LicenseChanges(floating, 0, dates)],
    ['one by one after the batch failed', new LicenseChanges(floating, 0, dates).undone()],
  ] as const)
    it(`are dated each by its own time when they are decided ${when}`, () => {
      const contextAt = (now: number) => ({ requestId: 'test', now, country: null, address: '192.0.2.1' });
      const early = changes.keep(machine('early'), contextAt(BEHIND), DAY_MS);
      changes.keep(machine('late'), contextAt(BELIEVED + 1), DAY_MS);
      const dated = changes.save().entries.map(({ subject, origin }) => [subject, origin.now]);
      assert.deepEqual(dated, [
        ['early', BELIEVED],
        ['late', BELIEVED + 1],
      ]);
      assert.equal(early.sessionDeadline, toTimestamp(BELIEVED + DAY_MS));
    });
});
