/** Figures that few screens show: money and sizes. */
import { amountText } from './count-words.ts';
import { LOCALE } from './locale.ts';

/**
 * An amount with its currency.
 *
 * @param amount in the smallest unit of the currency
 * @param currency three letters, in any case
 */
export function moneyText(amount: number, currency: string): string {
  try {
    const format = new Intl.NumberFormat(LOCALE, { style: 'currency', currency });
    return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
  } catch {
    // The service stores the currency as it was sent, so it may be invalid.
    return amountText(amount, currency);
  }
}

/** A size: "42.5 MB", in decimal units, as disks are sold. */
export function sizeText(bytes: number): string {
  const unit = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), SIZES.length - 1);
  const size = bytes / 1000 ** unit;
  return new Intl.NumberFormat(LOCALE, {
    style: 'unit',
    unit: SIZES[unit] ?? 'byte',
    unitDisplay: unit === 0 ? 'long' : 'short',
    maximumFractionDigits: size < 100 && unit > 0 ? 1 : 0,
  }).format(size);
}

const SIZES = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;
