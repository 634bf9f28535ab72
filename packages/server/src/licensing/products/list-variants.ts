import Type from 'typebox';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { EXAMPLE } from '../../platform/endpoint/example-values.ts';
import { flag, productIdField } from '../../platform/endpoint/field-types.ts';
import { MAX_LIMIT, pageFields, pageReply } from '../../platform/endpoint/page.ts';
import { refuse } from '../../platform/endpoint/refusals.ts';
import { exampleVariant } from './examples.ts';
import { findProduct } from './store.ts';
import { NO_VARIANT_TERMS } from './terms.ts';
import { listVariants as listStored } from './variant-store.ts';
import { variantSchema, wholeVariantView } from './views.ts';

/** Rows in memory at once: the terms of a variant may have a quarter of a mebibyte. */
const READ_AT_ONCE = 100;
/** A page with large terms ends earlier than at its limit. */
const MAX_BYTES = 8 * 1024 * 1024;

/** GET or POST /listVariants (rules 4.6.3). */
export const listVariants = endpoint({
  path: '/listVariants',
  access: 'admin',
  needs: 'viewer',
  summary: 'List the variants of a product, by name',
  description:
    'Lists the active variants of a product, or all of them. `nextCursor` is present when there are more; give it as ' +
    '`cursor` for the next page. A page has at most about 8 MiB.',
  example: {
    after: ['/createVariant'],
    request: { productId: EXAMPLE.productId },
    reply: { success: true, variants: [{ ...exampleVariant, ...NO_VARIANT_TERMS }], count: 1 },
  },
  fields: Type.Object({
    productId: productIdField,
    includeInactive: Type.Optional(flag('Inactive ones as well.')),
    ...pageFields('Variants', MAX_LIMIT),
  }),
  reply: pageReply('variants', variantSchema),
  refusals: ['product_not_found'],
}).read(async (sql, { fields, scope }) => {
  const { productId, includeInactive = false, limit = MAX_LIMIT, cursor = '' } = fields;
  if ((await findProduct(sql, productId, scope)) === undefined) return refuse('product_not_found');
  const variants: ReturnType<typeof wholeVariantView>[] = [];
  let bytes = 0;
  for (let after = cursor; ; ) {
    const most = Math.min(limit + 1 - variants.length, READ_AT_ONCE);
    const found = await listStored(sql, productId, includeInactive, after, most);
    for (const variant of found) {
      const view = wholeVariantView(variant);
      bytes += Buffer.byteLength(JSON.stringify(view));
      const isFull = variants.length === limit || (bytes > MAX_BYTES && variants.length > 0);
      if (isFull) return { success: true, variants, count: variants.length, nextCursor: after };
      variants.push(view);
      after = variant.name;
    }
    if (found.length < most) return { success: true, variants, count: variants.length };
  }
});
