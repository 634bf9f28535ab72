/** The purchases that the storefront reported, whose rows deliveries lock, and a record of the events that were applied. */
import { toTimestamp } from '../clock.ts';
import { mintId } from '../random.ts';
import { statement, type Tx } from '../storage/storage.ts';
import type { StorefrontEvent } from './event.ts';

/** Stands for the operator where a creator is named: no creator has an empty name. */
const OPERATOR = '';

const claim = statement(
  'purchase.claim',
  `insert into purchase (purchase_id, creator_id, first_seen) values ($1, $2, $3)
   on conflict (purchase_id, creator_id) do nothing`,
);

const lock = statement(
  'purchase.lock',
  (words) => `select u.first_seen as "firstSeen" from purchase u
    where u.purchase_id = $1 and u.creator_id = $2 ${words.forUpdate}`,
);

const insertEvent = statement(
  'storefront_event.insert',
  `insert into storefront_event (event_id, type, license_key, purchase_id, email, product_id, amount, currency,
     received_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
);

/**
 * Locks a purchase until the transaction ends, reported before or not: of several deliveries that arrive at once, the
 * later ones wait here until the license of the first can be seen. Purchases of other creators do not wait, whatever
 * they are called.
 *
 * @param creatorId of the product; null for the operator
 */
export async function lockPurchase(tx: Tx, purchaseId: string, creatorId: string | null, now: number): Promise<void> {
  const owner = creatorId ?? OPERATOR;
  await tx.run(claim, purchaseId, owner, toTimestamp(now));
  await tx.first(lock, purchaseId, owner);
}

/** Keeps, for the support desk, an event and the license it was applied to. */
export async function recordEvent(tx: Tx, event: StorefrontEvent, licenseKey: string, now: number): Promise<void> {
  await tx.run(
    insertEvent,
    mintId(),
    event.type,
    licenseKey,
    event.purchaseId ?? null,
    event.email,
    event.productId,
    event.amount === undefined ? null : decimalText(event.amount),
    event.currency ?? null,
    toTimestamp(now),
  );
}

/** An amount of money digit by digit: 1e-7 is 0.0000001. */
function decimalText(amount: number): string {
  return amount.toLocaleString('en-US', { useGrouping: false, maximumFractionDigits: 20 });
}
