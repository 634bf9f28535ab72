import type { RecordedTx } from '../../storage/contract/recorded.ts';
import { insertFreeSeats, listSeats } from './store.ts';
import { mintSeatCode, type Seat } from './studio-order.ts';

/**
 * Creates the seats of a new order, numbered from 1, each with a code that is unique across all orders. A code that is
 * already taken is replaced; among 852 billion codes that is rare.
 *
 * @param mintCode source of codes
 * @returns the seats, seat 1 first
 */
export async function issueSeats(
  tx: RecordedTx,
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
