/** Figures that few screens show: money and sizes. */
import { amountText } from './count-words.ts';
import { LOCALE } from './locale.ts';

/**
 * An amount of money with its currency: "€49.00"; "49.00" without a known one.
 *
 * @param amount in the smallest unit of the currency. One with decimals is none, so it is shown as it was sent.
 * @param currency three letters, in any case; null if it is not known
 */
export function moneyText(amount: number, currency: string | null): string {
  if (!Number.isInteger(amount)) return amountText(amount, currency);
  if (currency === null || currency === '') return hundredths.format(amount / 100);
  try {
    const format = new Intl.NumberFormat(LOCALE, { style: 'currency', currency });
    return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
  } catch {
    // The service stores the currency as it was sent, so it may be invalid.
    return amountText(amount, currency);
  }
}

const hundredths = new Intl.NumberFormat(LOCALE, { minimumFractionDigits: 2, maximumFractionDigits: 2 });

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
