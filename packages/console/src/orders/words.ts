/** The words for orders and their seats. */
import type { StudioOrder } from '../api/contract.ts';

/** "3 of 12 seats are redeemed." */
export function seatsText({ redeemedCount, seatCount }: Pick<StudioOrder, 'redeemedCount' | 'seatCount'>): string {
  if (redeemedCount === 0) return `None of ${seatCount} seats is redeemed yet.`;
  if (redeemedCount >= seatCount) return `All ${seatCount} seats are redeemed.`;
  return `${redeemedCount} of ${seatCount} seats ${redeemedCount === 1 ? 'is' : 'are'} redeemed.`;
}

/** Splits items into groups of `size`, in order; the last group may be smaller. */
export function groupsOf<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));
}
