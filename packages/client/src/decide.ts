/** Which state the license is in, by what is stored and what came of the last call. Pure: the time is an argument. */
import type { LicenseFileClaims } from './license-file.ts';
import type { ClockCondition, LicenseState, Problem } from './state.ts';
import type { StoredState } from './stored-state.ts';

/** What came of asking the server, in this process. Times are milliseconds since 1970. */
export type Outcome =
  | { readonly kind: 'not-asked' }
  | { readonly kind: 'good' }
  | { readonly kind: 'problem'; readonly problem: Problem; readonly since: number }
  | { readonly kind: 'waiting' }
  | { readonly kind: 'released' };

/** How long an answer counts without a license file. */
export interface AnswerLifetimes {
  /** For per-machine and site licenses. */
  readonly graceMs: number;
  /** For floating licenses, whose seat somebody else may want. */
  readonly floatingGraceMs: number;
}

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** Until when an answer counts in the process that got it, where only signed files count beyond that. */
const IN_MEMORY_MS = DAY_MS;

/** A renewal may come late because of an outage on our side: the grace goes so much further than the license. */
const LEEWAY_MS = 3 * DAY_MS;

/** All that decides the state. */
export interface Situation {
  readonly stored: StoredState;
  /** The verified file; null without one. */
  readonly file: LicenseFileClaims | null;
  /** Whether the app has compiled-in keys, so that what is stored beside the file is not believed. */
  readonly needsFile: boolean;
  /** When this process had its last good answer; null without one. */
  readonly answeredAt: number | null;
  readonly outcome: Outcome;
  readonly lifetimes: AnswerLifetimes;
  readonly now: number;
  readonly clock: ClockCondition;
}

/** Until when the app may go on without an answer: milliseconds, Infinity for ever; null: there is nothing to go by. */
export function rightUntil(situation: Situation): number | null {
  const { stored, file, needsFile, answeredAt, lifetimes } = situation;
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
  return expiresAt == null ? end : Math.min(end, Date.parse(expiresAt) + LEEWAY_MS);
}

/** The state. */
export function decide(situation: Situation): LicenseState {
  const { stored, file, outcome, now, clock } = situation;
  const common = { facts: stored.facts, clock };
  if (stored.tombstone !== null) {
    const { code, at } = stored.tombstone;
    return { ...common, status: 'refused', mayRun: false, why: code, since: timestamp(at) };
  }
  if (stored.licenseKey === null && file === null) return { ...common, status: 'unlicensed', mayRun: false };
  const until = rightUntil(situation);
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
  common: Pick<LicenseState, 'facts' | 'clock'>,
  source: 'server' | 'stored',
  until: number | null,
): LicenseState {
  const isForever = until === null || until === Number.POSITIVE_INFINITY;
  return { ...common, status: 'licensed', mayRun: true, source, until: isForever ? null : timestamp(until) };
}

/** The end of the year 9999: the text of a later moment sorts before all others. */
const LATEST_MS = 253_402_300_799_999;

/** ISO 8601 of milliseconds since 1970. */
export function timestamp(time: number): string {
  return new Date(Math.min(time, LATEST_MS)).toISOString();
}
