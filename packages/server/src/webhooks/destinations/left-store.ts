/** SQL of the counts in views of destinations: events left to send, and events sent lately. */
import { DAY_MS, toTimestamp } from '../../ground/base/clock.ts';
import { orderedPrefix } from '../../ground/base/random.ts';
import { eventTimeOf } from '../../platform/events/event.ts';
import { findLastPosition, findNextEntry } from '../../platform/events/feed-store.ts';
import { listOf, type Sql, statement } from '../../storage/contract/storage.ts';
import type { DestinationWithProgress } from './store.ts';

/** The largest count of unread events. */
export const MAX_BEHIND = 10_000;

/** The events that are left to send to a destination. */
export interface LeftToSend {
  /** Events that were tried or requested again and wait for their next attempt. */
  readonly waiting: number;
  /** Events that were given up. */
  readonly failed: number;
  /** Positions of the feed that are not settled, at most {@link MAX_BEHIND}. */
  readonly behind: number;
  /** Time of the oldest event that is not settled; null without one. */
  readonly oldestUnsentAt: string | null;
}

const listLeft = statement(
  'destination_progress.list_left',
  (dialect) => `select p.destination_id as "destinationId",
      (select count(*) from delivery d where d.destination_id = p.destination_id and d.state = 'waiting') as "waiting",
      (select count(*) from delivery d where d.destination_id = p.destination_id and d.state = 'failed') as "failed",
      (select min(d.event_id) from delivery d where d.destination_id = p.destination_id and d.state = 'waiting')
        as "oldestWaiting",
      (select f.event_id from event_feed f where f.place > p.position order by f.place limit 1) as "firstUnread"
    from destination_progress p where p.destination_id ${dialect.among('$1')}`,
);

const countAttempts = statement(
  'delivery_attempt.count_since',
  `select count(case when a.outcome = 'delivered' then 1 end) as "delivered",
     count(case when a.outcome <> 'delivered' then 1 end) as "failed"
   from delivery_attempt a where a.destination_id = $1 and a.attempt_id >= $2`,
);

/** Returns the events that are left to send to each destination, by its id. */
export async function listLeftToSend(
  sql: Sql,
  destinations: readonly DestinationWithProgress[],
): Promise<ReadonlyMap<string, LeftToSend>> {
  const ids = destinations.map(({ destination }) => destination.destinationId);
  const rows = await sql.all<{
    destinationId: string;
    waiting: number;
    failed: number;
    oldestWaiting: string | null;
    firstUnread: string | null;
  }>(listLeft, listOf(ids));
  const last = await findLastPosition(sql);
  const first = (await findNextEntry(sql, 0))?.position ?? last + 1;
  const positions = new Map(destinations.map(({ progress }) => [progress.destinationId, progress.position]));
  return new Map(
    rows.map(({ destinationId, waiting, failed, oldestWaiting, firstUnread }) => {
      const unsent = [oldestWaiting, firstUnread].flatMap((eventId) => eventId ?? []).map(eventTimeOf);
      const position = Math.max(positions.get(destinationId) ?? last, first - 1);
      const counts: LeftToSend = {
        waiting,
        failed,
        behind: Math.min(MAX_BEHIND, Math.max(0, last - position)),
        oldestUnsentAt: unsent.length === 0 ? null : toTimestamp(Math.min(...unsent)),
      };
      return [destinationId, counts];
    }),
  );
}

/** Returns the numbers of kept attempts of a destination within the last 24 hours. */
export async function countLastDay(
  sql: Sql,
  destinationId: string,
  now: number,
): Promise<{ readonly delivered: number; readonly failed: number }> {
  const row = await sql.first<{ delivered: number; failed: number }>(
    countAttempts,
    destinationId,
    orderedPrefix(now - DAY_MS),
  );
  return { delivered: row?.delivered ?? 0, failed: row?.failed ?? 0 };
}
