/** Studio orders with their seats as lines. */
import Type from 'typebox';
import { addWholeStudioOrder } from '../../commerce/studio-orders/change.ts';
import { findOrderWithSeats, isAnyCodeTaken, listSeats, orderTable } from '../../commerce/studio-orders/store.ts';
import {
  canonicalSeatCode,
  MAX_SEATS,
  MINIMUM_SEATS,
  type Seat,
  type StudioOrder,
  seatCodeField,
} from '../../commerce/studio-orders/studio-order.ts';
import { email, nullable, text, timestamp, wholeNumber } from '../../platform/endpoint/field-types.ts';
import { type FieldReader, fieldReader } from '../../platform/endpoint/fields.ts';
import { fromTable, type RecordKind } from './record.ts';

type SeatContent = Omit<Seat, 'studioOrderId'>;

/** The content of an order line; its seat counts are derived from the seats. */
export interface OrderContent extends Omit<StudioOrder, 'seatCount' | 'redeemedCount' | 'status'> {
  /** Seat 1 first. */
  readonly seats: readonly SeatContent[];
}

const cents = () => wholeNumber('Cents.', 0, Number.MAX_SAFE_INTEGER);

const readSeat: FieldReader = fieldReader(
  Type.Object({
    code: seatCodeField,
    seatNumber: wholeNumber('From 1 on.', 1, MAX_SEATS),
    redeemedBy: Type.Optional(nullable(email("The redeemer's address."))),
    redeemerUserId: Type.Optional(nullable(text("The redeemer's user."))),
    redeemedAt: Type.Optional(nullable(timestamp('When it was redeemed.'))),
    storefrontPurchaseId: Type.Optional(nullable(text("The storefront's purchase."))),
  }),
  'lacks code or seatNumber',
);

const TAKEN_CODE = 'the code of a seat is taken by another order';

const OF_SEATS = 'made of the seats';

export const orderRecords: RecordKind<OrderContent> = {
  ...fromTable(
    orderTable,
    Type.Object({
      studioOrderId: text('Identifier of the order.'),
      buyerEmail: email('The buyer.'),
      buyerUserId: text("The buyer's user."),
      courseId: text('The course.'),
      courseSlug: text('The name of the course in addresses.'),
      courseTitle: text('The name of the course.', 1000),
      creatorId: text("The course creator's user."),
      pricePerSeat: cents(),
      totalAmount: cents(),
      currency: Type.String({
        pattern: '^[a-z]{3}$',
        errorText: 'must be a currency code of three lower-case letters',
      }),
      createdAt: timestamp('When it was made.'),
      externalOrderId: Type.Optional(nullable(text("The payment provider's session."))),
      purchaseId: Type.Optional(nullable(text("The storefront's purchase."))),
      seats: Type.Array(Type.Unknown(), {
        minItems: MINIMUM_SEATS,
        maxItems: MAX_SEATS,
        errorText: `must be a list of ${MINIMUM_SEATS} to ${MAX_SEATS} seats`,
      }),
    }),
    { seatCount: OF_SEATS, redeemedCount: OF_SEATS, status: '`active` is the only status' },
    async ({ studioOrderId }, sql) => ({
      seats: (await listSeats(sql, studioOrderId)).map(({ studioOrderId: _, ...seat }) => seat),
    }),
  ),
  missing: 'lacks a field of an order',
  content(fields) {
    const given = fields as unknown as Omit<OrderContent, 'seats'> & { seats: readonly unknown[] };
    const seats: SeatContent[] = [];
    for (const [index, each] of given.seats.entries()) {
      if (typeof each !== 'object' || each === null) return { fault: `seat ${index + 1} must be an object` };
      const read = readSeat(each as Record<string, unknown>, 'body');
      if ('refusal' in read) return { fault: `seat ${index + 1}: ${String(read.refusal.details?.message)}` };
      const seat = read.fields as Pick<SeatContent, 'code' | 'seatNumber'> & Partial<SeatContent>;
      if (seat.seatNumber !== index + 1) return { fault: `seat ${index + 1} has another seatNumber` };
      const redemption = [seat.redeemedBy, seat.redeemerUserId, seat.redeemedAt, seat.storefrontPurchaseId];
      if (new Set(redemption.map((value) => value == null)).size > 1)
        return { fault: `seat ${index + 1} must have all fields of its redemption or none` };
      seats.push({
        redeemedBy: null,
        redeemerUserId: null,
        redeemedAt: null,
        storefrontPurchaseId: null,
        ...seat,
        code: canonicalSeatCode(seat.code),
      });
    }
    if (new Set(seats.map(({ code }) => code)).size < seats.length) return { fault: 'two seats have one code' };
    const redeemers = seats.flatMap(({ redeemerUserId }) => redeemerUserId ?? []);
    if (new Set(redeemers).size < redeemers.length) return { fault: 'two seats have one redeemer' };
    return {
      id: given.studioOrderId,
      content: {
        ...given,
        externalOrderId: given.externalOrderId ?? null,
        purchaseId: given.purchaseId ?? null,
        seats,
      },
    };
  },
  async loadExisting(sql, _tx, given) {
    const present = new Map<string, OrderContent>();
    const taken = new Set<string>();
    for (const { studioOrderId, seats } of given) {
      const [order] = await findOrderWithSeats(sql, studioOrderId, { creatorId: null });
      if (order !== undefined) present.set(studioOrderId, { ...order, seats: await listSeats(sql, studioOrderId) });
      else if (
        await isAnyCodeTaken(
          sql,
          seats.map(({ code }) => code),
        )
      )
        taken.add(studioOrderId);
    }
    return { present, refusal: ({ studioOrderId }) => (taken.has(studioOrderId) ? TAKEN_CODE : null) };
  },
  claims: { keysOf: ({ seats }) => seats.map(({ code }) => code), taken: TAKEN_CODE },
  async add(tx, orders, origin) {
    for (const { seats, ...order } of orders) {
      const redeemedCount = seats.filter(({ redeemedAt }) => redeemedAt !== null).length;
      await addWholeStudioOrder(
        tx,
        origin,
        { ...order, seatCount: seats.length, redeemedCount, status: 'active' },
        seats.map((seat) => ({ ...seat, studioOrderId: order.studioOrderId })),
      );
    }
  },
};
