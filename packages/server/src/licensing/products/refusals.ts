/** Refusals about products and variants. */
import { type CodesOf, NOT_YOURS, refusal, refusals } from '../../platform/endpoint/refusals.ts';

export const reachRefusals = refusals('reach of a caller', {
  too_many_products: refusal(400, 'You own more than {limit} products: provide a productId', {
    means: 'The creator has too many products to list the licenses of all of them together.',
    remedy: 'Name a `productId`.',
    console: ['You own many products.', 'Choose one of them in the filter.'],
  }),
});

export const productRefusals = refusals('catalogue', {
  product_not_found: refusal(404, 'Product not found', {
    means: 'The product does not exist, or belongs to another creator.',
    remedy: 'Read the ids from /listProducts.',
    app: 'Offers no trial. The `productId` in the app is wrong.',
    console: ['There is no such product.', NOT_YOURS],
  }),
  product_archived: refusal(409, 'Product is archived', {
    means: 'An archived product gets no new licenses, variants or codes, and its name and owner cannot change.',
    remedy: 'Make the product live again with /updateProduct first.',
    app: 'Offers no trial. Licenses go on.',
    console: ['The product is archived.', 'Put it on sale again first. Nothing was changed.'],
  }),
  operator_creates_products: refusal(403, 'Only the operator creates products here', {
    means: 'API keys may not create products in this service.',
    remedy: 'Ask the operator to create it, or to set `LATCHKEY_CREATORS_MAY_CREATE_PRODUCTS`.',
    console: ['Only the operator can create products.', 'Ask the operator to create it.'],
  }),
  slug_taken: refusal(409, 'Slug already exists', {
    means: 'The slug belongs to a product, or licenses were sold under it.',
    remedy: 'Choose another slug.',
    console: ['A product with this identifier exists already.', 'Choose another one. Nothing was changed.'],
  }),
  variant_not_found: refusal(404, 'Variant not found', {
    means: 'The variant does not exist, or belongs to another creator.',
    remedy: 'Read the ids from /listVariants.',
    app: 'Offers no trial. The `variant` in the app is wrong.',
    console: ['There is no such variant.', NOT_YOURS],
  }),
  variant_ambiguous: refusal(409, 'variantId is ambiguous: {variants}', {
    means: 'Variants of several products have this `variantId`; the text names them.',
    remedy: 'Add the `productId`.',
    console: ['Several variants have this name.', 'Choose one of them. Nothing was changed.'],
  }),
});

declare module '../../platform/endpoint/refusals.ts' {
  interface Refusals extends CodesOf<typeof reachRefusals>, CodesOf<typeof productRefusals> {}
}
