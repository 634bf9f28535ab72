/** Data and SQL of the sender. The types are plain data, because the sender runs in its own thread. */
import { toTimestamp } from '../../ground/base/clock.ts';
import type { Event } from '../../platform/events/event.ts';
import type { FeedPage } from '../../platform/events/feed.ts';
import type { FeedEntry, WantedEvents } from '../../platform/events/feed-store.ts';
import { eventTable } from '../../platform/events/store.ts';
import {
  listOf,
  type Sql,
  type Statement,
  statement,
  type Tx,
  tableOf,
  writeStatement,
} from '../../storage/contract/storage.ts';
import { integerColumn, momentColumn, type StoredRow, Table, textColumn } from '../../storage/contract/table.ts';
import type { Progress } from '../destinations/destination.ts';
import type { Included } from '../destinations/payload.ts';
import type { Replay } from '../destinations/replay.ts';
import type { ReplayProgress } from '../destinations/replay-store.ts';
import type { Sendable } from '../destinations/sendable.ts';
import { PROGRESS_COLUMNS } from '../destinations/store.ts';
import type { ChangesSince } from '../destinations/turn-store.ts';
import type { Attempt } from './attempt-store.ts';

export type { FeedEntry, Sendable };

/**
 * Why an event is sent: it is new (`change`), a person asked for it (`resend`), or it is within a replay. Requested
 * deliveries take at most a quarter of the requests.
 */
export type DeliveryCause = 'change' | 'resend' | 'replay';

/** An event that a destination has not accepted yet. Moments are milliseconds since 1970. */
export interface StoredDelivery {
  readonly destinationId: string;
  readonly eventId: string;
  readonly position: number;
  readonly licenseKey: string | null;
  readonly cause: DeliveryCause;
  /** Failed attempts, without attempts made while the destination failed as a whole. */
  readonly attempts: number;
  readonly dueAt: number;
  /** The first failed attempt; null before it. */
  readonly firstAt: number | null;
  readonly lastStatus: number | null;
  readonly lastError: string | null;
}

/** Progress to save, unless another writer has moved the destination since. */
export interface SavedProgress extends Progress {
  /** The position that the sender saved or read last. */
  readonly knownPosition: number;
}

interface DeliveryKey {
  readonly destinationId: string;
  readonly eventId: string;
}

/** Everything that one write of the sender saves. */
export interface Saved {
  /** Duration of the lease, from the start of the write. */
  readonly leaseMs: number;
  readonly progress: readonly SavedProgress[];
  readonly stored: readonly StoredDelivery[];
  readonly settled: readonly DeliveryKey[];
  readonly failed: readonly StoredDelivery[];
  readonly attempts: readonly Attempt[];
  /** Test events that were sent. */
  readonly tests: readonly DeliveryKey[];
  readonly replays: readonly ReplayProgress[];
  /** Failing destinations whose owners are notified. */
  readonly alarms: readonly { readonly destinationId: string; readonly isFull: boolean }[];
  readonly disabled: readonly { readonly destinationId: string; readonly reason: 'gone' | 'gave_up' }[];
}

/** The result of a write. */
export interface SaveResult {
  /** Destinations deleted or moved to another position since they were read. */
  readonly moved: readonly string[];
  /** True if the clock is reliable enough for disabling a destination. */
  readonly isClockBelieved: boolean;
}

/** A requested test event. */
export interface TestMessage extends DeliveryKey {
  readonly type: string;
  readonly body: string;
}

/** An event, and the parts of it that a destination receives. */
export interface MessageKey {
  readonly eventId: string;
  readonly included: Included;
}

/** The current content of an event. */
export interface Message {
  readonly type: string;
  readonly body: string;
  /** Milliseconds since 1970. */
  readonly occurredAt: number;
}

/**
 * Active destinations, for `sendablesIn`. The thread that owns the database passes the text on unread, because the rows
 * of thousands would stay with it as garbage.
 */
type SendablesText = string;

/** The stored rows of some destinations. */
export interface StoredFor {
  readonly waiting: readonly StoredDelivery[];
  readonly replays: readonly Replay[];
}

/** The view of a sender at rest, which tells whether there is something to do. */
export interface News {
  /** Rises with each change of a destination. */
  readonly version: number;
  /** The highest position of the feed. */
  readonly lastPosition: number;
  readonly hasTests: boolean;
}

/** A page of the feed. */
export interface DeliveryPage extends FeedPage {
  /** Current owners of the products of the entries. */
  readonly owners: ReadonlyMap<string, string>;
}

/** The reads of the sender. */
export interface DeliveryReader {
  news(): Promise<News>;
  /** Returns the destinations that have changed since a version. */
  changesSince(version: number): Promise<ChangesSince>;
  /** Returns a page of the active destinations: those with the lowest ids after one of them. */
  loadPage(after: string, limit: number): Promise<SendablesText>;
  /** Returns those of the named destinations that are active. */
  loadNamed(destinationIds: readonly string[]): Promise<SendablesText>;
  /** Returns the waiting deliveries and the replays of destinations. */
  storedFor(destinationIds: readonly string[]): Promise<StoredFor>;
  readFeed(after: number, limit: number, wanted: WantedEvents): Promise<DeliveryPage>;
  /** Returns the current content of events; null for an event that is gone. */
  messages(keys: readonly MessageKey[]): Promise<readonly (Message | null)[]>;
  listTests(): Promise<readonly TestMessage[]>;
}

/** The writes of the sender. */
export interface DeliveryWriter {
  /** Takes or renews the lease and saves in the same transaction; null if another node sends. */
  save(saved: Saved): Promise<SaveResult | null>;
  /** Lets another node send at once. */
  giveBack(): Promise<void>;
}

export type DeliveryStore = DeliveryReader & DeliveryWriter;

/** Failed deliveries kept for each destination. */
const FAILED_KEPT = 1_000;

/** A delivery as its row holds it; `lastAt` is the time of the write. */
interface DeliveryRow extends StoredDelivery {
  readonly state: 'waiting' | 'failed';
  readonly lastAt: number;
}

const deliveryTable = new Table<DeliveryRow>('delivery', {
  destinationId: textColumn('destination_id'),
  eventId: textColumn('event_id'),
  position: integerColumn('position'),
  licenseKey: textColumn('license_key'),
  cause: textColumn('cause'),
  state: textColumn('state'),
  attempts: integerColumn('attempts'),
  dueAt: momentColumn('due_at'),
  firstAt: momentColumn('first_at'),
  lastAt: momentColumn('last_at'),
  lastStatus: integerColumn('last_status'),
  lastError: textColumn('last_error'),
});

const KEY_COLUMNS = { destination_id: 'text', event_id: 'text' } as const;

const listWaiting = statement(
  'delivery.list_waiting',
  (dialect) => `select ${deliveryTable.select('d', deliveryTable.except(['state', 'lastAt']))}
    from delivery d where d.destination_id ${dialect.among('$1')} and d.state = 'waiting'`,
);

const listStored = statement(
  'delivery.list_stored',
  (dialect) => `select d.event_id as "eventId" from delivery d
    where d.destination_id = $1 and d.event_id ${dialect.among('$2')}`,
);

const listReplayed = statement(
  'delivery.list_replayed',
  (dialect) => `select d.event_id as "eventId" from delivery d where d.destination_id = $1
    and d.event_id ${dialect.among('$2')} and d.state = 'waiting' and d.cause = 'replay'`,
);

const upsert = deliveryTable.insert('delivery.upsert', {
  conflict: `on conflict (destination_id, event_id) do update set position = excluded.position, cause = excluded.cause,
      state = excluded.state, attempts = excluded.attempts, due_at = excluded.due_at, first_at = excluded.first_at,
      last_at = excluded.last_at, last_status = excluded.last_status, last_error = excluded.last_error`,
});

const remove = statement(
  'delivery.delete',
  (dialect) => `delete from delivery where (destination_id, event_id) in
    (select r.destination_id, r.event_id from ${dialect.table('$1', KEY_COLUMNS)} r)`,
);

const trimFailed = statement(
  'delivery.trim_failed',
  `delete from delivery where destination_id = $1 and state = 'failed' and due_at <=
     (select d.due_at from delivery d where d.destination_id = $1 and d.state = 'failed'
      order by d.due_at desc, d.event_id desc limit 1 offset $2)`,
);

/** Rows of progress, each with the position that it had. */
const movedTable = new Table<SavedProgress>('destination_progress', {
  ...PROGRESS_COLUMNS,
  knownPosition: integerColumn('known'),
});
const WRITTEN = movedTable
  .columns(movedTable.except(['destinationId', 'knownPosition']))
  .map((column) => `${column} = r.${column}`);

const moveProgress = writeStatement(
  'destination_progress.move',
  (dialect) => `update destination_progress set ${WRITTEN.join(', ')}
    from ${movedTable.unfold(dialect, '$1', movedTable.fields)} r
    where destination_progress.destination_id = r.destination_id and destination_progress.position = r.known
    returning destination_progress.destination_id as "destinationId"`,
);

/** Waiting tests that one look reads: as many as ten creators may request within a minute. */
const MAX_TESTS_READ = 2_000;

/** By turns of the owners: one with many tests to receivers that never answer does not delay the test of another. */
const listTestRows = statement(
  'delivery_test.list_waiting',
  `select w.destination_id as "destinationId", w.event_id as "eventId", w.type as "type", w.asked_at as "askedAt"
   from (select o.*, row_number() over (partition by d.creator_id order by o.asked_at, o.event_id) as turn
     from (select t.destination_id, t.event_id, t.type, t.asked_at from delivery_test t
       where t.attempted_at is null and t.asked_at > '' order by t.asked_at, t.event_id limit ${MAX_TESTS_READ}) o
     join destination d on d.destination_id = o.destination_id) w
   order by w.turn, w.asked_at, w.event_id limit 100`,
);

// One statement, because a sender at rest runs it several times a second.
const findNewsRow = statement(
  'delivery.find_news',
  (dialect) => `select
      coalesce((select t.version from destination_turn t where t.turn = 'destinations'), 0) as "version",
      (${dialect.lastNumber('event_feed', 'place')}) as "lastPosition",
      (select count(*) from (select t.event_id from delivery_test t
         where t.attempted_at is null and t.asked_at > '' order by t.asked_at, t.event_id limit 1) w) as "tests"`,
);

const endTest = statement(
  'delivery_test.end',
  'update delivery_test set attempted_at = $3 where destination_id = $1 and event_id = $2',
);

const listEvents = statement(
  'delivery.list_events',
  (dialect) => `select ${eventTable.select('e')} from event e where e.event_id ${dialect.among('$1')}`,
);

/** Returns the events with these ids by id, without deleted ones. */
export async function findEventsById(sql: Sql, eventIds: readonly string[]): Promise<ReadonlyMap<string, Event>> {
  const rows = await sql.all<StoredRow>(listEvents, listOf(eventIds));
  return new Map(rows.map((row) => eventTable.restore<Event>(row)).map((event) => [event.eventId, event]));
}

/** Makes a function that returns those of the given events for which a destination has a delivery in a list. */
function deliveredAmong(list: Statement) {
  return async (sql: Sql, destinationId: string, eventIds: readonly string[]): Promise<ReadonlySet<string>> => {
    const rows = await sql.all<{ eventId: string }>(list, destinationId, listOf(eventIds));
    return new Set(rows.map(({ eventId }) => eventId));
  };
}

/** Returns the given events for which a destination has a waiting or failed delivery. */
export const listDeliveryIds = deliveredAmong(listStored);

/** Returns the given events for which a destination has a waiting delivery of a replay. */
export const listReplayedIds = deliveredAmong(listReplayed);

/** Returns the waiting deliveries of these destinations. */
export async function listWaitingDeliveries(
  sql: Sql,
  destinationIds: readonly string[],
): Promise<readonly StoredDelivery[]> {
  if (destinationIds.length === 0) return [];
  const rows = await sql.all<StoredRow>(listWaiting, listOf(destinationIds));
  return rows.map((row) => {
    const delivery = deliveryTable.restore<StoredDelivery>(row);
    return delivery.attempts === 0 ? { ...delivery, firstAt: null } : delivery;
  });
}

export async function findNews(sql: Sql): Promise<News> {
  const row = await sql.first<{ version: number; lastPosition: number; tests: number }>(findNewsRow);
  return { version: row?.version ?? 0, lastPosition: row?.lastPosition ?? 0, hasTests: (row?.tests ?? 0) > 0 };
}

/** A requested test event that has not been sent. */
export interface WaitingTest extends DeliveryKey {
  readonly type: string;
  readonly askedAt: string;
}

/** Returns requested test events that have not been sent, the oldest of each owner first. */
export function listWaitingTests(sql: Sql): Promise<readonly WaitingTest[]> {
  return sql.all<WaitingTest>(listTestRows);
}

/**
 * Saves the progress of destinations, except those that another writer has moved or deleted since.
 *
 * @returns the ids of the saved destinations
 */
export async function saveMovedProgress(tx: Tx, progress: readonly SavedProgress[]): Promise<ReadonlySet<string>> {
  if (progress.length === 0) return new Set();
  const moved = movedTable.rows(progress, movedTable.fields);
  const rows = await tx.all<{ destinationId: string }>(moveProgress, moved);
  return new Set(rows.map(({ destinationId }) => destinationId));
}

/** Inserts or updates deliveries. */
export async function saveDeliveries(
  tx: Tx,
  state: 'waiting' | 'failed',
  deliveries: readonly StoredDelivery[],
  now: number,
): Promise<void> {
  if (deliveries.length === 0) return;
  const rows = deliveries.map((each) => ({
    ...each,
    state,
    dueAt: state === 'failed' ? now : each.dueAt,
    firstAt: each.firstAt ?? now,
    lastAt: now,
  }));
  await tx.run(upsert, deliveryTable.rows(rows, deliveryTable.fields));
  if (state === 'waiting') return;
  for (const destinationId of new Set(deliveries.map((each) => each.destinationId)))
    await tx.run(trimFailed, destinationId, FAILED_KEPT);
}

/** Deletes settled deliveries. */
export async function deleteDeliveries(tx: Tx, keys: readonly DeliveryKey[]): Promise<void> {
  if (keys.length > 0)
    await tx.run(remove, tableOf(keys.map(({ destinationId, eventId }) => [destinationId, eventId])));
}

/** Marks test events as sent. */
export async function endTests(tx: Tx, tests: readonly DeliveryKey[], now: number): Promise<void> {
  for (const { destinationId, eventId } of tests) await tx.run(endTest, destinationId, eventId, toTimestamp(now));
}
