/** Stored codes of sign-in links, and the lock that serialises sign-ins (the turn). */
import { type Sql, statement, type Tx } from '../../storage/contract/storage.ts';
import { type StoredRow, Table, textColumn } from '../../storage/contract/table.ts';

/** A stored code; the code itself is never stored. */
export interface SignInCode {
  /** See hashApiKey in platform/endpoint/caller.ts. */
  readonly hash: string;
  readonly binding: string;
  readonly expiresAt: string;
}

const codeTable = new Table<SignInCode>('sign_in_code', {
  hash: textColumn('hash'),
  binding: textColumn('binding'),
  expiresAt: textColumn('expires_at'),
});

const find = statement('sign_in_code.find', `select ${codeTable.select('c')} from sign_in_code c where c.hash = $1`);

const insert = codeTable.insert('sign_in_code.insert');

const remove = statement('sign_in_code.delete', 'delete from sign_in_code where hash = $1');

const removeAll = statement('sign_in_code.delete_all', 'delete from sign_in_code');

const removeBeyond = statement(
  'sign_in_code.delete_beyond',
  `delete from sign_in_code where hash in
     (select c.hash from sign_in_code c order by c.expires_at desc limit $2 offset $1)`,
);

// The first call inserts the row; each later call locks it.
const takeTurn = statement(
  'sign_in_turn.take',
  `insert into sign_in_turn (turn, taken_at) values ('sign-in', $1)
   on conflict (turn) do update set taken_at = excluded.taken_at`,
);

/** Maximum number of codes removed at a time to make room. */
const MAX_REMOVED = 10;

/** The code with this hash. */
export async function findCode(sql: Sql, hash: string): Promise<SignInCode | undefined> {
  const row = await sql.first<StoredRow>(find, hash);
  return row && codeTable.restore(row);
}

/** Adds a code. */
export async function insertCode(tx: Tx, code: SignInCode): Promise<void> {
  await tx.run(insert, codeTable.rows([code], codeTable.fields));
}

/** Consumes a code; returns whether it existed, which is true for one caller only. */
export async function takeCode(tx: Tx, hash: string): Promise<boolean> {
  return (await tx.run(remove, hash)) === 1;
}

/** Removes every code; returns their number. */
export function deleteAllCodes(tx: Tx): Promise<number> {
  return tx.run(removeAll);
}

/** Removes the codes beyond the `most` newest ones. */
export async function deleteCodesBeyond(tx: Tx, most: number): Promise<void> {
  await tx.run(removeBeyond, most, MAX_REMOVED);
}

/** Waits for the lock for adding a session or a code, and holds it until the transaction ends. */
export async function takeSignInTurn(tx: Tx, at: string): Promise<void> {
  await tx.run(takeTurn, at);
}
