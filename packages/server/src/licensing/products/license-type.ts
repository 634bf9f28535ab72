/** The types of licenses that variants give, and what is given unless something else is said. */

export const LICENSE_TYPES = ['per-machine', 'floating', 'site'] as const;
export type LicenseType = (typeof LICENSE_TYPES)[number];

/** The default type of a license, when neither the request nor the catalogue names one. */
export const DEFAULT_LICENSE_TYPE: LicenseType = 'per-machine';

/**
 * What each type of license counts against its limit: bound machines or live floating sessions. The compiler demands an
 * entry for every new type.
 */
const COUNTED = {
  'per-machine': 'machines',
  floating: 'sessions',
  site: 'machines',
} as const satisfies Record<LicenseType, 'machines' | 'sessions'>;

/** Counted units by license type, for the types decided above. */
export type CountedByType = typeof COUNTED;

/** Whether licenses of a type count floating sessions, which lapse without a sign of life. */
export function countsSessions(licenseType: LicenseType): boolean {
  return COUNTED[licenseType] === 'sessions';
}

/** Default maxMachines, when neither the request nor the catalogue sets it (rules 8.1). */
export const DEFAULT_MAX_MACHINES = 2;
