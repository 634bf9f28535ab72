/** SQL of deliveries that a person requests. */
import { toTimestamp } from '../../ground/base/clock.ts';
import { type Sql, statement, type Tx, tableOf } from '../../storage/contract/storage.ts';

const countWaiting = statement(
  'delivery.count_waiting',
  'select count(*) as "count" from delivery d where d.destination_id = $1 and d.state = \'waiting\'',
);

// A delivery that waits keeps its place and its attempts, and is only due at once.
const upsertResent = statement(
  'delivery.upsert_resent',
  (dialect) => `insert into delivery (destination_id, event_id, position, license_key, cause, state, attempts, due_at,
      first_at, last_at, last_status, last_error)
    select $2, r.event_id, 0, r.license_key, 'resend', 'waiting', 0, $3, $3, $3, null, null
    from ${dialect.table('$1', { event_id: 'text', license_key: 'text' })} r where true
    on conflict (destination_id, event_id) do update set
      cause = case when delivery.state = 'waiting' then delivery.cause else excluded.cause end,
      attempts = case when delivery.state = 'waiting' then delivery.attempts else 0 end,
      state = 'waiting', due_at = excluded.due_at`,
);

const listFailed = statement(
  'delivery.list_failed',
  `select d.event_id as "eventId" from delivery d
   where d.destination_id = $1 and d.event_id >= $2 and d.event_id < $3 and d.state = 'failed'`,
);

/** Returns the events from one id up to another that were given up, at most as many as are kept. */
export async function listFailedIds(sql: Sql, destinationId: string, first: string, end: string): Promise<string[]> {
  const rows = await sql.all<{ eventId: string }>(listFailed, destinationId, first, end);
  return rows.map(({ eventId }) => eventId);
}

/** Returns the number of waiting deliveries of a destination. */
export async function countWaitingDeliveries(sql: Sql, destinationId: string): Promise<number> {
  return (await sql.first<{ count: number }>(countWaiting, destinationId))?.count ?? 0;
}

/** Requests that events are sent at once. The caller holds the lock of the destinations. */
export async function insertResent(
  tx: Tx,
  destinationId: string,
  events: readonly { readonly eventId: string; readonly licenseKey: string | null }[],
  now: number,
): Promise<void> {
  const rows = tableOf(events.map(({ eventId, licenseKey }) => [eventId, licenseKey]));
  await tx.run(upsertResent, rows, destinationId, toTimestamp(now));
}
