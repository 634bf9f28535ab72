/** The only writer of studio orders; records every change. */
import type { Origin } from '../../platform/events/event.ts';
import { recordChanges } from '../../platform/events/record.ts';
import type { Tx } from '../../storage/contract/storage.ts';
import { issueSeats } from './issue-seats.ts';
import { insertStudioOrder, insertWholeSeats, saveRedemption } from './store.ts';
import type { RedeemedSeat, Seat, StudioOrder } from './studio-order.ts';

/** Adds an order with its seats; returns the seats, seat 1 first. */
export async function addStudioOrder(tx: Tx, origin: Origin, order: StudioOrder): Promise<readonly Seat[]> {
  await insertStudioOrder(tx, order);
  const seats = await issueSeats(tx, order.studioOrderId, order.seatCount);
  const { studioOrderId: subject, creatorId, buyerEmail, courseId, seatCount } = order;
  const after = { buyerEmail, courseId, seatCount };
  await recordChanges(tx, [{ type: 'studio_order.created', subject, creatorId, after, origin }]);
  return seats;
}

/** Adds an order made elsewhere, with its seats in their present state. */
export async function addWholeStudioOrder(
  tx: Tx,
  origin: Origin,
  order: StudioOrder,
  seats: readonly Seat[],
): Promise<void> {
  await insertStudioOrder(tx, order);
  await insertWholeSeats(tx, seats);
  const { studioOrderId: subject, creatorId, buyerEmail, courseId, seatCount, redeemedCount } = order;
  const after = { buyerEmail, courseId, seatCount, redeemedCount };
  await recordChanges(tx, [{ type: 'studio_order.created', subject, creatorId, after, origin }]);
}

/** Redeems a seat of a locked order; returns the number of redeemed seats afterwards. */
export async function redeemSeat(tx: Tx, origin: Origin, order: StudioOrder, seat: RedeemedSeat): Promise<number> {
  const redeemedCount = order.redeemedCount + 1;
  await saveRedemption(tx, seat, redeemedCount);
  const { studioOrderId: subject, creatorId } = order;
  const before = { redeemedCount: order.redeemedCount };
  const after = { redeemedCount, seatNumber: seat.seatNumber, redeemedBy: seat.redeemedBy };
  await recordChanges(tx, [{ type: 'studio_seat.redeemed', subject, creatorId, before, after, origin }]);
  return redeemedCount;
}
