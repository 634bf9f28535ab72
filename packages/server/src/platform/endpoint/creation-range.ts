/** Ranges of times of creation for lists in their order: the request fields, and the start of a page within one. */
import Type from 'typebox';
import { endTimestamp, timestamp } from './field-types.ts';
import type { PageCursor } from './page.ts';

/** The fields of a list that is bounded by creation, both inclusive. */
export const creationRangeFields = {
  createdFrom: Type.Optional(timestamp('Created at this time or later.')),
  createdTo: Type.Optional(endTimestamp('Created at this time or earlier; a day includes all of its time.')),
};

/** Sorts after every character of a timestamp: with it, the place after all rows of a moment. */
export const AFTER_MOMENT = '~';

/** The start of a page of a rising list: the cursor, unless it lies before the range. */
export function risingStart(cursor: PageCursor | undefined, from = ''): PageCursor {
  return cursor === undefined || cursor.createdAt < from ? { createdAt: from, id: '' } : cursor;
}

/** The start of a page of a falling list: the cursor, unless it lies after the range. */
export function fallingStart(cursor: PageCursor, to: string | undefined): PageCursor {
  const isBeyond = to !== undefined && cursor.createdAt > to;
  return isBeyond ? { createdAt: `${to}${AFTER_MOMENT}`, id: AFTER_MOMENT } : cursor;
}
