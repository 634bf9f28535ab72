import Type from 'typebox';
import { endpoint } from '../endpoint/endpoint.ts';
import { refuse } from '../refusals.ts';
import { codeField } from './discount-code.ts';
import { deleteDiscountCode as deleteStored, lockDiscountCode } from './store.ts';

/** DELETE/POST /deleteDiscountCode (specification, "Admin: discount codes"). */
export const deleteDiscountCode = endpoint({
  path: '/deleteDiscountCode',
  methods: ['DELETE', 'POST'],
  access: 'admin',
  summary: 'Delete a discount code for good',
  description:
    'Deletes a code and the memory of who redeemed it. Licenses that it gave stay. A code made anew under the same ' +
    'name starts unused. DELETE takes its fields from the query string or a body.',
  fields: Type.Object({ code: codeField }),
  missing: 'Missing code',
  reply: Type.Object({ success: Type.Literal(true) }),
  refusals: ['discount_code_not_found'],
  work: {
    kind: 'write',
    async act(tx, { fields, scope }) {
      const code = await lockDiscountCode(tx, fields.code, scope);
      if (code === undefined) return refuse('discount_code_not_found');
      await deleteStored(tx, code);
      return { success: true };
    },
  },
});
