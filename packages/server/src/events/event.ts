/** Events: a row for each change, written in the transaction that changes (rules 10.6). */
import { toTimestamp } from '../clock.ts';
import { mintOrderedUuid, orderedPrefix } from '../random.ts';
import type { EventType } from './event-types.ts';

/** The kinds of {@link Actor}. */
export const ACTOR_KINDS = ['operator', 'creator', 'storefront', 'client', 'command', 'service'] as const;
export type ActorKind = (typeof ACTOR_KINDS)[number];

/**
 * Who caused a change.
 * - `operator`: whoever showed the admin secret; or one of the operator's people in the console, by name
 * - `creator`: an API key, of which creator and by which name
 * - `storefront`: whoever showed the webhook secret
 * - `client`: an app, by a license key or a trial code
 * - `command`: a command on the machine of the service, by its name
 * - `service`: the service itself, by the name of the job
 */
export type Actor =
  | { readonly kind: 'operator'; readonly name?: string }
  | { readonly kind: 'storefront' | 'client' }
  | { readonly kind: 'creator'; readonly creatorId: string; readonly keyName: string }
  | { readonly kind: 'command' | 'service'; readonly name: string };

/** Where a change comes from: who asked for it, by which request, and when it was decided. */
export interface Origin {
  readonly actor: Actor;
  /** Null for commands and jobs. */
  readonly requestId: string | null;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Takes the keys of the licenses whose changes are recorded, for the log line of the request; absent for batches. */
  readonly changedLicenses?: Set<string>;
}

/** Some fields of a thing, as they are shown to whoever may see it. Never a secret. */
export type Facts = Readonly<Record<string, unknown>>;

/** A change that is to be recorded. */
export interface Change {
  readonly type: EventType;
  /** What was changed: a license key, a product, a code, ... */
  readonly licenseKey: string | null;
  readonly productId: string | null;
  /**
   * Identifies what was changed where that is not the license itself: a fingerprint, a violation, a variant, an order; or
   * the e-mail address without case that a license had until then.
   */
  readonly subject: string | null;
  /** The fields that differ, as they were; null for what is new. */
  readonly before: Facts | null;
  /** The fields that differ, as they are; null for what is gone. */
  readonly after: Facts | null;
  /** The number of the change among all changes of its license, from 1; null for changes of other things. */
  readonly licenseNumber: number | null;
  /**
   * The change of the same license before this one. By it the changes of a license are found: an index on them would
   * have a place of its own to write at for each license.
   */
  readonly previousEventId: string | null;
}

/** A change as it is kept. */
export interface Event extends Change {
  /** `evt_` and an ordered UUID. */
  readonly eventId: string;
  /** Owner of the product when it happened; null where the catalogue knows none. */
  readonly creatorId: string | null;
  /** The kind of actor; for a creator followed by `:` and the creator's id, for commands and jobs by their name. */
  readonly actor: string;
  /**
   * The name of the API key that was shown, or of a person of the operator's: of their operator key, else `admin` with the
   * name that they gave themselves, such as `admin (Ada)`. Null for other actors.
   */
  readonly actorName: string | null;
  readonly requestId: string | null;
  readonly occurredAt: string;
}

/** A change and where it comes from; what is not said is null. */
export interface Recorded extends Pick<Change, 'type'>, Partial<Omit<Change, 'type'>> {
  readonly origin: Origin;
  /** Whose the thing is, where no product says so. */
  readonly creatorId?: string | null;
  /** Made by {@link mintEventId} beforehand, where something else is to name the event. */
  readonly eventId?: string;
}

/** An event that alike changes share for an hour: it is that of the first, and tells how many there were and the last's time. */
export interface SharedEvent {
  readonly eventId: string;
  /** Milliseconds since 1970. */
  readonly firstAt: number;
  readonly count: number;
}

/**
 * An id for an event of a moment, milliseconds since 1970. Made under the lock of what changes, so that ids order as changes
 * do.
 */
export function mintEventId(now: number): string {
  return `evt_${mintOrderedUuid(now)}`;
}

/** The bound between the ids of events before a moment, which are less, and those of it and later ones. */
export function eventIdBound(now: number): string {
  return `evt_${orderedPrefix(now)}`;
}

/** Whether a text has the form of an event's id. */
export function isEventId(text: string): boolean {
  return /^evt_[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/.test(text);
}

/** The event of a change. Made inside the transaction and under the lock of what changed. */
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

/** An actor as events name it and lists find it. */
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

/** The name that an event has beside its actor; null where there is none. */
export function actorName(actor: Actor): string | null {
  if (actor.kind === 'creator') return actor.keyName;
  return actor.kind === 'operator' ? (actor.name ?? null) : null;
}

/** The fields of two states of one thing that differ, as they were and as they are. */
export function difference(before: Facts, after: Facts): { readonly before: Facts; readonly after: Facts } {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
  const only = (facts: Facts) =>
    Object.fromEntries(names.filter((name) => name in facts).map((name) => [name, facts[name]]));
  return { before: only(before), after: only(after) };
}
