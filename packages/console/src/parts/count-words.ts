/** Numbers, with the separators of the console's language. */
import { LOCALE } from './locale.ts';

const counts = new Intl.NumberFormat(LOCALE);
const decimals = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 20 });
const rounded = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 1 });

/** "1,200". */
export function countText(count: number): string {
  return counts.format(count);
}

/** A number with all its decimals: "49.95". */
export function decimalText(value: number): string {
  return decimals.format(value);
}

/** A number with at most one decimal: "1.2". */
export function roundedText(value: number): string {
  return rounded.format(value);
}

/** "1 machine", "1,200 machines". @param many the plural; `one` with an s by default */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${countText(count)} ${count === 1 ? one : many}`;
}

/** An amount exactly as a shop sent it, with its currency: "49.5 EUR". */
export function amountText(amount: number, currency: string | null): string {
  return [decimalText(amount), ...(currency === null || currency === '' ? [] : [currency.toUpperCase()])].join(' ');
}
