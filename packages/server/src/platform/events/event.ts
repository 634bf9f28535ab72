/** Events: a row for each change, written in the transaction of the change (rules 10.6). */
import { toTimestamp } from '../../ground/base/clock.ts';
import { mintOrderedUuid, orderedPrefix, orderedTime } from '../../ground/base/random.ts';
import type { EventType } from './event-types.ts';

/** The kinds of {@link Actor}. */
export const ACTOR_KINDS = ['operator', 'creator', 'storefront', 'client', 'customer', 'command', 'service'] as const;
export type ActorKind = (typeof ACTOR_KINDS)[number];

/**
 * The cause of a change.
 * - `operator`: a caller with the admin secret, or an operator signed in to the console, by name
 * - `creator`: an API key, by creator and key name
 * - `storefront`: a caller with the webhook secret; or a connector, by its name
 * - `client`: an app, by a license key or a trial code
 * - `customer`: a customer on the pages at /my, without a name; with a link of staff the person who made it, by name
 * - `command`: a command on the machine of the service, by its name
 * - `service`: the service itself, by the name of the job
 */
export type Actor =
  | { readonly kind: 'operator' | 'storefront'; readonly name?: string }
  | { readonly kind: 'client' }
  /** `name`: the person of the console with whose link the session began. */
  | { readonly kind: 'customer'; readonly name?: string }
  | {
      readonly kind: 'creator';
      readonly creatorId: string;
      readonly keyName: string;
      /** The hash of the API key; it is not part of events. */
      readonly keyHash?: string;
    }
  | { readonly kind: 'command' | 'service'; readonly name: string };

/** The origin of a change: actor, request, and time of the decision. */
export interface Origin {
  readonly actor: Actor;
  /** Null for commands and jobs. */
  readonly requestId: string | null;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Collects the keys of changed licenses for the log line of the request; absent for batches. */
  readonly changedLicenses?: Set<string>;
}

/** Some fields of a thing in the form that permitted callers see. Never a secret. */
export type Facts = Readonly<Record<string, unknown>>;

/** A change to record. */
export interface Change {
  readonly type: EventType;
  /** The changed thing: a license key, a product, a code, ... */
  readonly licenseKey: string | null;
  readonly productId: string | null;
  /**
   * Identifies the changed thing when it is not the license itself: a fingerprint, a violation, a variant, an order; or
   * a license's former e-mail address, case-folded.
   */
  readonly subject: string | null;
  /** The changed fields before; null for a new thing. */
  readonly before: Facts | null;
  /** The changed fields after; null for a deleted thing. */
  readonly after: Facts | null;
  /** Number of the change among all changes of its license, from 1; null for changes of other things. */
  readonly licenseNumber: number | null;
  /**
   * The previous change of the same license. Changes of a license are found through this chain, because an index on
   * them would write to a separate place for each license.
   */
  readonly previousEventId: string | null;
}

/** A stored change. */
export interface Event extends Change {
  /** `evt_` and an ordered UUID. */
  readonly eventId: string;
  /** Owner of the product at that time; null for a product outside the catalogue. */
  readonly creatorId: string | null;
  /**
   * The kind of actor; for a creator followed by `:` and the creator's id, for commands and jobs by `:` and their name.
   */
  readonly actor: string;
  /**
   * The name of the API key or of the operator: the name of the operator key, else `admin` with the self-chosen name,
   * such as `admin (Ada)`; the name of a connector of the storefront; for a customer that of the person with whose link
   * the session began. Null for other actors.
   */
  readonly actorName: string | null;
  readonly requestId: string | null;
  readonly occurredAt: string;
}

/** A change and its origin; missing fields are null. */
export interface Recorded extends Pick<Change, 'type'>, Partial<Omit<Change, 'type'>> {
  readonly origin: Origin;
  /** Owner of the thing when it has no product. */
  readonly creatorId?: string | null;
  /** Created by {@link mintEventId} in advance, when something else refers to the event. */
  readonly eventId?: string;
}

/**
 * One event for all similar changes within an hour: the event of the first, with the number of changes and the time of
 * the last.
 */
export interface SharedEvent {
  readonly eventId: string;
  /** Milliseconds since 1970. */
  readonly firstAt: number;
  readonly count: number;
}

/**
 * An event id for a time in milliseconds since 1970. Mint it under the lock of the changed thing, so that ids have the
 * order of the changes.
 */
export function mintEventId(now: number): string {
  return `evt_${mintOrderedUuid(now)}`;
}

/** The bound between event ids: ids of events before the moment are less, ids from the moment on are not. */
export function eventIdBound(now: number): string {
  return `evt_${orderedPrefix(now)}`;
}

/** The time of an event id in milliseconds since 1970; the id must be of {@link mintEventId}. */
export function eventTimeOf(eventId: string): number {
  return orderedTime(eventId.slice('evt_'.length));
}

/** Whether a text has the form of an event id. */
export function isEventId(text: string): boolean {
  return /^evt_[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/.test(text);
}

/** The event of a change. Call it inside the transaction, under the lock of the changed thing. */
export function eventOf(recorded: Recorded): Event {
  const { origin } = recorded;
  const { actor, now } = origin;
  return {
    type: recorded.type,
    licenseKey: recorded.licenseKey ?? null,
    licenseNumber: recorded.licenseNumber ?? null,
    previousEventId: recorded.previousEventId ?? null,
    productId: recorded.productId ?? null,
    subject: recorded.subject ?? null,
    before: recorded.before ?? null,
    after: recorded.after ?? null,
    eventId: recorded.eventId ?? mintEventId(now),
    creatorId: recorded.creatorId ?? null,
    actor: actorText(actor),
    actorName: actorName(actor),
    requestId: origin.requestId,
    occurredAt: toTimestamp(now),
  };
}

/** An actor in the form that events store and lists filter by. */
export function actorText(actor: Actor): string {
  switch (actor.kind) {
    case 'creator':
      return `creator:${actor.creatorId}`;
    case 'command':
    case 'service':
      return `${actor.kind}:${actor.name}`;
    default:
      return actor.kind;
  }
}

/** The name stored with the actor of an event; null without one. */
export function actorName(actor: Actor): string | null {
  if (actor.kind === 'creator') return actor.keyName;
  return actor.kind === 'client' || actor.kind === 'command' || actor.kind === 'service' ? null : (actor.name ?? null);
}

/** The fields that differ between two states of a thing, before and after; null where a state lacks the field. */
export function difference(before: Facts, after: Facts): { readonly before: Facts; readonly after: Facts } {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
  const only = (facts: Facts) => Object.fromEntries(names.map((name) => [name, facts[name] ?? null]));
  return { before: only(before), after: only(after) };
}
