/**
 * Pure rules: which conditions the operator is told of, and when (rules 13.10). The operator is told of a condition
 * when it begins, when it becomes graver, and when it ends. While it lasts, reminders follow: the first after a day,
 * the others a week apart. A condition that comes back within a day of the last e-mail about it is told of after that
 * day, so that one that comes and goes sends two e-mails a day at most.
 */
import { DAY_MS } from '../../ground/base/clock.ts';
import type { ConditionKind } from './notice-kinds.ts';

const FIRST_REMINDER_MS = DAY_MS;
const REMINDER_MS = 7 * DAY_MS;
/** After an e-mail about a condition that ended, its return is told of after this time. */
const RETURN_MS = DAY_MS;

/** Values for the sentences about a condition. */
export type Facts = Readonly<Record<string, string>>;

/** A condition that is present. */
export interface Condition {
  readonly kind: ConditionKind;
  /** The thing that it is about; empty for kinds with one condition at most. */
  readonly subject: string;
  /** A higher stage is graver. */
  readonly stage: number;
  readonly facts: Facts;
}

/** A condition that is present, or of which the operator was told within a day. Times are milliseconds since 1970. */
export interface KnownCondition extends Condition {
  readonly since: number;
  readonly endedAt: number | null;
  /** The last e-mail about it; null before the first. */
  readonly toldAt: number | null;
  /** E-mails that told that it is present, since it began; 0 once one told that it ended. */
  readonly tellings: number;
}

/** One thing to tell of. */
export interface News extends Condition {
  readonly what: 'began' | 'lasts' | 'ended';
  readonly since: number;
}

/** The outcome of a look at all conditions. */
export interface Round {
  /** Rows that are new or have changed. */
  readonly saved: readonly KnownCondition[];
  /** Rows that nothing depends on any more. */
  readonly removed: readonly KnownCondition[];
  readonly news: readonly News[];
}

/**
 * Compares the conditions that are present with the known ones.
 *
 * @param mayTell false: nothing is told now, and a later round tells it
 */
export function decideRound(
  known: readonly KnownCondition[],
  present: readonly Condition[],
  mayTell: boolean,
  now: number,
): Round {
  const knownById = new Map(known.map((each) => [idOf(each), atMost(each, now)]));
  const presentIds = new Set(present.map(idOf));
  const going = present.map((found) => {
    const row = continued(knownById.get(idOf(found)), found, now);
    return { found, row, what: newsOf(found, row, now) };
  });
  const reminded = new Set(going.flatMap(({ found, what }) => (what === 'lasts' ? [found.kind] : [])));
  const saved: KnownCondition[] = [];
  const removed: KnownCondition[] = [];
  const news: News[] = [];
  for (const { found, row, what: due } of going) {
    // One reminder names every condition of its kind.
    const what = due ?? (reminded.has(found.kind) && row.tellings > 0 ? 'lasts' : null);
    const { facts, stage } = found;
    if (what === null || !mayTell) saved.push({ ...row, facts });
    else {
      news.push({ ...found, what, since: row.since });
      saved.push({ ...row, facts, stage, toldAt: now, tellings: what === 'began' ? 1 : row.tellings + 1 });
    }
  }
  for (const [id, row] of knownById) {
    if (presentIds.has(id)) continue;
    const endedAt = row.endedAt ?? now;
    if (row.tellings > 0) {
      if (mayTell) news.push({ ...row, what: 'ended' });
      saved.push({ ...row, endedAt, ...(mayTell ? { toldAt: now, tellings: 0 } : {}) });
    } else if (row.toldAt === null || now - row.toldAt >= RETURN_MS) removed.push(row);
    else if (row.endedAt === null) saved.push({ ...row, endedAt });
  }
  return { saved, removed, news };
}

/** Continues a known condition, or begins one. Its stage stays the one that was told. */
function continued(known: KnownCondition | undefined, found: Condition, now: number): KnownCondition {
  const begun = { ...found, since: now, endedAt: null, tellings: 0 };
  if (known === undefined) return { ...begun, toldAt: null };
  // An end that nobody was told of has not happened for the reader.
  if (known.endedAt !== null && known.tellings === 0) return { ...begun, toldAt: known.toldAt };
  return { ...known, endedAt: null };
}

function newsOf(found: Condition, { toldAt, tellings, stage }: KnownCondition, now: number): News['what'] | null {
  if (toldAt === null) return 'began';
  const silence = now - toldAt;
  if (tellings === 0) return silence >= RETURN_MS ? 'began' : null;
  if (found.stage > stage) return 'began';
  // The stages of a certificate are its reminders.
  if (found.kind === 'certificate_ending') return null;
  return silence >= (tellings === 1 ? FIRST_REMINDER_MS : REMINDER_MS) ? 'lasts' : null;
}

/** Moments of a clock that was ahead count as the present one. */
function atMost(known: KnownCondition, now: number): KnownCondition {
  const earlier = (moment: number | null) => (moment === null ? null : Math.min(moment, now));
  const { since, endedAt, toldAt } = known;
  return { ...known, since: Math.min(since, now), endedAt: earlier(endedAt), toldAt: earlier(toldAt) };
}

const idOf = ({ kind, subject }: Condition): string => `${kind} ${subject}`;
