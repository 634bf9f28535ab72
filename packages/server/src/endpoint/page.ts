/** Pages of lists: the fields that ask for one, where it begins, and the opaque cursor of the next. */
import Type from 'typebox';
import { type Refusal, refuse } from '../refusals.ts';
import type { Dialect } from '../storage/storage.ts';
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

/**
 * Cuts what was found, up to one entry more than fits, to the page.
 *
 * @param cursorOf the cursor of the page that follows an entry
 * @returns the page's entries, and the part of the reply that leads on when there are more
 */
export function cutPage<Entry>(
  found: readonly Entry[],
  limit: number,
  cursorOf: (last: Entry) => string,
): { readonly entries: readonly Entry[]; readonly next: { readonly nextCursor?: string } } {
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

/** Where a cursor's page begins; a refusal for what is no cursor of ours. */
export function readCursor(cursor: string | undefined): PageCursor | Refusal<'invalid_field'> {
  if (cursor === undefined) return NEWEST;
  const [, createdAt, id] =
    /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z) ([^\0]+)$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (createdAt === undefined || id === undefined || !id.isWellFormed())
    return refuse('invalid_field', { details: { message: 'cursor is not the nextCursor of an earlier answer' } });
  return { createdAt, id };
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
  const order = Object.keys({ ...columns, ...cursor }).map((column) => `${column} desc`);
  return `where ${dialect.afterCursor(columns, cursor)} ${filter} order by ${order.join(', ')} limit $3`;
}
