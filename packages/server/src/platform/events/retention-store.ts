/** SQL that deletes old events. */
import { listOf, statement, type Tx } from '../../storage/contract/storage.ts';
import type { Event } from './event.ts';

const listOld = statement(
  'event.list_old',
  `select e.event_id as "eventId", e.type as "type" from event e where e.event_id > $1 and e.event_id < $2
   order by e.event_id limit $3`,
);
const deleteByIds = statement(
  'event.delete_old',
  (dialect) => `delete from event where event_id ${dialect.among('$1')}`,
);

/** Events between two ids, the oldest first. */
export function listOldEvents(
  tx: Tx,
  after: string,
  before: string,
  most: number,
): Promise<Pick<Event, 'eventId' | 'type'>[]> {
  return tx.all(listOld, after, before, most);
}

/** Deletes events; returns their number. */
export function deleteEvents(tx: Tx, eventIds: readonly string[]): Promise<number> {
  return tx.run(deleteByIds, listOf(eventIds));
}
