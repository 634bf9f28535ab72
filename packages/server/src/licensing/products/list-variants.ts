import Type from 'typebox';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { EXAMPLE } from '../../platform/endpoint/example-values.ts';
import { flag, productIdField } from '../../platform/endpoint/field-types.ts';
import { cutPageOfNames, MAX_LIMIT, pageFields, pageReply } from '../../platform/endpoint/page.ts';
import { refuse } from '../../platform/endpoint/refusals.ts';
import { exampleVariant } from './examples.ts';
import { findProduct } from './store.ts';
import { NO_VARIANT_TERMS } from './terms.ts';
import { listVariants as listStored } from './variant-store.ts';
import { variantSchema, wholeVariantView } from './views.ts';

/** GET or POST /listVariants (rules 4.6.3). */
export const listVariants = endpoint({
  path: '/listVariants',
  access: 'admin',
  needs: 'viewer',
  summary: 'List the variants of a product, by name',
  description:
    'Lists the active variants of a product, or all of them. `nextCursor` is present when there are more; give it as ' +
    '`cursor` for the next page.',
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
  const found = await listStored(sql, productId, includeInactive, cursor, limit + 1);
  const { entries: variants, next } = cutPageOfNames(found, limit, ({ name }) => name);
  return {
    success: true,
    variants: variants.map(wholeVariantView),
    count: variants.length,
    ...next,
  };
});
