/** Gives licenses another e-mail address (rules 4.2.16). */

import { foldEmail } from '../../ground/base/typed-text.ts';
import type { Origin } from '../../platform/events/event.ts';
import type { Tx } from '../../storage/contract/storage.ts';
import { lockLicensesOfEmail } from './email-store.ts';
import type { License } from './license.ts';
import type { LicenseSave } from './license-save.ts';
import { saveLicenses } from './save.ts';

/** Licenses of one address changed per transaction: some tens of milliseconds for the database. */
export const LICENSES_AT_ONCE = 1000;

/** The change of a locked license's address; null when the license has this address already. */
export function emailChangeOf(before: License, email: string, origin: Origin) {
  if (before.email === email) return null;
  return {
    kind: 'readdressed' as const,
    before,
    license: { ...before, email },
    entries: [
      {
        type: 'license.email_changed' as const,
        // Searches for the former address find the license by this field.
        subject: foldEmail(before.email),
        before: { email: before.email },
        after: { email },
        origin,
      },
    ],
  } satisfies LicenseSave;
}

/**
 * Changes the address of its licenses, oldest first and {@link LICENSES_AT_ONCE} at most.
 *
 * @param at as of `lockLicensesOfEmail`
 * @returns the changed licenses, and whether the address has more
 */
export async function changeEmailsOf(
  tx: Tx,
  origin: Origin,
  { email, newEmail }: { readonly email: string; readonly newEmail: string },
  at?: { readonly creatorId: string | null },
): Promise<{ readonly changed: readonly License[]; readonly isMore: boolean }> {
  const licenses = await lockLicensesOfEmail(tx, email, LICENSES_AT_ONCE + 1, at);
  const saves = licenses
    .slice(0, LICENSES_AT_ONCE)
    .flatMap((license) => emailChangeOf(license, newEmail, origin) ?? []);
  await saveLicenses(tx, saves, origin.now);
  return { changed: saves.map(({ license }) => license), isMore: licenses.length > LICENSES_AT_ONCE };
}
