/** Stored requests for a mailed code: one for each browser, the newest. */
import { type Sql, statement, type Tx, writeStatement } from '../../storage/contract/storage.ts';
import { flagColumn, integerColumn, type StoredRow, Table, textColumn } from '../../storage/contract/table.ts';

/** A request for a code. */
export interface CustomerSignIn {
  /** SHA-256 of the browser's cookie. */
  readonly browser: string;
  /** An ordered UUID; the code is derived from it. */
  readonly requestId: string;
  readonly emailFolded: string;
  /** The shop; null: the pages of the operator. */
  readonly creatorId: string | null;
  /** The network that asked, as it is counted; null if it is unknown. */
  readonly network: string | null;
  /** True if the browser signed in as this customer before. */
  readonly isKnown: boolean;
  readonly tries: number;
  readonly createdAt: string;
  readonly expiresAt: string;
}

const signInTable = new Table<CustomerSignIn>('customer_sign_in', {
  browser: textColumn('browser'),
  requestId: textColumn('request_id'),
  emailFolded: textColumn('email_folded'),
  creatorId: textColumn('creator_id'),
  network: textColumn('network'),
  isKnown: flagColumn('is_known'),
  tries: integerColumn('tries'),
  createdAt: textColumn('created_at'),
  expiresAt: textColumn('expires_at'),
});

const REPLACED = signInTable.columns(signInTable.except(['browser'])).map((column) => `${column} = excluded.${column}`);

const save = signInTable.insert('customer_sign_in.save', {
  conflict: `on conflict (browser) do update set ${REPLACED.join(', ')}`,
});

const find = statement(
  'customer_sign_in.find',
  `select ${signInTable.select('s')} from customer_sign_in s where s.browser = $1`,
);

const countTry = writeStatement(
  'customer_sign_in.count_try',
  `update customer_sign_in set tries = tries + 1 where browser = $1 and tries < $2 and expires_at > $3
   returning ${signInTable.select('customer_sign_in')}`,
);

const remove = statement('customer_sign_in.delete', 'delete from customer_sign_in where browser = $1');

const findBeyond = statement(
  'customer_sign_in.find_beyond',
  `select s.browser as "browser" from customer_sign_in s where s.expires_at > $1
   order by s.expires_at limit 1 offset $2`,
);

const forget = statement('customer_sign_in.forget', 'delete from customer_sign_in where email_folded = $1');

const removeSome = signInTable.deleteSome('browser');

/** Stores a request in place of the browser's previous one. */
export async function saveSignIn(tx: Tx, signIn: CustomerSignIn): Promise<void> {
  await tx.run(save, signInTable.rows([signIn], signInTable.fields));
}

/** The request of a browser. */
export async function findSignIn(sql: Sql, browser: string): Promise<CustomerSignIn | undefined> {
  const row = await sql.first<StoredRow>(find, browser);
  return row && signInTable.restore(row);
}

/** Counts one more try of a request and locks it; undefined if it has ended or its tries are used up. */
export async function countTryOf(
  tx: Tx,
  browser: string,
  maxTries: number,
  now: string,
): Promise<CustomerSignIn | undefined> {
  const [row] = await tx.all<StoredRow>(countTry, browser, maxTries, now);
  return row && signInTable.restore(row);
}

/** Removes a request; returns whether it existed. */
export async function deleteSignIn(tx: Tx, browser: string): Promise<boolean> {
  return (await tx.run(remove, browser)) === 1;
}

/** Whether at least `most` requests are open. */
export async function areOpen(sql: Sql, most: number, now: string): Promise<boolean> {
  return most <= 0 || (await sql.first(findBeyond, now, most - 1)) !== undefined;
}

/** Removes the requests of an address; returns their number. */
export function forgetSignIns(tx: Tx, emailFolded: string): Promise<number> {
  return tx.run(forget, emailFolded);
}

/** Removes at most `most` of all; returns their number, which is lower when none are left. */
export function deleteSomeSignIns(tx: Tx, most: number): Promise<number> {
  return tx.run(removeSome, most);
}
