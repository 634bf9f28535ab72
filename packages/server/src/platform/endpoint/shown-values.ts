/** Values that a caller saw before it asked for a change (rules 3.1). */

import type { Sql } from '../../storage/contract/storage.ts';
import type { Event } from '../events/event.ts';
import type { EventType } from '../events/event-types.ts';
import { latestSince } from '../events/latest-since.ts';
import { type EventFilter, listEvents } from '../events/listing-store.ts';
import { actorView } from './actor-view.ts';
import type { Scope } from './caller.ts';
import { text } from './field-types.ts';
import { type CodesOf, type Refusal, refusal, refusals, refuse } from './refusals.ts';

const shownRefusals = refusals('request', {
  changed_meanwhile: refusal(409, '{thing} was changed meanwhile by {author}: {field} from {shown} to {stored}', {
    means:
      'A value that the caller saw (`wasExpiresAt` and the like) is not the stored one, or was changed after the event ' +
      'that the request undoes (`undoes`); nothing was changed.',
    remedy: 'Read the present values, and decide again.',
    console: [null, 'Nothing was changed. Look at the present values, and decide again.'],
  }),
});

declare module './refusals.ts' {
  interface Refusals extends CodesOf<typeof shownRefusals> {}
}

type Value = string | number | boolean | null;

/** The values that the caller saw, each under `was` and the name of its field; absent ones are not compared. */
export type ShownValues<Stored> = {
  readonly [Field in keyof Stored & string as `was${Capitalize<Field>}`]?: Stored[Field] | undefined;
} & { readonly undoes?: string | undefined };

/**
 * The field for the event of the change that a request undoes. The values alone do not tell: a code that was switched
 * off, on and off again looks as it did after the first change, but a later decision stands.
 */
export const undoesField = text(
  'The id of the event that the request undoes: nothing is changed if a later event changed one of the fields whose ' +
    'values the caller saw.',
);

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

/** The refusal of a request that names what its caller saw. */
export type ShownRefusal = Refusal<'changed_meanwhile' | 'invalid_field'>;

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
 * The refusal if a thing is not as the caller saw it, or as the event left it that the request undoes; null if it is.
 * It names the author of the latest change of that value as far as the caller may know.
 */
export async function refusalOfShown<Stored extends object>(
  sql: Sql,
  thing: SeenThing<Stored>,
  shown: ShownValues<Stored>,
  reader: Scope,
): Promise<ShownRefusal | null> {
  const { name, stored, events, isChangeOf } = thing;
  const seen = seenValuesOf(shown);
  const differing = seen.find(([field, value]) => value !== factOf(stored, field));
  if (differing === undefined)
    return shown.undoes === undefined ? null : refusalOfUndo(sql, thing, shown.undoes, seen, reader);
  const [field, value] = differing;
  const recent = await listEvents(sql, events, null, EVENTS_SEARCHED);
  const change = recent.find((event) => isChangeOf(event, field));
  return changedMeanwhile(name, change, field, [value, factOf(stored, field)], reader);
}

/** The refusal if a later event than the undone one changed a field that the caller saw; null if none did. */
async function refusalOfUndo<Stored extends object>(
  sql: Sql,
  { name, events, isChangeOf }: SeenThing<Stored>,
  undoes: string,
  seen: readonly SeenValue[],
  reader: Scope,
): Promise<ShownRefusal | null> {
  const fieldOf = (event: Event) => seen.find(([field]) => isChangeOf(event, field))?.[0];
  const change = await latestSince(sql, events, undoes, (event) => fieldOf(event) !== undefined);
  if (change === null) return null;
  if (change === undefined) {
    const message = `undoes must be the id of a recent event of this ${name.toLowerCase()}`;
    return refuse('invalid_field', { details: { message } });
  }
  const field = fieldOf(change) ?? '';
  return changedMeanwhile(name, change, field, [factOf(change.before, field), factOf(change.after, field)], reader);
}

function changedMeanwhile(
  thing: string,
  change: Event | undefined,
  field: string,
  [shown, stored]: readonly [shown: Value, stored: Value],
  reader: Scope,
): Refusal<'changed_meanwhile'> {
  const author = change === undefined ? 'somebody else' : authorText(change, reader);
  return refuse('changed_meanwhile', {
    details: { thing, author, field, shown: valueText(shown), stored: valueText(stored) },
  });
}

type SeenValue = readonly [field: string, value: Value];

/** The values that the caller saw, by the names of their fields. */
function seenValuesOf(shown: object): readonly SeenValue[] {
  return (Object.entries(shown) as [string, Value | undefined][]).flatMap(([name, value]) =>
    /^was[A-Z]/.test(name) && value !== undefined ? [[name.charAt(3).toLowerCase() + name.slice(4), value]] : [],
  );
}

function factOf(facts: object | null, field: string): Value {
  return (facts as Readonly<Record<string, Value | undefined>> | null)?.[field] ?? null;
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
