/** The record, in a database that is filled by a copy, of how far that has come (table database_copy). */
import { type Sql, StorageAway, StorageBusy, statement, type Tx } from '../storage.ts';
import { fieldsOf, isFiniteNumber, isRecord, parseStored } from '../stored-json.ts';
import type { Key } from './rows-store.ts';

/** How far one table has come. */
export interface TableProgress {
  readonly rows: number;
  /** The key of the last row copied; null before the first. */
  readonly last: Key | null;
  readonly isDone: boolean;
}

/** By the name of the table. */
export type CopyProgress = Readonly<Record<string, TableProgress>>;

/** A copy that has begun. */
export interface CopyRecord {
  /** What is copied, as operators are told of it. */
  readonly source: string;
  /** Tells the source from another database at the same place. */
  readonly sourceMark: string;
  readonly beganAt: string;
  readonly progress: CopyProgress;
  /** Null until every row was copied and compared. */
  readonly completedAt: string | null;
}

/** One database is filled by one copy. */
const COPY_ID = 'latest';

const find = statement(
  'database_copy.find',
  `select source, source_mark as "sourceMark", began_at as "beganAt", progress, completed_at as "completedAt"
   from database_copy where copy_id = $1`,
);
const insert = statement(
  'database_copy.insert',
  `insert into database_copy (copy_id, source, source_mark, began_at, progress, completed_at)
   values ($1, $2, $3, $4, $5, null)`,
);
const saveProgress = statement('database_copy.save', 'update database_copy set progress = $2 where copy_id = $1');
const complete = statement(
  'database_copy.complete',
  'update database_copy set completed_at = $2 where copy_id = $1 and completed_at is null',
);

/** A table whose progress cannot be read is copied from its beginning, and compared at the end like any other. */
function isTableProgress(value: unknown): value is TableProgress {
  if (!isRecord(value) || !isFiniteNumber(value.rows) || typeof value.isDone !== 'boolean') return false;
  return value.last === null || Array.isArray(value.last);
}

/** The copy that fills or has filled this database; undefined where none ever began. The tables must be there. */
export async function findCopy(sql: Sql): Promise<CopyRecord | undefined> {
  const row = await sql.first<Omit<CopyRecord, 'progress'> & { progress: string }>(find, COPY_ID);
  return row && { ...row, progress: fieldsOf(parseStored(row.progress), isTableProgress) };
}

/** Notes that a copy begins. */
export async function beginCopy(tx: Tx, record: Omit<CopyRecord, 'completedAt'>): Promise<void> {
  const { source, sourceMark, beganAt, progress } = record;
  await tx.run(insert, COPY_ID, source, sourceMark, beganAt, JSON.stringify(progress));
}

/** Notes how far it has come; in the transaction that writes the rows. */
export async function saveCopyProgress(tx: Tx, progress: CopyProgress): Promise<void> {
  if ((await tx.run(saveProgress, COPY_ID, JSON.stringify(progress))) !== 1)
    throw new Error('The record of the copy is gone from the target.');
}

/** Notes that the database is whole. */
export async function completeCopy(tx: Tx, completedAt: string): Promise<void> {
  await tx.run(complete, COPY_ID, completedAt);
}

/**
 * Sees that a database is not half a copy: what is missing in it would be taken for what never was.
 *
 * @throws when it is one, with a sentence that says what to do
 */
export async function refuseIncompleteCopy(sql: Sql): Promise<void> {
  let copy: CopyRecord | undefined;
  try {
    copy = await findCopy(sql);
  } catch (error) {
    if (error instanceof StorageAway || error instanceof StorageBusy) throw error;
    // Tables of an older version know of no copies. Each engine has its own words for a table that is not there.
    return;
  }
  if (copy !== undefined && copy.completedAt === null)
    throw new Error(
      `This database is a copy of ${copy.source} that was begun at ${copy.beganAt} and is not complete. Run the command ` +
        'copy again: it goes on where it was interrupted.',
    );
}
