import Type from 'typebox';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { EXAMPLE } from '../../platform/endpoint/example-values.ts';
import { flag, productIdField, text } from '../../platform/endpoint/field-types.ts';
import {
  cursorAfter,
  cutPageOfNames,
  MAX_LIMIT,
  pageFields,
  pageReply,
  readCursor,
} from '../../platform/endpoint/page.ts';
import { isRefusal } from '../../platform/endpoint/refusals.ts';
import { exampleProduct } from './examples.ts';
import { listProducts as listStored } from './listing-store.ts';
import { PRODUCT_STATUSES, type Product, type ProductStatus } from './product.ts';
import { findProduct } from './store.ts';
import { productSchema, productView } from './views.ts';

const anyStatus = ` *(?:${PRODUCT_STATUSES.join('|')}) *`;
const statusesField = Type.String({
  description: `Comma-separated list of ${PRODUCT_STATUSES.join(', ')}; \`live\` by default.`,
  maxLength: 255,
  pattern: `^${anyStatus}(?:,${anyStatus})*$`,
  errorText: `must be a comma-separated list of ${PRODUCT_STATUSES.join(', ')}`,
});

/** GET or POST /listProducts (rules 4.5.2). */
export const listProducts = endpoint({
  path: '/listProducts',
  access: 'admin',
  needs: 'viewer',
  summary: 'List products, newest first',
  description:
    'Lists products by status and, for adminSecret, by creator; an API key sees those of its own creator only. ' +
    '`productId` selects a single one, if it matches the other filters. `nextCursor` is present when there are more; ' +
    'give it as `cursor` for the next page.',
  example: {
    after: ['/createProduct'],
    request: { creatorId: EXAMPLE.creatorId },
    reply: { success: true, products: [exampleProduct], count: 1 },
  },
  fields: Type.Object({
    status: Type.Optional(statusesField),
    productId: Type.Optional(productIdField),
    includeAll: Type.Optional(flag('All statuses; overrides `status`.')),
    creatorId: Type.Optional(text('Owner; for adminSecret, ignored for API keys.')),
    ...pageFields('Products', MAX_LIMIT),
  }),
  reply: pageReply('products', productSchema),
}).read(async (sql, { fields, scope }) => {
  const { status = 'live', includeAll = false, limit = MAX_LIMIT } = fields;
  const cursor = readCursor(fields.cursor);
  if (isRefusal(cursor)) return cursor;
  const statuses = includeAll ? PRODUCT_STATUSES : statusesIn(status);
  const creatorId = scope.creatorId ?? fields.creatorId ?? null;
  let found: readonly Product[];
  if (fields.productId === undefined) found = await listStored(sql, statuses, creatorId, cursor, limit + 1);
  else {
    const product = await findProduct(sql, fields.productId, { creatorId });
    const fits = product !== undefined && statuses.includes(product.status) && product.createdAt < cursor.createdAt;
    found = fits ? [product] : [];
  }
  const { entries: products, next } = cutPageOfNames(found, limit, ({ createdAt, productId }) =>
    cursorAfter({ createdAt, id: productId }),
  );
  return {
    success: true,
    products: products.map(productView),
    count: products.length,
    ...next,
  };
});

/** The statuses in a comma-separated list, each once. */
function statusesIn(list: string): readonly ProductStatus[] {
  const named = new Set(list.split(',').map((each) => each.trim()));
  return PRODUCT_STATUSES.filter((status) => named.has(status));
}
