/** How many licenses there are of each status, counted one license after the other (rules 10.10). */
import {
  type License,
  type LicenseStatus,
  slotLimit,
  slotsUsed,
  statusAt,
  UNLIMITED_MACHINES,
} from '../licenses/license.ts';

/** Licenses that are named as the fullest, of a product and of all together. */
export const FULLEST_POOLS = 10;
/** The share of its slots that a license must use to be named, as a fraction of two whole numbers. */
const FULL_SHARE = [9, 10] as const;

/** What a count looks at. `sessionsHeld` counts live sessions only. */
export type CountedLicense = Pick<
  License,
  | 'licenseKey'
  | 'productId'
  | 'licenseType'
  | 'revocation'
  | 'expiresAt'
  | 'maxMachines'
  | 'maxConcurrent'
  | 'machinesUsed'
  | 'sessionsHeld'
>;

/** A license that uses nearly all of its slots. */
export interface FullPool {
  readonly licenseKey: string;
  readonly limit: number;
}

/** The licenses of a product at one moment, or of all products. */
export interface LicenseTotal extends Readonly<Record<LicenseStatus, number>> {
  readonly liveSessions: number;
  /** Those with the highest limits, the highest first. */
  readonly fullestPools: readonly FullPool[];
}

/** No licenses. */
export const NO_LICENSES: LicenseTotal = { active: 0, revoked: 0, expired: 0, liveSessions: 0, fullestPools: [] };

/** Two totals in one. */
export function sumOfTotals(one: LicenseTotal, other: LicenseTotal): LicenseTotal {
  return {
    active: one.active + other.active,
    revoked: one.revoked + other.revoked,
    expired: one.expired + other.expired,
    liveSessions: one.liveSessions + other.liveSessions,
    fullestPools: largestPools([...one.fullestPools, ...other.fullestPools]),
  };
}

/** Whether a license that is active at a moment uses 90 % of its slots; one without a limit never does. */
export function isNearlyFull(license: CountedLicense, now: number): boolean {
  const limit = slotLimit(license);
  if (limit === UNLIMITED_MACHINES || statusAt(license, now) !== 'active') return false;
  return slotsUsed(license) * FULL_SHARE[1] >= limit * FULL_SHARE[0];
}

/** Counts licenses as they were at one moment; memory for each product, none for each license. */
export class LicenseCount {
  /** Milliseconds; statuses are those of this moment, whatever marks say. */
  readonly asOf: number;
  readonly #totals = new Map<string, LicenseTotal>();

  constructor(asOf: number) {
    this.asOf = asOf;
  }

  /** The totals of each product that has licenses. */
  get totals(): ReadonlyMap<string, LicenseTotal> {
    return this.#totals;
  }

  /** Adds a license, which must not be added twice. */
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
