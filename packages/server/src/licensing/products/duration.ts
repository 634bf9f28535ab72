/** Lengths of time that licenses last: days, or months of the calendar (rules 14.4). Pure. */
import { DAY_MS, toTimestamp } from '../../ground/base/clock.ts';
import { type Refusal, refuse } from '../../platform/endpoint/refusals.ts';
import type { Variant } from './variant.ts';

/** Days, or calendar months. */
export type Duration = { readonly days: number } | { readonly months: number };

/** A length as requests and variants state it; at most one of the two is set. */
export interface StatedDuration {
  readonly durationDays?: number | null | undefined;
  readonly durationMonths?: number | null | undefined;
}

/** The stated length; null where none is stated. */
export function durationOf({ durationDays, durationMonths }: StatedDuration): Duration | null {
  if (durationDays != null) return { days: durationDays };
  return durationMonths == null ? null : { months: durationMonths };
}

/** The length that a variant gives its licenses; null for ever, and for a variant that the catalogue lacks. */
export function durationOfVariant(variant: Variant | undefined): Duration | null {
  if (variant === undefined) return null;
  return durationOf({ durationDays: variant.durationDays, durationMonths: variant.terms.durationMonths });
}

/** The refusal of a request that states both lengths; null for any other. */
export function refusalForDuration({ durationDays, durationMonths }: StatedDuration): Refusal<'invalid_field'> | null {
  if (durationDays == null || durationMonths == null) return null;
  return refuse('invalid_field', { details: { message: 'durationMonths must not be given with durationDays' } });
}

/** The timestamp of a length of time after a moment. */
export function timeAfter(milliseconds: number, duration: Duration): string {
  if ('days' in duration) return toTimestamp(milliseconds + duration.days * DAY_MS);
  return toTimestamp(monthsAfter(milliseconds, duration.months));
}

/**
 * The same day some months later, UTC. From the last day of a month it is the last day of the other one, and a day that
 * the other month lacks is its last, so a payer never gets less than a month.
 */
function monthsAfter(milliseconds: number, months: number): number {
  const from = new Date(milliseconds);
  const [year, month, day] = [from.getUTCFullYear(), from.getUTCMonth(), from.getUTCDate()];
  const lastDay = lastDayOf(year, month + months);
  const isLast = day === lastDayOf(year, month);
  return from.setUTCFullYear(year, month + months, isLast ? lastDay : Math.min(day, lastDay));
}

/** The number of the last day of a month, which may be counted beyond its year. */
function lastDayOf(year: number, month: number): number {
  const last = new Date(0);
  return new Date(last.setUTCFullYear(year, month + 1, 0)).getUTCDate();
}
