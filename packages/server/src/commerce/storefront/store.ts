/** Stored purchases, whose rows deliveries lock, and a record of the applied storefront events. */
import { toTimestamp } from '../../ground/base/clock.ts';
import { mintId } from '../../ground/base/random.ts';
import type { License } from '../../licensing/licenses/license.ts';
import { isPseudonym } from '../../licensing/licenses/pseudonym.ts';
import { listOf, statement, type Tx } from '../../storage/contract/storage.ts';
import { decimalColumn, Table, textColumn } from '../../storage/contract/table.ts';
import type { StorefrontEvent } from './event.ts';

/** Represents the operator in place of a creator's id, which is never empty. */
export const OPERATOR = '';

const claim = statement(
  'purchase.claim',
  `insert into purchase (purchase_id, creator_id, first_seen) values ($1, $2, $3)
   on conflict (purchase_id, creator_id) do nothing`,
);

const lock = statement(
  'purchase.lock',
  (dialect) => `select u.first_seen as "firstSeen" from purchase u
    where u.purchase_id = $1 and u.creator_id = $2 ${dialect.forUpdate}`,
);

/** An applied event and its license. */
interface AppliedEvent extends Pick<StorefrontEvent, 'type' | 'email' | 'productId'> {
  readonly eventId: string;
  readonly licenseKey: string;
  readonly purchaseId: string | null;
  readonly amount: number | null;
  readonly currency: string | null;
  readonly receivedAt: string;
}

const eventTable = new Table<AppliedEvent>('storefront_event', {
  eventId: textColumn('event_id'),
  type: textColumn('type'),
  licenseKey: textColumn('license_key'),
  purchaseId: textColumn('purchase_id'),
  email: textColumn('email'),
  productId: textColumn('product_id'),
  amount: decimalColumn('amount'),
  currency: textColumn('currency'),
  receivedAt: textColumn('received_at'),
});

const listIdsOfEmail = statement(
  'storefront_event.list_ids_of_email',
  'select e.event_id as "eventId" from storefront_event e where lower(e.email) = $1 limit $2',
);

const listBeyondAscii = statement(
  'storefront_event.list_beyond_ascii',
  `select e.event_id as "eventId", e.email as "email" from storefront_event e
   where octet_length(e.email) > length(e.email) and e.event_id > $1 order by e.event_id limit $2`,
);

const forgetCustomer = statement(
  'storefront_event.forget',
  (dialect) => `update storefront_event set email = $2 where event_id ${dialect.among('$1')}`,
);

const insertEvent = eventTable.insert('storefront_event.insert');

/**
 * Locks a purchase, new or known, until the transaction ends. Of several concurrent deliveries, the later ones wait
 * here until the license of the first is visible. Purchases of other creators do not wait, even with the same
 * purchaseId.
 *
 * @param creatorId of the product; null for the operator
 */
export async function lockPurchase(tx: Tx, purchaseId: string, creatorId: string | null, now: number): Promise<void> {
  const owner = creatorId ?? OPERATOR;
  await tx.run(claim, purchaseId, owner, toTimestamp(now));
  await tx.first(lock, purchaseId, owner);
}

/**
 * Records an applied event for each of its licenses, for support. The amount stands beside the first. The address of a
 * forgotten customer stays forgotten: the event gets the pseudonym that the license has.
 */
export async function recordEvents(
  tx: Tx,
  event: StorefrontEvent,
  licenses: readonly Pick<License, 'licenseKey' | 'email'>[],
  now: number,
): Promise<void> {
  const { type, productId, purchaseId = null, amount = null, currency = null } = event;
  const receivedAt = toTimestamp(now);
  const rows = licenses.map(({ licenseKey, email: known }, index) => {
    const paid = index === 0 ? { amount, currency } : { amount: null, currency: null };
    const email = isPseudonym(known) ? known : event.email;
    return { type, email, productId, purchaseId, ...paid, licenseKey, eventId: mintId(), receivedAt };
  });
  await tx.run(insertEvent, eventTable.rows(rows, eventTable.fields));
}

/**
 * Replaces an address with a pseudonym in storefront events; returns the number of replacements. Finds those where the
 * databases lower every letter: they are of ASCII.
 *
 * @param emailFolded the case-folded address
 */
export async function forgetStorefrontEvents(
  tx: Tx,
  emailFolded: string,
  pseudonym: string,
  most: number,
): Promise<number> {
  const events = await tx.all<{ readonly eventId: string }>(listIdsOfEmail, emailFolded, most);
  return replaceInStorefrontEvents(tx, events, pseudonym);
}

/** Events of the storefront after one of them ('' is before all) whose addresses have letters beyond ASCII. */
export function listStorefrontEventsBeyondAscii(tx: Tx, after: string, most: number) {
  return tx.all<{ readonly eventId: string; readonly email: string }>(listBeyondAscii, after, most);
}

/** Replaces the addresses of some storefront events with a pseudonym; returns the number of events. */
export async function replaceInStorefrontEvents(
  tx: Tx,
  events: readonly { readonly eventId: string }[],
  pseudonym: string,
): Promise<number> {
  if (events.length === 0) return 0;
  return tx.run(forgetCustomer, listOf(events.map(({ eventId }) => eventId)), pseudonym);
}
