import Type from 'typebox';
import { toTimestamp } from '../../ground/base/clock.ts';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { MADE_BY_SERVICE } from '../../platform/endpoint/example-values.ts';
import { email, resource, success, text, timestamp, viewOf } from '../../platform/endpoint/field-types.ts';
import { refuse } from '../../platform/endpoint/refusals.ts';
import { redeemSeat } from './change.ts';
import { exampleCourse, exampleOrder } from './examples.ts';
import { findSeatInScope, holdsSeat, lockOrderOfCode } from './store.ts';
import { canonicalSeatCode, refusalForRedemption, seatCodeField } from './studio-order.ts';

const reply = success({
  studioOrderId: Type.String({ description: 'Identifier of the order.' }),
  courseId: Type.String({ description: 'The course.' }),
  courseSlug: Type.String({ description: 'The name of the course in addresses.' }),
  courseTitle: Type.String({ description: 'The name of the course for people.' }),
  creatorId: Type.String({ description: "The course creator's user." }),
  seatNumber: Type.Integer({ description: 'From 1 on.' }),
  totalSeats: Type.Integer({ description: 'Seats of the order.' }),
  redeemedCount: Type.Integer({ description: 'Redeemed seats of the order, this one included.' }),
  buyerEmail: Type.String({ description: 'The buyer.' }),
});

/** POST /redeemSeatCode (rules 4.9.3). */
export const redeemSeatCode = endpoint({
  path: '/redeemSeatCode',
  access: 'webhook',
  summary: 'Redeem a seat code',
  description:
    'Binds a seat to its redeemer permanently. redeemerUserId alone identifies the user of a seat: one user gets one ' +
    'seat of an order, under any e-mail address. For a used code the refusal names its user and the time, also ' +
    'when the same user redeems it again. An error means that nothing was redeemed.',
  example: {
    after: ['/createStudioOrder'],
    request: {
      code: MADE_BY_SERVICE.firstSeatCode,
      redeemerEmail: 'pupil@school.example',
      redeemerUserId: 'user-8',
      storefrontPurchaseId: 'purchase-31',
    },
    reply: {
      success: true,
      studioOrderId: MADE_BY_SERVICE.studioOrderId,
      ...exampleCourse,
      creatorId: exampleOrder.creatorId,
      seatNumber: 1,
      totalSeats: 2,
      redeemedCount: 1,
      buyerEmail: exampleOrder.buyerEmail,
    },
  },
  fields: Type.Object({
    code: seatCodeField,
    redeemerEmail: email('Who redeems; shown as redeemedBy.'),
    redeemerUserId: text("The redeemer's user on the storefront."),
    storefrontPurchaseId: text("The storefront's purchase record for this redemption."),
  }),
  missing: 'Missing required fields',
  reply,
  refusals: ['seat_code_not_found', 'seat_code_redeemed', 'seat_already_held'],
  refusalFields: {
    seat_code_redeemed: resource('Redemption', 'Who redeemed a seat code before, and when.', {
      redeemedBy: Type.String({ description: 'E-mail of the redeemer.' }),
      redeemedAt: timestamp('When it was redeemed.'),
    }),
  },
}).write(async (tx, { fields, scope, origin }) => {
  const code = canonicalSeatCode(fields.code);
  await lockOrderOfCode(tx, code);
  const seat = await findSeatInScope(tx, code, scope);
  if (seat === undefined) return refuse('seat_code_not_found');
  const { studioOrderId, seatNumber } = seat;
  const { redeemerEmail: redeemedBy, redeemerUserId, storefrontPurchaseId } = fields;
  const refusal = refusalForRedemption(seat, await holdsSeat(tx, studioOrderId, redeemerUserId));
  if (refusal !== null) return refusal;
  const redeemedAt = toTimestamp(origin.now);
  const redeemed = { code, studioOrderId, seatNumber, redeemedBy, redeemerUserId, redeemedAt, storefrontPurchaseId };
  const redeemedCount = await redeemSeat(tx, origin, seat, redeemed);
  return viewOf(reply, { success: true, ...seat, totalSeats: seat.seatCount, redeemedCount });
});
