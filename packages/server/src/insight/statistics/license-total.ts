/** Counts licenses by status, one at a time (rules 10.10). */
import {
  type License,
  type LicenseStatus,
  slotLimit,
  slotsUsed,
  statusAt,
  UNLIMITED_MACHINES,
} from '../../licensing/licenses/license.ts';

/** Maximum number of fullest licenses listed, per product and in total. */
export const FULLEST_POOLS = 10;
/** The share of its slots that a license must use to be listed, as a fraction of two whole numbers. */
export const FULL_SHARE = [9, 10] as const;

/** The fields of a license that a count reads. */
export const COUNTED_FIELDS = [
  'licenseKey',
  'productId',
  'licenseType',
  'revocation',
  'maxMachines',
  'maxConcurrent',
  'createdAt',
  'expiresAt',
  'graceDays',
  'machinesUsed',
  'sessionsHeld',
] as const satisfies readonly (keyof License)[];
/** Where it is counted, `sessionsHeld` is the number of live sessions only. */
export type CountedLicense = Pick<License, (typeof COUNTED_FIELDS)[number]>;

/** A license that uses nearly all of its slots. */
export interface FullPool {
  readonly licenseKey: string;
  readonly limit: number;
}

/** The license counts of one product, or of all products, at one moment. */
export interface LicenseTotal extends Readonly<Record<LicenseStatus, number>> {
  readonly liveSessions: number;
  /** The licenses with the highest limits, highest first. */
  readonly fullestPools: readonly FullPool[];
}

export const NO_LICENSES: LicenseTotal = { active: 0, revoked: 0, expired: 0, liveSessions: 0, fullestPools: [] };

/** The sum of two totals. */
export function sumOfTotals(one: LicenseTotal, other: LicenseTotal): LicenseTotal {
  return {
    active: one.active + other.active,
    revoked: one.revoked + other.revoked,
    expired: one.expired + other.expired,
    liveSessions: one.liveSessions + other.liveSessions,
    fullestPools: largestPools([...one.fullestPools, ...other.fullestPools]),
  };
}

/** True if a license that is active at a moment uses at least 90 % of its slots; never for one without a limit. */
export function isNearlyFull(license: CountedLicense, now: number): boolean {
  const limit = slotLimit(license);
  if (limit === UNLIMITED_MACHINES || statusAt(license, now) !== 'active') return false;
  return slotsUsed(license) * FULL_SHARE[1] >= limit * FULL_SHARE[0];
}

/** Counts licenses as of one moment. Memory grows with the number of products, not of licenses. */
export class LicenseCount {
  /** Milliseconds since 1970. Statuses are computed for this moment, regardless of the stored marks. */
  readonly asOf: number;
  readonly #totals = new Map<string, LicenseTotal>();

  constructor(asOf: number) {
    this.asOf = asOf;
  }

  /** The totals of each product that has licenses. */
  get totals(): ReadonlyMap<string, LicenseTotal> {
    return this.#totals;
  }

  /** Adds a license; each one only once. */
  add(license: CountedLicense): void {
    const { productId, licenseKey } = license;
    const total = this.#totals.get(productId) ?? NO_LICENSES;
    const status = statusAt(license, this.asOf);
    this.#totals.set(productId, {
      ...total,
      [status]: total[status] + 1,
      liveSessions: total.liveSessions + license.sessionsHeld,
      fullestPools: isNearlyFull(license, this.asOf)
        ? largestPools([...total.fullestPools, { licenseKey, limit: slotLimit(license) }])
        : total.fullestPools,
    });
  }
}

function largestPools(pools: readonly FullPool[]): readonly FullPool[] {
  return [...pools]
    .sort((one, other) => other.limit - one.limit || (one.licenseKey < other.licenseKey ? -1 : 1))
    .slice(0, FULLEST_POOLS);
}
