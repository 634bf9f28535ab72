/** Values that a caller saw before it asked for a change (rules 3.1). */

import Type, { type TOptional, type TSchema } from 'typebox';
import type { Sql } from '../../storage/contract/storage.ts';
import { recordOf } from '../../storage/contract/stored-json.ts';
import type { Event, Facts } from '../events/event.ts';
import type { EventType } from '../events/event-types.ts';
import { latestSince } from '../events/latest-since.ts';
import { type EventFilter, listEvents } from '../events/listing-store.ts';
import { actorView } from './actor-view.ts';
import type { Scope } from './caller.ts';
import { type Difference, firstDifference, namedDifference, valueText } from './difference.ts';
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

type SeenName<Field extends string> = `was${Capitalize<Field>}`;

/** The values that the caller saw, each under `was` and the name of its field; absent ones are not compared. */
export type ShownValues<Stored> = {
  readonly [Field in keyof Stored & string as SeenName<Field>]?: Stored[Field] | undefined;
} & { readonly undoes?: string | undefined };

/**
 * The field for the event of the change that a request undoes. The values alone do not tell: a code that was switched
 * off, on and off again looks as it did after the first change, but a later decision stands.
 */
export const undoesField = text(
  'The id of the event that the request undoes: 409 if a later event changed a field whose value the caller saw.',
);

/** Fields of a request for the values that its caller saw, one for each of some fields. */
export function seenFields<Fields extends Readonly<Record<string, TSchema>>>(fields: Fields) {
  const seen = Object.entries(fields).map(([field, schema]) => {
    const described = { ...schema, description: `The \`${field}\` that the caller saw.` };
    return [seenName(field), Type.Optional(described)];
  });
  return Object.fromEntries(seen) as {
    [Field in keyof Fields & string as SeenName<Field>]: TOptional<Fields[Field]>;
  };
}

function seenName(field: string): string {
  return `was${field.charAt(0).toUpperCase()}${field.slice(1)}`;
}

/** A thing that the caller saw, and the events of its changes. */
export interface SeenThing<Stored> {
  /** Its kind at the beginning of a sentence, as `License`. */
  readonly name: string;
  /** Locked. */
  readonly stored: Stored;
  readonly events: EventFilter;
  /** Whether an event of these is about the thing and changed the field. */
  readonly isChangeOf: (event: Event, field: string) => boolean;
  /** Records that a change merges: only the names that the caller saw are compared. */
  readonly merged?: readonly string[];
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
  const { name, stored, events } = thing;
  const seen = seenValuesOf(shown);
  const differing = seen.find((each) => differenceOf(thing, each, each[1], factOf(stored, each[0])) !== null);
  if (differing === undefined)
    return shown.undoes === undefined ? null : refusalOfUndo(sql, thing, shown.undoes, seen, reader);
  const recent = await listEvents(sql, events, null, EVENTS_SEARCHED);
  const change = recent.find((event) => isChangeOfSeen(thing, event, differing));
  const [field, value] = differing;
  return changedMeanwhile(name, change, differenceOf(thing, differing, value, factOf(stored, field)), reader);
}

/** The refusal if a later event than the undone one changed a field that the caller saw; null if none did. */
async function refusalOfUndo<Stored extends object>(
  sql: Sql,
  thing: SeenThing<Stored>,
  undoes: string,
  seen: readonly SeenValue[],
  reader: Scope,
): Promise<ShownRefusal | null> {
  const { name, events } = thing;
  const seenIn = (event: Event) => seen.find((each) => isChangeOfSeen(thing, event, each));
  const change = await latestSince(sql, events, undoes, (event) => seenIn(event) !== undefined);
  if (change === null) return null;
  const changed = change && seenIn(change);
  if (change === undefined || changed === undefined) {
    const message = `undoes must be the id of a recent event of this ${name.toLowerCase()}`;
    return refuse('invalid_field', { details: { message } });
  }
  return changedMeanwhile(name, change, changeIn(thing, change, changed), reader);
}

/** Whether an event changed a value that the caller saw. */
function isChangeOfSeen<Stored>(thing: SeenThing<Stored>, event: Event, seen: SeenValue): boolean {
  if (!thing.isChangeOf(event, seen[0])) return false;
  return !thing.merged?.includes(seen[0]) || changeIn(thing, event, seen) !== null;
}

function changeIn<Stored>(thing: SeenThing<Stored>, { before, after }: Event, seen: SeenValue): Difference | null {
  return differenceOf(thing, seen, factOf(before, seen[0]), factOf(after, seen[0]));
}

/** The difference between two values of a field that the caller saw. */
function differenceOf<Stored>(
  { merged }: SeenThing<Stored>,
  [field, value]: SeenValue,
  from: unknown,
  to: unknown,
): Difference | null {
  return merged?.includes(field)
    ? namedDifference(field, Object.keys(recordOf(value)), withoutNulls(from), to)
    : firstDifference(field, from, to);
}

/** A record whose names with null, which a merge takes away, are absent. */
function withoutNulls(record: unknown): Facts {
  return Object.fromEntries(Object.entries(recordOf(record)).filter(([, value]) => value !== null));
}

function changedMeanwhile(
  thing: string,
  change: Event | undefined,
  difference: Difference | null,
  reader: Scope,
): Refusal<'changed_meanwhile'> {
  const author = change === undefined ? 'somebody else' : authorText(change, reader);
  const { field, from, to } = difference ?? { field: '', from: null, to: null };
  return refuse('changed_meanwhile', {
    details: { thing, author, field, shown: valueText(from), stored: valueText(to) },
  });
}

type SeenValue = readonly [field: string, value: unknown];

/** The values that the caller saw, by the names of their fields. */
function seenValuesOf(shown: object): readonly SeenValue[] {
  return Object.entries(shown).flatMap(([name, value]: [string, unknown]) =>
    /^was[A-Z]/.test(name) && value !== undefined ? [[name.charAt(3).toLowerCase() + name.slice(4), value]] : [],
  );
}

function factOf(facts: object | null, field: string): unknown {
  return (facts as Facts | null)?.[field] ?? null;
}

/** The author of a change as the reader may know it: a name, else the kind of caller. */
function authorText(event: Event, reader: Scope): string {
  const { kind, id, keyName } = actorView(event, reader);
  if (keyName !== null) return keyName;
  return id === null ? `the ${kind}` : `${kind} ${id}`;
}
