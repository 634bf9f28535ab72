/**
 * E-mails with the keys of licenses: one license or a purchase, for support, or all those of an address. The text is
 * made when the e-mail is sent, so a key never goes to an address that is no longer the license's own, unless staff
 * named another one.
 */
import { HOUR_MS, MINUTE_MS } from '../../ground/base/clock.ts';
import { foldEmail } from '../../ground/base/typed-text.ts';
import { listKeysOfAddress } from '../../licensing/licenses/address-listing-store.ts';
import { type License, shownLicenseKey } from '../../licensing/licenses/license.ts';
import { sharedOut } from '../../licensing/licenses/shared-out.ts';
import { listWholeLicenses } from '../../licensing/licenses/store.ts';
import type { Product } from '../../licensing/products/product.ts';
import { findProduct } from '../../licensing/products/store.ts';
import type { MailKind, QueuedMail } from '../../platform/endpoint/mail-kind.ts';
import type { Sql } from '../../storage/contract/storage.ts';
import { findBrand } from '../brand/store.ts';
import { KEYS_TEXTS } from './keys-texts.ts';
import { labelOfKey, layOut, oneLine } from './layout.ts';
import { pagesParagraphs } from './pages-words.ts';
import { listKeysOfPurchase } from './sale-licenses.ts';
import { sentBy } from './sent-by.ts';

/** Licenses of an address that are looked through, and keys in one e-mail. */
const MAX_LICENSES = 1_000;
const MAX_KEYS = 50;

/** A license, and the name and the owner of its product. */
interface Named {
  readonly license: License;
  readonly product: string;
  /** The owner of the product; null: not in the catalogue. */
  readonly owner: string | null;
}

/**
 * With a license key: that license, or with a purchaseId the purchase that it belongs to; without: all licenses of the
 * address within the shop that are not revoked.
 */
export const keysMail: MailKind = {
  name: 'keys',
  tries: [MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 6 * HOUR_MS],
  async prepare(sql, mail, { settings }) {
    const found = await namedLicenses(sql, mail);
    const [first] = found;
    if (first === undefined) return null;
    const texts = KEYS_TEXTS[mail.language];
    const isOne = found.length === 1;
    const isReplacement = mail.data.isReplacement === 'yes';
    const keys = sharedOut(found, ({ owner }) => owner, MAX_KEYS).map(({ license, product }) => ({
      label: labelOfKey(product, license.variant),
      value: oneLine(shownLicenseKey(license)),
    }));
    const laidOut = layOut(mail.language, isOne ? texts.subjectOfOne(first.product) : texts.subjectOfSeveral, [
      texts.greeting,
      isReplacement ? texts.introductionOfReplacement : isOne ? texts.introductionOfOne : texts.introductionOfSeveral,
      ...keys,
      ...(found.length > MAX_KEYS ? [texts.more] : []),
      texts.use,
      ...pagesParagraphs(mail.language, mail.creatorId, settings),
      isReplacement ? texts.reasonOfReplacement : texts.reason,
    ]);
    return { ...laidOut, ...sentBy(await findBrand(sql, mail.creatorId)) };
  },
};

async function namedLicenses(sql: Sql, mail: QueuedMail): Promise<readonly Named[]> {
  const { to, creatorId, licenseKey, data } = mail;
  const address = foldEmail(to);
  const isSingle = licenseKey !== null && data.purchaseId === undefined;
  const licenses = (await listWholeLicenses(sql, await keysFor(sql, mail)))
    .filter(({ email }) => data.isElsewhere === 'yes' || foldEmail(email) === address)
    .filter(({ revocation }) => isSingle || revocation === null)
    .sort((one, other) => (one.createdAt < other.createdAt ? 1 : -1));
  const productIds = [...new Set(licenses.map(({ productId }) => productId))];
  // Somebody who may see the license chose it; its product may have another owner by now.
  const shop = licenseKey === null ? creatorId : null;
  const products = new Map<string, Product | undefined>();
  for (const productId of productIds) products.set(productId, await findProduct(sql, productId, { creatorId: shop }));
  return licenses.flatMap((license) => {
    const product = products.get(license.productId);
    // A product that the catalogue does not know belongs to the operator.
    if (product === undefined && shop !== null) return [];
    const name = oneLine(product?.name ?? license.productId);
    return [{ license, product: name, owner: product?.creatorId ?? null }];
  });
}

async function keysFor(sql: Sql, { to, creatorId, licenseKey, data }: QueuedMail): Promise<readonly string[]> {
  if (licenseKey === null) return listKeysOfAddress(sql, foldEmail(to), { creatorId }, MAX_LICENSES);
  const { purchaseId } = data;
  return purchaseId === undefined ? [licenseKey] : listKeysOfPurchase(sql, licenseKey, { creatorId, purchaseId });
}
