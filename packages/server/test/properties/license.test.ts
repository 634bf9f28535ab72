/** The rules of a license: status, products, slots, days. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { DAY_MS, toTimestamp } from '../../src/ground/base/clock.ts';
import { licenseAfter } from '../../src/licensing/licenses/change.ts';
import {
  coversProduct,
  daysRemaining,
  hasFreeSlot,
  type License,
  mintLicenseKey,
  REVOCATIONS,
  slotLimit,
  slotsUsed,
  statusAt,
  stricterRevocation,
  UNLIMITED_MACHINES,
} from '../../src/licensing/licenses/license.ts';
import {
  REVOCATION_REASONS,
  type RevocationReason,
  reinstatementOf,
  resolutionOf,
  revocationOf,
} from '../../src/licensing/licenses/revocation.ts';
import { LICENSE_TYPES } from '../../src/licensing/products/license-type.ts';
import { type ReportedType, reported } from '../../src/licensing/violations/violation.ts';
import { aLicense } from '../support/plain-license.ts';
import { license, moment } from './arbitraries.ts';

const revocation = fc.constantFrom(...REVOCATIONS);
const revocationOrNone = fc.option(revocation);
const reason = fc.option(fc.constantFrom(...REVOCATION_REASONS), { nil: undefined });

describe('the status of a license', () => {
  it('is revoked with a revocation, at any time', () => {
    fc.assert(
      fc.property(revocation, fc.option(moment), moment, (why, expiry, now) => {
        const expiresAt = expiry === null ? null : toTimestamp(expiry);
        assert.equal(statusAt({ revocation: why, expiresAt, graceDays: 0 }, now), 'revoked');
      }),
    );
  });

  it('changes from active to expired at the moment of expiry and never back', () => {
    fc.assert(
      fc.property(moment, fc.nat(400 * DAY_MS), (expiry, distance) => {
        const unrevoked = { revocation: null, expiresAt: toTimestamp(expiry), graceDays: 0 };
        assert.equal(statusAt(unrevoked, expiry - distance - 1), 'active');
        assert.equal(statusAt(unrevoked, expiry), 'expired');
        assert.equal(statusAt(unrevoked, expiry + distance), 'expired');
      }),
    );
  });

  it('of a perpetual license is active for ever', () => {
    fc.assert(
      fc.property(moment, (now) =>
        assert.equal(statusAt({ revocation: null, expiresAt: null, graceDays: 0 }, now), 'active'),
      ),
    );
  });

  it('agrees with the days that remain: none exactly when it has expired', () => {
    fc.assert(
      fc.property(moment, moment, (expiry, now) => {
        const expiresAt = toTimestamp(expiry);
        const isExpired = statusAt({ revocation: null, expiresAt, graceDays: 0 }, now) === 'expired';
        const days = daysRemaining(expiresAt, now);
        assert.equal(days === 0, isExpired);
        assert.ok(
          days !== null && (isExpired || (days * DAY_MS >= expiry - now && (days - 1) * DAY_MS < expiry - now)),
        );
      }),
    );
  });
});

describe('two revocations', () => {
  it('come to the same in either order', () => {
    fc.assert(
      fc.property(revocation, revocation, (one, other) => {
        assert.equal(stricterRevocation(one, other), stricterRevocation(other, one));
      }),
    );
  });

  it('come to the same however three are grouped', () => {
    fc.assert(
      fc.property(revocationOrNone, revocation, revocation, (one, two, three) => {
        assert.equal(
          stricterRevocation(stricterRevocation(one, two), three),
          stricterRevocation(one, stricterRevocation(two, three)),
        );
      }),
    );
  });

  it('of one kind are that kind, and the first of all is itself', () => {
    for (const each of REVOCATIONS) {
      assert.equal(stricterRevocation(each, each), each);
      assert.equal(stricterRevocation(null, each), each);
    }
  });
});

const revoked = (license: License, why: RevocationReason | undefined) =>
  licenseAfter(license, revocationOf(license, why, {}, 0));

/** A violation of a severity that is open while others are resolved. */
const open = (severity: number) => ({ ...reported('fraud' satisfies ReportedType, {}, 'K', 0), severity });
const resolved = (license: License, level: number, staysRevoked = false) => {
  const one = { ...open(4), violationId: 'one' };
  return licenseAfter(
    license,
    resolutionOf(license, level === 0 ? [one] : [one, open(level)], ['one', 'another'], staysRevoked),
  );
};
const reinstated = (license: License) => licenseAfter(license, reinstatementOf([]));

describe('a history of revocations', () => {
  it('is a chargeback for good once there was one, until reinstatement', () => {
    fc.assert(
      fc.property(license, fc.array(reason), fc.array(reason), fc.nat(4), (start, before, after, level) => {
        let now = start;
        for (const each of [...before, 'chargeback' as const, ...after]) now = revoked(now, each);
        now = resolved(now, level);
        assert.equal(now.revocation, 'chargeback');
        assert.equal(now.disputeReason, 'chargeback');
        const again = reinstated(now);
        assert.equal(statusAt({ ...again, expiresAt: null }, 0), 'active');
        assert.equal(again.disputeReason, null);
      }),
    );
  });

  it('is undone by resolving exactly when nothing but refunds and fraud led to it and nothing grave stays open', () => {
    fc.assert(
      fc.property(fc.array(reason, { minLength: 1 }), fc.nat(4), (reasons, level) => {
        const fallen = reasons.reduce<License>(revoked, aLicense({ revocation: null, disputeReason: null }));
        const isLifted = level < 4 && reasons.every((each) => each === 'refund' || each === 'fraud');
        assert.equal(resolved(fallen, level).revocation === null, isLifted);
        assert.equal(resolved(fallen, level).threatLevel, level);
        assert.equal(resolved(fallen, level, true).revocation, fallen.revocation);
        assert.equal(resolved(fallen, level, true).threatLevel, level);
      }),
    );
  });

  it('leaves everything that is not about its status as it was', () => {
    fc.assert(
      fc.property(license, reason, (start, why) => {
        const { revocation: _one, disputeReason: _two, threatLevel: _three, ...rest } = start;
        assert.deepEqual(
          { ...reinstated(revoked(start, why)), ...rest },
          { ...rest, revocation: null, disputeReason: null, threatLevel: 0 },
        );
      }),
    );
  });
});

describe('slots', () => {
  it('are free exactly while fewer are used than there are, or without a limit', () => {
    fc.assert(
      fc.property(license, (any) => {
        const limit = slotLimit(any);
        assert.equal(hasFreeSlot(any), limit === UNLIMITED_MACHINES || slotsUsed(any) < limit);
        assert.ok(limit === any.maxMachines || (any.licenseType === 'floating' && limit === any.maxConcurrent));
      }),
    );
  });

  it('of a license that does not float are its machines, not maxConcurrent', () => {
    const fixed = fc.constantFrom(...LICENSE_TYPES.filter((type) => type !== 'floating'));
    fc.assert(
      fc.property(license, fixed, (any, licenseType) => {
        assert.equal(slotLimit({ ...any, licenseType }), any.maxMachines);
        assert.equal(slotsUsed({ ...any, licenseType }), any.machinesUsed);
      }),
    );
  });
});

describe('products', () => {
  it('are covered when they are those of the license or unlocked, and no others', () => {
    const id = fc.constantFrom('a', 'b', 'c', 'A', '');
    fc.assert(
      fc.property(id, fc.array(id), id, (productId, unlockedProducts, asked) => {
        assert.equal(
          coversProduct({ productId, unlockedProducts }, asked),
          new Set([productId, ...unlockedProducts]).has(asked),
        );
      }),
    );
  });
});

describe('a license key', () => {
  it('has five groups of five unambiguous characters, and no two are alike', () => {
    const keys = Array.from({ length: 1000 }, mintLicenseKey);
    for (const key of keys) assert.match(key, /^[A-HJKMNP-Z2-9]{5}(-[A-HJKMNP-Z2-9]{5}){4}$/);
    assert.equal(new Set(keys).size, keys.length);
  });
});
