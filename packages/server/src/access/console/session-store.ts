/** Stored console sessions, by the hash of their cookie. */
import type { PageCursor } from '../../platform/endpoint/page.ts';
import { FilteredList } from '../../storage/contract/list.ts';
import { type RecordedTx, recorded } from '../../storage/contract/recorded.ts';
import { type Sql, statement, type Tx, writeStatement } from '../../storage/contract/storage.ts';
import { flagColumn, type StoredRow, Table, textColumn } from '../../storage/contract/table.ts';
import type { ConsoleSession } from './session.ts';

const sessionTable = new Table<ConsoleSession>('console_session', {
  sessionId: textColumn('session_id'),
  kind: textColumn('kind'),
  role: textColumn('role'),
  source: textColumn('source'),
  creatorId: textColumn('creator_id'),
  name: textColumn('name'),
  binding: textColumn('binding'),
  isKept: flagColumn('is_kept'),
  createdAt: textColumn('created_at'),
  lastSeenAt: textColumn('last_seen_at'),
  expiresAt: textColumn('expires_at'),
  address: textColumn('address'),
  userAgent: textColumn('user_agent'),
});

const COLUMNS = sessionTable.select('s');

const find = statement('console_session.find', `select ${COLUMNS} from console_session s where s.session_id = $1`);

const list = new FilteredList(
  'console_session.list',
  `select ${COLUMNS}, coalesce(o.active, a.active, 1) as "isKeyActive" from console_session s
     left join operator_key o on o.hash = s.source left join api_key a on a.hash = s.source`,
  's',
  'session_id',
  {},
);

const insert = recorded(sessionTable.insert('console_session.insert'));

const keepUse = statement(
  'console_session.keep_use',
  'update console_session set last_seen_at = $2 where session_id = $1 and last_seen_at < $2',
);

const remove = recorded(statement('console_session.delete', 'delete from console_session where session_id = $1'));

const removeSome = sessionTable.deleteSome('sessionId');

// The sessions beyond the newest, up to a limit, because at most one was added since the last removal.
const removeBeyondOfSource = recorded(
  writeStatement(
    'console_session.delete_beyond_of_source',
    `delete from console_session where session_id in
     (select s.session_id from console_session s where s.source = $1
      order by s.source desc, s.last_seen_at desc, s.session_id desc limit $3 offset $2)
   returning ${sessionTable.select('console_session')}`,
  ),
);
const removeBeyond = recorded(
  writeStatement(
    'console_session.delete_beyond',
    `delete from console_session where session_id in
     (select s.session_id from console_session s
      order by s.last_seen_at desc, s.session_id desc limit $2 offset $1)
   returning ${sessionTable.select('console_session')}`,
  ),
);

/** Maximum number of sessions ended at a time to make room. */
const MAX_ENDED = 10;

/** The session with this id. */
export async function findSession(sql: Sql, sessionId: string): Promise<ConsoleSession | undefined> {
  const row = await sql.first<StoredRow>(find, sessionId);
  return row && sessionTable.restore(row);
}

/** A session, and whether its key is active. */
interface ListedSession {
  readonly session: ConsoleSession;
  readonly isKeyActive: boolean;
}

/** A page of all sessions, newest first. */
export async function listSessions(sql: Sql, after: PageCursor, limit: number): Promise<ListedSession[]> {
  const rows = await list.page<StoredRow>(sql, {}, after, limit);
  return rows.map(({ isKeyActive, ...row }) => ({
    session: sessionTable.restore(row),
    isKeyActive: isKeyActive === 1,
  }));
}

/** Adds a session. */
export async function insertSession(tx: RecordedTx, session: ConsoleSession): Promise<void> {
  await tx.run(insert, sessionTable.rows([session], sessionTable.fields));
}

/** Stores the last use of a session. */
export async function keepSessionUse(tx: Tx, sessionId: string, at: string): Promise<void> {
  await tx.run(keepUse, sessionId, at);
}

/** Ends a session; returns whether it existed. */
export async function deleteSession(tx: RecordedTx, sessionId: string): Promise<boolean> {
  return (await tx.run(remove, sessionId)) === 1;
}

/** Ends at most `most` sessions; returns their number, which is lower when none are left. */
export function deleteSomeSessions(tx: Tx, most: number): Promise<number> {
  return tx.run(removeSome, most);
}

/** Ends sessions beyond the `most` recently used ones, first of a source, then of all; returns them. */
export async function deleteSessionsBeyond(
  tx: RecordedTx,
  source: string,
  most: { readonly ofSource: number; readonly ofAll: number },
): Promise<ConsoleSession[]> {
  const ofSource = await tx.all<StoredRow>(removeBeyondOfSource, source, most.ofSource, MAX_ENDED);
  const ofAll = await tx.all<StoredRow>(removeBeyond, most.ofAll, MAX_ENDED);
  return [...ofSource, ...ofAll].map((row) => sessionTable.restore(row));
}
