/** Finds the creator of a sale and the license sold, and changes that license (rules 6.1). */

import { changeLicense, type LicenseDecision, type LicenseToChange } from '../../licensing/licenses/change.ts';
import type { License } from '../../licensing/licenses/license.ts';
import { findLicenseOfPurchase } from '../../licensing/licenses/purchase-store.ts';
import { findProduct } from '../../licensing/products/store.ts';
import { isRefusal, type Refusal, type RefusalCode, refuse } from '../../platform/endpoint/refusals.ts';
import type { Origin } from '../../platform/events/event.ts';
import type { Sql, Tx } from '../../storage/contract/storage.ts';
import type { StorefrontEvent } from './event.ts';
import { existingLicenseReply, type WebhookReply } from './reply.ts';
import { recordEvent } from './store.ts';

/** The webhook may act on products of every creator. */
export const EVERYBODY = { creatorId: null };

/** The creator of this product; null, the operator, for a product outside the catalogue. */
export async function findCreatorOf(sql: Sql, productId: string): Promise<string | null> {
  return (await findProduct(sql, productId, EVERYBODY))?.creatorId ?? null;
}

/** Whether the catalogue knows a product. */
export async function isInCatalogue(sql: Sql, productId: string): Promise<boolean> {
  return (await findProduct(sql, productId, EVERYBODY)) !== undefined;
}

/**
 * The oldest license of a purchaseId among the products of the named product's creator, unlocked; the same purchaseId
 * of another creator is a different sale.
 */
export async function findSold(sql: Sql, purchaseId: string, productId: string): Promise<License | undefined> {
  return findLicenseOfPurchase(sql, purchaseId, await findCreatorOf(sql, productId));
}

/** Changes the license that an event is about by a pure rule, as {@link changeLicense} does, and records the event. */
export async function changeSold<Known, Code extends RefusalCode = never>(
  tx: Tx,
  event: StorefrontEvent,
  origin: Origin,
  { found, load }: { readonly found: License | undefined; readonly load?: LicenseToChange<Known>['load'] },
  decide: (license: License, known: Known) => LicenseDecision | Refusal<Code>,
): Promise<WebhookReply | Refusal<Code | 'license_not_found'>> {
  if (found === undefined) return refuse('license_not_found');
  const { licenseKey } = found;
  const changed = await changeLicense(tx, origin, { licenseKey, scope: EVERYBODY, load }, decide);
  if (isRefusal(changed)) return changed;
  await recordEvent(tx, event, changed, origin.now);
  return existingLicenseReply(event.type, changed, origin.now);
}
