/** The activation: a machine bound to a license (rules 2.2). */
import { fromTimestamp, toTimestamp } from '../clock.ts';

export interface Activation {
  readonly licenseKey: string;
  readonly fingerprint: string;
  /** Names this activation in its session tokens. */
  readonly activationId: string;
  readonly hostname: string;
  readonly firstSeen: string;
  readonly lastSeen: string;
  readonly tokenExpiry: string;
  /** When the floating session that holds a slot began; null without one. */
  readonly sessionStarted: string | null;
  /** When that session dies unless there is a sign of life before. */
  readonly sessionDeadline: string | null;
  /** When to look whether it has died: never after the deadline. Signs of life move the deadline alone. */
  readonly sessionDue: string | null;
  readonly countries: readonly string[];
  readonly lastCountry: string | null;
}

/** Whether a floating session is alive: computed from its deadline, no job decides it. */
export function isSessionLive(activation: Pick<Activation, 'sessionDeadline'>, now: number): boolean {
  return activation.sessionDeadline !== null && fromTimestamp(activation.sessionDeadline) > now;
}

/** The activation without its floating session where that has lapsed, as it is kept once the session was released. */
export function withoutLapsedSession(activation: Activation, now: number): Activation {
  if (activation.sessionDeadline === null || isSessionLive(activation, now)) return activation;
  return { ...activation, sessionStarted: null, sessionDeadline: null, sessionDue: null };
}

/** Until when a floating session lives, as replies tell it; nothing where there is none. */
export function sessionExpiryOf({ sessionDeadline }: Activation): { readonly sessionExpiresAt?: string } {
  return sessionDeadline === null ? {} : { sessionExpiresAt: sessionDeadline };
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

/** The activation with its floating session alive for another timeout; a session that was dead starts anew. */
export function withLiveSession(activation: Activation, now: number, timeoutMs: number): Activation {
  const sessionDeadline = toTimestamp(now + timeoutMs);
  const { sessionDue } = activation;
  return {
    ...activation,
    sessionStarted: activation.sessionStarted ?? toTimestamp(now),
    sessionDeadline,
    // Later than the new deadline where the timeout is shorter now than it was.
    sessionDue: sessionDue === null || sessionDue > sessionDeadline ? sessionDeadline : sessionDue,
  };
}

/** Activations to write, by what is to be done with them. */
export interface MachineChanges {
  readonly inserted: readonly Activation[];
  /** Those of which there is a sign of life and nothing else. */
  readonly touched: readonly Activation[];
  readonly updated: readonly Activation[];
  readonly deleted: readonly Activation[];
}
