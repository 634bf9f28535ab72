/** SQL of late-index.ts, only for SQLite: on PostgreSQL no event waits, and no index finds waiting events. */
import { statement, type Tx } from '../../storage/contract/storage.ts';

const enter = statement(
  'event.enter_late_indexes',
  `update event set unindexed = null where event_id in
     (select e.event_id from event e where e.product_id is not null and e.unindexed is not null
      order by e.product_id, e.event_id limit $1)`,
);

/** Enters waiting events into the indexes by product and by request, at most `most`; returns their number. */
export function enterLateIndexes(tx: Tx, most: number): Promise<number> {
  return tx.run(enter, most);
}
