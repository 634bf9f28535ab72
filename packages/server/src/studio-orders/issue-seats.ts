import type { Tx } from '../storage/storage.ts';
import { insertFreeSeats, listSeats } from './store.ts';
import { mintSeatCode, type Seat } from './studio-order.ts';

/**
 * Gives a new order its seats, numbered from 1, each with a code that no seat of any order has. A code that turns out
 * to be taken is minted anew; of 852 billion, that is hardly ever one.
 *
 * @param mintCode where codes come from
 * @returns the seats, seat 1 first
 */
export async function issueSeats(
  tx: Tx,
  studioOrderId: string,
  seatCount: number,
  mintCode: () => string = mintSeatCode,
): Promise<readonly Seat[]> {
  let seats: readonly Seat[] = [];
  while (seats.length < seatCount) {
    const issued = new Set(seats.map(({ seatNumber }) => seatNumber));
    const lacking = Array.from({ length: seatCount }, (_, index) => index + 1).filter((number) => !issued.has(number));
    const minted = lacking.map((seatNumber) => ({ seatNumber, code: mintCode() }));
    await insertFreeSeats(tx, studioOrderId, minted);
    seats = await listSeats(tx, studioOrderId);
  }
  return seats;
}
