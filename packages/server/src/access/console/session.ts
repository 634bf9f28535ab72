/** Console sessions: their lifetime and their binding (rules 5.4). */
import { DAY_MS, fromTimestamp, HOUR_MS, MINUTE_MS, toTimestamp } from '../../ground/base/clock.ts';
import type { Person } from '../../platform/endpoint/caller.ts';
import type { Role } from '../../platform/endpoint/role.ts';
import type { ConsoleSettings } from '../../platform/endpoint/rule-context.ts';
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
/** The beginning of the sources of sessions started with an account of the identity provider. */
export const PROVIDER_SOURCE = 'provider ';

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
  /** {@link ADMIN_SOURCE}, the hash of the key, or {@link PROVIDER_SOURCE} with the hash of the account. */
  readonly source: string;
  readonly creatorId: string | null;
  /** The name of the key or the account; for the admin secret the self-chosen name, or null without one. */
  readonly name: string | null;
  /** Ties it to the admin secret (access/console/binding.ts); null for sessions that an API key gives their rights. */
  readonly binding: string | null;
  readonly isKept: boolean;
  readonly createdAt: string;
  /** Accurate to five minutes. */
  readonly lastSeenAt: string;
  readonly expiresAt: string;
  readonly address: string | null;
  readonly userAgent: string | null;
}

/** What decides about the validity of sessions. */
export type Validity = Pick<ConsoleSettings, 'bindingKeys' | 'providerDigest'>;

/**
 * The fields of a session under its binding: all that grant rights, and for how long; with an account of the identity
 * provider also the settings from which its rights follow.
 */
const boundFacts = (session: ConsoleSession, { providerDigest }: Validity) => [
  session.sessionId,
  session.role,
  session.source,
  session.name,
  session.createdAt,
  session.expiresAt,
  ...(isOfProvider(session) ? [session.creatorId, providerDigest] : []),
];

/** Whether a session began with an account of the identity provider. */
export function isOfProvider({ source }: Pick<ConsoleSession, 'source'>): boolean {
  return source.startsWith(PROVIDER_SOURCE);
}

/** The ways in to the console. */
export const WAYS_IN = ['admin_secret', 'operator_key', 'api_key', 'provider'] as const;

/** The way in with which a session began; a sign-in link stands for the admin secret. */
export function wayInOf(session: Pick<ConsoleSession, 'source' | 'kind'>): (typeof WAYS_IN)[number] {
  if (session.source === ADMIN_SOURCE) return 'admin_secret';
  if (isOfProvider(session)) return 'provider';
  return session.kind === 'creator' ? 'api_key' : 'operator_key';
}

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

/** A new session. */
export function beginSession(begun: SessionBegun, validity: Validity): ConsoleSession {
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
  if (!isBound(session)) return session;
  const key = validity.bindingKeys[person.kind === 'operator' ? person.secretIndex : 0];
  if (key === undefined) throw new Error('a session is bound to a secret that there is');
  return { ...session, binding: bindingOf(key, boundFacts(session, validity)) };
}

/**
 * Whether a session has ended by itself: it reached its maximum lifetime, was idle too long, or lost its secret. A
 * session that starts more than a day from now came from a clock that was ahead; otherwise it would last until that
 * time comes.
 *
 * @param now the time by which sessions end (believed-time/), in milliseconds since 1970
 */
export function isOver(session: ConsoleSession, now: number, validity: Validity): boolean {
  const { isKept, createdAt, lastSeenAt, expiresAt, binding } = session;
  if (now >= fromTimestamp(expiresAt) || fromTimestamp(createdAt) > now + DAY_MS) return true;
  if (!isKept && now >= fromTimestamp(lastSeenAt) + SESSION_MS.idle) return true;
  if (!isBound(session)) return false;
  if (isOfProvider(session) && validity.providerDigest === null) return true;
  return binding === null || indexOfBinding(validity.bindingKeys, boundFacts(session, validity), binding) === null;
}

/** Whether the row of a session must prove its rights; those of a creator's API key follow from the key. */
function isBound(session: ConsoleSession): boolean {
  return session.kind === 'operator' || isOfProvider(session);
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
