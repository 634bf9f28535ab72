/**
 * Lists of events, newest first. Each statement reads an index from a given place up to a limit, so it costs the same
 * for any number of events. A list merges one scan for each requested product and type; listing-store.ts selects the
 * scans.
 *
 * The events of one license form a chain: the license names the last one, and each event names the previous one.
 */
import { type Dialect, type Sql, type Statement, statement, type Value } from '../../storage/contract/storage.ts';
import type { StoredRow } from '../../storage/contract/table.ts';
import type { Event } from './event.ts';
import type { EventType } from './event-types.ts';
import { IS_NOTE } from './note-store.ts';
import { eventTable } from './store.ts';

const COLUMNS = eventTable.select('e');

/** The events before $1 that have the values `agreed`, by column. */
const eventsBefore = (dialect: Dialect, agreed: Readonly<Record<string, string>>, condition = '') =>
  `select ${COLUMNS} from event e where ${dialect.afterCursor(agreed, { 'e.event_id': '$1' }, { isLong: true })} ${condition}`;

/** The text of a scan from the event before $1, at most $2 events. */
const scanText = (dialect: Dialect, agreed: Readonly<Record<string, string>>, condition = '') => {
  const order = [...Object.keys(agreed), 'e.event_id'].map((column) => `${column} desc`).join(', ');
  return `${eventsBefore(dialect, agreed, condition)} order by ${order} limit $2`;
};

function scan(name: string, agreed: Readonly<Record<string, string>>, condition = ''): Statement {
  return statement(name, (dialect) => scanText(dialect, agreed, condition));
}

/**
 * The same as a merge of two indexes: the second holds the events of a product that wait for the first (late-index.ts).
 * Where a further column is agreed, the scan visits waiting events that differ in it, too.
 */
function scanWithLate(name: string, agreed: Readonly<Record<string, string>>, condition = ''): Statement {
  return statement(name, (dialect) =>
    dialect.indexesLate
      ? `${eventsBefore(dialect, agreed, `${condition} and e.unindexed is null`)}
         union all ${eventsBefore(dialect, agreed, `${condition} and e.unindexed is not null`)}
         order by "eventId" desc limit $2`
      : scanText(dialect, agreed, condition),
  );
}

// The conditions of the indexes as literals, because neither engine can infer them from a parameter.
const [IS_TYPED, IS_KNOWN_ACTOR] = [`and e.type <> 'activation.created'`, `and e.actor <> 'client'`];
const scans = {
  all: scan('event.list', {}),
  product: scanWithLate('event.list_of_product', { 'e.product_id': '$3' }),
  type: scan('event.list_of_type', { 'e.type': '$3' }, IS_TYPED),
  productType: scan('event.list_of_product_type', { 'e.product_id': '$3', 'e.type': '$4' }, IS_TYPED),
  actor: scan('event.list_of_actor', { 'e.actor': '$3' }, IS_KNOWN_ACTOR),
  productActor: scan('event.list_of_product_actor', { 'e.product_id': '$3', 'e.actor': '$4' }, IS_KNOWN_ACTOR),
  requestProduct: scanWithLate(
    'event.list_of_request',
    { 'e.request_id': '$3', 'e.product_id': '$4' },
    'and e.product_id is not null',
  ),
  requestAlone: scan('event.list_of_request_alone', { 'e.request_id': '$3' }, 'and e.product_id is null'),
  creator: scan('event.list_of_creator', { 'e.creator_id': '$3' }, 'and e.product_id is null'),
} as const;

/** An index for listing events, with the values that select a part of it. */
export type EventPath =
  | readonly ['all']
  | readonly ['product', productId: string]
  | readonly ['type', type: string]
  | readonly ['productType', productId: string, type: string]
  | readonly ['actor', actor: string]
  | readonly ['productActor', productId: string, actor: string]
  | readonly ['requestProduct', requestId: string, productId: string]
  | readonly ['requestAlone', requestId: string]
  | readonly ['creator', creatorId: string];

/** Events before the id `after` along an index, newest first. */
export async function scanEvents(sql: Sql, path: EventPath, after: string, limit: number): Promise<Event[]> {
  const [name, ...values]: readonly [keyof typeof scans, ...Value[]] = path;
  return (await sql.all<StoredRow>(scans[name], after, limit, ...values)).map((row) => eventTable.restore(row));
}

const typeUp = statement(
  'event.list_of_type_up',
  (dialect) => `select ${COLUMNS} from event e
   where ${dialect.afterCursor({ 'e.type': '$1' }, { 'e.event_id': '$2' }, { isRising: true, isLong: true })} ${IS_TYPED}
   order by e.type, e.event_id limit $3`,
);

/** Events of a type other than `activation.created` after an id or a time bound, oldest first. */
export async function scanEventsUp(sql: Sql, type: EventType, after: string, limit: number): Promise<Event[]> {
  return (await sql.all<StoredRow>(typeUp, type, after, limit)).map((row) => eventTable.restore(row));
}

const CHAIN = eventTable.fields.map((field) => `c."${field}"`).join(', ');

/** The chain of a license's events from a given one, each followed by its predecessor: at most $2. */
const chain = (name: string, from: string) =>
  statement(
    name,
    `with recursive chain as (
       select ${COLUMNS}, 1 as place from event e where e.event_id = ${from} and e.license_key = $1
       union all
       select ${COLUMNS}, c.place + 1 as place from chain c
         join event e on e.event_id = c."previousEventId" where c.place < $2)
     select ${CHAIN} from chain c order by c.place`,
  );

const chainOfLicense = chain(
  'event.chain_of_license',
  '(select l.last_event_id from license l where l.license_key = $1)',
);
const chainAfter = chain('event.chain_after', '(select p.previous_event_id from event p where p.event_id = $3)');

/**
 * Events of a license, last one first, in the order of their numbers, which does not depend on the servers' clocks.
 *
 * @param after the event before the first result; null starts with the last event of the license
 */
export async function followEvents(
  sql: Sql,
  licenseKey: string,
  after: string | null,
  limit: number,
): Promise<Event[]> {
  const rows =
    after === null
      ? await sql.all<StoredRow>(chainOfLicense, licenseKey, limit)
      : await sql.all<StoredRow>(chainAfter, licenseKey, limit, after);
  return rows.map((row) => eventTable.restore(row));
}

// Notes outlive the events that link to them, and keep the order of the chain.
const notes = statement(
  'event.list_of_notes',
  (dialect) => `select ${COLUMNS} from event e
    where ${dialect.afterCursor({ 'e.license_key': '$1' }, { 'e.license_number': '$2' })} and ${IS_NOTE}
    order by e.license_key desc, e.license_number desc limit $3`,
);

/** Notes on a license with numbers below `before`, last one first, without deleted ones. */
export async function listNotes(sql: Sql, licenseKey: string, before: number, limit: number): Promise<Event[]> {
  return (await sql.all<StoredRow>(notes, licenseKey, before, limit)).map((row) => eventTable.restore(row));
}

const findNumber = statement(
  'event.find_number',
  'select e.license_number as "number" from event e where e.event_id = $1 and e.license_key = $2',
);

/** The number of an event of a license; undefined if the event does not exist or has been deleted. */
export async function findLicenseNumber(sql: Sql, licenseKey: string, eventId: string): Promise<number | undefined> {
  return (await sql.first<{ readonly number: number }>(findNumber, eventId, licenseKey))?.number;
}

/** Each product takes one index look-up, regardless of its number of events. */
const productsOfRequest = (condition = '') => `with recursive found as (
     select min(e.product_id) as product_id, 1 as place from event e
       where e.request_id = $1 and e.product_id is not null ${condition}
     union all
     select (select min(e.product_id) from event e
         where e.request_id = $1 and e.product_id > f.product_id ${condition}), f.place + 1
       from found f where f.product_id is not null and f.place < $2)
   select f.product_id as "productId" from found f where f.product_id is not null`;

// The index of waiting events has no requests, so all waiting events are visited.
const listProducts = statement('event.list_products_of_request', ({ indexesLate }) =>
  indexesLate
    ? `${productsOfRequest('and e.unindexed is null')}
       union select e.product_id from event e
         where e.request_id = $1 and e.product_id > '' and e.unindexed is not null
       order by "productId" limit $2`
    : `${productsOfRequest()} order by f.place`,
);

/** The products that a request changed something of, at most `most`. */
export async function listProductsOfRequest(sql: Sql, requestId: string, most: number): Promise<string[]> {
  return (await sql.all<{ productId: string }>(listProducts, requestId, most)).map(({ productId }) => productId);
}
