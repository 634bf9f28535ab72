/** The period of a query: whole hours or days, UTC. */
import { DAY_MS, fromTimestamp, HOUR_MS, MINUTE_MS, toTimestamp } from '../../ground/base/clock.ts';
import type { StatisticStep } from '../../licensing/observed-calls/statistic-table.ts';
import { type Refusal, refuse } from '../../platform/endpoint/refusals.ts';

/** Length of a step in milliseconds. */
export const STEP_MS: Readonly<Record<StatisticStep, number>> = { hour: HOUR_MS, day: DAY_MS };

/** Delay until a call is included in the figures, which are written once a minute. */
const WRITTEN_WITHIN_MS = MINUTE_MS;

/** The first moment that has a timestamp: the beginning of the year 0. */
const EARLIEST_MS = -62_167_219_200_000;

/** Consecutive hours or days. */
export interface Period {
  /** Start of the first step, as a timestamp. */
  readonly from: string;
  /** End of the last step, as a timestamp. */
  readonly to: string;
  /** Start of each step, as a timestamp. */
  readonly steps: readonly string[];
}

/** The requested period; `from` and `to` are timestamps. */
export interface PeriodAsked {
  readonly step: StatisticStep;
  readonly from: string | undefined;
  readonly to: string | undefined;
  /** Default number of steps before `to`, used if `from` is missing. */
  readonly usualSteps: number;
  readonly maxSteps: number;
  readonly now: number;
}

/** The start of the step that contains a moment, in milliseconds. */
export function startOfStep(moment: number, step: StatisticStep): number {
  return Math.floor(moment / STEP_MS[step]) * STEP_MS[step];
}

/**
 * The steps that overlap the time from `from` to `to`. Steps that have not begun are omitted.
 *
 * @returns a refusal that names the field if the period is empty or too long
 */
export function periodOf(asked: PeriodAsked): Period | Refusal<'invalid_field'> {
  const { step, from, to, usualSteps, maxSteps, now } = asked;
  const end = to === undefined ? now + 1 : fromTimestamp(to);
  const start = from === undefined ? Math.max(EARLIEST_MS, end - usualSteps * STEP_MS[step]) : fromTimestamp(from);
  if (start >= end) return refuse('invalid_field', { details: { message: 'from must be before to' } });
  const first = startOfStep(start, step);
  if (Math.ceil((end - first) / STEP_MS[step]) > maxSteps)
    return refuse('invalid_field', { details: { message: `from must be at most ${maxSteps} ${step}s before to` } });
  const steps: string[] = [];
  for (let at = first; at < end && at <= now; at += STEP_MS[step]) steps.push(toTimestamp(at));
  return { from: toTimestamp(first), to: toTimestamp(Math.max(first, Math.min(end, now + 1))), steps };
}

/** The time up to which figures are complete, as a timestamp: they include every earlier call. */
export function completeTo(now: number): string {
  return toTimestamp(now - WRITTEN_WITHIN_MS);
}
