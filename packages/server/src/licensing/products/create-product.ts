import Type from 'typebox';
import { toTimestamp } from '../../ground/base/clock.ts';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { EXAMPLE } from '../../platform/endpoint/example-values.ts';
import { oneOf, success, text } from '../../platform/endpoint/field-types.ts';
import { refuse } from '../../platform/endpoint/refusals.ts';
import { refuseName } from '../../platform/endpoint/shown-name.ts';
import { addProduct } from './change.ts';
import { exampleProduct } from './examples.ts';
import { PRODUCT_STATUSES } from './product.ts';
import { hasLicenses } from './store.ts';

const MISSING = 'Missing name, slug or creatorId';

/**
 * The unreserved characters of RFC 3986, which need no escaping in any part of a URL. Case is kept, because licenses
 * may already use the storefront's spelling of a product. The restricted first character rules out `..`.
 */
export const slugField = Type.String({
  description: 'Unique; becomes the productId. Case matters.',
  minLength: 1,
  maxLength: 255,
  pattern: '^[A-Za-z0-9][A-Za-z0-9._~-]*$',
  errorText:
    'must be URL-safe: at most 255 letters (A-Z, a-z), digits, hyphens, dots, underscores and tildes, with a letter or digit first',
});

/** POST /createProduct (rules 4.5.1). */
export const createProduct = endpoint({
  path: '/createProduct',
  access: 'admin',
  quota: 'products',
  summary: 'Add a product to the catalogue',
  description:
    'Adds a product. adminSecret names its creator; an API key creates for its own, unless the operator keeps that to ' +
    'itself, and cannot take a slug under which licenses exist already.',
  example: {
    request: { name: exampleProduct.name, slug: EXAMPLE.productId, creatorId: EXAMPLE.creatorId },
    reply: { success: true, productId: EXAMPLE.productId, status: 'live' },
  },
  fields: Type.Object({
    name: text('Its name for people.'),
    slug: slugField,
    creatorId: Type.Optional(text('Owner; required with adminSecret.')),
    status: Type.Optional(oneOf('`live` by default.', PRODUCT_STATUSES)),
  }),
  missing: MISSING,
  reply: success({
    productId: Type.String({ description: 'The slug.' }),
    status: oneOf('Status of the new product.', PRODUCT_STATUSES),
  }),
  refusals: ['operator_creates_products', 'creator_mismatch', 'slug_taken'],
}).write(async (tx, { fields, scope, origin, ruleContext }) => {
  if (scope.creatorId !== null && !ruleContext.settings.creatorsMayCreateProducts)
    return refuse('operator_creates_products');
  const creatorId = scope.creatorId ?? fields.creatorId;
  if (creatorId === undefined) return refuse('missing_fields', { details: { message: MISSING } });
  if (fields.creatorId !== undefined && fields.creatorId !== creatorId) return refuse('creator_mismatch');
  const { name, slug: productId, status = 'live' } = fields;
  const refusal = refuseName(name, scope);
  if (refusal !== null) return refusal;
  // Otherwise the first creator to claim the slug would take over the licenses of a product outside the catalogue.
  if (scope.creatorId !== null && (await hasLicenses(tx, productId))) return refuse('slug_taken');
  const at = toTimestamp(origin.now);
  const product = { productId, name, creatorId, status, createdAt: at, updatedAt: at };
  if (!(await addProduct(tx, origin, product))) return refuse('slug_taken');
  return { success: true, productId, status };
});
