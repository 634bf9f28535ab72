/** Gathers the data of a customer from all slices, within the scope of the caller. */

import { foldEmail, storedAddress } from '../../ground/base/typed-text.ts';
import { listLicenses } from '../../licensing/licenses/listing-store.ts';
import { isPseudonym } from '../../licensing/licenses/pseudonym.ts';
import type { Activation } from '../../licensing/machines/activation.ts';
import { listActivations } from '../../licensing/machines/activation-store.ts';
import type { KeptRefusal } from '../../licensing/observed-calls/kept-refusal.ts';
import { listRefusals } from '../../licensing/observed-calls/store.ts';
import type { Scope } from '../../platform/endpoint/caller.ts';
import { NEWEST } from '../../platform/endpoint/page.ts';
import { type Note, noteOf } from '../../platform/events/note.ts';
import { listFormerEmailsOf } from '../../platform/events/rewrite-store.ts';
import { listNotes } from '../../platform/events/scan-store.ts';
import { foldAscii, type Sql } from '../../storage/contract/storage.ts';
import type { Mail } from '../mail/mail.ts';
import { listMailsOfLicense, listMailsTo } from '../mail/store.ts';
import {
  countLicensesOf,
  countOrdersOf,
  listRedeemedCodes,
  listRedeemedFor,
  listRedeemedSeats,
  type RedeemedCode,
  type RedeemedSeat,
} from './summary-store.ts';

/** Maximum number of entries of each kind, and of licenses whose machines, refusals, notes and e-mails are read. */
export const MAX_SHOWN = 20;

/** The kinds of entries that may be cut. */
export const LISTED_KINDS = ['machines', 'refusals', 'notes', 'mails', 'redemptions', 'seats'] as const;

/** The data of a customer. */
export interface Customer {
  /** In the form used for comparison. */
  readonly email: string;
  readonly licenseCount: number;
  readonly firstLicenseAt: string | null;
  readonly newestLicenseAt: string | null;
  readonly orderCount: number;
  /** The addresses that the newest licenses had before. Forgetting the customer leaves them. */
  readonly formerEmails: readonly FormerEmail[];
  readonly machines: readonly Activation[];
  readonly refusals: readonly KeptRefusal[];
  readonly notes: readonly (Note & { readonly noteId: string })[];
  readonly mails: readonly Mail[];
  readonly redemptions: readonly RedeemedCode[];
  readonly seats: readonly RedeemedSeat[];
  /** Kinds with more entries than are shown. */
  readonly cut: readonly (typeof LISTED_KINDS)[number][];
}

/** A former address of a license. */
export interface FormerEmail {
  /** In the form used for comparison. */
  readonly email: string;
  /** Number of licenses that have it now: it may be the address of somebody else. */
  readonly licenseCount: number;
}

/** The part of the data that is asked for. */
export interface Part {
  /** The products whose licenses count, each once; null for all. */
  readonly productIds: readonly string[] | null;
  /** True for data of these licenses only: no orders and no seats. */
  readonly isOfProduct: boolean;
}

/**
 * Returns the data of a customer; null if nothing is stored for the address.
 *
 * @param given the address as typed
 */
export async function findCustomer(
  sql: Sql,
  given: string,
  { productIds, isOfProduct }: Part,
  { creatorId }: Scope,
  now: string,
): Promise<Customer | null> {
  const [email, asciiFolded] = [foldEmail(given), foldAscii(storedAddress(given))];
  // The indexes of codes, seats and e-mails by address contain neither the product nor the creator.
  const isWhole = creatorId === null && !isOfProduct;
  const { count: licenseCount, firstAt: firstLicenseAt } = await countLicensesOf(sql, email, productIds);
  const licenses = await listLicenses(sql, { productIds, email }, NEWEST, MAX_SHOWN, now);
  const keys = licenses.map(({ licenseKey }) => licenseKey);
  const orderCount = isOfProduct ? 0 : await countOrdersOf(sql, asciiFolded, creatorId);
  const found = {
    redemptions: isWhole
      ? await listRedeemedCodes(sql, email, MAX_SHOWN + 1)
      : await listRedeemedFor(sql, email, keys, creatorId),
    seats: isWhole ? await listRedeemedSeats(sql, asciiFolded, MAX_SHOWN + 1) : [],
    mails: isWhole
      ? await listMailsTo(sql, email, null, { after: NEWEST, limit: MAX_SHOWN + 1 })
      : newest(
          await ofEach(keys, (key, limit) => listMailsOfLicense(sql, key, undefined, { after: NEWEST, limit })),
          'createdAt',
        ),
    machines: newest(await ofEach(keys, (key, most) => listActivations(sql, key, '', most)), 'lastSeen'),
    refusals: newest(await ofEach(keys, (key, most) => listRefusals(sql, key, null, most)), 'lastAt'),
    notes: newest((await ofEach(keys, (key, most) => listNotes(sql, key, ABOVE_ALL, most))).map(noteOf), 'at'),
  };
  if (licenseCount === 0 && orderCount === 0 && LISTED_KINDS.every((kind) => found[kind].length === 0)) return null;
  return {
    email,
    licenseCount,
    firstLicenseAt,
    newestLicenseAt: licenses[0]?.createdAt ?? null,
    orderCount,
    formerEmails: await formerEmailsOf(sql, keys, email, productIds),
    machines: found.machines.slice(0, MAX_SHOWN),
    refusals: found.refusals.slice(0, MAX_SHOWN),
    notes: found.notes.slice(0, MAX_SHOWN),
    mails: found.mails.slice(0, MAX_SHOWN),
    redemptions: found.redemptions.slice(0, MAX_SHOWN),
    seats: found.seats.slice(0, MAX_SHOWN),
    cut: LISTED_KINDS.filter((kind) => found[kind].length > MAX_SHOWN),
  };
}

async function formerEmailsOf(
  sql: Sql,
  licenseKeys: readonly string[],
  email: string,
  productIds: readonly string[] | null,
): Promise<readonly FormerEmail[]> {
  const found = new Set(await ofEach(licenseKeys, (key, most) => listFormerEmailsOf(sql, key, most)));
  const former = [...found].filter((each) => each !== email && !isPseudonym(each)).slice(0, MAX_SHOWN);
  const counted: FormerEmail[] = [];
  for (const each of former)
    counted.push({ email: each, licenseCount: (await countLicensesOf(sql, each, productIds)).count });
  return counted;
}

/** Greater than the number of every change of a license. */
const ABOVE_ALL = Number.MAX_SAFE_INTEGER;

/** The entries of each license, one more than are shown. */
async function ofEach<Entry>(
  licenseKeys: readonly string[],
  list: (licenseKey: string, most: number) => Promise<readonly Entry[]>,
): Promise<Entry[]> {
  const found: Entry[] = [];
  for (const licenseKey of licenseKeys) found.push(...(await list(licenseKey, MAX_SHOWN + 1)));
  return found;
}

/** Orders entries by the time in a field, newest first. */
function newest<Field extends string, Entry extends Readonly<Record<Field, string>>>(
  entries: readonly Entry[],
  field: Field,
): readonly Entry[] {
  return entries.toSorted((one, other) => (one[field] === other[field] ? 0 : one[field] < other[field] ? 1 : -1));
}
