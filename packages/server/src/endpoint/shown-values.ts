/** Values that a caller saw before it asked for a change (rules 3.1). */
import type { Event } from '../events/event.ts';
import type { EventType } from '../events/event-types.ts';
import { type EventFilter, listEvents } from '../events/listing-store.ts';
import type { Sql } from '../storage/storage.ts';
import { actorView } from './actor-view.ts';
import type { Scope } from './caller.ts';
import { type CodesOf, type Refusal, refusal, refusals, refuse } from './refusals.ts';

const shownRefusals = refusals('request', {
  changed_meanwhile: refusal(409, '{thing} was changed meanwhile by {author}: {field} from {shown} to {stored}', {
    means: 'A value that the caller saw (`wasExpiresAt` and the like) is not the stored one; nothing was changed.',
    remedy: 'Read the present values, and decide again.',
    console: [null, 'Nothing was changed. Close this, look at the present values, and decide again.'],
  }),
});

declare module './refusals.ts' {
  interface Refusals extends CodesOf<typeof shownRefusals> {}
}

type Value = string | number | boolean | null;

/** The values that the caller saw, each under `was` and the name of its field; absent ones are not compared. */
export type ShownValues<Stored> = {
  readonly [Field in keyof Stored & string as `was${Capitalize<Field>}`]?: Stored[Field] | undefined;
};

/** A thing that the caller saw, and the events of its changes. */
export interface SeenThing<Stored> {
  /** Its kind at the beginning of a sentence, as `License`. */
  readonly name: string;
  /** Locked. */
  readonly stored: Stored;
  readonly events: EventFilter;
  /** Whether an event of these is about the thing and changed the field. */
  readonly isChangeOf: (event: Event, field: string) => boolean;
}

/** Maximum number of events that are searched for the author of the change. */
const EVENTS_SEARCHED = 100;

/** Events of some types about things outside the catalogue. @param creatorId their owner; null: the operator */
export function eventsOfOwner(types: readonly EventType[], creatorId: string | null): EventFilter {
  return { types, ...(creatorId === null ? { productIds: null } : { productIds: [], creatorId }) };
}

/** Whether an event changed a field. */
export function changesField({ after }: Pick<Event, 'after'>, field: string): boolean {
  return after !== null && field in after;
}

/**
 * The refusal if a thing is not as the caller saw it; null if it is. It names the author of the latest change of that
 * value as far as the caller may know.
 */
export async function refusalOfShown<Stored extends object>(
  sql: Sql,
  { name, stored, events, isChangeOf }: SeenThing<Stored>,
  shown: ShownValues<Stored>,
  reader: Scope,
): Promise<Refusal<'changed_meanwhile'> | null> {
  const found = differenceOf(shown, stored as Readonly<Record<string, Value>>);
  if (found === null) return null;
  const recent = await listEvents(sql, events, null, EVENTS_SEARCHED);
  const change = recent.find((event) => isChangeOf(event, found.field));
  return refuse('changed_meanwhile', {
    details: {
      thing: name,
      author: change === undefined ? 'somebody else' : authorText(change, reader),
      field: found.field,
      shown: valueText(found.shown),
      stored: valueText(found.stored),
    },
  });
}

function differenceOf(
  shown: object,
  stored: Readonly<Record<string, Value>>,
): { readonly field: string; readonly shown: Value; readonly stored: Value } | null {
  for (const [name, value] of Object.entries(shown) as [string, Value | undefined][]) {
    if (!/^was[A-Z]/.test(name) || value === undefined) continue;
    const field = name.charAt(3).toLowerCase() + name.slice(4);
    const present = stored[field] ?? null;
    if (value !== present) return { field, shown: value, stored: present };
  }
  return null;
}

function valueText(value: Value): string {
  return value === null ? 'none' : String(value);
}

/** The author of a change as the reader may know it: a name, else the kind of caller. */
function authorText(event: Event, reader: Scope): string {
  const { kind, id, keyName } = actorView(event, reader);
  if (keyName !== null) return keyName;
  return id === null ? `the ${kind}` : `${kind} ${id}`;
}
