/** Stored sales of connectors. Every transaction that writes them holds the lock of their connector. */
import { fromTimestamp, toTimestamp } from '../../ground/base/clock.ts';
import { foldEmail } from '../../ground/base/typed-text.ts';
import { type Sql, statement, type Tx, tableOf } from '../../storage/contract/storage.ts';
import { flagColumn, integerColumn, type StoredRow, Table, textColumn } from '../../storage/contract/table.ts';
import type { CustomerFact, Reference, SubscriptionState } from './sources/facts.ts';
import type { SellersKey, Subject, Unit } from './subject.ts';

/** A sale as its row has it. */
interface SubjectRow extends Omit<Subject, 'paid' | 'status'> {
  readonly emailFolded: string | null;
  readonly paidUntil: string | null;
  readonly paidIsTrial: boolean;
  readonly state: SubscriptionState | null;
  readonly stateUntil: string | null;
  readonly asOf: string | null;
}

const subjectTable = new Table<SubjectRow>('shop_subject', {
  connectorId: textColumn('connector_id'),
  subjectId: textColumn('subject_id'),
  order: textColumn('order_id'),
  subscription: textColumn('subscription'),
  email: textColumn('email'),
  emailFolded: textColumn('email_folded'),
  customer: textColumn('customer'),
  language: textColumn('language'),
  total: integerColumn('total'),
  refunded: integerColumn('refunded'),
  currency: textColumn('currency'),
  reversal: textColumn('reversal'),
  paidUntil: textColumn('paid_until'),
  paidIsTrial: flagColumn('paid_is_trial'),
  state: textColumn('status'),
  stateUntil: textColumn('status_until'),
  asOf: textColumn('as_of'),
  createdAt: textColumn('created_at'),
});

const unitTable = new Table<Unit>('shop_unit', {
  connectorId: textColumn('connector_id'),
  subjectId: textColumn('subject_id'),
  line: textColumn('line'),
  unit: integerColumn('unit'),
  licenseKey: textColumn('license_key'),
  productId: textColumn('product_id'),
  variant: textColumn('variant'),
  factor: integerColumn('factor'),
  isRecurring: flagColumn('is_recurring'),
  setExpiresAt: textColumn('set_expires_at'),
  issuedAt: textColumn('issued_at'),
});

const keyTable = new Table<SellersKey>('shop_key', {
  connectorId: textColumn('connector_id'),
  subjectId: textColumn('subject_id'),
  licenseKey: textColumn('license_key'),
  line: textColumn('line'),
  isDisabled: flagColumn('is_disabled'),
  asOf: textColumn('as_of'),
  isUsed: flagColumn('is_used'),
});

/** A reference of a sale. */
interface ReferenceRow {
  readonly connectorId: string;
  readonly kind: Reference['kind'];
  readonly id: string;
  readonly subjectId: string;
  readonly isLater: boolean;
}

const referenceTable = new Table<ReferenceRow>('shop_reference', {
  connectorId: textColumn('connector_id'),
  kind: textColumn('kind'),
  id: textColumn('external_id'),
  subjectId: textColumn('subject_id'),
  isLater: flagColumn('is_later'),
});

const findSubjectRow = statement(
  'shop_subject.find',
  `select ${subjectTable.select('s')} from shop_subject s where s.connector_id = $1 and s.subject_id = $2`,
);
const saveSubjectRow = subjectTable.insert('shop_subject.save', {
  conflict: `on conflict (connector_id, subject_id) do update set ${subjectTable
    .columns(subjectTable.except(['connectorId', 'subjectId', 'createdAt']))
    .map((column) => `${column} = excluded.${column}`)
    .join(', ')}`,
});
const listUnitRows = statement(
  'shop_unit.list',
  `select ${unitTable.select('u')} from shop_unit u where u.connector_id = $1 and u.subject_id = $2
   order by u.line, u.unit`,
);
const saveUnitRow = unitTable.insert('shop_unit.save', {
  conflict: `on conflict (connector_id, subject_id, line, unit) do update set ${unitTable
    .columns(['variant', 'factor', 'isRecurring', 'setExpiresAt'])
    .map((column) => `${column} = excluded.${column}`)
    .join(', ')}`,
});
const listOfLicense = statement(
  'shop_unit.list_of_license',
  'select u.connector_id as "connectorId", u.subject_id as "subjectId" from shop_unit u where u.license_key = $1',
);
const findReferenceRow = statement(
  'shop_reference.find',
  `select ${referenceTable.select('r')} from shop_reference r
   where r.connector_id = $1 and r.kind = $2 and r.external_id = $3`,
);
const listOfId = statement(
  'shop_reference.list_of_id',
  `select r.connector_id as "connectorId", r.subject_id as "subjectId" from shop_reference r
   where r.connector_id = $1 and r.external_id = $2`,
);
const addReferenceRows = referenceTable.insert('shop_reference.add', {
  conflict: 'on conflict (connector_id, kind, external_id) do nothing',
});

const waitRows = statement(
  'shop_waiting.add',
  (dialect) => `insert into shop_waiting (connector_id, kind, external_id, event_id)
    select r.connector_id, r.kind, r.external_id, r.event_id
    from ${dialect.table('$1', { connector_id: 'text', kind: 'text', external_id: 'text', event_id: 'text' })} r
    where true on conflict (connector_id, kind, external_id, event_id) do nothing`,
);
const listWaitingRows = statement(
  'shop_waiting.list',
  `select w.event_id as "eventId" from shop_waiting w
   where w.connector_id = $1 and w.kind = $2 and w.external_id = $3 order by w.event_id`,
);
const stopWaitingRows = statement('shop_waiting.delete', 'delete from shop_waiting where event_id = $1');

const claimFactRow = statement(
  'shop_fact.claim',
  `insert into shop_fact (connector_id, fact_key, event_id) values ($1, $2, $3)
   on conflict (connector_id, fact_key) do nothing`,
);
const findFactRow = statement(
  'shop_fact.find',
  'select f.event_id as "eventId" from shop_fact f where f.connector_id = $1 and f.fact_key = $2',
);

const findCustomerRow = statement(
  'shop_customer.find',
  `select c.email, c.language, c.as_of as "asOf" from shop_customer c
   where c.connector_id = $1 and c.external_id = $2`,
);
const saveCustomerRow = statement(
  'shop_customer.save',
  `insert into shop_customer (connector_id, external_id, email, email_folded, language, as_of)
   values ($1, $2, $3, $4, $5, $6) on conflict (connector_id, external_id) do update set
     email = excluded.email, email_folded = excluded.email_folded, language = excluded.language, as_of = excluded.as_of`,
);
const listSubjectsOfCustomerRows = statement(
  'shop_subject.list_of_customer',
  `select ${subjectTable.select('s')} from shop_subject s where s.connector_id = $1 and s.customer = $2
   order by s.subject_id limit $3`,
);

const listKeyRows = statement(
  'shop_key.list',
  `select ${keyTable.select('k')} from shop_key k where k.connector_id = $1 and k.subject_id = $2
   order by k.as_of, k.license_key`,
);
const saveKeyRow = keyTable.insert('shop_key.save', {
  conflict: `on conflict (connector_id, subject_id, license_key) do update set
    is_disabled = excluded.is_disabled, as_of = excluded.as_of, is_used = excluded.is_used`,
});

/** The greatest number of sales of a customer that get a new address. */
const MAX_OF_CUSTOMER = 1000;

function restored(row: StoredRow): Subject {
  const {
    emailFolded: _,
    paidUntil,
    paidIsTrial,
    state,
    stateUntil,
    asOf,
    ...same
  } = subjectTable.restore<SubjectRow>(row);
  const paid = paidUntil === null ? null : { end: fromTimestamp(paidUntil), isTrial: paidIsTrial };
  const until = stateUntil === null ? null : fromTimestamp(stateUntil);
  const status = state === null || asOf === null ? null : { state, until, asOf: fromTimestamp(asOf) };
  return { ...same, paid, status };
}

/** A sale by its own id. */
export async function findSubject(sql: Sql, connectorId: string, subjectId: string): Promise<Subject | undefined> {
  const row = await sql.first<StoredRow>(findSubjectRow, connectorId, subjectId);
  return row && restored(row);
}

/** The sale that the first known reference names, and whether it names a payment after the first. */
export async function findSubjectOf(
  sql: Sql,
  connectorId: string,
  references: readonly Reference[],
): Promise<{ readonly subject: Subject; readonly isLater: boolean } | undefined> {
  for (const { kind, id } of references) {
    const row = await sql.first<StoredRow>(findReferenceRow, connectorId, kind, id);
    if (row === undefined) continue;
    const { subjectId, isLater } = referenceTable.restore<ReferenceRow>(row);
    const subject = await findSubject(sql, connectorId, subjectId);
    if (subject !== undefined) return { subject, isLater };
  }
  return undefined;
}

/** Adds a sale, or writes its new state. */
export async function saveSubject(tx: Tx, { paid, status, ...same }: Subject): Promise<void> {
  const row: SubjectRow = {
    ...same,
    emailFolded: same.email === null ? null : foldEmail(same.email),
    paidUntil: paid === null ? null : toTimestamp(paid.end),
    paidIsTrial: paid?.isTrial ?? false,
    state: status?.state ?? null,
    stateUntil: status?.until == null ? null : toTimestamp(status.until),
    asOf: status === null ? null : toTimestamp(status.asOf),
  };
  await tx.run(saveSubjectRow, subjectTable.rows([row], subjectTable.fields));
}

/**
 * Adds ids by which later events name a sale; those that are known stay as they are.
 *
 * @param isLater whether they are of a payment after the first
 * @returns the ids of the held events that waited for one of them
 */
export async function addReferences(
  tx: Tx,
  { connectorId, subjectId }: Pick<Subject, 'connectorId' | 'subjectId'>,
  references: readonly Reference[],
  isLater: boolean,
): Promise<readonly string[]> {
  if (references.length === 0) return [];
  const rows = references.map(({ kind, id }) => ({ connectorId, kind, id, subjectId, isLater }));
  await tx.run(addReferenceRows, referenceTable.rows(rows, referenceTable.fields));
  return listWaitingFor(tx, connectorId, references);
}

/** The sales that an id of a seller's names. */
export function listSubjectsOfReference(sql: Sql, connectorId: string, id: string) {
  return sql.all<Pick<Subject, 'connectorId' | 'subjectId'>>(listOfId, connectorId, id);
}

/** The sales that a license belongs to. */
export function listSubjectsOfLicense(sql: Sql, licenseKey: string) {
  return sql.all<Pick<Subject, 'connectorId' | 'subjectId'>>(listOfLicense, licenseKey);
}

/** The licenses of a sale, by line and unit. */
export async function listUnits(
  sql: Sql,
  { connectorId, subjectId }: Pick<Subject, 'connectorId' | 'subjectId'>,
): Promise<readonly Unit[]> {
  const rows = await sql.all<StoredRow>(listUnitRows, connectorId, subjectId);
  return rows.map((row) => unitTable.restore<Unit>(row));
}

/** Adds a license of a sale, or writes its new plan and end, and whether it is paid by period. */
export async function saveUnit(tx: Tx, unit: Unit): Promise<void> {
  await tx.run(saveUnitRow, unitTable.rows([unit], unitTable.fields));
}

/** The thing that an event waits for: a reference, or a license key of the seller's for a sale. */
export type Awaited = Reference | { readonly kind: 'key'; readonly id: string };

/** Lets an event wait. */
export async function waitFor(
  tx: Tx,
  connectorId: string,
  eventId: string,
  awaited: readonly Awaited[],
): Promise<void> {
  if (awaited.length > 0)
    await tx.run(waitRows, tableOf(awaited.map(({ kind, id }) => [connectorId, kind, id, eventId])));
}

/** The events that wait for one of several things. */
export async function listWaitingFor(
  sql: Sql,
  connectorId: string,
  awaited: readonly Awaited[],
): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const { kind, id } of awaited)
    for (const { eventId } of await sql.all<{ readonly eventId: string }>(listWaitingRows, connectorId, kind, id))
      found.add(eventId);
  return [...found];
}

/** Ends the waits of an event. */
export async function stopWaiting(tx: Tx, eventId: string): Promise<void> {
  await tx.run(stopWaitingRows, eventId);
}

/** Claims a fact for an event: true if no event carried it out before. */
export async function claimFact(tx: Tx, connectorId: string, key: string, eventId: string): Promise<boolean> {
  return (await tx.run(claimFactRow, connectorId, key, eventId)) === 1;
}

/** The event that carried a fact out; undefined if none did. */
export async function findFact(sql: Sql, connectorId: string, key: string): Promise<string | undefined> {
  return (await sql.first<{ readonly eventId: string }>(findFactRow, connectorId, key))?.eventId;
}

/** The known facts of a customer of the seller's. */
export async function findShopCustomer(
  sql: Sql,
  connectorId: string,
  customer: string,
): Promise<Pick<CustomerFact, 'email' | 'language' | 'asOf'> | undefined> {
  const row = await sql.first<{ email: string | null; language: string | null; asOf: string }>(
    findCustomerRow,
    connectorId,
    customer,
  );
  return row && { ...row, asOf: fromTimestamp(row.asOf) };
}

/** Writes the known facts of a customer. */
export async function saveShopCustomer(tx: Tx, connectorId: string, known: Omit<CustomerFact, 'fact'>): Promise<void> {
  const { customer, email, language, asOf } = known;
  const folded = email === null ? null : foldEmail(email);
  await tx.run(saveCustomerRow, connectorId, customer, email, folded, language, toTimestamp(asOf));
}

/** The sales to a customer of the seller's. */
export async function listSubjectsOfCustomer(
  sql: Sql,
  connectorId: string,
  customer: string,
): Promise<readonly Subject[]> {
  return (await sql.all<StoredRow>(listSubjectsOfCustomerRows, connectorId, customer, MAX_OF_CUSTOMER)).map(restored);
}

/** The license keys of the seller's for a sale, the oldest first. */
export async function listSellersKeys(
  sql: Sql,
  { connectorId, subjectId }: Pick<Subject, 'connectorId' | 'subjectId'>,
): Promise<readonly SellersKey[]> {
  const rows = await sql.all<StoredRow>(listKeyRows, connectorId, subjectId);
  return rows.map((row) => keyTable.restore<SellersKey>(row));
}

/** Adds a license key of the seller's, or writes its new state. */
export async function saveSellersKey(tx: Tx, key: SellersKey): Promise<void> {
  await tx.run(saveKeyRow, keyTable.rows([key], keyTable.fields));
}
