/** Stored sessions of customers, by the hash of their cookie. */
import { type Sql, statement, type Tx } from '../../storage/contract/storage.ts';
import { type StoredRow, Table, textColumn } from '../../storage/contract/table.ts';

/** A session. It grants what its address may see at each moment; nothing of that is stored. */
export interface CustomerSession {
  /** SHA-256 of the cookie. */
  readonly sessionId: string;
  readonly emailFolded: string;
  /** The shop; null: the pages of the operator. */
  readonly creatorId: string | null;
  readonly createdAt: string;
  /** Accurate to a minute. */
  readonly lastUsedAt: string;
  readonly expiresAt: string;
  /** The person of the console with whose link it began; null: a code, or a link of a shop, a secret or a command. */
  readonly staffName: string | null;
}

const sessionTable = new Table<CustomerSession>('customer_session', {
  sessionId: textColumn('session_id'),
  emailFolded: textColumn('email_folded'),
  creatorId: textColumn('creator_id'),
  createdAt: textColumn('created_at'),
  lastUsedAt: textColumn('last_used_at'),
  expiresAt: textColumn('expires_at'),
  staffName: textColumn('staff_name'),
});

const find = statement(
  'customer_session.find',
  `select ${sessionTable.select('s')} from customer_session s where s.session_id = $1`,
);

const insert = sessionTable.insert('customer_session.insert');

const keepUse = statement(
  'customer_session.keep_use',
  'update customer_session set last_used_at = $2 where session_id = $1 and last_used_at < $2',
);

const remove = statement('customer_session.delete', 'delete from customer_session where session_id = $1');

const removeBeyond = statement(
  'customer_session.delete_beyond',
  `delete from customer_session where session_id in
     (select s.session_id from customer_session s where s.email_folded = $1 and coalesce(s.creator_id, '') = $2
      order by s.last_used_at desc, s.session_id desc limit $4 offset $3)`,
);

const forget = statement('customer_session.forget', 'delete from customer_session where email_folded = $1');

const removeSome = sessionTable.deleteSome('sessionId');

/** Sessions removed at a time to make room. */
const MAX_REMOVED = 10;

/** The session with this id. */
export async function findCustomerSession(sql: Sql, sessionId: string): Promise<CustomerSession | undefined> {
  const row = await sql.first<StoredRow>(find, sessionId);
  return row && sessionTable.restore(row);
}

/** Adds a session. */
export async function insertCustomerSession(tx: Tx, session: CustomerSession): Promise<void> {
  await tx.run(insert, sessionTable.rows([session], sessionTable.fields));
}

/** Stores the last use of a session. */
export async function keepCustomerSessionUse(tx: Tx, sessionId: string, at: string): Promise<void> {
  await tx.run(keepUse, sessionId, at);
}

/** Ends a session. */
export async function deleteCustomerSession(tx: Tx, sessionId: string): Promise<void> {
  await tx.run(remove, sessionId);
}

/** Ends the sessions of an address at a shop beyond its `most` recently used ones. */
export async function deleteCustomerSessionsBeyond(
  tx: Tx,
  { emailFolded, creatorId }: Pick<CustomerSession, 'emailFolded' | 'creatorId'>,
  most: number,
): Promise<void> {
  await tx.run(removeBeyond, emailFolded, creatorId ?? '', most, MAX_REMOVED);
}

/** Ends the sessions of an address; returns their number. */
export function forgetCustomerSessions(tx: Tx, emailFolded: string): Promise<number> {
  return tx.run(forget, emailFolded);
}

/** Ends at most `most` of all; returns their number, which is lower when none are left. */
export function deleteSomeCustomerSessions(tx: Tx, most: number): Promise<number> {
  return tx.run(removeSome, most);
}
