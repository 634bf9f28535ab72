import Type from 'typebox';
import { toTimestamp } from '../../clock.ts';
import { endpoint } from '../../endpoint/endpoint.ts';
import { EXAMPLE, EXAMPLE_NOW, MADE_BY_SERVICE } from '../../endpoint/example-values.ts';
import { oneOf, productIdField, resource, text, timestamp } from '../../endpoint/field-types.ts';
import { cursorAfter, cutPage, nextCursorReply, pageFields, readCursor } from '../../endpoint/page.ts';
import { reachableProducts } from '../../products/reachable-products.ts';
import { isRefusal } from '../../refusals.ts';
import { LICENSE_STATUSES, statusAt } from '../license.ts';
import { listLicenses as listStored } from '../listing-store.ts';
import { licenseStatusSchema } from '../views.ts';

const DEFAULT_LIMIT = 100;

export const listLicenses = endpoint({
  path: '/listLicenses',
  methods: ['GET', 'POST'],
  access: 'admin',
  summary: 'List licenses, newest first',
  description:
    'Lists licenses by product, purchase, e-mail, variant and status; all that is given must fit. `nextCursor` is present when there are more; give it as `cursor` ' +
    'for the next page. The status is that of this moment. An API key whose creator owns more than 30 products must ' +
    'name a product.',
  example: {
    after: ['/createLicense'],
    request: { productId: EXAMPLE.productId, limit: 50 },
    reply: {
      success: true,
      licenses: [
        {
          key: MADE_BY_SERVICE.licenseKey,
          email: EXAMPLE.email,
          productId: EXAMPLE.productId,
          variant: EXAMPLE.variant,
          status: 'active',
          maxMachines: 3,
          createdAt: EXAMPLE_NOW,
        },
      ],
      count: 1,
    },
  },
  fields: Type.Object({
    productId: Type.Optional(productIdField),
    purchaseId: Type.Optional(text("The storefront's transaction, compared as it is written.")),
    email: Type.Optional(text('Customer e-mail, compared without case.', 320)),
    variant: Type.Optional(text('Name of the variant, compared as it is written.')),
    status: Type.Optional(oneOf('Status at this moment.', LICENSE_STATUSES)),
    ...pageFields('Licenses', DEFAULT_LIMIT),
  }),
  missing: '',
  reply: Type.Object({
    success: Type.Literal(true),
    licenses: Type.Array(
      resource('LicenseSummary', 'What lists show of a license; /getLicense shows the rest.', {
        key: Type.String({ description: 'License key.' }),
        email: Type.String({ description: 'E-mail address of the customer.' }),
        productId: Type.String({ description: 'Product that it is for.' }),
        variant: Type.String({ description: 'Name of the variant.' }),
        status: licenseStatusSchema,
        maxMachines: Type.Integer({ description: '-1 is unlimited.' }),
        createdAt: timestamp('When the license was made.'),
      }),
    ),
    count: Type.Integer({ description: 'Licenses in this answer.' }),
    ...nextCursorReply,
  }),
  refusals: ['too_many_products'],
}).read(async (sql, { fields, scope, now }) => {
  const { productId, purchaseId, email, variant, status, limit = DEFAULT_LIMIT } = fields;
  const cursor = readCursor(fields.cursor);
  if (isRefusal(cursor)) return cursor;
  const reachable = await reachableProducts(sql, productId, scope);
  if (isRefusal(reachable)) return reachable;
  const filter = { ...reachable, purchaseId, email, variant, status };
  const found = await listStored(sql, filter, cursor, limit + 1, toTimestamp(now));
  const { entries: licenses, next } = cutPage(found, limit, ({ createdAt, licenseKey }) =>
    cursorAfter({ createdAt, id: licenseKey }),
  );
  return {
    success: true,
    licenses: licenses.map((each) => ({
      key: each.licenseKey,
      email: each.email,
      productId: each.productId,
      variant: each.variant,
      status: statusAt(each, now),
      maxMachines: each.maxMachines,
      createdAt: each.createdAt,
    })),
    count: licenses.length,
    ...next,
  };
});
