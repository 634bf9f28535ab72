/** Stored events. Only record.ts writes them. */
import { type RecordedTx, recorded } from '../../storage/contract/recorded.ts';
import { type Dialect, writeStatement } from '../../storage/contract/storage.ts';
import { isRecord } from '../../storage/contract/stored-json.ts';
import { integerColumn, jsonColumn, Table, textColumn } from '../../storage/contract/table.ts';
import type { Event, Facts } from './event.ts';

function factsFrom(stored: unknown): Facts | null {
  return isRecord(stored) ? stored : null;
}

/** The table of events. */
export const eventTable = new Table<Event>('event', {
  licenseKey: textColumn('license_key'),
  eventId: textColumn('event_id'),
  licenseNumber: integerColumn('license_number'),
  previousEventId: textColumn('previous_event_id'),
  type: textColumn('type'),
  creatorId: textColumn('creator_id'),
  productId: textColumn('product_id'),
  subject: textColumn('subject'),
  actor: textColumn('actor'),
  actorName: textColumn('actor_name'),
  requestId: textColumn('request_id'),
  occurredAt: textColumn('occurred_at'),
  before: jsonColumn('before_facts', factsFrom),
  after: jsonColumn('after_facts', factsFrom),
});

/** The feed needs the ids. The license comes first in the rows of every statement of a client's call. */
const FED_FIELDS = ['licenseKey', 'eventId'] as const;

/**
 * Enters the events of `$1` into the feed (feed.ts) while there is a destination; otherwise looks at one index. The
 * parameter holds `fields`.
 */
function feedInsert(dialect: Dialect, fields: readonly (keyof Event)[]): string {
  return `insert into event_feed (event_id) select r.event_id from ${eventTable.unfold(dialect, '$1', fields)} r
    where exists (select 1 from destination d where d.destination_id > '')`;
}

// Looks up the owner of the product during the insert, so that recording needs no further statement. late-index.ts
// enters events into the indexes by product and by request.
const insert = recorded(
  eventTable.insert('event.insert', {
    computed: {
      creator_id: 'coalesce(r.creator_id, (select p.creator_id from product p where p.product_id = r.product_id))',
      unindexed: ({ indexesLate }) => (indexesLate ? 'case when r.product_id is not null then 1 end' : 'null'),
    },
    // A further statement would cost a round trip on PostgreSQL.
    within: (dialect, insert) =>
      dialect.writesTwoTables ? `with fed as (${feedInsert(dialect, eventTable.fields)}) ${insert}` : insert,
  }),
);

const insertIntoFeed = writeStatement('event_feed.insert', (dialect) => feedInsert(dialect, FED_FIELDS));

const replaceAfter = recorded(eventTable.update('event.replace_after', ['eventId'], ['after']));

/** Adds events. An event without a creatorId gets the creator of its product. */
export async function insertEvents(tx: RecordedTx, events: readonly Event[]): Promise<void> {
  await tx.run(insert, eventTable.rows(events, eventTable.fields));
  if (tx.writesTwoTables !== true) await tx.run(insertIntoFeed, eventTable.rows(events, FED_FIELDS));
}

/** Replaces the facts after the change in events that further changes share. */
export async function replaceFactsAfter(
  tx: RecordedTx,
  events: readonly Pick<Event, 'eventId' | 'after'>[],
): Promise<void> {
  await tx.run(replaceAfter, eventTable.rows(events, ['eventId', 'after']));
}
