import Type from 'typebox';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { success, text } from '../../platform/endpoint/field-types.ts';
import {
  cursorAfter,
  cutPageOfNames,
  MAX_LIMIT,
  nextCursorReply,
  pageFields,
  readCursor,
} from '../../platform/endpoint/page.ts';
import { isRefusal, refuse } from '../../platform/endpoint/refusals.ts';
import { exampleOrder, exampleSummary } from './examples.ts';
import { listOrders, type StudioOrderFilter } from './store.ts';
import { studioOrderSummary, studioOrderSummarySchema } from './views.ts';

const FILTERS: readonly StudioOrderFilter[] = ['buyerUserId', 'courseId', 'creatorId'];
const FILTER_FAULT = 'Provide buyerUserId, courseId, or creatorId';

/** GET/POST /listStudioOrders (rules 4.9.5). */
export const listStudioOrders = endpoint({
  path: '/listStudioOrders',
  access: 'webhook',
  summary: 'List studio orders, newest first',
  description:
    'Lists the orders of one buyer, one course or one creator, without their seat codes: exactly one of the three must ' +
    'be given. `nextCursor` is present when there are more; give it as `cursor` for the next page.',
  example: {
    after: ['/createStudioOrder'],
    request: { buyerUserId: exampleOrder.buyerUserId },
    reply: {
      success: true,
      orders: [exampleSummary],
    },
  },
  fields: Type.Object({
    buyerUserId: Type.Optional(text("The buyer's user on the storefront.")),
    courseId: Type.Optional(text('The course.')),
    creatorId: Type.Optional(text("The course creator's user.")),
    ...pageFields('Orders', MAX_LIMIT),
  }),
  missing: FILTER_FAULT,
  reply: success({
    orders: Type.Array(studioOrderSummarySchema),
    ...nextCursorReply,
  }),
}).read(async (sql, { fields }) => {
  const [filter, another] = FILTERS.filter((each) => fields[each] !== undefined);
  const value = filter && fields[filter];
  if (filter === undefined || value === undefined || another !== undefined)
    return refuse('missing_fields', { details: { message: FILTER_FAULT } });
  const cursor = readCursor(fields.cursor);
  if (isRefusal(cursor)) return cursor;
  const { limit = MAX_LIMIT } = fields;
  const found = await listOrders(sql, filter, value, cursor, limit + 1);
  const { entries: orders, next } = cutPageOfNames(found, limit, ({ createdAt, studioOrderId }) =>
    cursorAfter({ createdAt, id: studioOrderId }),
  );
  return {
    success: true,
    orders: orders.map(studioOrderSummary),
    ...next,
  };
});
