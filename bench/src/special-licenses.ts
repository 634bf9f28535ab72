/** Licenses that are large in one respect, each with a counterpart of usual size that is the same in all others. */
import { toTimestamp } from '@latchkey/server/ground/base/clock.ts';
import { type License, mintLicenseKey, UNLIMITED_MACHINES } from '@latchkey/server/licensing/licenses/license.ts';
import { aLicense } from '../../packages/server/test/support/plain-license.ts';

/** The respects in which licenses are large. */
export const SPECIAL_KINDS = ['site', 'floating', 'violations'] as const;
/** One of {@link SPECIAL_KINDS}. */
export type SpecialKind = (typeof SPECIAL_KINDS)[number];

/** The size of a license: activations, live sessions, open violations. */
export type SpecialAmounts = Readonly<Record<SpecialKind, number>>;

/** More activations than a page of getLicense, and more sessions than the bench has connections. */
export const USUAL_AMOUNTS: SpecialAmounts = { site: 2000, floating: 100, violations: 0 };
/** The sizes of the most demanding customers. */
export const LARGE_AMOUNTS: SpecialAmounts = { site: 1_000_000, floating: 10_000, violations: 1000 };

/** Activations of the license with many violations: more than the bench has connections. */
const VIOLATOR_MACHINES = 100;

/** A license and the number of its open violations; its machines come from the catalogue. */
export interface SpecialLicense {
  readonly kind: SpecialKind;
  readonly license: License;
  readonly violations: number;
}

/**
 * The licenses with these amounts, one of each kind, under new keys.
 *
 * @param filledAt milliseconds since 1970
 */
export function specialLicenses(amounts: SpecialAmounts, filledAt: number): readonly SpecialLicense[] {
  const { site, floating, violations } = amounts;
  const createdAt = toTimestamp(filledAt);
  const special = (kind: SpecialKind, fields: Partial<License>): SpecialLicense => ({
    kind,
    license: aLicense({
      ...{ licenseKey: mintLicenseKey(), email: 'special@example.com', productId: 'special', createdAt },
      ...fields,
    }),
    violations: kind === 'violations' ? violations : 0,
  });
  const sessions = { maxConcurrent: floating, machinesUsed: floating, sessionsHeld: floating };
  const machines = { maxMachines: VIOLATOR_MACHINES, machinesUsed: VIOLATOR_MACHINES };
  return [
    special('site', { licenseType: 'site', maxMachines: UNLIMITED_MACHINES, machinesUsed: site }),
    special('floating', { licenseType: 'floating', ...sessions }),
    special('violations', { licenseType: 'per-machine', ...machines, threatLevel: violations === 0 ? 0 : 4 }),
  ];
}

/** The license of a kind in a set. */
export function licenseOf(kind: SpecialKind, specials: readonly SpecialLicense[]): License {
  const found = specials.find((special) => special.kind === kind);
  if (found === undefined) throw new Error(`the database has no special license of the kind ${kind}`);
  return found.license;
}
