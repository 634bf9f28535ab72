/** purchase.completed: a buyer gets a license, or one for each copy (rules 6.2). */

import { DEFAULT_VARIANT, issueLicenses } from '../../licensing/licenses/issue.ts';
import type { License } from '../../licensing/licenses/license.ts';
import { findLicenseOfPurchase } from '../../licensing/licenses/purchase-store.ts';
import type { QuantityRule } from '../../licensing/products/terms.ts';
import type { Variant } from '../../licensing/products/variant.ts';
import { findVariant } from '../../licensing/products/variant-store.ts';
import { isRefusal } from '../../platform/endpoint/refusals.ts';
import type { Origin } from '../../platform/events/event.ts';
import type { Tx } from '../../storage/contract/storage.ts';
import { redeemDiscountCode } from '../discount-codes/change.ts';
import type { DiscountCode } from '../discount-codes/discount-code.ts';
import { lockRedeemableCode } from '../discount-codes/redeem.ts';
import type { StorefrontEvent } from './event.ts';
import { purchasedLength } from './expiry.ts';
import { severalKeys, type WebhookReply } from './reply.ts';
import { findCreatorOf, findSoldLicenses, isInCatalogue, type Sold } from './sale.ts';
import { insertSoldUnits, listUnitsBeside, listUnitsOfLine, tieToSubscription } from './sold-unit-store.ts';
import { lockPurchase, recordEvents } from './store.ts';

/**
 * Issues the licenses of a purchase, once per purchaseId, lineId and creator. A redeemable discount code counts as
 * used; any other code gives no trial and does not block a paid sale.
 *
 * @param ownKey a license key of the seller's in place of a new one, for a single license; no license has it
 */
export async function completePurchase(
  tx: Tx,
  event: StorefrontEvent,
  origin: Origin,
  ownKey: string | null = null,
): Promise<WebhookReply> {
  const { now } = origin;
  if (event.purchaseId !== undefined) {
    const { purchaseId, productId } = event;
    const creatorId = await findCreatorOf(tx, productId);
    await lockPurchase(tx, purchaseId, creatorId, now);
    const known = await findKnown(tx, { ...event, purchaseId }, creatorId);
    if (known !== undefined) return repeatedPurchase(tx, known, event);
  }
  const code = await redeemableCode(tx, event, now);
  const variant = await findVariant(tx, event.productId, event.variant ?? DEFAULT_VARIANT);
  const licenses = await sellLicenses(tx, event, { variant, code, ownKey }, origin);
  const isMistyped = variant === undefined && event.variant !== undefined && (await isInCatalogue(tx, event.productId));
  const warnings = isMistyped ? { warnings: ['variant_not_found' as const] } : {};
  return { success: true, ...keysOf(event, licenses), duplicate: false, ...warnings };
}

/** The values that a sale takes from the catalogue. */
interface SaleTerms {
  /** The variant sold; undefined if the catalogue lacks it. */
  readonly variant: Variant | undefined;
  /** A locked code that counts as used once. */
  readonly code: DiscountCode | undefined;
  readonly ownKey: string | null;
}

/**
 * Issues the licenses of a line: one for each copy, or one whose limits are multiplied. Records the event. The caller
 * has made sure, under a lock, that the line was not sold before.
 *
 * @returns the licenses, one at least
 */
async function sellLicenses(
  tx: Tx,
  event: StorefrontEvent,
  { variant, code, ownKey }: SaleTerms,
  origin: Origin,
): Promise<readonly License[]> {
  const { quantity = 1, purchaseId = null, lineId = null, subscriptionId = null, productId } = event;
  const isMultiplied = copiesOf(event, variant) === 'scale';
  const duration = purchasedLength({ event, codeTrialDays: code?.trialDays, variant });
  const order = { ...event, duration, quantity: isMultiplied ? quantity : 1, ownKey };
  const purchaseIds = Array.from({ length: isMultiplied ? 1 : quantity }, () => purchaseId);
  const licenses = await issueLicenses(tx, order, purchaseIds, origin);
  const [first] = licenses;
  if (code !== undefined) await redeemDiscountCode(tx, origin, code, first!);
  if (event.quantity !== undefined || lineId !== null || subscriptionId !== null)
    await insertSoldUnits(
      tx,
      licenses.map(({ licenseKey }, index) => ({
        licenseKey,
        firstKey: first!.licenseKey,
        unit: index + 1,
        quantity: order.quantity,
        productId,
        purchaseId,
        lineId,
        subscriptionId,
      })),
    );
  await recordEvents(tx, event, licenses, origin.now);
  return licenses;
}

/**
 * The result of several copies: by default one license for a subscription, and a license each for any other sale.
 */
function copiesOf({ subscriptionId }: StorefrontEvent, variant: Variant | undefined): QuantityRule {
  return variant?.terms.quantity ?? (subscriptionId === undefined ? 'licenses' : 'scale');
}

/** The licenses of an earlier delivery of a purchase; undefined for the first. */
async function findKnown(
  tx: Tx,
  { purchaseId, lineId, quantity, subscriptionId }: StorefrontEvent & { readonly purchaseId: string },
  creatorId: string | null,
): Promise<Sold | undefined> {
  if (lineId !== undefined) {
    const units = await listUnitsOfLine(tx, creatorId, { purchaseId, lineId });
    const licenseKeys = units.map(({ licenseKey }) => licenseKey);
    return units.length === 0 ? undefined : findSoldLicenses(tx, licenseKeys, units);
  }
  const first = await findLicenseOfPurchase(tx, { purchaseId, creatorId });
  if (first === undefined) return undefined;
  if (quantity === undefined && subscriptionId === undefined) return { licenses: [first], units: [] };
  const units = await listUnitsBeside(tx, first.licenseKey);
  const licenseKeys = units.map(({ licenseKey }) => licenseKey);
  return units.length > 1 ? findSoldLicenses(tx, licenseKeys, units) : { licenses: [first], units };
}

/**
 * The reply to a purchase whose licenses exist; it says so if they are of another product. A subscription that the
 * first delivery did not name is tied to them, so that a shop can name it later.
 */
async function repeatedPurchase(tx: Tx, { licenses, units }: Sold, event: StorefrontEvent): Promise<WebhookReply> {
  const [{ licenseKey, productId, variant }] = licenses;
  const { subscriptionId, lineId = null, purchaseId = null } = event;
  const known = { success: true, ...keysOf(event, licenses), duplicate: true } as const;
  if (productId !== event.productId) return { ...known, productId, variant, warnings: ['other_product'] };
  if (subscriptionId !== undefined) {
    const [unit] = units;
    const row = { licenseKey, firstKey: licenseKey, unit: 1, quantity: 1, productId, purchaseId, lineId };
    if (unit === undefined) await insertSoldUnits(tx, [{ ...row, subscriptionId }]);
    else if (unit.subscriptionId === null) await tieToSubscription(tx, unit.firstKey, subscriptionId);
  }
  return known;
}

/** The keys of a sale: a purchase with a quantity gets all of them as a list, however many they are. */
function keysOf({ quantity }: StorefrontEvent, licenses: readonly License[]) {
  const licenseKeys = licenses.map(({ licenseKey }) => licenseKey);
  return { licenseKey: licenseKeys[0]!, ...(quantity === undefined ? severalKeys(licenses) : { licenseKeys }) };
}

async function redeemableCode(tx: Tx, { discountCode, productId, email }: StorefrontEvent, now: number) {
  if (discountCode === undefined) return undefined;
  const code = await lockRedeemableCode(tx, { code: discountCode, productId, email, isPurchase: true }, now);
  return isRefusal(code) ? undefined : code;
}
