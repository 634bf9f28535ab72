import Type from 'typebox';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { EXAMPLE, EXAMPLE_NOW, MADE_BY_SERVICE } from '../../platform/endpoint/example-values.ts';
import { resource, timestamp } from '../../platform/endpoint/field-types.ts';
import {
  cursorAfter,
  cutPage,
  DEFAULT_LIMIT,
  pageFields,
  pageReply,
  readCursor,
} from '../../platform/endpoint/page.ts';
import { isRefusal, refuse } from '../../platform/endpoint/refusals.ts';
import { codeField } from './discount-code.ts';
import { findDiscountCode, listRedemptions as listStored } from './store.ts';

/** GET/POST /listRedemptions (rules 4.7.6). */
export const listRedemptions = endpoint({
  path: '/listRedemptions',
  access: 'admin',
  needs: 'viewer',
  summary: 'List who redeemed a discount code, newest first',
  description:
    'Lists the redemptions of one code, each with the license that it gave. `nextCursor` is present when there are ' +
    'more; give it as `cursor` for the next page.',
  example: {
    after: ['/redeemTrialCode'],
    request: { code: EXAMPLE.discountCode },
    reply: {
      success: true,
      redemptions: [{ email: EXAMPLE.email, licenseKey: MADE_BY_SERVICE.trialLicenseKey, redeemedAt: EXAMPLE_NOW }],
      count: 1,
    },
  },
  fields: Type.Object({ code: codeField, ...pageFields('Redemptions') }),
  reply: pageReply(
    'redemptions',
    resource('CodeRedemption', 'One use of a discount code.', {
      email: Type.String({ description: "The redeemer's address, in lower case." }),
      licenseKey: Type.String({ description: 'License that the code gave, or that was bought with it.' }),
      redeemedAt: timestamp('When the code was redeemed.'),
    }),
  ),
  refusals: ['discount_code_not_found'],
}).read(async (sql, { fields, scope }) => {
  const { limit = DEFAULT_LIMIT } = fields;
  const cursor = readCursor(fields.cursor);
  if (isRefusal(cursor)) return cursor;
  const code = await findDiscountCode(sql, fields.code, scope);
  if (code === undefined) return refuse('discount_code_not_found');
  const found = await listStored(sql, code, cursor, limit + 1);
  const { entries, next } = cutPage(found, limit, ({ redeemedAt, email }) =>
    cursorAfter({ createdAt: redeemedAt, id: email }),
  );
  const redemptions = entries.map(({ email, licenseKey, redeemedAt }) => ({ email, licenseKey, redeemedAt }));
  return { success: true, redemptions, count: redemptions.length, ...next };
});
