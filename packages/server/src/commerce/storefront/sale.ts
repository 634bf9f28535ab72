/** Finds the creator of a sale and the licenses sold, and changes those licenses (rules 6.1). */

import { changeLicenses, type LicenseDecision, type LicenseToChange } from '../../licensing/licenses/change.ts';
import type { License } from '../../licensing/licenses/license.ts';
import { findLicenseOfPurchase } from '../../licensing/licenses/purchase-store.ts';
import { listLicensesInForce, lockLicensesInForce } from '../../licensing/licenses/replacement.ts';
import { findNewestLicense } from '../../licensing/licenses/store.ts';
import { findProduct } from '../../licensing/products/store.ts';
import { isRefusal, type Refusal, type RefusalCode, refuse } from '../../platform/endpoint/refusals.ts';
import type { Origin } from '../../platform/events/event.ts';
import type { Sql, Tx } from '../../storage/contract/storage.ts';
import type { StorefrontEvent } from './event.ts';
import { existingLicensesReply, type WebhookReply } from './reply.ts';
import {
  listUnitsBeside,
  listUnitsOf,
  listUnitsOfLine,
  listUnitsOfSubscription,
  type SoldUnit,
} from './sold-unit-store.ts';
import { recordEvents } from './store.ts';

/** The webhook may act on products of every creator. */
export const EVERYBODY = { creatorId: null };

/** The licenses that an event is about, one or more. */
export interface Sold {
  readonly licenses: readonly [License, ...License[]];
  /** Their units, in the same order; empty for a sale without line, quantity and subscription. */
  readonly units: readonly SoldUnit[];
}

/** The creator of this product; null, the operator, for a product outside the catalogue. */
export async function findCreatorOf(sql: Sql, productId: string): Promise<string | null> {
  return (await findProduct(sql, productId, EVERYBODY))?.creatorId ?? null;
}

/** Whether the catalogue knows a product. */
export async function isInCatalogue(sql: Sql, productId: string): Promise<boolean> {
  return (await findProduct(sql, productId, EVERYBODY)) !== undefined;
}

/**
 * The licenses with these keys in their stored form, or with those that replaced them, in this order; undefined if
 * none.
 */
export async function findSoldLicenses(
  sql: Sql,
  licenseKeys: readonly string[],
  units: readonly SoldUnit[] = [],
): Promise<Sold | undefined> {
  const [first, ...others] = await listLicensesInForce(sql, licenseKeys);
  return first && { licenses: [first, ...others], units };
}

/**
 * The licenses of an event's subscription, else of its line, else of its purchaseId; undefined if it names none of
 * these or there are none. They are unlocked. Of several products, that of the event counts, if it is among them. All
 * are of the creator who owns the event's product; the same ids of another creator are a different sale.
 */
export async function findSold(sql: Sql, event: StorefrontEvent): Promise<Sold | undefined> {
  const { subscriptionId, purchaseId, lineId, productId } = event;
  if (subscriptionId === undefined && purchaseId === undefined) return undefined;
  const creatorId = await findCreatorOf(sql, productId);
  if (subscriptionId !== undefined) {
    const units = await listUnitsOfSubscription(sql, creatorId, subscriptionId);
    return soldUnits(sql, lineId === undefined ? units : units.filter((unit) => unit.lineId === lineId), productId);
  }
  if (purchaseId === undefined) return undefined;
  if (lineId !== undefined)
    return soldUnits(sql, await listUnitsOfLine(sql, creatorId, { purchaseId, lineId }), productId);
  const first = await findLicenseOfPurchase(sql, { purchaseId, creatorId, preferredProduct: productId });
  if (first === undefined) return undefined;
  const units = await listUnitsBeside(sql, first.licenseKey);
  return units.length > 1 ? soldUnits(sql, units, productId) : { licenses: [first], units };
}

/** The units of the product, if it has any of these; else all of them. */
async function soldUnits(sql: Sql, all: readonly SoldUnit[], productId: string): Promise<Sold | undefined> {
  const ofProduct = all.filter((unit) => unit.productId === productId);
  const units = ofProduct.length > 0 ? ofProduct : all;
  if (units.length === 0) return undefined;
  const licenseKeys = units.map(({ licenseKey }) => licenseKey);
  return findSoldLicenses(sql, licenseKeys, units);
}

/**
 * Locks the licenses of a sale with units until the transaction ends. Copies are counted under this lock.
 *
 * @returns the sale as it is now
 */
export async function lockSold(tx: Tx, { licenses, units }: Sold): Promise<Sold> {
  const locked = await lockLicensesInForce(
    tx,
    licenses.map(({ licenseKey }) => licenseKey),
  );
  const licenseKeys = locked.map(({ licenseKey }) => licenseKey);
  const known = new Map((await listUnitsOf(tx, licenseKeys)).map((unit) => [unit.licenseKey, unit]));
  const present = licenseKeys.flatMap((licenseKey) => known.get(licenseKey) ?? []);
  return (await findSoldLicenses(tx, licenseKeys, present)) ?? { licenses, units };
}

/**
 * The licenses of a refund or dispute: those that {@link findSold} finds. An event that names neither a purchase nor a
 * subscription is about the customer's newest license of the product.
 */
export async function findReversed(sql: Sql, event: StorefrontEvent): Promise<Sold | undefined> {
  const namesSale = event.purchaseId !== undefined || event.subscriptionId !== undefined;
  return namesSale ? findSold(sql, event) : findNewest(sql, event);
}

/**
 * The licenses of a renewal, failed payment or cancellation: those that {@link findSold} finds. Without a
 * subscriptionId, they are else the customer's newest license of the product, because each period may have a purchaseId
 * of its own.
 */
export async function findSubscribed(sql: Sql, event: StorefrontEvent): Promise<Sold | undefined> {
  const sold = await findSold(sql, event);
  return sold !== undefined || event.subscriptionId !== undefined ? sold : findNewest(sql, event);
}

async function findNewest(sql: Sql, { email, productId, variant }: StorefrontEvent): Promise<Sold | undefined> {
  const first = await findNewestLicense(sql, email, productId, variant);
  return first && { licenses: [first], units: [] };
}

/** The licenses that an event is about, and further data for the decision on each. */
interface SoldToChange<Known> {
  readonly sold: Sold | undefined;
  readonly load?: LicenseToChange<Known>['load'];
}

/**
 * Changes the licenses that an event is about by a pure rule, all or none, and records the event for each.
 *
 * @param decide as of `changeLicenses`; a refusal for one license refuses the event
 * @returns the reply that shows the first license after the change
 */
export async function changeSold<Known, Code extends RefusalCode = never>(
  tx: Tx,
  event: StorefrontEvent,
  origin: Origin,
  { sold, load }: SoldToChange<Known>,
  decide: (license: License, known: Known) => LicenseDecision | Refusal<Code>,
): Promise<WebhookReply | Refusal<Code | 'license_not_found'>> {
  if (sold === undefined) return refuse('license_not_found');
  const licenseKeys = sold.licenses.map(({ licenseKey }) => licenseKey);
  const changed = await changeLicenses(tx, origin, { licenseKeys, load }, decide);
  if (isRefusal(changed)) return changed;
  await recordEvents(tx, event, changed, origin.now);
  return existingLicensesReply(event.type, changed, origin.now);
}
