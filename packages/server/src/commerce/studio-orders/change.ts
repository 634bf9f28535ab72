/** The only writer of studio orders; records every change. */
import type { Origin } from '../../platform/events/event.ts';
import { recording } from '../../platform/events/record.ts';
import type { Tx } from '../../storage/contract/storage.ts';
import { issueSeats } from './issue-seats.ts';
import { insertStudioOrder, insertWholeSeats, saveRedemption } from './store.ts';
import type { RedeemedSeat, Seat, StudioOrder } from './studio-order.ts';

/** Adds an order with its seats; returns the seats, seat 1 first. */
export async function addStudioOrder(tx: Tx, origin: Origin, order: StudioOrder): Promise<readonly Seat[]> {
  const { studioOrderId: subject, creatorId, buyerEmail, courseId, seatCount } = order;
  const after = { buyerEmail, courseId, seatCount };
  return recording(tx, [{ type: 'studio_order.created', subject, creatorId, after, origin }], async (tx) => {
    await insertStudioOrder(tx, order);
    return issueSeats(tx, order.studioOrderId, order.seatCount);
  });
}

/** Adds an order made elsewhere, with its seats in their present state. */
export async function addWholeStudioOrder(
  tx: Tx,
  origin: Origin,
  order: StudioOrder,
  seats: readonly Seat[],
): Promise<void> {
  const { studioOrderId: subject, creatorId, buyerEmail, courseId, seatCount, redeemedCount } = order;
  const after = { buyerEmail, courseId, seatCount, redeemedCount };
  await recording(tx, [{ type: 'studio_order.created', subject, creatorId, after, origin }], async (tx) => {
    await insertStudioOrder(tx, order);
    await insertWholeSeats(tx, seats);
  });
}

/** Redeems a seat of a locked order; returns the number of redeemed seats afterwards. */
export async function redeemSeat(tx: Tx, origin: Origin, order: StudioOrder, seat: RedeemedSeat): Promise<number> {
  const redeemedCount = order.redeemedCount + 1;
  const { studioOrderId: subject, creatorId } = order;
  const before = { redeemedCount: order.redeemedCount };
  const after = { redeemedCount, seatNumber: seat.seatNumber, redeemedBy: seat.redeemedBy };
  await recording(tx, [{ type: 'studio_seat.redeemed', subject, creatorId, before, after, origin }], (tx) =>
    saveRedemption(tx, seat, redeemedCount),
  );
  return redeemedCount;
}
