/** Pages of lists: the fields that ask for one, where it begins, and the opaque cursor of the next. */
import Type from 'typebox';
import { countThatFits } from '../page-room.ts';
import { type Refusal, refuse } from '../refusals.ts';
import type { Dialect, WalkOptions } from '../storage/storage.ts';
import { text, wholeNumber } from './field-types.ts';

/** The most entries that one answer holds. */
export const MAXIMUM_LIMIT = 1000;

/** The fields `limit` and `cursor` of a list of `entries` ("Licenses"), for its field schema. */
export function pageFields(entries: string, defaultLimit: number) {
  return {
    limit: Type.Optional(wholeNumber(`${entries} per answer; ${defaultLimit} unless given.`, 1, MAXIMUM_LIMIT)),
    cursor: Type.Optional(text('The nextCursor of the answer before.', 1024)),
  };
}

/** The field of a list's reply that {@link cutPage} fills. */
export const nextCursorReply = {
  nextCursor: Type.Optional(Type.String({ description: 'Present when there are more: the cursor of the next page.' })),
};

/** A page of a list: its entries, and the part of the reply that leads on when there are more. */
export interface Page<Entry> {
  readonly entries: readonly Entry[];
  readonly next: { readonly nextCursor?: string };
}

/**
 * Cuts what was found, up to one entry more than `limit`, to a page of at most `limit` entries and about
 * 1 MiB.
 *
 * @param cursorOf the cursor of the page that follows an entry
 */
export function cutPage<Entry>(found: readonly Entry[], limit: number, cursorOf: (last: Entry) => string): Page<Entry> {
  return cutPageOfNames(found, countThatFits(found, limit), cursorOf);
}

/**
 * The same for lists of the specification, which knows no `nextCursor`: nothing but `limit` ends their pages. Their entries
 * hold names of bounded length and no lists, so that a page is short enough by that.
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

/** Where a page of a list begins: after this entry, in a list ordered by creation time and then by identifier. */
export interface PageCursor {
  readonly createdAt: string;
  readonly id: string;
}

/** Before the newest entry of any list: where a list that is read newest first begins. */
export const NEWEST: PageCursor = { createdAt: '~', id: '~' };

/** The cursor of the page that follows an entry. */
export function cursorAfter(entry: PageCursor): string {
  return Buffer.from(`${entry.createdAt} ${entry.id}`).toString('base64url');
}

/** What is answered to a text that is no cursor of ours. `field` and `nextField` are the names it has in requests and answers. */
export function refuseCursor(field = 'cursor', nextField = 'nextCursor'): Refusal<'invalid_field'> {
  return refuse('invalid_field', { details: { message: `${field} is not the ${nextField} of an earlier answer` } });
}

/** Where a cursor's page begins; a refusal for what is no cursor of ours. */
export function readCursor(cursor: string | undefined): PageCursor | Refusal<'invalid_field'> {
  if (cursor === undefined) return NEWEST;
  const [, createdAt, id] =
    /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z) ([^\0]+)$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (createdAt === undefined || id === undefined || !id.isWellFormed()) return refuseCursor();
  return { createdAt, id };
}

/** What values of a position look like: a moment, a level from 1 to 4, any text that is not empty. */
export const MOMENT_FORM = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
export const LEVEL_FORM = /^[1-4]$/;
export const TEXT_FORM = /./s;

/** The cursor of the page that follows an entry, by what that entry has in the columns of the list's order. */
export function cursorOf(position: readonly string[]): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

/**
 * Where the page of a cursor of {@link cursorOf} begins; a refusal for what is no cursor of ours.
 *
 * @param forms what each of the values looks like
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

/**
 * The `where`, `order by` and `limit` of a statement that reads a part of a list along the index on the columns in which
 * all rows of the list agree and the columns of its order.
 *
 * @param list.agreed the columns in which all rows agree, in the order of the index, to a parameter or a literal each
 * @param list.cursor the columns of the order, to the parameters of the place after which the part begins
 * @param list.filter what else a row must be: `and ...`; it is passed over where it is not, unless the index begins with that
 * @param list.limit the parameter of how many rows
 */
export function walkAlong(
  dialect: Dialect,
  list: WalkOptions & {
    readonly agreed?: Readonly<Record<string, string>>;
    readonly cursor: Readonly<Record<string, string>>;
    readonly filter?: string;
    readonly limit: string;
  },
): string {
  const { agreed = {}, cursor, filter = '', limit, ...options } = list;
  const direction = options.isRising === true ? 'asc' : 'desc';
  const order = Object.keys({ ...agreed, ...cursor }).map((column) => `${column} ${direction}`);
  return `where ${dialect.afterCursor(agreed, cursor, options)} ${filter} order by ${order.join(', ')} limit ${limit}`;
}

/**
 * The `where` and `order by` of a statement that reads a page of a list, newest first: $1 and $2 are the page's cursor,
 * $3 is the limit. It walks the index on the columns in which all rows of the list agree, `created_at` and the
 * identifier.
 *
 * @param table the table's alias in the statement
 * @param id the column of the identifier
 * @param agreed the columns in which all rows agree, in the order of the index, to a parameter or a literal each
 * @param filter what else a row must be: `and ...`; it is passed over where it is not, unless the index begins with that
 */
export function pageAlong(
  dialect: Dialect,
  table: string,
  id: string,
  agreed: Readonly<Record<string, string>> = {},
  filter = '',
): string {
  const columns = Object.fromEntries(Object.entries(agreed).map(([column, value]) => [`${table}.${column}`, value]));
  const cursor = { [`${table}.created_at`]: '$1', [`${table}.${id}`]: '$2' };
  return walkAlong(dialect, { agreed: columns, cursor, filter, limit: '$3' });
}
