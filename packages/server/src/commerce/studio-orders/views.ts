/** Studio orders as lists show them (rules 4.9). */
import Type from 'typebox';
import { resource, timestamp, viewOf } from '../../platform/endpoint/field-types.ts';
import { centsSchema, type StudioOrder, studioOrderStatusSchema } from './studio-order.ts';

/** The shape of {@link studioOrderSummary}. */
export const studioOrderSummarySchema = resource(
  'StudioOrderSummary',
  'A studio order as lists show it; /getStudioOrder shows all fields.',
  {
    id: Type.String({ description: 'Identifier of the order.' }),
    courseSlug: Type.String({ description: 'The name of the course in addresses.' }),
    courseTitle: Type.String({ description: 'The name of the course for people.' }),
    seatCount: Type.Integer({ description: 'Seats of the order.' }),
    redeemedCount: Type.Integer({ description: 'Redeemed seats of the order.' }),
    totalAmount: centsSchema,
    status: studioOrderStatusSchema,
    createdAt: timestamp('When the order was created.'),
  },
);

/** The fields of an order in lists. */
export function studioOrderSummary(order: StudioOrder) {
  return viewOf(studioOrderSummarySchema, { ...order, id: order.studioOrderId });
}
