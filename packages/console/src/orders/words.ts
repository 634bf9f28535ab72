/** What orders and their seats are called on the screen. */
import type { StudioOrder } from '../api/contract.ts';

/**
 * An amount of money in the reader's locale.
 *
 * @param cents in the smallest unit of the currency
 * @param currency three letters, in any case
 */
export function moneyText(cents: number, currency: string, locale?: string): string {
  try {
    const format = new Intl.NumberFormat(locale, { style: 'currency', currency });
    return format.format(cents / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
  } catch {
    // Letters that are no currency were taken by the service as they were sent.
    return `${cents.toLocaleString(locale)} ${currency.toUpperCase()}`;
  }
}

/** "3 of 12 seats are redeemed." */
export function seatsText({ redeemedCount, seatCount }: Pick<StudioOrder, 'redeemedCount' | 'seatCount'>): string {
  if (redeemedCount === 0) return `None of ${seatCount} seats is redeemed yet.`;
  if (redeemedCount >= seatCount) return `All ${seatCount} seats are redeemed.`;
  return `${redeemedCount} of ${seatCount} seats ${redeemedCount === 1 ? 'is' : 'are'} redeemed.`;
}

/** Things in groups of so many, in their order; the last group may be smaller. */
export function groupsOf<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));
}
