import Type from 'typebox';
import { toTimestamp } from '../../ground/base/clock.ts';
import { mintOrderedUuid } from '../../ground/base/random.ts';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { MADE_BY_SERVICE } from '../../platform/endpoint/example-values.ts';
import { email, resource, success, text, wholeNumber } from '../../platform/endpoint/field-types.ts';
import { addStudioOrder } from './change.ts';
import { exampleOrder } from './examples.ts';
import { MAX_SEATS, MINIMUM_SEATS, seatStatus, seatStatusSchema } from './studio-order.ts';

/** The greatest integer that JSON numbers represent exactly. */
const MAX_CENTS = Number.MAX_SAFE_INTEGER;

/** POST /createStudioOrder (rules 4.9.1). */
export const createStudioOrder = endpoint({
  path: '/createStudioOrder',
  access: 'webhook',
  summary: 'Create a studio order with its seat codes',
  description:
    'Records a paid order for several seats of a course and answers one code per seat, seat 1 first. Every call ' +
    'creates a separate order, even for the same externalOrderId: send an `Idempotency-Key` to repeat a call safely.',
  example: {
    request: exampleOrder,
    reply: {
      success: true,
      studioOrderId: MADE_BY_SERVICE.studioOrderId,
      seats: [
        { code: MADE_BY_SERVICE.firstSeatCode, status: 'available' },
        { code: MADE_BY_SERVICE.secondSeatCode, status: 'available' },
      ],
      seatCount: 2,
      redeemedCount: 0,
    },
  },
  fields: Type.Object({
    buyerEmail: email('The buyer.'),
    buyerUserId: text("The buyer's user on the storefront."),
    courseId: text('The course.'),
    courseSlug: text('The name of the course in addresses.'),
    courseTitle: text('The name of the course for people.', 1000),
    creatorId: text("The course creator's user."),
    seatCount: Type.Integer({
      description: 'How many seats.',
      minimum: MINIMUM_SEATS,
      maximum: MAX_SEATS,
      errorText: `must be between ${MINIMUM_SEATS} and ${MAX_SEATS}`,
    }),
    pricePerSeat: wholeNumber('Cents.', 0, MAX_CENTS),
    totalAmount: wholeNumber('Cents.', 0, MAX_CENTS),
    currency: Type.String({
      description: 'ISO 4217 code in any case; stored in lower case.',
      pattern: '^[A-Za-z]{3}$',
      errorText: 'must be a currency code of three letters',
    }),
    externalOrderId: Type.Optional(text("The payment provider's checkout session.")),
    purchaseId: Type.Optional(text("The storefront's purchase.")),
  }),
  missing: 'Missing required fields',
  reply: success({
    studioOrderId: Type.String({ description: 'Identifier of the order.' }),
    seats: Type.Array(
      resource('NewSeat', 'A seat of a new order.', {
        code: Type.String({ description: 'Seat code.' }),
        status: seatStatusSchema,
      }),
      { description: 'Seat 1 first.' },
    ),
    seatCount: Type.Integer({ description: 'Seats of the order.' }),
    redeemedCount: Type.Integer({ description: 'Redeemed seats of the order.' }),
  }),
  successStatus: 201,
}).write(async (tx, { fields, origin }) => {
  const { seatCount } = fields;
  const order = {
    ...fields,
    studioOrderId: `so_${mintOrderedUuid(origin.now)}`,
    currency: fields.currency.toLowerCase(),
    redeemedCount: 0,
    status: 'active',
    createdAt: toTimestamp(origin.now),
    externalOrderId: fields.externalOrderId ?? null,
    purchaseId: fields.purchaseId ?? null,
  } as const;
  const seats = await addStudioOrder(tx, origin, order);
  return {
    success: true,
    studioOrderId: order.studioOrderId,
    seats: seats.map((seat) => ({ code: seat.code, status: seatStatus(seat) })),
    seatCount,
    redeemedCount: 0,
  };
});
