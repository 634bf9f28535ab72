/** Lists of events, newest first. */
import { type Sql, statement } from '../storage/storage.ts';
import type { StoredRow } from '../storage/table.ts';
import type { Event } from './event.ts';
import { eventTable } from './store.ts';

/** Which events are listed. */
export interface EventFilter {
  /** Each once; null lists those of all products, and of what belongs to none. */
  readonly productIds: readonly string[] | null;
}

const listOfAll = statement(
  'event.list_all',
  `select ${eventTable.select('e')} from event e where e.event_id < $1 order by e.event_id desc limit $2`,
);
const listOfProduct = statement(
  'event.list_of_product',
  `select ${eventTable.select('e')} from event e where e.product_id = $3 and e.event_id < $1
   order by e.event_id desc limit $2`,
);

/**
 * Events, newest first.
 *
 * @param after the id of the last event of the page before; null for the newest
 */
export async function listEvents(
  sql: Sql,
  { productIds }: EventFilter,
  after: string | null,
  limit: number,
): Promise<readonly Event[]> {
  const rows: StoredRow[] = [];
  const cursor = after ?? '~';
  if (productIds === null) rows.push(...(await sql.all<StoredRow>(listOfAll, cursor, limit)));
  for (const productId of productIds ?? [])
    rows.push(...(await sql.all<StoredRow>(listOfProduct, cursor, limit, productId)));
  return rows
    .map((row) => eventTable.restore<Event>(row))
    .sort((one, other) => (one.eventId < other.eventId ? 1 : -1))
    .slice(0, limit);
}
