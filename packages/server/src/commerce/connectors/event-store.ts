/** Stored events of shops. Lists never read their bodies. */
import { DAY_MS, fromTimestamp, toTimestamp } from '../../ground/base/clock.ts';
import type { Scope } from '../../platform/endpoint/caller.ts';
import type { PageCursor } from '../../platform/endpoint/page.ts';
import { indexScan, NamedStatement } from '../../storage/contract/list.ts';
import { listOf, type Sql, statement, type Tx, tableOf, writeStatement } from '../../storage/contract/storage.ts';
import { elementsOf, isRecord, recordOf } from '../../storage/contract/stored-json.ts';
import {
  type Column,
  integerColumn,
  jsonColumn,
  momentColumn,
  ownerColumn,
  type StoredRow,
  Table,
  textColumn,
} from '../../storage/contract/table.ts';
import { isFinal, SHOP_EVENT_STATES, type ShopEventState } from './inbox-state.ts';
import type { EventLicense, ShopEvent, WholeShopEvent } from './shop-event.ts';

/** Events of one state that are counted. */
export const MAX_COUNTED = 10_000;
/** Days for which a settled event is kept. */
const KEPT_DAYS = 180;
/** The end of a row that waits for somebody. */
const NOT_SETTLED = '9999-12-31T23:59:59.999Z';

/** A moment in an index: '' in place of null, because every statement that finds due rows reads a range. */
const dueColumn = (name: string): Column<number | null> => ({
  ...momentColumn<number | null>(name),
  store: (moment) => (moment === null ? '' : toTimestamp(moment)),
  restore: (stored) => (stored === '' ? null : fromTimestamp(stored as string)),
});

const eventTable = new Table<WholeShopEvent>('shop_event', {
  eventId: textColumn('event_id'),
  connectorId: textColumn('connector_id'),
  creatorId: ownerColumn('creator_id'),
  sellerEventId: textColumn('seller_event_id'),
  type: textColumn('type'),
  sourceAt: textColumn('source_at'),
  receivedAt: textColumn('received_at'),
  isTest: {
    name: 'is_test',
    type: 'integer',
    store: (field) => (field === null ? null : field ? 1 : 0),
    restore: (stored) => (stored === null ? null : stored === 1),
  },
  subject: textColumn('subject'),
  subjectId: textColumn('subject_id'),
  body: textColumn('body'),
  state: textColumn('state'),
  reason: textColumn('reason'),
  detail: textColumn('detail'),
  attempts: integerColumn('attempts'),
  dueAt: dueColumn('due_at'),
  lookUpAt: dueColumn('look_up_at'),
  dueSince: momentColumn('due_since'),
  lookedUp: jsonColumn('looked_up', recordOf),
  outcome: jsonColumn('outcome', (stored) => elementsOf(stored, isRecord) as unknown as readonly EventLicense[]),
  keptUntil: textColumn('kept_until'),
});

const LISTED = eventTable.except(['body', 'lookedUp']);
const COLUMNS = eventTable.select('e', LISTED);
const WHOLE = eventTable.select('e');
const WRITTEN = [
  ...(['subjectId', 'state', 'reason', 'detail', 'attempts', 'dueAt', 'lookUpAt', 'dueSince'] as const),
  ...(['lookedUp', 'outcome', 'keptUntil'] as const),
] as const;

const insert = eventTable.insert('shop_event.insert', {
  conflict: 'on conflict (connector_id, seller_event_id) do nothing',
});
const update = eventTable.update('shop_event.update', ['eventId'], WRITTEN);

const find = statement('shop_event.find', `select ${WHOLE} from shop_event e where e.event_id = $1`);
const lock = statement(
  'shop_event.lock',
  (dialect) => `select ${WHOLE} from shop_event e where e.event_id = $1 ${dialect.forUpdate}`,
);

const listDue = statement(
  'shop_event.list_due',
  `select e.event_id as "eventId", e.connector_id as "connectorId" from shop_event e
   where e.due_at > '' and e.due_at <= $1 order by e.due_at, e.event_id limit $2`,
);
const findLookUpDue = statement(
  'shop_event.find_look_up_due',
  `select e.look_up_at as "dueAt" from shop_event e
   where e.look_up_at > '' order by e.look_up_at, e.event_id limit 1`,
);
const listLookingUp = statement(
  'shop_event.list_looking_up',
  `select ${WHOLE} from shop_event e where e.look_up_at > '' and e.look_up_at <= $1
   order by e.look_up_at, e.event_id limit $2`,
);

const bringBack = statement(
  'shop_event.make_due',
  (
    dialect,
  ) => `update shop_event set state = 'received', reason = null, detail = null, attempts = 0, due_at = $2, look_up_at = '',
      due_since = $2, kept_until = '${NOT_SETTLED}'
    where event_id ${dialect.among('$1')} and state <> 'received' and body <> ''`,
);
const askAgain = writeStatement(
  'shop_event.ask_again',
  `update shop_event set state = 'received', reason = null, detail = null, attempts = 0, looked_up = '{}', due_at = $3,
      look_up_at = '', due_since = null, kept_until = '${NOT_SETTLED}'
    where connector_id = $1 and seller_event_id = $2 and body <> '' and state <> 'dismissed'
    returning event_id as "eventId"`,
);
const listIdsInState = statement(
  'shop_event.list_ids_in_state',
  `select e.event_id as "eventId" from shop_event e where e.connector_id = $1 and e.state = $2
     and (e.reason = $3 or $3 = '') and e.received_at >= '' order by e.received_at, e.event_id limit $4`,
);
const countStates = statement(
  'shop_event.count_states',
  (dialect) => `select r.connector_id as "connectorId", s.state,
      (select count(*) from (select 1 from shop_event e where e.connector_id = r.connector_id and e.state = s.state
        limit ${MAX_COUNTED}) counted) as "count"
    from ${dialect.table('$1', { connector_id: 'text' })} r, ${dialect.table('$2', { state: 'text' })} s`,
);
const countAttention = statement(
  'shop_event.count_attention',
  `select count(*) as "count" from (select 1 from shop_event e where e.state = 'attention' limit ${MAX_COUNTED}) counted`,
);
const findOldest = statement(
  'shop_event.find_oldest',
  `select e.received_at as "receivedAt" from shop_event e where e.state = $1
   order by e.state, e.received_at, e.event_id limit 1`,
);
const findLastReceived = statement(
  'shop_event.find_last_received',
  `select e.received_at as "receivedAt" from shop_event e where e.connector_id = $1
   order by e.connector_id desc, e.received_at desc, e.event_id desc limit 1`,
);
const forgetBodies = statement(
  'shop_event.empty_bodies',
  (dialect) => `update shop_event set body = '', looked_up = '{}'
    where event_id ${dialect.among('$1')} and body <> ''`,
);
const listIdsOfSubjects = statement(
  'shop_event.list_ids_of_subject',
  `select e.event_id as "eventId" from shop_event e where e.connector_id = $1 and e.subject_id = $2
   order by e.received_at, e.event_id limit $3`,
);

const restored = (row: StoredRow | undefined) => row && eventTable.restore<WholeShopEvent>(row);
const inScope = (event: WholeShopEvent | undefined, { creatorId }: Scope) =>
  event !== undefined && (creatorId === null || event.creatorId === creatorId) ? event : undefined;

/** Stores an event; false if its connector has one with this id of the seller's. */
export async function insertShopEvent(tx: Tx, event: WholeShopEvent): Promise<boolean> {
  return (await tx.run(insert, eventTable.rows([event], eventTable.fields))) === 1;
}

export async function findShopEvent(sql: Sql, eventId: string, scope: Scope): Promise<WholeShopEvent | undefined> {
  return inScope(restored(await sql.first<StoredRow>(find, eventId)), scope);
}

/** An event, locked until the transaction ends. */
export async function lockShopEvent(tx: Tx, eventId: string, scope: Scope): Promise<WholeShopEvent | undefined> {
  return inScope(restored(await tx.first<StoredRow>(lock, eventId)), scope);
}

/** Writes the outcome of a locked event. `now` in milliseconds since 1970. */
export async function saveShopEvent(tx: Tx, event: Omit<WholeShopEvent, 'keptUntil'>, now: number): Promise<void> {
  const keptUntil = keptUntilOf(event.state, now);
  await tx.run(update, eventTable.rows([{ ...event, keptUntil }], ['eventId', ...WRITTEN]));
}

/** The moment until which an event in a state is kept. */
export function keptUntilOf(state: ShopEventState, now: number): string {
  return isFinal(state) || state === 'watched' ? toTimestamp(now + KEPT_DAYS * DAY_MS) : NOT_SETTLED;
}

/** Events that the service goes on with at this moment, the longest due first. */
export function listDueEvents(sql: Sql, now: number, most: number) {
  return sql.all<Pick<ShopEvent, 'eventId' | 'connectorId'>>(listDue, toTimestamp(now), most);
}

/** The moment at which the next look-up is due; null if none is. */
export async function findLookUpMoment(sql: Sql): Promise<number | null> {
  const found = await sql.first<{ readonly dueAt: string }>(findLookUpDue);
  return found === undefined ? null : fromTimestamp(found.dueAt);
}

/** Events whose look-ups are due, the longest due first. */
export async function listLookUpsDue(sql: Sql, now: number, most: number): Promise<readonly WholeShopEvent[]> {
  const rows = await sql.all<StoredRow>(listLookingUp, toTimestamp(now), most);
  return rows.map((row) => eventTable.restore<WholeShopEvent>(row));
}

/** Makes events due at once, after any outcome, unless their bodies were forgotten. Returns their number. */
export async function makeEventsDue(tx: Tx, eventIds: readonly string[], now: number): Promise<number> {
  return eventIds.length === 0 ? 0 : tx.run(bringBack, listOf(eventIds), toTimestamp(now));
}

/**
 * Lets a known event that says nothing itself be looked up and applied once more.
 *
 * @returns its id; undefined for one that was forgotten or dismissed
 */
export async function lookUpAgain(
  tx: Tx,
  { connectorId, sellerEventId }: Pick<ShopEvent, 'connectorId' | 'sellerEventId'>,
  dueAt: number,
): Promise<string | undefined> {
  const due = toTimestamp(dueAt);
  return (await tx.first<Pick<ShopEvent, 'eventId'>>(askAgain, connectorId, sellerEventId, due))?.eventId;
}

/** The oldest events of a connector in a state, for one reason or any. */
export async function listEventIdsIn(
  sql: Sql,
  connectorId: string,
  { state, reason }: { readonly state: ShopEventState; readonly reason?: string },
  most: number,
): Promise<readonly string[]> {
  const rows = await sql.all<{ readonly eventId: string }>(listIdsInState, connectorId, state, reason ?? '', most);
  return rows.map(({ eventId }) => eventId);
}

/** The number of events by state, at most {@link MAX_COUNTED}, of each connector; states without events are absent. */
export async function countEventStates(
  sql: Sql,
  connectorIds: readonly string[],
): Promise<ReadonlyMap<string, Readonly<Partial<Record<ShopEventState, number>>>>> {
  const rows = await sql.all<{ connectorId: string; state: ShopEventState; count: number }>(
    countStates,
    tableOf(connectorIds.map((each) => [each])),
    tableOf(SHOP_EVENT_STATES.map((each) => [each])),
  );
  const grouped = Map.groupBy(
    rows.filter(({ count }) => count > 0),
    ({ connectorId }) => connectorId,
  );
  return new Map(
    [...grouped].map(([connectorId, counts]) => [
      connectorId,
      Object.fromEntries(counts.map(({ state, count }) => [state, count])),
    ]),
  );
}

/** The number of events that a person decides about, at most {@link MAX_COUNTED}. */
export async function countInAttention(sql: Sql): Promise<number> {
  return (await sql.first<{ readonly count: number }>(countAttention))?.count ?? 0;
}

/** When the oldest event arrived that the service applies or looks up; null if none waits. */
export async function findOldestWaiting(sql: Sql): Promise<string | null> {
  const oldest: string[] = [];
  for (const state of ['received', 'looking up'] satisfies ShopEventState[]) {
    const found = await sql.first<{ readonly receivedAt: string }>(findOldest, state);
    if (found !== undefined) oldest.push(found.receivedAt);
  }
  return oldest.toSorted()[0] ?? null;
}

/** When an event of a connector arrived last. */
export async function findLastEventAt(sql: Sql, connectorId: string): Promise<string | null> {
  return (await sql.first<{ readonly receivedAt: string }>(findLastReceived, connectorId))?.receivedAt ?? null;
}

/** Empties the bodies of events. Returns the number of those that had one. */
export async function emptyBodies(tx: Tx, eventIds: readonly string[]): Promise<number> {
  return eventIds.length === 0 ? 0 : tx.run(forgetBodies, listOf(eventIds));
}

/** The oldest events of a sale. */
export async function listEventIdsOfSubject(
  sql: Sql,
  connectorId: string,
  subjectId: string,
  most: number,
): Promise<readonly string[]> {
  const rows = await sql.all<{ readonly eventId: string }>(listIdsOfSubjects, connectorId, subjectId, most);
  return rows.map(({ eventId }) => eventId);
}

/** The events of a list: of one connector or one owner, in one state, of one type of a connector. */
export interface EventFilter {
  readonly owner: string | null | undefined;
  readonly connectorId: string | undefined;
  readonly state: ShopEventState | undefined;
  /** With a connector only. */
  readonly type: string | undefined;
}

/** The columns in which all rows of a list agree, by the index that it reads. */
const LISTS = {
  all: {},
  ofOwner: { 'e.creator_id': ':owner' },
  ofConnector: { 'e.connector_id': ':connectorId' },
  inState: { 'e.state': ':state' },
  ofOwnerInState: { 'e.creator_id': ':owner', 'e.state': ':state' },
  ofConnectorInState: { 'e.connector_id': ':connectorId', 'e.state': ':state' },
  ofConnectorOfType: { 'e.connector_id': ':connectorId', 'e.type': ':type' },
  ofSale: { 'e.connector_id': ':connectorId', 'e.subject_id': ':subjectId' },
  ofSubject: { 'e.connector_id': ':connectorId', 'e.subject': ':subject' },
} as const;

/** The columns that are compared row by row: in lists of few rows, whose indexes lack them. */
const COMPARED: ReadonlyMap<string, readonly ('state' | 'type')[]> = new Map([
  ['ofConnectorOfType', ['state']],
  ['ofSale', ['state', 'type']],
  ['ofSubject', ['state', 'type']],
]);

const VALUES = [
  ...(['receivedAt', 'id', 'limit', 'owner', 'connectorId', 'state', 'type'] as const),
  ...(['subjectId', 'subject'] as const),
] as const;
type ListValues = Readonly<Partial<Record<(typeof VALUES)[number], string | number>>>;

const lists = Object.fromEntries(
  Object.entries(LISTS).map(([name, agreed]) => [
    name,
    new NamedStatement(
      `shop_event.list_${name}`,
      VALUES,
      (dialect) =>
        `select ${COLUMNS} from shop_event e ${indexScan(dialect, {
          agreed,
          cursor: { 'e.received_at': ':receivedAt', 'e.event_id': ':id' },
          filter:
            COMPARED.get(name)
              ?.map((column) => `and (:${column} = '' or e.${column} = :${column})`)
              .join(' ') ?? '',
          limit: ':limit',
        })}`,
    ),
  ]),
) as Readonly<Record<keyof typeof LISTS, NamedStatement<(typeof VALUES)[number]>>>;

async function page(sql: Sql, list: keyof typeof LISTS, values: ListValues): Promise<ShopEvent[]> {
  const rows = await lists[list].all<StoredRow>(sql, values as Readonly<Record<(typeof VALUES)[number], string>>);
  return rows.map((row) => eventTable.restore<ShopEvent>(row));
}

/** A page of events, newest first. */
export function listShopEventRows(
  sql: Sql,
  filter: EventFilter,
  after: PageCursor,
  limit: number,
): Promise<ShopEvent[]> {
  const { owner, connectorId, state, type } = filter;
  const values = {
    receivedAt: after.createdAt,
    id: after.id,
    limit,
    ...(owner === undefined ? {} : { owner: owner ?? '' }),
    ...(connectorId === undefined ? {} : { connectorId }),
    ...(state === undefined ? {} : { state }),
    ...(type === undefined ? {} : { type }),
  };
  if (connectorId !== undefined && type !== undefined)
    return page(sql, 'ofConnectorOfType', { ...values, state: state ?? '' });
  if (connectorId !== undefined) return page(sql, state === undefined ? 'ofConnector' : 'ofConnectorInState', values);
  if (owner !== undefined) return page(sql, state === undefined ? 'ofOwner' : 'ofOwnerInState', values);
  return page(sql, state === undefined ? 'all' : 'inState', values);
}

/** A page of the events of a sale, or of those about an id of the seller's, newest first. */
export function listEventsAbout(
  sql: Sql,
  about: { readonly connectorId: string } & ({ readonly subjectId: string } | { readonly subject: string }),
  { state, type }: Pick<EventFilter, 'state' | 'type'>,
  { after, limit }: { readonly after: PageCursor; readonly limit: number },
): Promise<ShopEvent[]> {
  const values = { ...about, state: state ?? '', type: type ?? '', receivedAt: after.createdAt, id: after.id, limit };
  return page(sql, 'subject' in about ? 'ofSubject' : 'ofSale', values);
}
