import Type from 'typebox';
import { endpoint } from '../endpoint/endpoint.ts';
import { flag, productIdField, text, wholeNumber } from '../endpoint/vocabulary.ts';
import { refuse } from '../refusals.ts';
import { findProduct } from './store.ts';
import { listVariants as listStored } from './variant-store.ts';
import { variantSchema, variantView } from './views.ts';

/** Also what is answered unless a limit is given: more than any product in earnest has. */
const MAXIMUM_LIMIT = 1000;

/** GET or POST /listVariants (specification, "Admin: variants"). */
export const listVariants = endpoint({
  path: '/listVariants',
  methods: ['GET', 'POST'],
  access: 'admin',
  summary: 'List the variants of a product, by name',
  description:
    'Lists the active variants of a product, or all of them. `nextCursor` is present when there are more; give it as ' +
    '`cursor` for the next page.',
  fields: Type.Object({
    productId: productIdField,
    includeInactive: Type.Optional(flag('Inactive ones as well.')),
    limit: Type.Optional(wholeNumber('Variants per answer; 1000 unless given.', 1, MAXIMUM_LIMIT)),
    cursor: Type.Optional(text('The nextCursor of the answer before.')),
  }),
  missing: 'Missing productId',
  reply: Type.Object({
    success: Type.Literal(true),
    variants: Type.Array(variantSchema),
    count: Type.Integer({ description: 'Variants in this answer.' }),
    nextCursor: Type.Optional(Type.String()),
  }),
  refusals: ['product_not_found'],
  work: {
    kind: 'read',
    async act(sql, { fields, scope }) {
      const { productId, includeInactive = false, limit = MAXIMUM_LIMIT, cursor = '' } = fields;
      if ((await findProduct(sql, productId, scope)) === undefined) return refuse('product_not_found');
      const found = await listStored(sql, productId, includeInactive, cursor, limit + 1);
      const variants = found.slice(0, limit);
      const last = found.length > limit ? variants.at(-1) : undefined;
      return {
        success: true,
        variants: variants.map(variantView),
        count: variants.length,
        ...(last === undefined ? {} : { nextCursor: last.name }),
      };
    },
  },
});
