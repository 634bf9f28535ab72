/** Console sessions: how long they last, and what they are bound to (rules 5.4). */
import { DAY_MS, fromTimestamp, MINUTE_MS, toTimestamp } from '../clock.ts';
import type { Person } from '../endpoint/caller.ts';
import type { Role } from '../endpoint/roles.ts';
import { SESSION_MS } from '../retention.ts';
import { bindingOf, indexOfBinding } from './binding.ts';

/** The source of sessions that the admin secret or a sign-in link began. */
export const ADMIN_SOURCE = 'admin';

/** A use that follows a kept one by less is not kept. With what http/session-use.ts passes over it is known to 5 minutes. */
const USE_KEPT_MS = MINUTE_MS;

/** A session as it is stored. */
export interface ConsoleSession {
  /** The SHA-256 of the cookie's value, as hexadecimal digits. */
  readonly sessionId: string;
  readonly kind: 'operator' | 'creator';
  /** Null for creators. */
  readonly role: Role | null;
  /** {@link ADMIN_SOURCE}, or the hash of the key. */
  readonly source: string;
  readonly creatorId: string | null;
  /** The key's; for the admin secret the one that the person gave, null where none was given. */
  readonly name: string | null;
  /** For operators (console/binding.ts); null for creators. */
  readonly binding: string | null;
  readonly isKept: boolean;
  readonly createdAt: string;
  /** To five minutes. */
  readonly lastSeenAt: string;
  readonly expiresAt: string;
  readonly address: string | null;
  readonly userAgent: string | null;
}

/** What of a session its binding covers: all that gives rights, and for how long. */
const boundFacts = (session: ConsoleSession) => [
  session.sessionId,
  session.role,
  session.source,
  session.name,
  session.createdAt,
  session.expiresAt,
];

/** How somebody begins a session. */
export interface SessionBegun {
  readonly sessionId: string;
  readonly person: Person;
  /** The name that somebody gave who has the admin secret; null where none was given. */
  readonly givenName: string | null;
  readonly isKept: boolean;
  readonly now: number;
  readonly address: string | null;
  readonly userAgent: string | null;
}

/**
 * A new session.
 *
 * @param bindingKeys from console/binding.ts
 */
export function beginSession(begun: SessionBegun, bindingKeys: readonly Uint8Array[]): ConsoleSession {
  const { sessionId, person, givenName, isKept, now, address, userAgent } = begun;
  const at = toTimestamp(now);
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
    expiresAt: toTimestamp(now + (isKept ? SESSION_MS.kept : SESSION_MS.usual)),
    address,
    userAgent,
  };
  if (person.kind === 'creator') return session;
  const key = bindingKeys[person.secretIndex];
  if (key === undefined) throw new Error('a session is bound to a secret that there is');
  return { ...session, binding: bindingOf(key, boundFacts(session)) };
}

/**
 * Whether a session is over by itself: it has lasted as long as it may, was not used for long, or lost its secret. One that
 * begins more than a day from now was begun by a clock that was ahead, and would last until that time comes.
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

/** Whether it is time to keep again when a session was used last. */
export function isUseDue({ lastSeenAt }: ConsoleSession, now: number): boolean {
  return now >= fromTimestamp(lastSeenAt) + USE_KEPT_MS;
}

/** What a person is called in the console. */
export function shownName({ name }: Pick<ConsoleSession, 'name'>): string {
  return name ?? 'admin';
}

/**
 * What events call one of the operator's people. A name that nobody but the person vouches for stands in parentheses, as
 * in `admin (Ada)`; no operator key can have such a name.
 */
export function actorNameOf({ source, name }: Pick<ConsoleSession, 'source' | 'name'>): string {
  if (source !== ADMIN_SOURCE) return name ?? '';
  return name === null ? 'admin' : `admin (${name})`;
}
