import Type from 'typebox';
import { endpoint } from '../endpoint/endpoint.ts';
import { EXAMPLE } from '../endpoint/example-values.ts';
import { flag, nullable, timestamp, wholeNumber } from '../endpoint/field-types.ts';
import { refuse } from '../endpoint/refusals.ts';
import { findProduct } from '../products/store.ts';
import { changeDiscountCode } from './change.ts';
import { codeField } from './discount-code.ts';
import { lockDiscountCode } from './store.ts';

/** POST /updateDiscountCode (rules 4.7.3). */
export const updateDiscountCode = endpoint({
  path: '/updateDiscountCode',
  methods: ['POST'],
  access: 'admin',
  summary: 'Change a discount code',
  description:
    'Changes the given fields and leaves the others. A maxUses below the present number of uses refuses every ' +
    'further one.',
  example: {
    after: ['/createDiscountCode'],
    request: { code: EXAMPLE.discountCode, maxUses: 250 },
    reply: { success: true },
  },
  fields: Type.Object({
    code: codeField,
    active: Type.Optional(flag('False refuses every redemption until it is true again.')),
    maxUses: Type.Optional(nullable(wholeNumber('Redemptions in all; null is unlimited.', 1))),
    expiresAt: Type.Optional(nullable(timestamp('When it stops working; null is never.'))),
  }),
  missing: 'Missing code',
  reply: Type.Object({ success: Type.Literal(true) }),
  refusals: ['discount_code_not_found', 'product_archived'],
}).write(async (tx, { fields, scope, origin }) => {
  const code = await lockDiscountCode(tx, fields.code, scope);
  if (code === undefined) return refuse('discount_code_not_found');
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
