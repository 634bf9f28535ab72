import Type from 'typebox';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { EXAMPLE_NOW, MADE_BY_SERVICE } from '../../platform/endpoint/example-values.ts';
import { resource, success, text, timestamp, viewOf } from '../../platform/endpoint/field-types.ts';
import { refuse } from '../../platform/endpoint/refusals.ts';
import { exampleOrder } from './examples.ts';
import { findOrderWithSeats } from './store.ts';
import { centsSchema, isRedeemed, type Seat, seatStatusSchema, studioOrderStatusSchema } from './studio-order.ts';

const whenRedeemed = (what: string) => Type.Optional(Type.String({ description: `${what} Redeemed seats only.` }));

const studioOrderSchema = resource('StudioOrder', 'A purchase of several seats of one course.', {
  id: Type.String({ description: 'Identifier of the order.' }),
  buyerEmail: Type.String({ description: 'The buyer.' }),
  buyerUserId: Type.String({ description: "The buyer's user on the storefront." }),
  courseId: Type.String({ description: 'The course.' }),
  courseSlug: Type.String({ description: 'The name of the course in addresses.' }),
  courseTitle: Type.String({ description: 'The name of the course for people.' }),
  creatorId: Type.String({ description: "The course creator's user." }),
  seatCount: Type.Integer({ description: 'Seats of the order.' }),
  redeemedCount: Type.Integer({ description: 'Redeemed seats of the order.' }),
  pricePerSeat: centsSchema,
  totalAmount: centsSchema,
  currency: Type.String({ description: 'ISO 4217 code in lower case.' }),
  status: studioOrderStatusSchema,
  createdAt: timestamp('When the order was created.'),
  seats: Type.Array(
    resource('Seat', 'One seat of a studio order, redeemed by its code.', {
      code: Type.String({ description: 'Seat code.' }),
      status: seatStatusSchema,
      redeemedBy: whenRedeemed('E-mail of the redeemer.'),
      redeemerUserId: whenRedeemed("The redeemer's user on the storefront."),
      redeemedAt: Type.Optional(timestamp('Redeemed seats only.')),
      storefrontPurchaseId: whenRedeemed('Purchase record given at redemption.'),
    }),
  ),
});

/** GET/POST /getStudioOrder (rules 4.9.4). */
export const getStudioOrder = endpoint({
  path: '/getStudioOrder',
  access: 'webhookOrKey',
  needs: 'viewer',
  summary: 'Read a studio order with its seats',
  description:
    'Answers an order and its seats, seat 1 first. The webhook secret reaches every order, an API key those of its ' +
    'creator; any other order is answered like one that does not exist.',
  example: {
    after: ['/redeemSeatCode'],
    request: { studioOrderId: MADE_BY_SERVICE.studioOrderId },
    reply: {
      success: true,
      studioOrder: {
        id: MADE_BY_SERVICE.studioOrderId,
        ...exampleOrder,
        redeemedCount: 1,
        status: 'active',
        createdAt: EXAMPLE_NOW,
        seats: [
          {
            code: MADE_BY_SERVICE.firstSeatCode,
            status: 'redeemed',
            redeemedBy: 'pupil@school.example',
            redeemerUserId: 'user-8',
            redeemedAt: EXAMPLE_NOW,
            storefrontPurchaseId: 'purchase-31',
          },
          { code: MADE_BY_SERVICE.secondSeatCode, status: 'available' },
        ],
      },
    },
  },
  fields: Type.Object({ studioOrderId: text('Identifier from /createStudioOrder.') }),
  reply: success({ studioOrder: studioOrderSchema }),
  refusals: ['studio_order_not_found'],
}).read(async (sql, { fields, scope }) => {
  const seats = await findOrderWithSeats(sql, fields.studioOrderId, scope);
  const [order] = seats;
  if (order === undefined) return refuse('studio_order_not_found');
  const view = { ...order, id: order.studioOrderId, seats: seats.map(seatView) };
  return { success: true, studioOrder: viewOf(studioOrderSchema, view) };
});

/** A seat; the fields of its redemption are absent until it is redeemed. */
function seatView(seat: Seat) {
  const { code } = seat;
  if (!isRedeemed(seat)) return { code, status: 'available' } as const;
  const { redeemedBy, redeemerUserId, redeemedAt, storefrontPurchaseId } = seat;
  return { code, status: 'redeemed', redeemedBy, redeemerUserId, redeemedAt, storefrontPurchaseId } as const;
}
