/** The read that tells whether an installation is new. The overview and the first steps share its cached reply. */
import type { RequestOf } from './contract.ts';

/** The most licenses of a new installation, and one more. */
export const FIRST_LICENSES = { limit: 4, detail: true } as const satisfies RequestOf<'/listLicenses'>;
