import Type from 'typebox';
import { foldEmail } from '../../ground/base/typed-text.ts';
import { reachableProducts } from '../../licensing/products/reachable-products.ts';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { EXAMPLE, EXAMPLE_NOW } from '../../platform/endpoint/example-values.ts';
import { productIdField, resource, text, timestamp, wholeNumber } from '../../platform/endpoint/field-types.ts';
import { cursorOf, cutPage, pageReply, readPosition, TEXT_FORM } from '../../platform/endpoint/page.ts';
import { isRefusal } from '../../platform/endpoint/refusals.ts';
import { listCustomersOf, listCustomersOfAll, MAX_LICENSES_COUNTED } from './listing-store.ts';

const DEFAULT_LIMIT = 50;
/** Each customer takes several steps along an index, in each product of a creator. */
const MAX_LIMIT = 100;

/** GET/POST /listCustomers (rules 4.10.3). */
export const listCustomers = endpoint({
  path: '/listCustomers',
  access: 'admin',
  needs: 'viewer',
  summary: 'List customers by address',
  description:
    'Lists the addresses that have licenses, each once, in their order as text. `nextCursor` is present when there are ' +
    'more; give it as `cursor` for the next page. `beginning` lists the addresses that begin with it. An API key lists the customers of the products that its creator owns ' +
    'today; one whose creator owns more than 30 products must name a product. /getCustomer shows one customer.',
  example: {
    after: ['/createLicense'],
    request: { productId: EXAMPLE.productId },
    reply: {
      success: true,
      customers: [{ email: EXAMPLE.email, licenses: 1, newestLicenseAt: EXAMPLE_NOW }],
      count: 1,
    },
  },
  fields: Type.Object({
    productId: Type.Optional(productIdField),
    beginning: Type.Optional(text('Only addresses that begin with this; compared without case.', 320)),
    limit: Type.Optional(wholeNumber(`Customers per answer; ${DEFAULT_LIMIT} by default.`, 1, MAX_LIMIT)),
    cursor: Type.Optional(text('The nextCursor of the answer before.', 1024)),
  }),
  reply: pageReply(
    'customers',
    resource('CustomerSummary', 'A customer as lists show it; /getCustomer shows more.', {
      email: Type.String({ description: 'The address, in lower case.' }),
      licenses: Type.Integer({ description: `Number of licenses; counting ends at ${MAX_LICENSES_COUNTED}.` }),
      newestLicenseAt: timestamp('When the newest license was created.'),
    }),
  ),
  refusals: ['too_many_products'],
}).read(async (sql, { fields: { productId, beginning, cursor, limit = DEFAULT_LIMIT }, scope }) => {
  const position = cursor === undefined ? [''] : readPosition(cursor, [TEXT_FORM]);
  if (isRefusal(position)) return position;
  const [after = ''] = position;
  const reachable = await reachableProducts(sql, productId, scope);
  if (isRefusal(reachable)) return reachable;
  const { productIds } = reachable;
  const asked = { after, beginning: beginning === undefined ? null : foldEmail(beginning), limit: limit + 1 };
  const found =
    productIds === null ? await listCustomersOfAll(sql, asked) : await listCustomersOf(sql, productIds, asked);
  const { entries: customers, next } = cutPage(found, limit, ({ email }) => cursorOf([email]));
  return { success: true, customers, count: customers.length, ...next };
});
