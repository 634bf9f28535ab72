/**
 * Decides the state of the license from the stored state and the outcome of the last call. Pure: the time is an
 * argument.
 */
import type { LicenseFileClaims } from './license-file.ts';
import type { ClockCondition, LicenseState, Problem } from './state.ts';
import type { StoredState } from './stored-state.ts';

/** The outcome of the last call in this process. Times are milliseconds since 1970. */
export type Outcome =
  | { readonly kind: 'not-asked' }
  | { readonly kind: 'good' }
  | { readonly kind: 'problem'; readonly problem: Problem; readonly since: number }
  | { readonly kind: 'waiting' }
  | { readonly kind: 'released' };

/** The time for which an answer counts without a license file. */
export interface AnswerLifetimes {
  /** For per-machine and site licenses. */
  readonly graceMs: number;
  /** For floating licenses, because somebody else may want the seat. */
  readonly floatingGraceMs: number;
}

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** The time for which an answer counts in the process that received it, if only signed files count beyond that. */
const IN_MEMORY_MS = DAY_MS;

/** The grace may exceed the expiry by this much, because an outage of the service may delay a renewal. */
const LEEWAY_MS = 3 * DAY_MS;

/** The input of the decision. */
export interface DecisionInput {
  readonly stored: StoredState;
  /** The verified file; null without one. */
  readonly file: LicenseFileClaims | null;
  /** Whether the app has compiled-in keys. If so, only the signed file counts, not the rest of the stored state. */
  readonly needsFile: boolean;
  /** The time of this process's last good answer; null without one. */
  readonly answeredAt: number | null;
  readonly outcome: Outcome;
  readonly lifetimes: AnswerLifetimes;
  /** Whether the license covers this build of the app. */
  readonly coversBuild: boolean;
  readonly now: number;
  readonly clock: ClockCondition;
  readonly storageProblem: string | null;
}

/**
 * The time until which the app may run without another answer: milliseconds since 1970, Infinity for no end; null if
 * nothing licenses the app.
 */
export function rightUntil(input: DecisionInput): number | null {
  const { stored, file, needsFile, answeredAt, lifetimes } = input;
  const ends: number[] = [];
  if (file !== null) ends.push(file.exp === null ? Number.POSITIVE_INFINITY : file.exp * 1000);
  if (answeredAt !== null && needsFile) ends.push(withLeeway(answeredAt + IN_MEMORY_MS, stored));
  if (stored.lastGoodAt !== null && !needsFile) {
    const isFloating = stored.facts?.licenseType === 'floating';
    const lifetime = isFloating ? lifetimes.floatingGraceMs : lifetimes.graceMs;
    ends.push(withLeeway(stored.lastGoodAt + lifetime, stored));
  }
  return ends.length === 0 ? null : Math.max(...ends);
}

function withLeeway(end: number, { facts }: StoredState): number {
  const expiresAt = facts?.licenseExpiresAt;
  if (expiresAt == null) return end;
  const ends = [expiresAt, facts?.graceUntil ?? expiresAt].map((text) => Date.parse(text));
  return Math.min(end, Math.max(...ends) + LEEWAY_MS);
}

export function decide(input: DecisionInput): LicenseState {
  const { stored, file, outcome, now, clock, storageProblem } = input;
  const common = { facts: stored.facts, clock, storageProblem };
  if (stored.tombstone !== null) {
    const { code, at } = stored.tombstone;
    return { ...common, status: 'refused', mayRun: false, why: code, since: timestamp(at) };
  }
  if (stored.licenseKey === null && file === null) return { ...common, status: 'unlicensed', mayRun: false };
  if (!input.coversBuild)
    return { ...common, status: 'refused', mayRun: false, why: 'update_not_covered', since: null };
  const until = rightUntil(input);
  const isRight = until !== null && until > now;
  const isLasting = isRight && file !== null && file.purpose !== 'grace';
  if (outcome.kind === 'good') return licensed(common, 'server', until);
  if (isLasting) return licensed(common, 'stored', until);
  if (outcome.kind === 'waiting') return { ...common, status: 'waiting', mayRun: false, for: 'seat' };
  if (outcome.kind === 'released') return { ...common, status: 'released', mayRun: false };
  if (isRight && outcome.kind === 'not-asked') return licensed(common, 'stored', until);
  const { problem, since } = outcome.kind === 'problem' ? outcome : { problem: NOT_ASKED, since: now };
  return isRight
    ? { ...common, status: 'grace', mayRun: true, until: timestamp(until), since: timestamp(since), problem }
    : { ...common, status: 'lapsed', mayRun: false, since: timestamp(until ?? since), problem };
}

const NOT_ASKED: Problem = { kind: 'not_asked', detail: 'the server was not asked yet' };

function licensed(
  common: Pick<LicenseState, 'facts' | 'clock' | 'storageProblem'>,
  source: 'server' | 'stored',
  until: number | null,
): LicenseState {
  const isForever = until === null || until === Number.POSITIVE_INFINITY;
  return { ...common, status: 'licensed', mayRun: true, source, until: isForever ? null : timestamp(until) };
}

/** The years 0 to 9999. The text of a time outside them sorts wrongly, and most such times have none. */
const EARLIEST_MS = -62_167_219_200_000;
const LATEST_MS = 253_402_300_799_999;

/** ISO 8601 of milliseconds since 1970. */
export function timestamp(time: number): string {
  return new Date(Math.max(EARLIEST_MS, Math.min(time, LATEST_MS))).toISOString();
}
