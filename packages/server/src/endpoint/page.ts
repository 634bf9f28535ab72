/** Pages of lists that are ordered by creation: where a page begins, and the opaque cursor that says so. */
import { type Refusal, refuse } from '../refusals.ts';

/** A place in a list ordered by creation time and then by identifier. */
export interface PagePlace {
  readonly createdAt: string;
  readonly id: string;
}

/** Before the newest entry of any list: where a list that is read newest first begins. */
export const NEWEST: PagePlace = { createdAt: '~', id: '~' };

/** The cursor of the page that follows an entry. */
export function cursorAfter(place: PagePlace): string {
  return Buffer.from(`${place.createdAt} ${place.id}`).toString('base64url');
}

/** Where a cursor's page begins; a refusal for what is no cursor of ours. */
export function placeOf(cursor: string | undefined): PagePlace | Refusal {
  if (cursor === undefined) return NEWEST;
  const [, createdAt, id] =
    /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z) ([^\0]+)$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (createdAt === undefined || id === undefined || !id.isWellFormed())
    return refuse('invalid_field', { details: { message: 'cursor is not the nextCursor of an earlier answer' } });
  return { createdAt, id };
}
