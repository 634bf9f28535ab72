/** Destinations: the URLs that receive events (rules 12). */

import { mintOrderedUuid } from '../../ground/base/random.ts';
import type { EventType } from '../../platform/events/event-types.ts';

/**
 * The stored state of a destination.
 * - `active`: events are sent
 * - `paused`: by a person, or by the commands copy and restore (`copied`); missed events follow after it resumes
 * - `disabled`: by the service, after days without a success, or because the receiver answered 410
 *
 * Replies show an active destination with `failingSince` in its progress as `failing`.
 */
export const DESTINATION_STATES = ['active', 'paused', 'disabled'] as const;
export type DestinationState = (typeof DESTINATION_STATES)[number];

/** The states in replies. */
export const SHOWN_STATES = ['active', 'failing', 'paused', 'disabled'] as const;
export type ShownState = (typeof SHOWN_STATES)[number];

/** A stored destination. */
export interface Destination {
  /** `dst_` and an ordered UUID. */
  readonly destinationId: string;
  /** Null for the operator's. */
  readonly creatorId: string | null;
  readonly url: string;
  readonly description: string | null;
  /** Types, prefixes such as `license.*`, or `*`. */
  readonly types: readonly string[];
  /** Null for all products of its owner and for events without a product. */
  readonly productIds: readonly string[] | null;
  readonly includeLicenseKeys: boolean;
  readonly includePersonalData: boolean;
  readonly requestsPerSecond: number;
  /** Sealed (seal.ts). */
  readonly secret: string;
  /** Sealed; the secret before the last rotation, which also signs until `previousEndsAt`. */
  readonly previousSecret: string | null;
  readonly previousEndsAt: string | null;
  readonly state: DestinationState;
  /** The cause of a stored state other than active: `by_person`, `by_command`, `copied`, `gave_up`, `gone`. */
  readonly stateReason: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** The progress of a destination. Times are milliseconds since 1970. */
export interface Progress {
  readonly destinationId: string;
  /** Every event up to this position of the feed is settled or stored as a delivery. */
  readonly position: number;
  readonly failingSince: number | null;
  /** Consecutive failed requests; 0 for a failing destination that is full alone (see {@link isFull}). */
  readonly failures: number;
  readonly nextTryAt: number | null;
  readonly lastSuccessAt: number | null;
  readonly lastFailureAt: number | null;
  readonly lastError: string | null;
}

/** Maximum number of refused events of a destination that wait; at the maximum, the feed is not read further for it. */
export const MAX_WAITING = 1_000;
/** The reason in replies, events and the log for which a full destination fails. */
export const TOO_MANY_REFUSED = 'too_many_refused';

/** Returns true if a destination fails only because {@link MAX_WAITING} events wait, or did a moment ago. */
export function isFull({ failingSince, failures }: Pick<Progress, 'failingSince' | 'failures'>): boolean {
  return failingSince !== null && failures === 0;
}

/** The largest number of destinations of one owner. */
export const MAX_OF_CREATOR = 20;
export const MAX_OF_OPERATOR = 100;

export function mintDestinationId(now: number): string {
  return `dst_${mintOrderedUuid(now)}`;
}

/** Prefixes of types that `*` excludes: {@link Destination.types} must contain their name or prefix. */
const OF_THE_INSTALLATION = [
  'api_key.',
  'operator_key.',
  'token_key.',
  'console_session.',
  'customer.',
  'customer_link.',
  'brand.',
  'reply_template.',
  'mail_template.',
  'destination.',
  'connector.',
];

/** Returns whether a list of types, prefixes and `*` includes a type. */
export function includesType(types: readonly string[], type: EventType): boolean {
  return types.some((each) => {
    if (each === '*') return !OF_THE_INSTALLATION.some((prefix) => type.startsWith(prefix));
    return each.endsWith('.*') ? type.startsWith(each.slice(0, -1)) : type === each;
  });
}
