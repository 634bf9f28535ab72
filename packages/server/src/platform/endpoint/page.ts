/** Pages of lists: the request fields, the start of a page, and the opaque cursor of the next page. */
import Type, { type TArray, type TSchema } from 'typebox';
import { countThatFits } from '../../ground/base/page-room.ts';
import { success, text, wholeNumber } from './field-types.ts';
import { type Refusal, refuse } from './refusals.ts';

/** The number of entries in a reply of most lists, and the maximum of all. */
export const DEFAULT_LIMIT = 100;
export const MAX_LIMIT = 1000;

/** The fields `limit` and `cursor` of a list of `entries` ("Licenses"), for its field schema. */
export function pageFields(entries: string, defaultLimit = DEFAULT_LIMIT) {
  return {
    limit: Type.Optional(wholeNumber(`${entries} per answer; ${defaultLimit} by default.`, 1, MAX_LIMIT)),
    cursor: Type.Optional(text('The nextCursor of the answer before.', 1024)),
  };
}

/** The reply field of a list that {@link cutPage} fills. */
export const nextCursorReply = {
  nextCursor: Type.Optional(Type.String({ description: 'Present when there are more: the cursor of the next page.' })),
};

/** The body of a page of a list: its entries under a name, such as `licenses`, and the cursor of the next page. */
export function pageReply<Name extends string, Entry extends TSchema>(name: Name, entry: Entry) {
  const entries = { [name]: Type.Array(entry) } as { readonly [Key in Name]: TArray<Entry> };
  const title = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  return success({ ...entries, count: Type.Integer({ description: `${title} in this answer.` }), ...nextCursorReply });
}

/** A page of a list: its entries, and the part of the reply that points to the next page, if any. */
export interface Page<Entry> {
  readonly entries: readonly Entry[];
  readonly next: { readonly nextCursor?: string };
}

/**
 * Cuts the rows found (up to one more than `limit`) to a page of at most `limit` entries and about 1 MiB.
 *
 * @param cursorOf the cursor of the page that follows an entry
 */
export function cutPage<Entry>(found: readonly Entry[], limit: number, cursorOf: (last: Entry) => string): Page<Entry> {
  return cutPageOfNames(found, countThatFits(found, limit), cursorOf);
}

/**
 * Like {@link cutPage}, for lists of the specification, which has no `nextCursor`: only `limit` ends their pages. Their
 * entries contain names of bounded length and no lists, so a page is short enough.
 */
export function cutPageOfNames<Entry>(
  found: readonly Entry[],
  limit: number,
  cursorOf: (last: Entry) => string,
): Page<Entry> {
  const entries = found.slice(0, limit);
  const last = entries.at(-1);
  return { entries, next: found.length > limit && last !== undefined ? { nextCursor: cursorOf(last) } : {} };
}

/** The start of a page: after this entry, in a list ordered by creation time and then by identifier. */
export interface PageCursor {
  readonly createdAt: string;
  readonly id: string;
}

/** Before the newest entry of any list: the start of a list that is read newest first. */
export const NEWEST: PageCursor = { createdAt: '~', id: '~' };

/** The cursor of the page that follows an entry. */
export function cursorAfter(entry: PageCursor): string {
  return Buffer.from(`${entry.createdAt} ${entry.id}`).toString('base64url');
}

/** The refusal of an invalid cursor. `field` and `nextField` are its names in requests and replies. */
export function refuseCursor(field = 'cursor', nextField = 'nextCursor'): Refusal<'invalid_field'> {
  return refuse('invalid_field', { details: { message: `${field} is not the ${nextField} of an earlier answer` } });
}

/** The start of a cursor's page; a refusal if the cursor is invalid. */
export function readCursor(cursor: string | undefined): PageCursor | Refusal<'invalid_field'> {
  if (cursor === undefined) return NEWEST;
  const [, createdAt, id] =
    /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z) ([^\0]+)$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (createdAt === undefined || id === undefined || !id.isWellFormed()) return refuseCursor();
  return { createdAt, id };
}

/** Forms of the values of a position: a moment, a level from 1 to 4, any non-empty text. */
export const MOMENT_FORM = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
export const LEVEL_FORM = /^[1-4]$/;
export const TEXT_FORM = /./s;

/** The cursor of the page that follows an entry, from the entry's values in the columns of the list's order. */
export function cursorOf(position: readonly string[]): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

/**
 * The start of the page of a {@link cursorOf} cursor; a refusal if the cursor is invalid.
 *
 * @param forms the expected form of each value
 */
export function readPosition(cursor: string, forms: readonly RegExp[]): readonly string[] | Refusal<'invalid_field'> {
  const values = valuesIn(Buffer.from(cursor, 'base64url').toString());
  if (values?.length !== forms.length || !forms.every((form, index) => form.test(values[index] as string)))
    return refuseCursor();
  return values;
}

function valuesIn(text: string): readonly string[] | null {
  let values: unknown;
  try {
    values = JSON.parse(text);
  } catch {
    return null;
  }
  const isStorable = (value: unknown) => typeof value === 'string' && value.isWellFormed() && !value.includes('\0');
  return Array.isArray(values) && values.every(isStorable) ? values : null;
}
