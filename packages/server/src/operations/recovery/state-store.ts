/**
 * Statements that read two databases of one installation for a comparison. They use only columns of the first version
 * of each table, so that a backup of any version from 1.0.0 on can be read.
 */
import type { Event } from '../../platform/events/event.ts';
import { NAMES_USER } from '../../platform/events/rewrite-store.ts';
import { listOf, type Sql, type Statement, statement } from '../../storage/contract/storage.ts';
import { parseStored, recordOf } from '../../storage/contract/stored-json.ts';

/** The compared columns of a license. */
export interface LicenseState {
  readonly licenseKey: string;
  readonly email: string;
  readonly revocation: string | null;
}

/** The compared columns of a key of any kind (API, operator, session tokens, license files). Never a secret. */
export interface KeyState {
  /** Its hash, or its id. */
  readonly id: string;
  readonly isActive: boolean;
  readonly createdAt: string;
}

/** The kinds of keys. */
export type KeyKind = 'api_key' | 'operator_key' | 'token_key' | 'signing_key';

const LICENSE_COLUMNS = 'l.license_key as "licenseKey", l.email as "email", l.revocation as "revocation"';

const listLicenses = statement(
  'recovery.list_licenses',
  `select ${LICENSE_COLUMNS} from license l where l.license_key > $1 order by l.license_key limit $2`,
);
const listLicensesByKey = statement(
  'recovery.list_licenses_by_key',
  (dialect) => `select ${LICENSE_COLUMNS} from license l where l.license_key ${dialect.among('$1')}`,
);

const keysOf = (table: KeyKind, id: string, active: string) =>
  statement(
    `recovery.list_${table}`,
    `select k.${id} as "id", ${active} as "active", k.created_at as "createdAt" from ${table} k
     where k.${id} > $1 order by k.${id} limit $2`,
  );
const listKeys = {
  api_key: keysOf('api_key', 'hash', 'k.active'),
  operator_key: keysOf('operator_key', 'hash', 'k.active'),
  token_key: keysOf('token_key', 'key_id', '1'),
  signing_key: keysOf('signing_key', 'key_id', '1'),
} as const;

const findInstallation = statement(
  'recovery.find_installation',
  `select i.value as "id" from installation i where i.name = 'id'`,
);

const findEventsWithoutNotes = statement(
  'recovery.find_events_without_notes',
  (dialect) =>
    `select e.event_id as "eventId" from event e where e.event_id ${dialect.among('$1')} and e.type <> 'license.noted'`,
);

const findOldestEvent = statement(
  'recovery.find_oldest_event',
  `select e.event_id as "eventId" from event e where e.event_id > $1 and e.type <> 'license.noted'
   order by e.event_id limit 1`,
);

const listRedemptions = statement(
  'recovery.list_redemptions',
  `select r.code_folded as "code", r.email_folded as "email", r.license_key as "licenseKey",
     r.redeemed_at as "redeemedAt" from redemption r
   where (r.code_folded, r.email_folded) > ($1, $2) order by r.code_folded, r.email_folded limit $3`,
);
const listRedeemers = statement(
  'recovery.list_redeemers',
  `select r.email_folded as "email" from redemption r
   where r.code_folded = $1 and r.redeemed_at = $2 and r.license_key = $3`,
);
const listForgettings = statement(
  'recovery.list_forgettings',
  `select f.email_folded as "id", f.pseudonym as "email" from forgetting f
   where f.email_folded > $1 order by f.email_folded limit $2`,
);

/** Rows read at a time. */
const PAGE_ROWS = 500;

/** All licenses in order of key, in pages of {@link PAGE_ROWS}. */
export function licenseStates(sql: Sql): AsyncGenerator<readonly LicenseState[]> {
  return pages(
    '',
    (after) => sql.all<LicenseState>(listLicenses, after, PAGE_ROWS),
    ({ licenseKey }) => licenseKey,
  );
}

/** The existing ones of some licenses, by key. */
export async function findLicenseStates(
  sql: Sql,
  licenseKeys: readonly string[],
): Promise<ReadonlyMap<string, LicenseState>> {
  const found = await sql.all<LicenseState>(listLicensesByKey, listOf(licenseKeys));
  return new Map(found.map((license) => [license.licenseKey, license]));
}

/** All keys of a kind, by id. */
export async function keyStates(sql: Sql, kind: KeyKind): Promise<ReadonlyMap<string, KeyState>> {
  const keys = new Map<string, KeyState>();
  type Row = Omit<KeyState, 'isActive'> & { readonly active: number };
  const read = (after: string) => sql.all<Row>(listKeys[kind], after, PAGE_ROWS);
  for await (const page of pages('', read, ({ id }) => id))
    for (const { active, ...key } of page) keys.set(key.id, { ...key, isActive: active === 1 });
  return keys;
}

/** The name of a database's installation; null before its first start. */
export async function installationOf(sql: Sql): Promise<string | null> {
  return (await sql.first<{ readonly id: string }>(findInstallation))?.id ?? null;
}

/**
 * Returns the ids of those of the given events, and of the events before them of their licenses, that a database has.
 * Notes are left out, because they are kept for ever.
 */
export async function presentWithPredecessors(
  sql: Sql,
  events: readonly Pick<Event, 'eventId' | 'previousEventId'>[],
): Promise<ReadonlySet<string>> {
  const ids = events.flatMap(({ eventId, previousEventId }) =>
    previousEventId === null ? [eventId] : [eventId, previousEventId],
  );
  const found = await sql.all<{ readonly eventId: string }>(findEventsWithoutNotes, listOf(ids));
  return new Set(found.map(({ eventId }) => eventId));
}

/** Returns the id of the oldest event that is not a note; null without one. Notes are kept for ever. */
export async function oldestEvent(sql: Sql): Promise<string | null> {
  return (await sql.first<{ readonly eventId: string }>(findOldestEvent, ''))?.eventId ?? null;
}

/** An address outside licenses: of a buyer, a redeemer or a released user, or that a license once had. */
export interface AddressState {
  readonly id: string;
  /** Null for a seat that nobody has redeemed, and for the event of a license whose customer was forgotten. */
  readonly email: string | null;
}

/** The statements that list all such addresses of a table, and find some. */
export interface AddressPlace {
  readonly list: Statement;
  readonly find: Statement;
}

/** @param condition of the listed rows, `... and` */
function addressPlace(name: string, table: string, id: string, email: string, condition = ''): AddressPlace {
  const select = `select a.${id} as "id", a.${email} as "email" from ${table} a`;
  return {
    list: statement(`recovery.list_${name}`, `${select} where ${condition} a.${id} > $1 order by a.${id} limit $2`),
    find: statement(`recovery.list_${name}_by_id`, (dialect) => `${select} where a.${id} ${dialect.among('$1')}`),
  };
}

export const ADDRESS_PLACES: readonly AddressPlace[] = [
  addressPlace('orders', 'studio_order', 'studio_order_id', 'buyer_email'),
  addressPlace('seats', 'seat', 'code', 'redeemed_by'),
  addressPlace('storefront_events', 'storefront_event', 'event_id', 'email'),
  // The second condition of these two repeats that of the index.
  addressPlace(
    'email_changes',
    'event',
    'event_id',
    'subject',
    "a.type = 'license.email_changed' and a.type <> 'activation.created' and",
  ),
  addressPlace(
    'user_releases',
    'event',
    'event_id',
    'subject',
    "a.type = 'user.released' and a.type <> 'activation.created' and",
  ),
];

/** All addresses of a place, in pages of {@link PAGE_ROWS}. */
export function addressesIn(sql: Sql, place: Pick<AddressPlace, 'list'>): AsyncGenerator<readonly AddressState[]> {
  return pages(
    '',
    (after) => sql.all<AddressState>(place.list, after, PAGE_ROWS),
    ({ id }) => id,
  );
}

/** The addresses of some rows of a place, by id. */
export async function findAddresses(
  sql: Sql,
  place: AddressPlace,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  const found = await sql.all<AddressState>(place.find, listOf(ids));
  return new Map(found.map(({ id, email }) => [id, email]));
}

const USER_FACTS = 'e.event_id as "id", e.subject as "subject", e.before_facts as "before", e.after_facts as "after"';
const listUserEvents = statement(
  'recovery.list_user_events',
  `select ${USER_FACTS} from event e
   where ${NAMES_USER} and (e.subject, e.event_id) > ($1, $2) order by e.subject, e.event_id limit $3`,
);
const listUserEventsById = statement(
  'recovery.list_user_events_by_id',
  (dialect) => `select ${USER_FACTS} from event e where e.event_id ${dialect.among('$1')}`,
);

/** The users that an event of a machine names: before it and after it, null for none. */
export interface UserEventState {
  readonly id: string;
  readonly subject: string;
  readonly users: readonly [before: string | null, after: string | null];
}

type UserEventRow = Omit<UserEventState, 'users'> & { readonly before: string; readonly after: string };

/** All events of machines with users, in pages of {@link PAGE_ROWS}. */
export function userEventStates(sql: Sql): AsyncGenerator<readonly UserEventState[]> {
  return pages(
    { subject: '', id: '' },
    async ({ subject, id }) => (await sql.all<UserEventRow>(listUserEvents, subject, id, PAGE_ROWS)).map(userEventFrom),
    (last) => last,
  );
}

/** The existing ones of some events, by id. */
export async function findUserEvents(sql: Sql, ids: readonly string[]): Promise<ReadonlyMap<string, UserEventState>> {
  const found = await sql.all<UserEventRow>(listUserEventsById, listOf(ids));
  return new Map(found.map((row) => [row.id, userEventFrom(row)]));
}

function userEventFrom({ id, subject, before, after }: UserEventRow): UserEventState {
  return { id, subject, users: [userIn(before), userIn(after)] };
}

function userIn(facts: string): string | null {
  const { user } = recordOf(parseStored(facts));
  return typeof user === 'string' ? user : null;
}

/** A redemption of a code. Its address is part of its identity, so the other fields tell that two are the same. */
export interface RedemptionState {
  readonly code: string;
  readonly email: string;
  readonly licenseKey: string;
  readonly redeemedAt: string;
}

/** All redemptions, in pages of {@link PAGE_ROWS}. */
export function redemptionStates(sql: Sql): AsyncGenerator<readonly RedemptionState[]> {
  return pages(
    { code: '', email: '' },
    ({ code, email }) => sql.all<RedemptionState>(listRedemptions, code, email, PAGE_ROWS),
    (last) => last,
  );
}

/** The addresses of a redemption in another database. */
export async function findRedeemers(
  sql: Sql,
  { code, redeemedAt, licenseKey }: RedemptionState,
): Promise<readonly string[]> {
  const found = await sql.all<Pick<RedemptionState, 'email'>>(listRedeemers, code, redeemedAt, licenseKey);
  return found.map(({ email }) => email);
}

/** The addresses whose forgetting has begun and not finished, each with its pseudonym. */
export function forgettingsUnderWay(sql: Sql): AsyncGenerator<readonly AddressState[]> {
  return addressesIn(sql, { list: listForgettings });
}

/** Pages of rows, as long as there are any. @param first the cursor of the first page */
export async function* pages<Row, Cursor>(
  first: Cursor,
  read: (after: Cursor) => Promise<readonly Row[]>,
  cursorOf: (last: Row) => Cursor,
): AsyncGenerator<readonly Row[], undefined> {
  for (let after = first; ; ) {
    const page = await read(after);
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    after = cursorOf(last);
  }
}

/** Sorts after the id of every event. */
export const LAST_EVENT = 'evt_g';

/** Pages of events in the order in which `read` lists them. @param first the event id before the first one */
export function eventPages(
  first: string,
  read: (after: string) => Promise<readonly Event[]>,
): AsyncGenerator<readonly Event[], undefined> {
  return pages(first, read, ({ eventId }) => eventId);
}
