import Type from 'typebox';
import { foldCode } from '../../ground/base/typed-text.ts';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { EXAMPLE, EXAMPLE_NOW } from '../../platform/endpoint/example-values.ts';
import { nullable, productIdField, resource, text, timestamp, viewOf } from '../../platform/endpoint/field-types.ts';
import {
  cursorAfter,
  cutPageOfNames,
  DEFAULT_LIMIT,
  pageFields,
  pageReply,
  readCursor,
} from '../../platform/endpoint/page.ts';
import { isRefusal } from '../../platform/endpoint/refusals.ts';
import { codeField, type DiscountCode } from './discount-code.ts';
import { findDiscountCode, listDiscountCodes as listStored } from './store.ts';

const codeSchema = resource('DiscountCode', 'A code that gives a trial.', {
  code: Type.String({ description: 'As it was written when it was created; compared without case.' }),
  productId: nullable(Type.String({ description: 'Null is not restricted to one product.' })),
  creatorId: nullable(Type.String({ description: 'Null is a code of the operator.' })),
  trialDays: Type.Integer({ description: 'Length of the trial.' }),
  maxUses: nullable(Type.Integer({ description: 'Null is unlimited.' })),
  usedCount: Type.Integer({ description: 'Redemptions so far.' }),
  active: Type.Boolean({ description: 'False refuses every redemption.' }),
  createdAt: timestamp('When the code was created.'),
  expiresAt: nullable(timestamp('Null never expires.')),
});

/** GET/POST /listDiscountCodes (rules 4.7.2). */
export const listDiscountCodes = endpoint({
  path: '/listDiscountCodes',
  access: 'admin',
  needs: 'viewer',
  summary: 'List discount codes, newest first',
  description:
    'Lists codes by owner and by the product they are restricted to. `code` selects a single one, if it matches the ' +
    'other filters. An API key sees the codes of its creator; creatorId is ignored. `nextCursor` is present ' +
    'when there are more; give it as `cursor` for the next page.',
  example: {
    after: ['/createDiscountCode'],
    request: { productId: EXAMPLE.productId },
    reply: {
      success: true,
      codes: [
        {
          code: EXAMPLE.discountCode,
          productId: EXAMPLE.productId,
          creatorId: EXAMPLE.creatorId,
          trialDays: 14,
          maxUses: 100,
          usedCount: 0,
          active: true,
          createdAt: EXAMPLE_NOW,
          expiresAt: '2027-06-01T00:00:00.000Z',
        },
      ],
      count: 1,
    },
  },
  fields: Type.Object({
    code: Type.Optional(codeField),
    creatorId: Type.Optional(text('Only the codes of this creator.')),
    productId: Type.Optional(productIdField),
    ...pageFields('Codes'),
  }),
  reply: pageReply('codes', codeSchema),
}).read(async (sql, { fields, scope }) => {
  const { productId, limit = DEFAULT_LIMIT } = fields;
  const creatorId = scope.creatorId ?? fields.creatorId;
  const cursor = readCursor(fields.cursor);
  if (isRefusal(cursor)) return cursor;
  let found: readonly DiscountCode[];
  if (fields.code === undefined) found = await listStored(sql, { creatorId, productId }, cursor, limit + 1);
  else {
    const code = await findDiscountCode(sql, fields.code, { creatorId: creatorId ?? null });
    const isOfProduct = productId === undefined || code?.productId === productId;
    found = code !== undefined && isOfProduct && code.createdAt < cursor.createdAt ? [code] : [];
  }
  const { entries: codes, next } = cutPageOfNames(found, limit, ({ createdAt, code }) =>
    cursorAfter({ createdAt, id: foldCode(code) }),
  );
  return {
    success: true,
    codes: codes.map((code) => viewOf(codeSchema, code)),
    count: codes.length,
    ...next,
  };
});
