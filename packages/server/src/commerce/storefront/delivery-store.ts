/** The storefront's ids of applied events. They are never deleted: a shop may deliver an event again after weeks. */
import { toTimestamp } from '../../ground/base/clock.ts';
import { statement, type Tx } from '../../storage/contract/storage.ts';
import type { StorefrontEvent } from './event.ts';
import { OPERATOR } from './store.ts';

/** The identity of a delivered event. */
export interface DeliveryId {
  readonly eventId: string;
  /** Of the product; null for the operator. */
  readonly creatorId: string | null;
  readonly type: StorefrontEvent['type'];
}

/** An applied event. */
export interface Delivery {
  readonly productId: string;
  readonly purchaseId: string | null;
  readonly lineId: string | null;
  readonly subscriptionId: string | null;
  readonly licenseKey: string;
}

const claim = statement(
  'storefront_delivery.claim',
  `insert into storefront_delivery
     (event_id, creator_id, type, product_id, purchase_id, line_id, subscription_id, license_key, delivered_at)
   values ($1, $2, $3, $4, $5, $6, $7, '', $8) on conflict (event_id, creator_id, type) do nothing`,
);

const find = statement(
  'storefront_delivery.find',
  `select d.product_id as "productId", d.purchase_id as "purchaseId", d.line_id as "lineId",
     d.subscription_id as "subscriptionId", d.license_key as "licenseKey"
   from storefront_delivery d where d.event_id = $1 and d.creator_id = $2 and d.type = $3`,
);

const keep = statement(
  'storefront_delivery.keep',
  'update storefront_delivery set license_key = $4 where event_id = $1 and creator_id = $2 and type = $3',
);

const release = statement(
  'storefront_delivery.release',
  'delete from storefront_delivery where event_id = $1 and creator_id = $2 and type = $3',
);

const keyOf = ({ eventId, creatorId, type }: DeliveryId) => [eventId, creatorId ?? OPERATOR, type] as const;

/**
 * Claims the id of an event until the transaction ends. Of several concurrent deliveries, the later ones wait here for
 * the first.
 *
 * @returns null when this delivery is the first; otherwise what the first one did
 */
export async function claimDelivery(
  tx: Tx,
  id: DeliveryId,
  { productId, purchaseId, lineId, subscriptionId }: Omit<Delivery, 'licenseKey'>,
  now: number,
): Promise<Delivery | null> {
  const values = [...keyOf(id), productId, purchaseId, lineId, subscriptionId, toTimestamp(now)];
  if ((await tx.run(claim, ...values)) === 1) return null;
  const known = await tx.first<Delivery>(find, ...keyOf(id));
  // A row is deleted only by the transaction that added it, so a row in the way is there to be read.
  if (known === undefined) throw new Error('the id of a delivered event is gone');
  return known;
}

/** Stores the license that a claimed event acted on, the first of several; '' where it acted on a customer. */
export async function keepDelivery(tx: Tx, id: DeliveryId, licenseKey: string): Promise<void> {
  await tx.run(keep, ...keyOf(id), licenseKey);
}

/** Frees the id of a claimed event that did nothing, so that a later delivery can act. */
export async function releaseDelivery(tx: Tx, id: DeliveryId): Promise<void> {
  await tx.run(release, ...keyOf(id));
}
