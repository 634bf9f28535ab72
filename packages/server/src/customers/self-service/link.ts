/** Links that sign in a customer once (rules 13.3). */
import { hash } from 'node:crypto';
import { MINUTE_MS, toTimestamp } from '../../ground/base/clock.ts';
import { mintSecret } from '../../ground/base/random.ts';
import { foldEmail } from '../../ground/base/typed-text.ts';
import { findKeyOfAddress } from '../../licensing/licenses/address-listing-store.ts';
import { changeLicense } from '../../licensing/licenses/change.ts';
import { storedLicenseKey } from '../../licensing/licenses/license.ts';
import { findProduct } from '../../licensing/products/store.ts';
import type { Scope } from '../../platform/endpoint/caller.ts';
import { isRefusal, type Refusal, refuse } from '../../platform/endpoint/refusals.ts';
import type { Origin } from '../../platform/events/event.ts';
import { lockRates } from '../../platform/rates/rates.ts';
import type { Tx } from '../../storage/contract/storage.ts';
import { deleteLinksBeyond, insertLink } from './link-store.ts';
import { addressAtShop } from './session.ts';
import { MAX_LINKS, type SelfServiceSettings } from './settings.ts';

const CODE_BYTES = 32;

/** Validity of a link in minutes. */
export const LINK_MINUTES = { default: 60, least: 5, most: 4_320 } as const;

/** Whose link it is, and for how long it is valid. */
export interface LinkOrder {
  /** The customer of this license, or the customer with this address. */
  readonly customer: { readonly licenseKey: string } | { readonly email: string };
  /** The caller's products, or those of the shop that the customer is to see. */
  readonly scope: Scope;
  readonly minutes: number;
}

/** A link as it is shown, once. */
export interface MadeLink {
  readonly url: string;
  readonly expiresAt: string;
}

/** Makes a link for the customer of a license in scope, and records it with the license. */
export async function makeCustomerLink(
  tx: Tx,
  origin: Origin,
  { customer, scope, minutes }: LinkOrder,
  settings: Pick<SelfServiceSettings, 'mode' | 'publicUrl'> | null,
): Promise<MadeLink | Refusal<'license_not_found' | 'self_service_off' | 'no_shop_named' | 'address_not_mailable'>> {
  if (settings === null) return refuse('self_service_off');
  const licenseKey =
    'licenseKey' in customer
      ? storedLicenseKey(customer.licenseKey)
      : await findKeyOfAddress(tx, foldEmail(customer.email), scope);
  if (licenseKey === undefined) return refuse('license_not_found');
  const { now } = origin;
  const expiresAt = toTimestamp(now + minutes * MINUTE_MS);
  const load = async ({ productId }: { readonly productId: string }) =>
    scope.creatorId ?? (settings.mode === 'on' ? null : (await findProduct(tx, productId, scope))?.creatorId);
  let creatorId: string | null = null;
  const license = await changeLicense<string | null | undefined, 'no_shop_named' | 'address_not_mailable'>(
    tx,
    origin,
    { licenseKey, scope, load },
    ({ email }, shop) => {
      // The pages show the licenses of one address, and trials without one have nothing in common.
      if (email === '') return refuse('address_not_mailable');
      if (shop === undefined) return refuse('no_shop_named');
      creatorId = shop;
      const after = { expiresAt, creatorId: shop };
      return { type: 'customer_link.created', entry: { subject: null, before: null, after } };
    },
  );
  if (isRefusal(license)) return license;
  const emailFolded = foldEmail(license.email);
  // The counter serves as a lock: links of an address are made one after the other.
  const subject = `links of ${addressAtShop(emailFolded, creatorId)}`;
  await lockRates(tx, [{ subject, max: 1, windowMs: MINUTE_MS }], now);
  await deleteLinksBeyond(tx, { emailFolded, creatorId }, MAX_LINKS - 1);
  const code = mintSecret(CODE_BYTES);
  await insertLink(tx, {
    linkId: hash('sha256', code, 'base64url'),
    emailFolded,
    creatorId,
    createdAt: toTimestamp(now),
    expiresAt,
    staffName: origin.actor.kind === 'operator' ? (origin.actor.name ?? null) : null,
  });
  const shop = creatorId === null ? '' : `&shop=${encodeURIComponent(creatorId)}`;
  return { url: `${settings.publicUrl}/my/enter?c=${code}${shop}`, expiresAt };
}
