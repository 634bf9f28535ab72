/** SQL that deletes old events. */
import { listOf, statement, type Tx } from '../../storage/contract/storage.ts';
import { IS_NOTE } from './note-store.ts';

const listOld = statement(
  'event.list_old',
  `select e.event_id as "eventId", case when ${IS_NOTE} then 1 else 0 end as "isNote" from event e
   where e.event_id > $1 and e.event_id < $2 order by e.event_id limit $3`,
);
const deleteByIds = statement(
  'event.delete_old',
  (dialect) => `delete from event where event_id ${dialect.among('$1')}`,
);

/** An event, and whether it holds a note. */
export interface OldEvent {
  readonly eventId: string;
  readonly isNote: boolean;
}

/** Events between two ids, the oldest first. */
export async function listOldEvents(tx: Tx, after: string, before: string, most: number): Promise<OldEvent[]> {
  const rows = await tx.all<{ eventId: string; isNote: number }>(listOld, after, before, most);
  return rows.map(({ eventId, isNote }) => ({ eventId, isNote: isNote === 1 }));
}

/** Deletes events; returns their number. */
export function deleteEvents(tx: Tx, eventIds: readonly string[]): Promise<number> {
  return tx.run(deleteByIds, listOf(eventIds));
}
