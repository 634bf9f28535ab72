/** Console sessions: their lifetime and their binding (rules 5.4). */
import { DAY_MS, fromTimestamp, HOUR_MS, MINUTE_MS, toTimestamp } from '../../ground/base/clock.ts';
import type { Person } from '../../platform/endpoint/caller.ts';
import type { Role } from '../../platform/endpoint/roles.ts';
import { bindingOf, indexOfBinding } from './binding.ts';

/** Lifetimes of console sessions (rules 5.4). */
export const SESSION_MS = {
  /** The longest lifetime, from the sign-in. */
  usual: DAY_MS,
  /** The longest time without a call. */
  idle: 12 * HOUR_MS,
  /** The lifetime of a kept session, used or not. */
  kept: 7 * DAY_MS,
} as const;

/** The source of sessions started with the admin secret or a sign-in link. */
export const ADMIN_SOURCE = 'admin';

/**
 * Minimum interval between stored uses. With the uses that runtime/http/session-use.ts skips, the last use is accurate
 * to 5 minutes.
 */
const USE_KEPT_MS = MINUTE_MS;

/** A stored session. */
export interface ConsoleSession {
  /** The SHA-256 of the cookie's value, as hexadecimal digits. */
  readonly sessionId: string;
  readonly kind: 'operator' | 'creator';
  /** Null for creators. */
  readonly role: Role | null;
  /** {@link ADMIN_SOURCE}, or the hash of the key. */
  readonly source: string;
  readonly creatorId: string | null;
  /** The key's name; for the admin secret the self-chosen name, or null without one. */
  readonly name: string | null;
  /** For operators (access/console/binding.ts); null for creators. */
  readonly binding: string | null;
  readonly isKept: boolean;
  readonly createdAt: string;
  /** Accurate to five minutes. */
  readonly lastSeenAt: string;
  readonly expiresAt: string;
  readonly address: string | null;
  readonly userAgent: string | null;
}

/** The fields of a session under its binding: all that grant rights, and for how long. */
const boundFacts = (session: ConsoleSession) => [
  session.sessionId,
  session.role,
  session.source,
  session.name,
  session.createdAt,
  session.expiresAt,
];

/** The start of a session. */
export interface SessionBegun {
  readonly sessionId: string;
  readonly person: Person;
  /** The self-chosen name of a caller with the admin secret; null without one. */
  readonly givenName: string | null;
  readonly isKept: boolean;
  readonly now: number;
  readonly address: string | null;
  readonly userAgent: string | null;
}

/**
 * A new session.
 *
 * @param bindingKeys from access/console/binding.ts
 */
export function beginSession(begun: SessionBegun, bindingKeys: readonly Uint8Array[]): ConsoleSession {
  const { sessionId, person, givenName, isKept, now, address, userAgent } = begun;
  const at = toTimestamp(now);
  const endsAt = toTimestamp(now + (isKept ? SESSION_MS.kept : SESSION_MS.usual));
  const keyEndsAt = person.kind === 'operator' ? person.endsAt : null;
  const session: ConsoleSession = {
    sessionId,
    kind: person.kind,
    role: person.kind === 'operator' ? person.role : null,
    source: person.source,
    creatorId: person.kind === 'creator' ? person.creatorId : null,
    name: person.keyName ?? givenName,
    binding: null,
    isKept,
    createdAt: at,
    lastSeenAt: at,
    expiresAt: keyEndsAt !== null && keyEndsAt < endsAt ? keyEndsAt : endsAt,
    address,
    userAgent,
  };
  if (person.kind === 'creator') return session;
  const key = bindingKeys[person.secretIndex];
  if (key === undefined) throw new Error('a session is bound to a secret that there is');
  return { ...session, binding: bindingOf(key, boundFacts(session)) };
}

/**
 * Whether a session has ended by itself: it reached its maximum lifetime, was idle too long, or lost its secret. A
 * session that starts more than a day from now came from a clock that was ahead; otherwise it would last until that
 * time comes.
 *
 * @param now the time by which sessions end (believed-time/), in milliseconds since 1970
 */
export function isOver(session: ConsoleSession, now: number, bindingKeys: readonly Uint8Array[]): boolean {
  const { isKept, createdAt, lastSeenAt, expiresAt, kind, binding } = session;
  if (now >= fromTimestamp(expiresAt) || fromTimestamp(createdAt) > now + DAY_MS) return true;
  if (!isKept && now >= fromTimestamp(lastSeenAt) + SESSION_MS.idle) return true;
  if (kind === 'creator') return false;
  return binding === null || indexOfBinding(bindingKeys, boundFacts(session), binding) === null;
}

/** Whether the last use of a session is due to be stored again. */
export function isUseDue({ lastSeenAt }: ConsoleSession, now: number): boolean {
  return now >= fromTimestamp(lastSeenAt) + USE_KEPT_MS;
}

/** The name of a person in the console. */
export function shownName({ name }: Pick<ConsoleSession, 'name'>): string {
  return name ?? 'admin';
}

/**
 * The name of an operator in events. A self-chosen name is in parentheses, as in `admin (Ada)`; no operator key can
 * have such a name.
 */
export function actorNameOf({ source, name }: Pick<ConsoleSession, 'source' | 'name'>): string {
  if (source !== ADMIN_SOURCE) return name ?? '';
  return name === null ? 'admin' : `admin (${name})`;
}
