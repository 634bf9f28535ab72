/** The read that tells whether an installation is new. The overview and the first steps share its cached reply. */
import type { LicenseSummary, RequestOf } from './contract.ts';

/** An installation with more licenses than this is not new. */
export const FEW_LICENSES = 3;

export const FIRST_LICENSES = { limit: FEW_LICENSES + 1, detail: true } as const satisfies RequestOf<'/listLicenses'>;

/**
 * Whether these are the licenses of a beginner: few, and none of them with a machine. A creator in an installation of
 * others begins only with the first license.
 */
export function areUnused(licenses: readonly LicenseSummary[], isOperator: boolean): boolean {
  const few = isOperator ? FEW_LICENSES : 0;
  return licenses.length <= few && licenses.every(({ machinesUsed }) => machinesUsed === 0);
}
