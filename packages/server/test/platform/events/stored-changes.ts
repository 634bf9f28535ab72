/** Compares the rows of all tables before and after a call: every difference must appear in an event. */
import assert from 'node:assert/strict';
import pg from 'pg';
import type { Database } from '../../../src/storage/contract/database.ts';
import { openSqliteFile } from '../../support/sqlite-file.ts';

type Row = Readonly<Record<string, unknown>>;

/** The tables whose changes are recorded, each with the columns that identify a row. */
const KEYS = {
  license: ['license_key'],
  activation: ['license_key', 'fingerprint'],
  violation: ['license_key', 'violation_id'],
  product: ['product_id'],
  variant: ['product_id', 'name'],
  discount_code: ['code_folded'],
  redemption: ['code_folded', 'email_folded'],
  api_key: ['hash'],
  operator_key: ['hash'],
  console_session: ['session_id'],
  studio_order: ['studio_order_id'],
  seat: ['code'],
  event: ['event_id'],
} as const;
type TableName = keyof typeof KEYS;

/** Every row of these tables, by its key. */
export type Snapshot = Readonly<Record<TableName, ReadonlyMap<string, Row>>>;

/** Reads the rows that a service has stored, on a separate connection. */
export class StoredRows {
  readonly #select: (table: string) => Promise<Row[]>;
  readonly close: () => Promise<void>;

  private constructor(select: (table: string) => Promise<Row[]>, close: () => Promise<void>) {
    this.#select = select;
    this.close = close;
  }

  static async of(database: Database): Promise<StoredRows> {
    if (database.engine === 'sqlite') {
      const connection = openSqliteFile(database.file, { readOnly: true });
      const select = async (table: string) => connection.prepare(`select * from ${table}`).all() as Row[];
      return new StoredRows(select, async () => connection.close());
    }
    const client = new pg.Client(database.url);
    await client.connect();
    // As JSON, so that numbers come as numbers.
    const select = async (table: string) =>
      (await client.query(`select to_json(t) as row from ${table} t`)).rows.map(({ row }) => row as Row);
    return new StoredRows(select, () => client.end());
  }

  async snapshot(): Promise<Snapshot> {
    const tables: [string, ReadonlyMap<string, Row>][] = [];
    for (const [table, columns] of Object.entries(KEYS)) {
      const rows = await this.#select(table);
      tables.push([table, new Map(rows.map((row) => [JSON.stringify(columns.map((column) => row[column])), row]))]);
    }
    return Object.fromEntries(tables) as unknown as Snapshot;
  }
}

/** An event as stored in its row, with the facts expanded. */
export interface StoredEvent {
  readonly eventId: string;
  readonly previousEventId: string | null;
  readonly type: string;
  readonly licenseKey: string | null;
  readonly licenseNumber: number | null;
  readonly productId: string | null;
  readonly creatorId: string | null;
  readonly subject: string | null;
  readonly actor: string;
  readonly actorName: string | null;
  readonly requestId: string | null;
  readonly before: Row | null;
  readonly after: Row | null;
}

function eventFrom(row: Row): StoredEvent {
  return {
    ...(Object.fromEntries(Object.entries(row).map(([column, value]) => [fieldOf(column), value])) as object),
    before: JSON.parse(row.before_facts as string),
    after: JSON.parse(row.after_facts as string),
  } as unknown as StoredEvent;
}

/** The new events since a snapshot, in their order. */
export function newEvents(before: Snapshot, after: Snapshot): StoredEvent[] {
  return [...after.event]
    .filter(([key]) => !before.event.has(key))
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, row]) => eventFrom(row));
}

/** The events of one license, in the order of their numbers. */
export function eventsOf(snapshot: Snapshot, licenseKey: string): StoredEvent[] {
  return [...snapshot.event.values()]
    .map(eventFrom)
    .filter((event) => event.licenseKey === licenseKey)
    .sort((one, other) => (one.licenseNumber ?? 0) - (other.licenseNumber ?? 0));
}

/** A changed row. */
interface RowChange {
  readonly before: Row | undefined;
  readonly after: Row | undefined;
  /** The present row, or the last one if it was deleted. */
  readonly row: Row;
  /** Whether the values of a column differ. */
  differs(column: string): boolean;
}

function changesOf(table: TableName, before: Snapshot, after: Snapshot): RowChange[] {
  const keys = new Set([...before[table].keys(), ...after[table].keys()]);
  return [...keys].flatMap((key) => {
    const [was, is] = [before[table].get(key), after[table].get(key)];
    if (JSON.stringify(was) === JSON.stringify(is)) return [];
    const differs = (column: string) => was?.[column] !== is?.[column];
    return [{ before: was, after: is, row: (is ?? was) as Row, differs }];
  });
}

/** `max_machines` as facts name it. */
function fieldOf(column: string): string {
  return column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** A stored value as facts show it. */
function factOf(column: string, value: unknown): unknown {
  if (column === 'active') return value === 1;
  if (column === 'price') return value === null ? null : Number(value);
  return column === 'unlocked_products' ? JSON.parse(value as string) : value;
}

/** Columns that identify a row, serve look-ups, or are exempt: attempts, countries, sessions, kept counts. */
const UNREPORTED: Readonly<Partial<Record<TableName, readonly string[]>>> = {
  license: [
    ...['license_key', 'issued_key', 'email_folded', 'status_mark', 'ends_at', 'in_catalogue'],
    // Each term that is set is a fact of its own, and metadata are one if there are any.
    ...['terms', 'grace_days', 'updates_until', 'metadata'],
    ...['attempts', 'countries_seen', 'sessions_held'],
    // The ends of keys, and checked there.
    ...['replaces', 'replaced_by'],
    // Recorded by separate events, and checked there.
    ...['event_count', 'last_event_id', 'machines_used', 'threat_level'],
  ],
  product: ['product_id', 'created_at', 'updated_at'],
  variant: ['variant_id', 'product_id', 'terms'],
  discount_code: ['code_folded', 'product_id', 'creator_id', 'created_at'],
  // The event of a revocation has the same time.
  api_key: ['hash', 'creator_id', 'created_at', 'revoked_at'],
  operator_key: ['hash', 'created_at', 'revoked_at', 'last_used_at'],
};

/** Fails unless the events contain each column in which a row differs, with its value before and after. */
function assertReported(table: TableName, change: RowChange, events: readonly StoredEvent[]): void {
  for (const column of Object.keys(change.row)) {
    if (UNREPORTED[table]?.includes(column) || !change.differs(column)) continue;
    const field = fieldOf(column);
    const reported = events.filter(({ before, after }) => field in { ...before, ...after });
    assert.equal(reported.length, 1, `${reported.length} events tell that ${table}.${column} changed`);
    const [event] = reported as [StoredEvent];
    // The event of a forgotten customer has the pseudonym, and no forgotten data.
    if (event.type === 'license.email_changed' && event.before === null) {
      assert.deepEqual(event.after, { email: change.after?.email });
      continue;
    }
    for (const [facts, row] of [
      [event.before, change.before],
      [event.after, change.after],
    ] as const)
      if (row === undefined) assert.equal(facts, null, `${event.type} of a row that was not there`);
      else assert.deepEqual(facts?.[field], factOf(column, row[column]), `${event.type} tells ${field}`);
  }
}

/** Fails unless exactly one event has this type and subject; returns it. */
function theEvent(events: readonly StoredEvent[], type: string, subject: unknown): StoredEvent {
  const found = events.filter((event) => event.type === type && event.subject === subject);
  assert.equal(found.length, 1, `${found.length} events ${type} of ${subject}`);
  return found[0] as StoredEvent;
}

/** Fails unless the events of a license are numbered from 1 on without gaps, and each names the one before. */
export function assertCounted(license: Row, events: readonly StoredEvent[]): void {
  const { license_key: key, event_count: count, last_event_id: last } = license;
  assert.deepEqual(
    events.map(({ licenseNumber }) => licenseNumber),
    Array.from({ length: count as number }, (_, index) => index + 1),
    `the events of ${key} are counted`,
  );
  assert.deepEqual(
    [...events.map(({ previousEventId }) => previousEventId), last],
    [null, ...events.map(({ eventId }) => eventId)],
    `each event of ${key} names the one before`,
  );
}

/** Fails when a row of a recorded table changed without a new event. */
export function assertRecorded(before: Snapshot, after: Snapshot): void {
  const events = newEvents(before, after);
  const ofLicense = (key: unknown) => events.filter(({ licenseKey }) => licenseKey === key);
  const ofSubject = (noun: string, subject: unknown) =>
    events.filter((event) => event.type.startsWith(`${noun}.`) && event.subject === subject);

  for (const change of changesOf('license', before, after)) {
    const own = ofLicense(change.row.license_key);
    assertReported('license', change, own);
    for (const column of ['replaces', 'replaced_by'])
      if ((change.before?.[column] ?? null) !== (change.after?.[column] ?? null)) {
        const key = String(change.after?.[column]);
        const { after: facts } = theEvent(own, 'license.replaced', null);
        assert.equal(facts?.[fieldOf(column)], `${key.slice(0, 5)}…${key.slice(-5)}`);
      }
    for (const { productId } of own) assert.equal(productId, change.row.product_id);
    if (change.before === undefined) continue;
    if (change.differs('machines_used'))
      assert.ok(
        own.some(({ type }) => type.startsWith('activation') || ['user.released', 'license.replaced'].includes(type)),
        'nothing tells that machines_used changed',
      );
    if (change.differs('threat_level')) {
      const levels = own.flatMap(({ type, after: facts }) =>
        type.startsWith('violation.') ? [facts?.threatLevel] : [],
      );
      assert.equal(levels.at(-1), change.after?.threat_level, 'no event of a violation tells the threat level');
    }
  }
  for (const change of changesOf('activation', before, after)) {
    const own = ofLicense(change.row.license_key);
    const { fingerprint } = change.row;
    // A machine that moved to the key that replaced its own.
    if (own.some(({ type }) => type === 'license.replaced')) continue;
    const isBound = change.after !== undefined && change.differs('activation_id');
    if (isBound) {
      const { hostname, last_country: country, user_name: user } = change.after as Row;
      const facts = { fingerprint, hostname, country, ...(user === null ? {} : { user }) };
      assert.deepEqual(theEvent(own, 'activation.created', fingerprint).after, facts);
    }
    if (change.before !== undefined && change.differs('activation_id')) {
      const reset = own.find(({ type }) => type === 'activations.reset' || type === 'user.released');
      if (reset !== undefined) {
        const gone = changesOf('activation', before, after).filter(
          (each) => each.after === undefined && each.row.license_key === change.row.license_key,
        );
        const told = reset.before?.machinesUsed ?? reset.before?.machines;
        assert.equal(told, gone.length, 'one record tells how many machines were unbound');
      } else assert.equal(theEvent(own, 'activation.deleted', fingerprint).before?.hostname, change.before.hostname);
    }
  }
  for (const change of changesOf('violation', before, after)) {
    const own = ofLicense(change.row.license_key);
    const { violation_id: id, type, severity } = change.row;
    if (change.before === undefined) {
      const { after: facts } = theEvent(own, 'violation.opened', id);
      assert.deepEqual([facts?.type, facts?.severity], [type, severity]);
    } else if (change.differs('severity')) {
      const { before: was, after: is } = theEvent(own, 'violation.raised', id);
      assert.deepEqual([was?.severity, is?.severity], [change.before.severity, severity]);
    }
    if (change.differs('resolved_at') && change.before !== undefined) theEvent(own, 'violation.resolved', id);
    assert.ok(change.after !== undefined, 'no violation is deleted');
  }
  for (const change of changesOf('product', before, after)) {
    const isOwn = ({ type, productId }: StoredEvent) =>
      type.startsWith('product.') && productId === change.row.product_id;
    assertReported('product', change, events.filter(isOwn));
  }
  for (const change of changesOf('variant', before, after)) {
    const isOwn = ({ productId }: StoredEvent) => productId === change.row.product_id;
    assertReported('variant', change, ofSubject('variant', change.row.variant_id).filter(isOwn));
  }
  for (const change of changesOf('discount_code', before, after))
    assertReported('discount_code', change, ofSubject('discount_code', change.row.code_folded));
  for (const change of changesOf('redemption', before, after)) {
    const type = change.after === undefined ? 'discount_code.deleted' : 'discount_code.redeemed';
    theEvent(events, type, change.row.code_folded);
  }
  const keys = changesOf('api_key', before, after);
  const bulk = events.find(({ after: facts }) => facts?.revoked !== undefined);
  if (bulk !== undefined) assert.equal(bulk.after?.revoked, keys.length, 'one record tells how many keys were revoked');
  for (const change of keys) {
    const own = bulk === undefined ? ofSubject('api_key', change.row.hash) : [bulk];
    assertReported('api_key', change, own);
    for (const { creatorId } of own) assert.equal(creatorId, change.row.creator_id);
  }
  for (const change of changesOf('operator_key', before, after))
    assertReported('operator_key', change, ofSubject('operator_key', change.row.hash));
  for (const { before: was, after: is, row } of changesOf('console_session', before, after)) {
    // Uses of a session are not recorded.
    if (was !== undefined && is !== undefined) continue;
    const { session_id: subject, kind, role, name, is_kept: isKept, creator_id: creatorId } = row;
    const event = theEvent(events, `console_session.${was === undefined ? 'created' : 'ended'}`, subject);
    assert.deepEqual(event.after ?? event.before, { kind, role, name, isKept: isKept === 1 });
    assert.equal(event.creatorId, creatorId);
  }
  for (const change of changesOf('studio_order', before, after)) {
    const { studio_order_id: subject, redeemed_count: redeemedCount } = change.row;
    if (change.before === undefined) {
      const { after: facts } = theEvent(events, 'studio_order.created', subject);
      assert.equal(facts?.seatCount, change.row.seat_count);
    } else assert.equal(theEvent(events, 'studio_seat.redeemed', subject).after?.redeemedCount, redeemedCount);
  }
  for (const change of changesOf('seat', before, after)) {
    const { studio_order_id: subject, seat_number: seatNumber, redeemed_by: redeemedBy } = change.row;
    if (change.before === undefined) theEvent(events, 'studio_order.created', subject);
    else {
      const { after: facts } = theEvent(events, 'studio_seat.redeemed', subject);
      assert.deepEqual([facts?.seatNumber, facts?.redeemedBy], [seatNumber, redeemedBy]);
    }
  }
  for (const license of after.license.values()) assertCounted(license, eventsOf(after, license.license_key as string));
  for (const { type, before: was, after: is } of events)
    assert.notDeepEqual(was, is, `${type} says that something changed`);
}
