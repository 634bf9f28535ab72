/**
 * Finds the addresses of customers who were forgotten since a backup. No database stores a forgotten address, so it is
 * read from the restored database, at a place where the kept one has a pseudonym.
 */

import { foldEmail } from '../../ground/base/typed-text.ts';
import { listLicenseKeysOf } from '../../licensing/licenses/email-store.ts';
import { isPseudonym } from '../../licensing/licenses/pseudonym.ts';
import { listEventsOfFormerName } from '../../platform/events/rewrite-store.ts';
import type { Sql, Storage } from '../../storage/contract/storage.ts';
import type { Ancestry } from './ancestry.ts';
import { formerAddresses } from './readdressed-licenses.ts';
import {
  ADDRESS_PLACES,
  addressesIn,
  findAddresses,
  findLicenseStates,
  findRedeemers,
  findUserEvents,
  forgettingsUnderWay,
  type LicenseState,
  licenseStates,
  redemptionStates,
  userEventStates,
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
  { hasAllEvents }: Ancestry,
): AsyncGenerator<ForgottenAddress> {
  const own = hasAllEvents ? await restored.read((sql) => formerAddresses(sql, kept)) : new Map<string, string>();
  if (hasAllEvents) yield* ofReaddressedLicenses(restored, kept, own);
  yield* ofLicenses(restored, kept, own, hasAllEvents);
  yield* ofOtherPlaces(restored, kept);
  yield* ofRedemptions(restored, kept);
  yield* ofUsers(restored, kept);
  for await (const page of forgettingsUnderWay(kept))
    for (const { id: email, email: pseudonym } of page) if (pseudonym !== null) yield { email, pseudonym };
}

/**
 * Addresses that licenses had at the time of the backup. The event of the first change since has the pseudonym,
 * even if the license has another address by now.
 *
 * @param own the address of that time of each license whose address has changed in the restored database, too
 */
async function* ofReaddressedLicenses(
  restored: Storage,
  kept: Sql,
  own: ReadonlyMap<string, string>,
): AsyncGenerator<ForgottenAddress> {
  const former = await restored.read((sql) => formerAddresses(kept, sql));
  for (const [licenseKey, pseudonym] of former) {
    if (!isPseudonym(pseudonym)) continue;
    const email = own.get(licenseKey) ?? (await findLicense(restored, licenseKey))?.email;
    if (email === undefined || isPseudonym(email)) continue;
    if (await isForgotten(kept, { licenseKey, email }, true)) yield { email, pseudonym };
  }
}

/** Present addresses of licenses. */
async function* ofLicenses(
  restored: Storage,
  kept: Sql,
  own: ReadonlyMap<string, string>,
  hasAllEvents: boolean,
): AsyncGenerator<ForgottenAddress> {
  for await (const page of licenseStates(kept))
    for (const { licenseKey, email: pseudonym } of page) {
      // An address that the license got after the restore is not the forgotten one.
      if (!isPseudonym(pseudonym) || own.has(licenseKey)) continue;
      const was = await findLicense(restored, licenseKey);
      if (was === undefined || isPseudonym(was.email)) continue;
      if (await isForgotten(kept, was, hasAllEvents)) yield { email: was.email, pseudonym };
    }
}

/** One look-up each, because forgetting the previous customer may have changed this license, too. */
async function findLicense(restored: Storage, licenseKey: string): Promise<LicenseState | undefined> {
  return (await restored.read((sql) => findLicenseStates(sql, [licenseKey]))).get(licenseKey);
}

/**
 * Addresses that change only when they are forgotten: of buyers, redeemers and released users, and former ones of
 * licenses.
 */
async function* ofOtherPlaces(restored: Storage, kept: Sql): AsyncGenerator<ForgottenAddress> {
  for (const place of ADDRESS_PLACES) {
    for await (const page of addressesIn(kept, place))
      for (const { id, email: pseudonym } of page) {
        if (pseudonym === null || !isPseudonym(pseudonym)) continue;
        const was = (await restored.read((sql) => findAddresses(sql, place, [id]))).get(id);
        if (typeof was === 'string' && !isPseudonym(was)) yield { email: was, pseudonym };
      }
  }
}

/** Addresses that redeemed a code. */
async function* ofRedemptions(restored: Storage, kept: Sql): AsyncGenerator<ForgottenAddress> {
  for await (const page of redemptionStates(kept))
    for (const redemption of page) {
      const { email: pseudonym } = redemption;
      if (!isPseudonym(pseudonym)) continue;
      for (const email of await restored.read((sql) => findRedeemers(sql, redemption)))
        if (!isPseudonym(email)) yield { email, pseudonym };
    }
}

/**
 * Users of machines, as their events name them. Only a user whose own address was forgotten has its pseudonym there:
 * the users of a forgotten customer's license have one word for all.
 */
async function* ofUsers(restored: Storage, kept: Sql): AsyncGenerator<ForgottenAddress> {
  for await (const page of userEventStates(kept)) {
    const forgotten = page.filter(({ users }) => users.some((user) => user !== null && isPseudonym(user)));
    for (const { id, users } of forgotten) {
      const was = (await restored.read((sql) => findUserEvents(sql, [id]))).get(id);
      for (const [place, pseudonym] of users.entries()) {
        const email = was?.users[place] ?? null;
        if (pseudonym !== null && isPseudonym(pseudonym) && email !== null && !isPseudonym(email))
          yield { email, pseudonym };
      }
    }
  }
}

/**
 * Whether this address of a license was forgotten. Otherwise the license still has it, or was given another address
 * first, and that one was forgotten; the event of that change still has the former address.
 */
async function isForgotten(
  kept: Sql,
  { licenseKey, email }: Pick<LicenseState, 'licenseKey' | 'email'>,
  hasAllEvents: boolean,
): Promise<boolean> {
  const address = foldEmail(email);
  if (!hasAllEvents) return (await listLicenseKeysOf(kept, address, 1)).length === 0;
  const present = (await findLicenseStates(kept, [licenseKey])).get(licenseKey);
  if (present !== undefined && foldEmail(present.email) === address) return false;
  return (await listEventsOfFormerName(kept, licenseKey, address, 1)).length === 0;
}
