/** The cache of licenses that /verify reads. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { DAY_MS, MINUTE_MS, systemClock, toTimestamp } from '../../src/ground/base/clock.ts';
import { LicenseCache } from '../../src/licensing/client-endpoints/license-cache.ts';
import {
  daysRemaining,
  isWithin,
  type License,
  mintLicenseKey,
  statusAt,
  unchangedPeriod,
} from '../../src/licensing/licenses/license.ts';
import { aLicense } from '../support/plain-license.ts';

const MAXIMUM = 1000;
const now = systemClock();

const keys = (number: number) => Array.from({ length: number }, mintLicenseKey);

function remember(
  memory: LicenseCache,
  licenseKey: string,
  fields: Partial<License> = {},
  lapse: number | null = null,
) {
  const nextLapse = lapse === null ? null : toTimestamp(lapse);
  memory.remember({ license: aLicense({ licenseKey, ...fields }), nextLapse });
}

function countKnown(memory: LicenseCache, licenseKeys: readonly string[]): number {
  return licenseKeys.filter((key) => memory.recall(key, now)?.license.licenseKey === key).length;
}

describe('the cache of licenses', () => {
  it('keeps each license while there is room, as it was read last', () => {
    const memory = new LicenseCache(MAXIMUM);
    const kept = keys(MAXIMUM);
    for (const key of kept) remember(memory, key);
    assert.equal(countKnown(memory, kept), MAXIMUM);
    const [first] = kept as [string];
    remember(memory, first, { maxMachines: 77 });
    assert.equal(memory.recall(first, now)?.license.maxMachines, 77);
  });

  it('never keeps more than its maximum', () => {
    const memory = new LicenseCache(MAXIMUM);
    const asked = keys(MAXIMUM * 2);
    for (let times = 0; times < 3; times += 1) for (const key of asked) remember(memory, key);
    assert.ok(countKnown(memory, asked) <= MAXIMUM);
  });

  it('keeps its licenses when any number of others are requested once', () => {
    const memory = new LicenseCache(MAXIMUM);
    const kept = keys(MAXIMUM);
    for (const key of kept) remember(memory, key);
    for (const key of keys(MAXIMUM * 10)) remember(memory, key);
    // One in twenty shares its mark with another and is taken for asked for again.
    assert.ok(countKnown(memory, kept) > MAXIMUM / 4, `${countKnown(memory, kept)} are left`);
  });

  it('makes room for licenses requested again', () => {
    const memory = new LicenseCache(MAXIMUM);
    for (const key of keys(MAXIMUM)) remember(memory, key);
    const risen = keys(MAXIMUM / 2);
    for (const key of risen) remember(memory, key);
    assert.ok(countKnown(memory, risen) < risen.length / 2);
    for (const key of risen) remember(memory, key);
    assert.equal(countKnown(memory, risen), risen.length);
  });

  it('keeps requested licenses while unrequested ones make room', () => {
    const memory = new LicenseCache(MAXIMUM);
    const kept = keys(MAXIMUM);
    for (const key of kept) remember(memory, key);
    const liked = kept.filter((_, index) => index % 20 === 0);
    for (let times = 0; times < 30; times += 1) {
      assert.equal(countKnown(memory, liked), liked.length);
      // Requested twice, so that they are admitted.
      for (const key of keys(MAXIMUM / 10)) for (const _ of [1, 2]) remember(memory, key);
    }
    assert.equal(memory.size, MAXIMUM);
    assert.equal(countKnown(memory, kept), liked.length);
  });

  it('finds room though each license that it has was asked for', () => {
    const memory = new LicenseCache(MAXIMUM);
    const kept = keys(MAXIMUM);
    for (const key of kept) remember(memory, key);
    const risen = keys(MAXIMUM * 3);
    for (const key of risen) {
      countKnown(memory, kept);
      for (const _ of [1, 2]) remember(memory, key);
      assert.equal(memory.recall(key, now)?.license.licenseKey, key);
    }
    assert.equal(memory.size, MAXIMUM);
  });

  it('forgets licenses that a commit changed, even frequent ones', () => {
    const memory = new LicenseCache(MAXIMUM);
    const [touched, other] = keys(2) as [string, string];
    for (const key of [touched, other, touched]) remember(memory, key);
    memory.forget([touched]);
    assert.equal(memory.recall(touched, now), undefined);
    assert.equal(memory.recall(other, now)?.license.licenseKey, other);
  });

  it('does not answer from the moment on at which a floating session may lapse', () => {
    const memory = new LicenseCache(MAXIMUM);
    const [key] = keys(1) as [string];
    remember(memory, key, {}, now + MINUTE_MS);
    assert.equal(memory.recall(key, now + MINUTE_MS - 1)?.license.licenseKey, key);
    assert.equal(memory.recall(key, now + MINUTE_MS), undefined);
  });

  it('keeps no reply to a license that was read again', () => {
    const memory = new LicenseCache(MAXIMUM);
    const [key] = keys(1) as [string];
    remember(memory, key);
    memory.recall(key, now)!.reply = { text: '{}', productId: 'app', period: unchangedPeriod(null, now) };
    assert.equal(memory.recall(key, now)?.reply?.text, '{}');
    remember(memory, key, { maxMachines: 77 });
    assert.equal(memory.recall(key, now)?.reply, null);
  });

  it('keeps no license that unlocks so much that it takes the room of many', () => {
    const memory = new LicenseCache(MAXIMUM);
    const [key] = keys(1) as [string];
    remember(memory, key, { unlockedProducts: Array.from({ length: 100 }, (_, index) => `product-${index}`) });
    assert.equal(memory.recall(key, now), undefined);
  });
});

describe('the period of a reply', () => {
  const remaining = fc.oneof(
    fc.integer({ min: 1, max: 1000 * DAY_MS }),
    fc.integer({ min: 1, max: 1000 }).map((days) => days * DAY_MS),
  );

  it('ends with the present day of those that remain, and begins with it', () => {
    fc.assert(
      fc.property(remaining, (remainingMs) => {
        const expiresAt = toTimestamp(now + remainingMs);
        const period = unchangedPeriod(expiresAt, now);
        const { from, until } = period;
        assert.ok(from !== null && until !== null && isWithin(period, now));
        const at = (moment: number) => [
          daysRemaining(expiresAt, moment),
          statusAt({ revocation: null, expiresAt, graceDays: 0 }, moment),
        ];
        for (const moment of [from, until - 1]) assert.deepEqual(at(moment), at(now));
        for (const moment of [from - 1, until]) {
          assert.notDeepEqual(at(moment), at(now));
          assert.equal(isWithin(period, moment), false);
        }
      }),
    );
  });

  it('has no end for a license without one', () => {
    for (const moment of [0, now, now + 1000 * DAY_MS]) assert.ok(isWithin(unchangedPeriod(null, now), moment));
  });
});
