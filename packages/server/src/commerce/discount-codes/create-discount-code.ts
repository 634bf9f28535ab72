import Type from 'typebox';
import { toTimestamp } from '../../ground/base/clock.ts';
import { foldCode } from '../../ground/base/typed-text.ts';
import { findProduct } from '../../licensing/products/store.ts';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { EXAMPLE } from '../../platform/endpoint/example-values.ts';
import { endTimestamp, productIdField, success, text, wholeNumber } from '../../platform/endpoint/field-types.ts';
import { refuse } from '../../platform/endpoint/refusals.ts';
import { addDiscountCode } from './change.ts';
import { codeField } from './discount-code.ts';

/** POST /createDiscountCode (rules 4.7.1). */
export const createDiscountCode = endpoint({
  path: '/createDiscountCode',
  access: 'admin',
  quota: 'codes',
  summary: 'Make a discount or trial code',
  description:
    'Creates a code that gives a trial. It is stored as written and compared without case, among the codes of all ' +
    'creators. With productId it is for that product only; without, for all products of its creator; without a ' +
    'creator either, for every product. A code for a product of the catalogue belongs to the owner of that product. ' +
    'An API key creates codes of its creator only, for products of its creator only. The existence of a code reveals ' +
    'something about other creators, so for an API key each such 409 counts as a wrong credential: a network that ' +
    'gets too many in a minute is refused with 429.',
  example: {
    after: ['/createProduct'],
    request: {
      code: EXAMPLE.discountCode,
      trialDays: 14,
      productId: EXAMPLE.productId,
      maxUses: 100,
      expiresAt: '2027-06-01T00:00:00.000Z',
    },
    reply: { success: true, code: EXAMPLE.discountCode },
  },
  fields: Type.Object({
    code: codeField,
    trialDays: wholeNumber('Length of the trial.', 1),
    productId: Type.Optional(productIdField),
    creatorId: Type.Optional(text('Owner; for adminSecret only, an API key has its own.')),
    maxUses: Type.Optional(wholeNumber('Maximum number of redemptions; unlimited by default.', 1)),
    expiresAt: Type.Optional(endTimestamp('When it stops working; never by default.')),
  }),
  reply: success({
    code: Type.String({ description: 'The code as written.' }),
  }),
  refusals: ['creator_mismatch', 'product_not_found', 'product_archived', 'discount_code_taken'],
  countedRefusal: 'discount_code_taken',
}).write(async (tx, { fields, scope, origin }) => {
  const { code, trialDays, productId = null, creatorId, maxUses = null, expiresAt = null } = fields;
  if (foldCode(code) === '') return refuse('invalid_field', { details: { message: 'code must not be blank' } });
  if (scope.creatorId !== null && creatorId !== undefined && creatorId !== scope.creatorId)
    return refuse('creator_mismatch');
  const product = productId === null ? undefined : await findProduct(tx, productId, scope);
  // Operators may create codes for products outside the catalogue; an API key is limited to its own products.
  if (productId !== null && product === undefined && scope.creatorId !== null) return refuse('product_not_found');
  if (product !== undefined && creatorId !== undefined && creatorId !== product.creatorId)
    return refuse('invalid_field', { details: { message: 'creatorId is not the owner of the product' } });
  if (product?.status === 'archived') return refuse('product_archived');
  const isAdded = await addDiscountCode(tx, origin, {
    code,
    productId,
    creatorId: scope.creatorId ?? creatorId ?? product?.creatorId ?? null,
    trialDays,
    maxUses,
    usedCount: 0,
    active: true,
    createdAt: toTimestamp(origin.now),
    expiresAt,
  });
  return isAdded ? { success: true, code } : refuse('discount_code_taken');
});
