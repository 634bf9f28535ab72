/** The activation: a machine bound to a license (rules 2.2). */
import { fromTimestamp, toTimestamp } from '../../ground/base/clock.ts';

export interface Activation {
  readonly licenseKey: string;
  readonly fingerprint: string;
  /** Identifies this activation in its session tokens. */
  readonly activationId: string;
  readonly hostname: string;
  readonly firstSeen: string;
  readonly lastSeen: string;
  readonly tokenExpiry: string;
  /** Start of the floating session that holds a slot; null without one. */
  readonly sessionStarted: string | null;
  /** When that session lapses without a further sign of life. */
  readonly sessionDeadline: string | null;
  /** When to check that session for lapse; never after the deadline. Signs of life move only the deadline. */
  readonly sessionDue: string | null;
  /** When the last of its files for work without a connection expires; null if it never had one. */
  readonly fileUntil: string | null;
  readonly countries: readonly string[];
  readonly lastCountry: string | null;
  /** The user as the app named them first; null without one. */
  readonly user: string | null;
  /** The user in the form for comparison (user.ts). */
  readonly userFolded: string | null;
}

/** Whether a floating session is alive, computed from its deadline; no job decides it. */
export function isSessionLive(activation: Pick<Activation, 'sessionDeadline'>, now: number): boolean {
  return activation.sessionDeadline !== null && fromTimestamp(activation.sessionDeadline) > now;
}

/** Whether the machine has a file for work without a connection, and so keeps its slot: no file can be called back. */
export function holdsFile({ fileUntil }: Pick<Activation, 'fileUntil'>, now: number): boolean {
  return fileUntil !== null && fromTimestamp(fileUntil) > now;
}

/** The activation without its lapsed floating session, in the form stored after the release. */
export function withoutLapsedSession(activation: Activation, now: number): Activation {
  if (activation.sessionDeadline === null || isSessionLive(activation, now)) return activation;
  return { ...activation, sessionStarted: null, sessionDeadline: null, sessionDue: null };
}

/**
 * The end of a floating session as replies show it, and the time until its next heartbeat, with which two may get lost;
 * nothing without a session.
 */
export function sessionExpiryOf(
  { sessionDeadline }: Activation,
  timeoutMs: number,
): { readonly sessionExpiresAt?: string; readonly heartbeatAfterSeconds?: number } {
  if (sessionDeadline === null) return {};
  return { sessionExpiresAt: sessionDeadline, heartbeatAfterSeconds: Math.max(1, Math.floor(timeoutMs / 3000)) };
}

/** The activation after a sign of life from a country. */
export function seenAt(activation: Activation, now: number, country: string | null): Activation {
  return {
    ...activation,
    lastSeen: toTimestamp(now),
    ...(country === null
      ? {}
      : {
          lastCountry: country,
          countries: activation.countries.includes(country) ? activation.countries : [...activation.countries, country],
        }),
  };
}

/**
 * The activation with its floating session extended by a timeout; a lapsed session starts again. With a file it lives
 * as long as the file.
 */
export function withLiveSession(activation: Activation, now: number, timeoutMs: number): Activation {
  const timeout = toTimestamp(now + timeoutMs);
  const { fileUntil } = activation;
  const sessionDeadline = fileUntil !== null && fileUntil > timeout ? fileUntil : timeout;
  const { sessionDue } = activation;
  return {
    ...activation,
    sessionStarted: activation.sessionStarted ?? toTimestamp(now),
    sessionDeadline,
    // The stored time is later than the new deadline if the timeout was shortened.
    sessionDue: sessionDue === null || sessionDue > sessionDeadline ? sessionDeadline : sessionDue,
  };
}

/** The facts of a machine in the events about it. */
export function factsOfMachine({ fingerprint, hostname, user }: Pick<Activation, 'fingerprint' | 'hostname' | 'user'>) {
  return { fingerprint, hostname, ...(user === null ? {} : { user }) };
}

/** Activations to write, by kind of write. */
export interface MachineChanges {
  readonly inserted: readonly Activation[];
  /** Activations with a sign of life and no other change. */
  readonly touched: readonly Activation[];
  readonly updated: readonly Activation[];
  readonly deleted: readonly Activation[];
  /** Machines as they were when their users lost them, to another user or with the machine; one for each time. */
  readonly lost?: readonly Activation[];
}
