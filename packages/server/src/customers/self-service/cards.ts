/** Licenses as customers see them (rules 13.4). */
import { toTimestamp } from '../../ground/base/clock.ts';
import { listKeysOfAddress } from '../../licensing/licenses/address-listing-store.ts';
import {
  type License,
  shownLicenseKey,
  slotLimit,
  slotsUsed,
  statusAt,
  UNLIMITED_MACHINES,
} from '../../licensing/licenses/license.ts';
import { listLicensesOf } from '../../licensing/licenses/license-set-store.ts';
import { listWholeLicenses } from '../../licensing/licenses/store.ts';
import { graceUntilAt } from '../../licensing/licenses/terms.ts';
import { waitsForEnd } from '../../licensing/licenses/waiting.ts';
import { countsSessions } from '../../licensing/products/license-type.ts';
import { findProduct } from '../../licensing/products/store.ts';
import { bindingOf } from '../../licensing/session-tokens/token.ts';
import type { Sql } from '../../storage/contract/storage.ts';
import { NO_LINKS } from '../brand/product-links.ts';
import { findProductLinks } from '../brand/store.ts';
import type { SignedIn } from './session.ts';
import type { LicenseCard } from './shapes.ts';

/** The most licenses of an address that its pages reach. */
export const MAX_LICENSES = 1_000;

/** The name of a license in the addresses of pages. */
export function refOfLicense(licenseKey: string): string {
  return bindingOf(licenseKey);
}

/** The name of a device in the addresses of pages. It differs for each license, so that nobody can search for it. */
export function refOfDevice(licenseKey: string, fingerprint: string): string {
  return bindingOf(`${licenseKey}\n${fingerprint}`);
}

/** The name of a user in the addresses of pages. */
export function refOfUser(licenseKey: string, userFolded: string): string {
  return bindingOf(`${licenseKey}\nuser ${userFolded}`);
}

/** The keys of the licenses that a customer sees, newest first; of many, each creator has a share. */
export async function keysOf(sql: Sql, { session, scope }: SignedIn): Promise<readonly string[]> {
  return scope === null ? [] : listKeysOfAddress(sql, session.emailFolded, scope, MAX_LICENSES);
}

/** The key of the license with this name among those that a customer sees. */
export async function keyOfRef(sql: Sql, signedIn: SignedIn, ref: string): Promise<string | undefined> {
  return (await keysOf(sql, signedIn)).find((licenseKey) => refOfLicense(licenseKey) === ref);
}

/** The licenses with these keys in their order, as customers see them. */
export async function listCards(sql: Sql, licenseKeys: readonly string[], now: number): Promise<LicenseCard[]> {
  if (licenseKeys.length === 0) return [];
  const [whole, present] = await Promise.all([
    listWholeLicenses(sql, licenseKeys),
    listLicensesOf(sql, licenseKeys, toTimestamp(now)),
  ]);
  const licenses = new Map(whole.map((each) => [each.licenseKey, each]));
  const used = new Map(present.map((license) => [license.licenseKey, slotsUsed(license)]));
  const productIds = [...new Set(whole.map((license) => license.productId))];
  const products = await Promise.all(productIds.map((each) => findProduct(sql, each, { creatorId: null })));
  const names = new Map(productIds.map((productId, index) => [productId, products[index]?.name ?? productId]));
  const owners = new Map(productIds.map((productId, index) => [productId, products[index]?.creatorId ?? null]));
  const links = await listLinks(sql, owners);
  return licenseKeys.flatMap((licenseKey) => {
    const license = licenses.get(licenseKey);
    if (license === undefined) return [];
    const productName = names.get(license.productId) ?? license.productId;
    const product = { productName, links: links.get(license.productId) ?? NO_LINKS };
    return [cardOf(license, product, used.get(licenseKey) ?? slotsUsed(license), now)];
  });
}

/** The links of products by their ids, each as the brand of its creator chose it. */
async function listLinks(
  sql: Sql,
  owners: ReadonlyMap<string, string | null>,
): Promise<ReadonlyMap<string, LicenseCard['links']>> {
  const shops = [...new Set(owners.values())];
  const found = await Promise.all(shops.map((creatorId) => findProductLinks(sql, creatorId)));
  return new Map(
    shops.flatMap((creatorId, index) =>
      (found[index] ?? [])
        .filter(({ productId }) => owners.has(productId) && owners.get(productId) === creatorId)
        .map(({ productId, ...links }) => [productId, links] as const),
    ),
  );
}

function cardOf(
  license: License,
  { productName, links }: Pick<LicenseCard, 'productName' | 'links'>,
  used: number,
  now: number,
): LicenseCard {
  const slots = slotLimit(license);
  return {
    ref: refOfLicense(license.licenseKey),
    licenseKey: shownLicenseKey(license),
    productName,
    variantName: license.variant,
    status: statusAt(license, now),
    boughtAt: license.purchasedAt,
    isBought: license.purchaseId !== null,
    isTrial: license.discountCode !== null && license.purchaseId === null,
    expiresAt: license.expiresAt,
    beginsLater: waitsForEnd(license.terms.waiting),
    graceUntil: graceUntilAt(license, now),
    updatesUntil: license.updatesUntil,
    floating: countsSessions(license.licenseType),
    used,
    places: slots === UNLIMITED_MACHINES ? null : slots,
    links,
  };
}
