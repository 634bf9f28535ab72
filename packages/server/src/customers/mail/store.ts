/** SQL of the outbox. */
import { toTimestamp } from '../../ground/base/clock.ts';
import type { Scope } from '../../platform/endpoint/caller.ts';
import { MAIL_LANGUAGES, type MailLanguage } from '../../platform/endpoint/mail-kind.ts';
import type { PageCursor } from '../../platform/endpoint/page.ts';
import { FilteredList, NamedStatement, pageAlong } from '../../storage/contract/list.ts';
import { listOf, type Sql, statement, type Tx } from '../../storage/contract/storage.ts';
import { fieldsOf, isText } from '../../storage/contract/stored-json.ts';
import { integerColumn, jsonColumn, type StoredRow, Table, textColumn } from '../../storage/contract/table.ts';
import type { Mail, MailState } from './mail.ts';

/** E-mails that are postponed at once; the next round postpones more. */
const MAX_POSTPONED = 1_000;
/** More waiting e-mails than this are not counted. */
export const MAX_COUNTED = 10_000;

const mailTable = new Table<Mail>('mail', {
  mailId: textColumn('mail_id'),
  kind: textColumn('kind'),
  to: textColumn('to_address'),
  toFolded: textColumn('to_folded'),
  creatorId: textColumn('creator_id'),
  language: {
    name: 'language',
    type: 'text',
    store: (field) => field,
    restore: (stored): MailLanguage => MAIL_LANGUAGES.find((each) => each === stored) ?? 'en',
  },
  licenseKey: textColumn('license_key'),
  data: jsonColumn('data', (stored) => fieldsOf(stored, isText)),
  messageId: textColumn('message_id'),
  state: textColumn('state'),
  attempts: integerColumn('attempts'),
  dueAt: textColumn('due_at'),
  lastError: textColumn('last_error'),
  createdAt: textColumn('created_at'),
  settledAt: textColumn('settled_at'),
  keptUntil: textColumn('kept_until'),
});

const COLUMNS = mailTable.select('m');

const insert = mailTable.insert('mail.insert');

const findDue = statement(
  'mail.find_due',
  (
    dialect,
  ) => `select m.due_at as "dueAt" from mail m where m.state = 'waiting' and m.due_at > '' and m.kind ${dialect.among('$1')}
    order by m.due_at, m.mail_id limit 1`,
);

const listDue = statement(
  'mail.list_due',
  (dialect) => `select ${COLUMNS} from mail m
    where m.state = 'waiting' and m.due_at <= $1 and m.kind ${dialect.among('$2')}
    order by m.due_at, m.mail_id limit $3`,
);

const bringBack = statement('mail.bring_back', "update mail set due_at = $1 where state = 'waiting' and due_at > $2");

const postpone = statement(
  'mail.postpone',
  (dialect) => `update mail set due_at = $4 where mail_id in
    (select m.mail_id from mail m where m.creator_id = $1 and m.state = 'waiting' and m.kind ${dialect.among('$2')}
       and m.due_at <= $3 order by m.created_at, m.mail_id limit ${MAX_POSTPONED})`,
);

const begin = statement(
  'mail.begin_attempt',
  'update mail set attempts = $2, due_at = $3, message_id = $4 where mail_id = $1',
);

const settle = statement(
  'mail.settle',
  `update mail set state = $3, last_error = $4, settled_at = $5
   where mail_id = $1 and attempts = $2 and state = 'waiting'`,
);

const noteError = statement(
  'mail.note_error',
  "update mail set last_error = $3 where mail_id = $1 and attempts = $2 and state = 'waiting'",
);

const lock = statement(
  'mail.lock',
  (dialect) =>
    `select ${COLUMNS} from mail m where m.mail_id = $1 and ($2 = '' or m.creator_id = $2) ${dialect.forUpdate}`,
);

const requeue = statement(
  'mail.requeue',
  `update mail set state = 'waiting', attempts = 0, due_at = $2, created_at = $2, last_error = null, settled_at = null,
     kept_until = $3
   where mail_id = $1 and state = 'failed'`,
);

const remove = statement('mail.delete', 'delete from mail where mail_id = $1');

const removeSome = mailTable.deleteSome('mailId');

const forget = statement(
  'mail.forget',
  `delete from mail where mail_id in
    (select m.mail_id from mail m where m.to_folded = $1 order by m.created_at, m.mail_id limit $2)`,
);

const deleteReplies = statement('mail.delete_replies', "delete from mail where license_key = $1 and kind = 'reply'");

const countWaiting = statement(
  'mail.count_waiting',
  `select count(*) as "count" from (select 1 from mail m where m.state = 'waiting' and m.due_at > '' limit ${MAX_COUNTED}) waiting`,
);

const SELECT = `select ${COLUMNS} from mail m`;
const list = new FilteredList('mail.list', SELECT, 'm', 'mail_id', { creator: 'creator_id', state: 'state' }, true);

const ranged = (name: string, agreed: Readonly<Record<string, string>>, filter = '') =>
  new NamedStatement(
    `mail.${name}`,
    ['createdAt', 'id', 'limit', 'from', 'licenseKey', 'state', 'address', 'creator'],
    (dialect) => `${SELECT} ${pageAlong(dialect, 'm', 'mail_id', agreed, { filter, isRanged: true })}`,
  );
// A license has few e-mails, so the filter skips few rows.
const OF_STATE = "and (:state = '' or m.state = :state)";
const listOfLicense = ranged('list_of_license', { license_key: ':licenseKey' }, OF_STATE);
const listOfAddress = ranged('list_of_address', { to_folded: ':address' });
const listOfCreatorAddress = ranged('list_of_creator_address', { to_folded: ':address', creator_id: ':creator' });

const UNFILTERED = { licenseKey: undefined, state: undefined, address: undefined, creator: undefined };

const restored = (rows: StoredRow[]) => rows.map((row) => mailTable.restore<Mail>(row));

/** Inserts an e-mail; customers/mail/outbox.ts alone calls it. */
export async function insertMail(tx: Tx, mail: Mail): Promise<void> {
  await tx.run(insert, mailTable.rows([mail], mailTable.fields));
}

/** Returns the moment at which the next mail of these kinds is due; null if none waits. */
export async function findDueAt(sql: Sql, kinds: readonly string[]): Promise<string | null> {
  return (await sql.first<{ readonly dueAt: string }>(findDue, listOf(kinds)))?.dueAt ?? null;
}

/** Returns the e-mails of these kinds that are due, the longest due first. */
export async function listDueMails(sql: Sql, kinds: readonly string[], now: number, most: number): Promise<Mail[]> {
  return restored(await sql.all<StoredRow>(listDue, toTimestamp(now), listOf(kinds), most));
}

/** Makes e-mails due now that were due later than `latest`. */
export async function bringBackMails(tx: Tx, now: number, latest: number): Promise<void> {
  await tx.run(bringBack, toTimestamp(now), toTimestamp(latest));
}

/** Makes e-mails of a creator that are due now due later; returns their number. */
export function postponeMails(
  tx: Tx,
  { creatorId, kinds, now, until }: { creatorId: string; kinds: readonly string[]; now: number; until: string },
): Promise<number> {
  return tx.run(postpone, creatorId, listOf(kinds), toTimestamp(now), until);
}

/** Stores the beginning of an attempt. */
export async function beginAttempt(
  tx: Tx,
  mail: Pick<Mail, 'mailId' | 'attempts' | 'dueAt' | 'messageId'>,
): Promise<void> {
  await tx.run(begin, mail.mailId, mail.attempts, mail.dueAt, mail.messageId);
}

/** Ends an e-mail, unless another attempt has begun meanwhile. */
export async function settleMail(
  tx: Tx,
  { mailId, attempts }: Pick<Mail, 'mailId' | 'attempts'>,
  state: Exclude<MailState, 'waiting'>,
  lastError: string | null,
  now: number,
): Promise<void> {
  await tx.run(settle, mailId, attempts, state, lastError, toTimestamp(now));
}

/** Stores the error of an attempt that is repeated. */
export async function noteMailError(
  tx: Tx,
  { mailId, attempts }: Pick<Mail, 'mailId' | 'attempts'>,
  error: string,
): Promise<void> {
  await tx.run(noteError, mailId, attempts, error);
}

/** An e-mail that is sent in the name of the scope's creator, locked until the transaction ends. */
export async function lockMail(tx: Tx, mailId: string, { creatorId }: Scope): Promise<Mail | undefined> {
  const row = await tx.first<StoredRow>(lock, mailId, creatorId ?? '');
  return row && mailTable.restore<Mail>(row);
}

/** Lets a failed e-mail begin anew, as if it were queued at this moment. */
export async function requeueMail(tx: Tx, mailId: string, now: number, keptUntil: number): Promise<void> {
  await tx.run(requeue, mailId, toTimestamp(now), toTimestamp(keptUntil));
}

export async function deleteMail(tx: Tx, mailId: string): Promise<void> {
  await tx.run(remove, mailId);
}

/** Deletes some e-mails of any state; returns their number. */
export function deleteSomeMails(tx: Tx, most: number): Promise<number> {
  return tx.run(removeSome, most);
}

/** Deletes the oldest e-mails to an address; returns their number. */
export function forgetMails(tx: Tx, emailFolded: string, most: number): Promise<number> {
  return tx.run(forget, emailFolded, most);
}

/** Deletes the replies about a license, whose words are about its customer, also those that went to other addresses. */
export async function forgetReplies(tx: Tx, licenseKey: string): Promise<void> {
  await tx.run(deleteReplies, licenseKey);
}

/** Returns the number of waiting e-mails, at most {@link MAX_COUNTED}. */
export async function countWaitingMails(sql: Sql): Promise<number> {
  return (await sql.first<{ readonly count: number }>(countWaiting))?.count ?? 0;
}

/** The part of a list of e-mails. */
export interface MailRange {
  readonly after: PageCursor;
  /** 24-character timestamp of the oldest e-mail; undefined is open. */
  readonly from?: string | undefined;
  readonly limit: number;
}

/** Returns a page of e-mails, newest first; undefined values do not filter. */
export async function listMailRows(
  sql: Sql,
  { creator, state }: { readonly creator: string | undefined; readonly state: MailState | undefined },
  { after, from, limit }: MailRange,
): Promise<Mail[]> {
  return restored(await list.page<StoredRow>(sql, { creator, state }, after, limit, from));
}

/** Returns a page of the e-mails about a license, newest first. */
export async function listMailsOfLicense(
  sql: Sql,
  licenseKey: string,
  state: MailState | undefined,
  { after, from = '', limit }: MailRange,
): Promise<Mail[]> {
  const values = { ...UNFILTERED, ...after, from, limit, licenseKey, state: state ?? '' };
  return restored(await listOfLicense.all<StoredRow>(sql, values));
}

/**
 * Returns a page of the e-mails to an address, newest first, of all creators or of one.
 *
 * @param address in the form used for comparison
 */
export async function listMailsTo(
  sql: Sql,
  address: string,
  creator: string | null,
  { after, from = '', limit }: MailRange,
): Promise<Mail[]> {
  const page = creator === null ? listOfAddress : listOfCreatorAddress;
  return restored(await page.all<StoredRow>(sql, { ...UNFILTERED, ...after, from, limit, address, creator }));
}
