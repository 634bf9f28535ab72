/** The period of a question about sales: days, calendar weeks or calendar months, UTC. Pure. */
import { DAY_MS, fromTimestamp, toTimestamp } from '../../ground/base/clock.ts';
import { type Refusal, refuse } from '../../platform/endpoint/refusals.ts';

/** Lengths of a step. Weeks begin on Monday. */
export const SALE_STEPS = ['day', 'week', 'month'] as const;
export type SaleStep = (typeof SALE_STEPS)[number];

/** Maximum number of steps of each length, which bounds the rows that are read. */
export const MAX_STEPS: Readonly<Record<SaleStep, number>> = { day: 92, week: 54, month: 36 };
/** Days before `to` if `from` is missing; `to` may lie in a step that has just begun. */
const USUAL_DAYS: Readonly<Record<SaleStep, number>> = { day: 29, week: 12 * 7, month: 334 };

/** The first moment that has a timestamp: the beginning of the year 0. */
const EARLIEST_MS = -62_167_219_200_000;

/** Consecutive steps, and as many days right before them. */
export interface SalesPeriod {
  readonly step: SaleStep;
  /** The first day of the period before, as a timestamp. */
  readonly before: string;
  /** The first day. */
  readonly from: string;
  /** The day after the last one. */
  readonly to: string;
  /** The first day of each step. */
  readonly steps: readonly string[];
}

/** The first day of the step that a moment is in; both in milliseconds since 1970. */
export function startOfSaleStep(moment: number, step: SaleStep): number {
  const day = Math.floor(moment / DAY_MS) * DAY_MS;
  if (step === 'day') return day;
  const date = new Date(day);
  if (step === 'week') return day - ((date.getUTCDay() + 6) % 7) * DAY_MS;
  return date.setUTCDate(1);
}

function endOfSaleStep(start: number, step: SaleStep): number {
  if (step !== 'month') return start + (step === 'week' ? 7 : 1) * DAY_MS;
  const date = new Date(start);
  return date.setUTCMonth(date.getUTCMonth() + 1);
}

/**
 * The steps that overlap the time from `from` to `to`, both timestamps. Days that have not begun are omitted.
 *
 * @returns a refusal that names the field if the period is empty or too long
 */
export function salesPeriodOf(
  step: SaleStep,
  from: string | undefined,
  to: string | undefined,
  now: number,
): SalesPeriod | Refusal<'invalid_field'> {
  const end = to === undefined ? now + 1 : fromTimestamp(to);
  const start = from === undefined ? Math.max(EARLIEST_MS, end - 1 - USUAL_DAYS[step] * DAY_MS) : fromTimestamp(from);
  if (start >= end) return refuse('invalid_field', { details: { message: 'from must be before to' } });
  const first = startOfSaleStep(start, step);
  const steps: string[] = [];
  for (let at = first; at < end && at <= now; at = endOfSaleStep(at, step)) {
    if (steps.length === MAX_STEPS[step])
      return refuse('invalid_field', {
        details: { message: `from must be at most ${MAX_STEPS[step]} ${step}s before to` },
      });
    steps.push(toTimestamp(at));
  }
  const last = startOfSaleStep(Math.min(end - 1, now), 'day') + DAY_MS;
  const length = Math.max(0, last - first);
  return {
    step,
    before: toTimestamp(first - length),
    from: toTimestamp(first),
    to: toTimestamp(first + length),
    steps,
  };
}
