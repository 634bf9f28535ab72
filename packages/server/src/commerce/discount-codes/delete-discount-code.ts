import Type from 'typebox';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { EXAMPLE } from '../../platform/endpoint/example-values.ts';
import { success } from '../../platform/endpoint/field-types.ts';
import { refuse } from '../../platform/endpoint/refusals.ts';
import { removeDiscountCode } from './change.ts';
import { codeField } from './discount-code.ts';
import { lockDiscountCode } from './store.ts';

/** DELETE/POST /deleteDiscountCode (rules 4.7.4). */
export const deleteDiscountCode = endpoint({
  path: '/deleteDiscountCode',
  methods: ['DELETE', 'POST'],
  access: 'admin',
  summary: 'Delete a discount code for good',
  description:
    'Deletes a code and the record of its redemptions. Licenses that it gave stay. A new code of the same name ' +
    'starts unused. DELETE takes its fields from the query string or a body.',
  example: {
    after: ['/createDiscountCode'],
    request: { code: EXAMPLE.discountCode },
    reply: { success: true },
  },
  fields: Type.Object({ code: codeField }),
  reply: success({}),
  refusals: ['discount_code_not_found'],
}).write(async (tx, { fields, scope, origin }) => {
  const code = await lockDiscountCode(tx, fields.code, scope);
  if (code === undefined) return refuse('discount_code_not_found');
  await removeDiscountCode(tx, origin, code);
  return { success: true };
});
