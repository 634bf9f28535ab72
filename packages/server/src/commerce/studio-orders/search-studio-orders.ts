import Type from 'typebox';
import { storedAddress } from '../../ground/base/typed-text.ts';
import { creationRangeFields, fallingStart } from '../../platform/endpoint/creation-range.ts';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { resource, text, viewOf } from '../../platform/endpoint/field-types.ts';
import {
  cursorAfter,
  cutPage,
  DEFAULT_LIMIT,
  pageFields,
  pageReply,
  readCursor,
} from '../../platform/endpoint/page.ts';
import { isRefusal } from '../../platform/endpoint/refusals.ts';
import { foldAscii } from '../../storage/contract/storage.ts';
import { exampleOrder, exampleSummary } from './examples.ts';
import { findSeatInScope, type StudioOrderSearch, searchOrders } from './store.ts';
import { canonicalSeatCode, type StudioOrder, seatCodeField } from './studio-order.ts';
import { studioOrderSummarySchema } from './views.ts';

const foundSchema = resource('StudioOrderFound', 'A studio order as a search shows it.', {
  ...studioOrderSummarySchema.properties,
  creatorId: Type.String({ description: "The course creator's user." }),
  buyerEmail: Type.String({ description: 'The buyer.' }),
  courseId: Type.String({ description: 'The course.' }),
});

/** GET/POST /searchStudioOrders (rules 4.9.6). */
export const searchStudioOrders = endpoint({
  path: '/searchStudioOrders',
  access: 'admin',
  needs: 'viewer',
  summary: 'List and find studio orders, newest first',
  description:
    'Lists all orders, or finds them by seat code, buyer, course, creator and time; all given filters must match. ' +
    'adminSecret reaches every order; an API key reaches those of its creator, and its creatorId is ignored. ' +
    '`nextCursor` is present when there are more; give it as `cursor` for the next page.',
  example: {
    after: ['/createStudioOrder'],
    request: { buyerEmail: exampleOrder.buyerEmail },
    reply: {
      success: true,
      orders: [
        {
          ...exampleSummary,
          creatorId: exampleOrder.creatorId,
          buyerEmail: exampleOrder.buyerEmail,
          courseId: exampleOrder.courseId,
        },
      ],
      count: 1,
    },
  },
  fields: Type.Object({
    code: Type.Optional(seatCodeField),
    buyerEmail: Type.Optional(text("The buyer's e-mail address, compared without the case of A to Z.", 320)),
    courseId: Type.Optional(text('The course.')),
    creatorId: Type.Optional(text("The course creator's user; for adminSecret, ignored for API keys.")),
    ...creationRangeFields,
    ...pageFields('Orders'),
  }),
  reply: pageReply('orders', foundSchema),
}).read(async (sql, { fields, scope }) => {
  const { code, buyerEmail, courseId, limit = DEFAULT_LIMIT } = fields;
  const { createdFrom: from, createdTo } = fields;
  const search = { buyerEmail, courseId, creatorId: scope.creatorId ?? fields.creatorId, from };
  const cursor = readCursor(fields.cursor);
  if (isRefusal(cursor)) return cursor;
  const after = fallingStart(cursor, createdTo);
  let found: readonly StudioOrder[];
  if (code === undefined) found = await searchOrders(sql, search, after, limit + 1);
  else {
    const order = await findSeatInScope(sql, canonicalSeatCode(code), scope);
    found = order !== undefined && fits(order, search) && order.createdAt < after.createdAt ? [order] : [];
  }
  const { entries, next } = cutPage(found, limit, ({ createdAt, studioOrderId }) =>
    cursorAfter({ createdAt, id: studioOrderId }),
  );
  const orders = entries.map((order) => viewOf(foundSchema, { ...order, id: order.studioOrderId }));
  return { success: true, orders, count: orders.length, ...next };
});

/** Whether the one order with a seat code passes the other filters. */
function fits(order: StudioOrder, { buyerEmail, courseId, creatorId, from = '' }: StudioOrderSearch): boolean {
  return (
    (buyerEmail === undefined || foldAscii(order.buyerEmail) === foldAscii(storedAddress(buyerEmail))) &&
    (courseId === undefined || order.courseId === courseId) &&
    (creatorId === undefined || order.creatorId === creatorId) &&
    order.createdAt >= from
  );
}
