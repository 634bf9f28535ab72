/**
 * Finds the addresses of customers who were forgotten since a backup. No database stores a forgotten address, so it is
 * read from the restored database, at a place where the kept one has a pseudonym.
 */
import { isPseudonym } from '../customers/address.ts';
import { listEmailChanges } from '../events/rewrite-store.ts';
import { listLicenseKeysOf } from '../licenses/email-store.ts';
import { foldEmail } from '../licenses/license.ts';
import type { Sql, Storage } from '../storage/storage.ts';
import type { Ancestry } from './ancestry.ts';
import {
  ADDRESS_PLACES,
  addressesIn,
  findAddresses,
  findLicenseStates,
  forgettingsUnderWay,
  hasTable,
  type LicenseState,
  licenseStates,
} from './state-store.ts';

/** An address to be forgotten, and the pseudonym that replaces it. */
export interface ForgottenAddress {
  readonly email: string;
  readonly pseudonym: string;
}

/** Yields addresses of the restored database that the kept one has forgotten; an address may come several times. */
export async function* forgottenAddresses(
  restored: Storage,
  kept: Sql,
  ancestry: Ancestry,
): AsyncGenerator<ForgottenAddress> {
  for await (const page of licenseStates(kept)) {
    const forgotten = page.filter(({ email }) => isPseudonym(email));
    if (forgotten.length === 0) continue;
    for (const { licenseKey, email: pseudonym } of forgotten) {
      // One look-up each, because forgetting the previous customer may have changed this license, too.
      const was = (await restored.read((sql) => findLicenseStates(sql, [licenseKey]))).get(licenseKey);
      if (was === undefined || isPseudonym(was.email)) continue;
      if (await isForgotten(kept, was, ancestry)) yield { email: was.email, pseudonym };
    }
  }
  for (const place of ADDRESS_PLACES) {
    if (!(await hasTable(kept, place.table))) continue;
    for await (const page of addressesIn(kept, place))
      for (const { id, email: pseudonym } of page) {
        if (pseudonym === null || !isPseudonym(pseudonym)) continue;
        const was = (await restored.read((sql) => findAddresses(sql, place, [id]))).get(id);
        // Addresses of buyers and redeemers change only when they are forgotten.
        if (typeof was === 'string' && !isPseudonym(was)) yield { email: was, pseudonym };
      }
  }
  if (!(await hasTable(kept, 'forgetting'))) return;
  for await (const page of forgettingsUnderWay(kept))
    for (const { id: email, email: pseudonym } of page) if (pseudonym !== null) yield { email, pseudonym };
}

/**
 * Whether this address of a license was forgotten. Otherwise the license was given another address first, and that one
 * was forgotten; the event of that change still has the former address.
 */
async function isForgotten(
  kept: Sql,
  { licenseKey, email }: LicenseState,
  { hasAllEvents }: Ancestry,
): Promise<boolean> {
  const address = foldEmail(email);
  if (!hasAllEvents) return (await listLicenseKeysOf(kept, address, 1)).length === 0;
  return (await listEmailChanges(kept, licenseKey, address, 1)).length === 0;
}
