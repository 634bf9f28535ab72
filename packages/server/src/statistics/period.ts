/** The part of time that figures are asked of: whole hours or days, UTC. */
import { DAY_MS, fromTimestamp, HOUR_MS, MINUTE_MS, toTimestamp } from '../clock.ts';
import type { StatisticStep } from '../observed-calls/statistic-table.ts';
import { type Refusal, refuse } from '../refusals.ts';

/** How long a step is, in milliseconds. */
export const STEP_MS: Readonly<Record<StatisticStep, number>> = { hour: HOUR_MS, day: DAY_MS };

/** A call is in the figures after so long: they are written once a minute. */
const WRITTEN_WITHIN_MS = MINUTE_MS;

/** The first moment that has a timestamp: the beginning of the year 0. */
const EARLIEST_MS = -62_167_219_200_000;

/** Hours or days one after the other. */
export interface Period {
  /** When the first step begins: a timestamp. */
  readonly from: string;
  /** When the step after the last one begins. */
  readonly to: string;
  /** When each of them begins. */
  readonly steps: readonly string[];
}

/** What is asked for; `from` and `to` are timestamps. */
export interface PeriodAsked {
  readonly step: StatisticStep;
  readonly from: string | undefined;
  readonly to: string | undefined;
  /** How many steps before `to` the period begins where `from` is not given. */
  readonly usualSteps: number;
  readonly mostSteps: number;
  readonly now: number;
}

/** Where the step of a moment begins, in milliseconds. */
export function startOfStep(moment: number, step: StatisticStep): number {
  return Math.floor(moment / STEP_MS[step]) * STEP_MS[step];
}

/**
 * The steps that overlap with the time from `from` to `to`. Those that have not begun are left out.
 *
 * @returns a refusal that names the field when nothing is between them, or too much
 */
export function periodOf(asked: PeriodAsked): Period | Refusal<'invalid_field'> {
  const { step, from, to, usualSteps, mostSteps, now } = asked;
  const end = to === undefined ? now + 1 : fromTimestamp(to);
  const start = from === undefined ? Math.max(EARLIEST_MS, end - usualSteps * STEP_MS[step]) : fromTimestamp(from);
  if (start >= end) return refuse('invalid_field', { details: { message: 'from must be before to' } });
  const first = startOfStep(start, step);
  if (Math.ceil((end - first) / STEP_MS[step]) > mostSteps)
    return refuse('invalid_field', { details: { message: `from must be at most ${mostSteps} ${step}s before to` } });
  const steps: string[] = [];
  for (let at = first; at < end && at <= now; at += STEP_MS[step]) steps.push(toTimestamp(at));
  return { from: toTimestamp(first), to: toTimestamp(Math.max(first, Math.min(end, now + 1))), steps };
}

/** Up to when figures are complete, as a timestamp: every call before it has been added to them. */
export function completeTo(now: number): string {
  return toTimestamp(now - WRITTEN_WITHIN_MS);
}
