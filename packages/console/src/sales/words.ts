/** Figures of sales in words: pure. */
import type { SaleFigures } from '../api/contract.ts';
import { countText } from '../parts/count-words.ts';
import { LOCALE } from '../parts/locale.ts';

const percent = new Intl.NumberFormat(LOCALE, { style: 'percent', maximumFractionDigits: 0 });
const signed = new Intl.NumberFormat(LOCALE, { style: 'percent', maximumFractionDigits: 0, signDisplay: 'exceptZero' });

/** A change against the period before: "+12%"; "new" where there was nothing before, '' where there is nothing. */
export function growthText(now: number, before: number): string {
  if (before === 0) return now === 0 ? '' : 'new';
  return signed.format((now - before) / before);
}

/** The figure of the period before, as a sentence: "+12%, 41 in the 30 days before." */
export function comparedText(now: number, before: number, period: string): string {
  if (before === 0) return now === 0 ? `None in ${period} either.` : `None in ${period}.`;
  return `${growthText(now, before)}, ${countText(before)} in ${period}.`;
}

/** A part of a whole: "25%"; null without a whole. */
export function shareText(part: number, whole: number): string | null {
  return whole === 0 ? null : percent.format(part / whole);
}

/** Sales whose money went back in whole. */
export function wentBack({ refunded, chargedBack }: Pick<SaleFigures, 'refunded' | 'chargedBack'>): number {
  return refunded + chargedBack;
}

/** Whether all figures are 0. */
export function isNothing(figures: SaleFigures): boolean {
  return Object.values(figures).every((value) => value === 0);
}
