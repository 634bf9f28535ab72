/** The progress record of a copy, in its target (table database_copy). */

import { type Sql, StorageAway, StorageBusy, statement, type Tx, type Value } from '../contract/storage.ts';
import { fieldsOf, isFiniteNumber, isRecord, parseStored } from '../contract/stored-json.ts';

/** Progress of one table. */
export interface TableProgress {
  readonly rows: number;
  /** The key of the last copied row; null before the first, and when all are copied: it may contain an address. */
  readonly last: readonly Value[] | null;
  readonly isDone: boolean;
}

/** By the name of the table. */
export type CopyProgress = Readonly<Record<string, TableProgress>>;

/** A copy that has begun. */
export interface CopyRecord {
  /** Name of the source for operators. */
  readonly source: string;
  /** Distinguishes the source from another database at the same location. */
  readonly sourceMark: string;
  readonly beganAt: string;
  readonly progress: CopyProgress;
  /** Null until every row was copied and compared. */
  readonly completedAt: string | null;
}

/** A database is the target of one copy at most. */
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

/** The copy whose target is this database; undefined if there is none. The tables must exist. */
export async function findCopy(sql: Sql): Promise<CopyRecord | undefined> {
  const row = await sql.first<Omit<CopyRecord, 'progress'> & { progress: string }>(find, COPY_ID);
  return row && { ...row, progress: fieldsOf(parseStored(row.progress), isTableProgress) };
}

/** Records the beginning of a copy. */
export async function beginCopy(tx: Tx, record: Omit<CopyRecord, 'completedAt'>): Promise<void> {
  const { source, sourceMark, beganAt, progress } = record;
  await tx.run(insert, COPY_ID, source, sourceMark, beganAt, JSON.stringify(progress));
}

/** Records the progress, in the transaction that writes the rows. */
export async function saveCopyProgress(tx: Tx, progress: CopyProgress): Promise<void> {
  if ((await tx.run(saveProgress, COPY_ID, JSON.stringify(progress))) !== 1)
    throw new Error('The record of the copy is gone from the target.');
}

/** Records that the copy is complete. */
export async function completeCopy(tx: Tx, completedAt: string): Promise<void> {
  await tx.run(complete, COPY_ID, completedAt);
}

/**
 * Refuses a database that is an incomplete copy: its missing rows would look as if they had never existed.
 *
 * @throws an error that tells the operator how to proceed
 */
export async function refuseIncompleteCopy(sql: Sql): Promise<void> {
  let copy: CopyRecord | undefined;
  try {
    copy = await findCopy(sql);
  } catch (error) {
    if (error instanceof StorageAway || error instanceof StorageBusy) throw error;
    // An older version has no such table. Each engine reports a missing table in its own words.
    return;
  }
  if (copy !== undefined && copy.completedAt === null)
    throw new Error(
      `This database is an incomplete copy of ${copy.source}, begun at ${copy.beganAt}. Run the command copy again to ` +
        'resume it.',
    );
}
