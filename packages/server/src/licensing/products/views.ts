/** Products and variants as admin endpoints show them (rules 2.4, 2.5). */
import Type from 'typebox';
import type { ReplyOf } from '../../platform/endpoint/endpoint.ts';
import { nullable, oneOf, resource, timestamp, viewOf } from '../../platform/endpoint/field-types.ts';
import { LICENSE_TYPES } from './license-type.ts';
import { isActive, PRODUCT_STATUSES, type Product } from './product.ts';
import { changedVariantTerms, setTerms } from './terms.ts';
import type { Variant } from './variant.ts';

/** The shape of {@link productView}. */
export const productSchema = resource('Product', 'Something that licenses are sold for.', {
  productId: Type.String({ description: 'Equals the slug.' }),
  name: Type.String({ description: 'Its name for people.' }),
  slug: Type.String({ description: 'Name of the product in addresses.' }),
  creatorId: Type.String({ description: 'Owner.' }),
  status: oneOf('On sale, removed from sale, or discontinued and read-only.', PRODUCT_STATUSES, 'ProductStatus'),
  active: Type.Boolean({ description: 'Legacy flag: false for `archived`, else true.' }),
  createdAt: timestamp('When the product was created.'),
  updatedAt: timestamp('When it last changed.'),
});

/** Every field of a product. */
export function productView(product: Product): ReplyOf<typeof productSchema> {
  return viewOf(productSchema, { ...product, slug: product.productId, active: isActive(product.status) });
}

/** The shape of {@link variantView}. */
export const variantSchema = resource('Variant', 'An edition of a product.', {
  variantId: Type.String({ description: 'The productId, a hyphen and the name.' }),
  productId: Type.String({ description: 'Product that it belongs to.' }),
  name: Type.String({ description: 'Name within the product.' }),
  licenseType: oneOf('Type of the licenses it gives.', LICENSE_TYPES),
  maxMachines: Type.Integer({ description: '-1 is unlimited.' }),
  maxConcurrent: nullable(Type.Integer({ description: 'Floating sessions at once.' })),
  defaultTrialDays: nullable(Type.Integer({ description: 'Trial length when no discount code is used.' })),
  durationDays: nullable(Type.Integer({ description: 'Days a license lasts; null is perpetual.' })),
  price: nullable(Type.Number({ description: 'Smallest currency unit; null where none is stated.' })),
  active: Type.Boolean({ description: 'Whether it is listed without asking for inactive ones.' }),
  ...changedVariantTerms,
});

/** Every field of a variant and the terms that it has. */
export function variantView({ terms, ...variant }: Variant): ReplyOf<typeof variantSchema> {
  return { ...viewOf(variantSchema, variant), ...setTerms(terms) };
}

/** Every field of a variant, null for the terms that it does not have. */
export function wholeVariantView({ terms, ...variant }: Variant): ReplyOf<typeof variantSchema> {
  return { ...viewOf(variantSchema, variant), ...terms };
}
