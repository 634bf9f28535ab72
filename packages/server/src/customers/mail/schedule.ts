/** Pure rules: when an e-mail is tried, and when it is given up. Times are in milliseconds. */
import { DAY_MS, MINUTE_MS } from '../../ground/base/clock.ts';
import type { MailKind } from '../../platform/endpoint/mail-kind.ts';
import { isMailable } from './address.ts';

/** Rows of kinds that are deleted once sent, and of the others. */
const SHORT_RETENTION_MS = DAY_MS;
const RETENTION_MS = 30 * DAY_MS;
/** An e-mail that could not leave for two days would surprise its reader, unless its kind says otherwise. */
const LONGEST_WAIT_MS = 2 * DAY_MS;
/** Longer than any pause between attempts: a later due time comes from a clock that was ahead. */
export const LATEST_DUE_MS = DAY_MS;
/** Another node takes over an attempt whose node died after this time, which is longer than any attempt. */
const LEAST_DELAY_MS = MINUTE_MS;

/** How long the row of an e-mail is kept. */
export function retentionOf({ deletedOnceSent = false }: Pick<MailKind, 'deletedOnceSent'>): number {
  return deletedOnceSent ? SHORT_RETENTION_MS : RETENTION_MS;
}

/** Returns the moment of the attempt after the one that begins now; `attempts` have begun before it. */
export function nextAttemptAt({ tries }: MailKind, attempts: number, now: number): number {
  return now + Math.max(LEAST_DELAY_MS, tries[attempts] ?? 0);
}

/** True if no attempt follows this many. */
export function isLastAttempt({ tries }: MailKind, attempts: number): boolean {
  return attempts > tries.length;
}

/** True if an e-mail is to be tried now. */
export function isDue(dueAt: number, now: number): boolean {
  return dueAt <= now || dueAt > now + LATEST_DUE_MS;
}

/**
 * Returns the reason why an e-mail that is due fails without an attempt; null if there is none.
 *
 * @param believedNow null while the clock is not believed: no e-mail fails by its age then
 */
export function faultOf(
  kind: MailKind,
  mail: {
    readonly to: string;
    readonly attempts: number;
    readonly createdAt: number;
    readonly lastError: string | null;
  },
  believedNow: number | null,
): string | null {
  const { longestWaitMs = LONGEST_WAIT_MS } = kind;
  if (!isMailable(mail.to)) return 'address not mailable';
  // The node died in the last attempt, whose outcome is unknown.
  if (isLastAttempt(kind, mail.attempts)) return mail.lastError ?? 'interrupted';
  return believedNow !== null && believedNow - mail.createdAt > longestWaitMs ? 'waited too long' : null;
}
