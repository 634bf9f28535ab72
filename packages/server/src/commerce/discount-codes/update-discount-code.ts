import Type from 'typebox';
import { foldCode } from '../../ground/base/typed-text.ts';
import { findProduct } from '../../licensing/products/store.ts';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { EXAMPLE } from '../../platform/endpoint/example-values.ts';
import { endTimestamp, flag, nullable, success, wholeNumber } from '../../platform/endpoint/field-types.ts';
import { refuse } from '../../platform/endpoint/refusals.ts';
import { changesField, refusalOfShown, type SeenThing, undoesField } from '../../platform/endpoint/shown-values.ts';
import { changeDiscountCode } from './change.ts';
import { codeField, type DiscountCode } from './discount-code.ts';
import { lockDiscountCode } from './store.ts';

/** POST /updateDiscountCode (rules 4.7.3). */
export const updateDiscountCode = endpoint({
  path: '/updateDiscountCode',
  access: 'admin',
  summary: 'Change a discount code',
  description:
    'Changes the given fields and leaves the others. A maxUses below the present number of uses refuses every ' +
    'further one. `wasActive`, `wasMaxUses` and `wasExpiresAt` are values that the caller saw: if one of them is not the ' +
    'stored one, nothing is changed, and the answer is 409 with the author of that change.',
  example: {
    after: ['/createDiscountCode'],
    request: { code: EXAMPLE.discountCode, maxUses: 250 },
    reply: { success: true },
  },
  fields: Type.Object({
    code: codeField,
    active: Type.Optional(flag('False refuses every redemption until it is true again.')),
    maxUses: Type.Optional(nullable(wholeNumber('Redemptions in all; null is unlimited.', 1))),
    expiresAt: Type.Optional(nullable(endTimestamp('When it stops working; null is never.'))),
    wasActive: Type.Optional(flag('The value of `active` that the caller saw.')),
    wasMaxUses: Type.Optional(nullable(wholeNumber('The number of redemptions that the caller saw.', 1))),
    wasExpiresAt: Type.Optional(nullable(endTimestamp('The end that the caller saw; null is never.'))),
    undoes: Type.Optional(undoesField),
  }),
  reply: success({}),
  refusals: ['discount_code_not_found', 'changed_meanwhile', 'product_archived'],
}).write(async (tx, { fields, scope, origin }) => {
  const code = await lockDiscountCode(tx, fields.code, scope);
  if (code === undefined) return refuse('discount_code_not_found');
  const changedMeanwhile = await refusalOfShown(tx, seenCode(code), fields, scope);
  if (changedMeanwhile !== null) return changedMeanwhile;
  const product = code.productId === null ? undefined : await findProduct(tx, code.productId, scope);
  if (product?.status === 'archived') return refuse('product_archived');
  await changeDiscountCode(tx, origin, code, {
    ...code,
    active: fields.active ?? code.active,
    maxUses: fields.maxUses === undefined ? code.maxUses : fields.maxUses,
    expiresAt: fields.expiresAt === undefined ? code.expiresAt : fields.expiresAt,
  });
  return { success: true };
});

function seenCode(stored: DiscountCode): SeenThing<DiscountCode> {
  const { code, productId, creatorId } = stored;
  return {
    name: 'Code',
    stored,
    events: {
      // A code that was deleted and made again has the values that somebody gave the new one.
      types: ['discount_code.updated', 'discount_code.created'],
      subject: foldCode(code),
      ...(productId === null && creatorId !== null
        ? { productIds: [], creatorId }
        : { productIds: productId === null ? null : [productId] }),
    },
    isChangeOf: changesField,
  };
}
