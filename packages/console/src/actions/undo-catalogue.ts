/** Undoes a change of a product, a variant, a code or a brand. Pure. */
import type {
  Brand,
  DiscountCode,
  Product,
  UpdateBrandRequest,
  UpdateVariantRequest,
  Variant,
} from '../api/contract.ts';
import { given } from '../api/given.ts';
import { sentAmong, type Undoing, undoOfThing } from './undo.ts';

/** Undoes an update of a product. @param changes the new values */
export function undoOfProduct(before: Product, changes: Partial<Product>): Undoing | null {
  const { productId } = before;
  return undoOfThing('/updateProduct', { productId }, before, changes, `the product ${productId}`);
}

/** Undoes an update of a variant. @param sent the request, whose fields alone are put back */
export function undoOfVariant(before: Variant, after: Variant, sent: UpdateVariantRequest): Undoing | null {
  const { variantId, productId, name } = before;
  const changes = sentAmong(after, sent);
  return undoOfThing('/updateVariant', { variantId, productId }, before, changes, `the variant ${name}`);
}

/** Undoes an update of a code. @param before the values that it had; @param changes the new ones */
export function undoOfCode(
  before: Pick<DiscountCode, 'code'> & Partial<DiscountCode>,
  changes: Partial<DiscountCode>,
): Undoing | null {
  const { code } = before;
  return undoOfThing('/updateDiscountCode', { code }, before, changes, `the code ${code}`);
}

/** Undoes an update of a brand, its logo included; null for the first brand, which cannot be removed. */
export function undoOfBrand(before: Brand | null, after: Brand): Undoing | null {
  if (before === null) return null;
  const { creatorId, name, supportAddress, supportUrl, accent, logo, productLinks, allowsNewKeys } = before;
  const areSameLinks = JSON.stringify(productLinks) === JSON.stringify(after.productLinks);
  const isSameLogo = logo?.data === after.logo?.data;
  return undoneBrand(creatorId, after.updatedAt, {
    ...{ name, supportAddress, supportUrl, accent, allowsNewKeys },
    ...(areSameLinks ? {} : { productLinks }),
    ...(isSameLogo ? {} : { logo: logo?.data ?? null }),
  });
}

/** Puts values of a brand back. @param wasUpdatedAt the time of the change to undo */
export function undoneBrand(
  creatorId: string | null,
  wasUpdatedAt: string,
  values: Partial<UpdateBrandRequest>,
): Undoing {
  const request = { ...(creatorId === null ? {} : { creatorId }), ...values, wasUpdatedAt };
  const subject = creatorId === null ? 'the brand' : `the brand of ${creatorId}`;
  return { path: '/updateBrand', request, effect: null, done: `The change to ${subject} was undone.` };
}

/** Undoes the deletion of a code that nobody had redeemed: creates it again. Null for any other code. */
export function undoOfDeletion({
  code,
  trialDays,
  maxUses,
  expiresAt,
  productId,
  creatorId,
  usedCount,
  active,
}: Pick<
  DiscountCode,
  'code' | 'trialDays' | 'maxUses' | 'expiresAt' | 'productId' | 'creatorId' | 'usedCount' | 'active'
>): Undoing | null {
  // A new code is switched on and unused.
  if (usedCount !== 0 || !active) return null;
  const request = {
    ...{ code, trialDays },
    // A code for one product belongs to the owner of that product.
    ...given({ maxUses, expiresAt, ...(productId === null ? { creatorId } : { productId }) }),
  };
  const effect = `The code ${code} is created again, with the same terms`;
  return { path: '/createDiscountCode', request, effect, done: `The code ${code} is back.` };
}
