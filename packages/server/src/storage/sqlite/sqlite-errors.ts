/** Maps failures of SQLite to the errors of the storage. */
import {
  CommitUnknown,
  StorageAway,
  StorageBusy,
  StorageDamaged,
  StorageFull,
  UniquenessViolation,
} from '../contract/storage.ts';

/** SQLite's extended result codes of a duplicate: SQLITE_CONSTRAINT_PRIMARYKEY and SQLITE_CONSTRAINT_UNIQUE. */
const DUPLICATE_CODES: readonly unknown[] = [1555, 2067];

/** SQLITE_BUSY: another process has the lock. */
const BUSY_CODE = 5;
/** SQLITE_IOERR: the disk failed. */
const IO_ERROR_CODE = 10;
/** SQLITE_FULL: the disk is full, or the file may not grow. */
const FULL_CODE = 13;
/** SQLITE_READONLY, SQLITE_IOERR, SQLITE_CANTOPEN. */
const DISK_CODES: readonly number[] = [8, IO_ERROR_CODE, 14];

/** SQLITE_CORRUPT, SQLITE_NOTADB: the content of the file is invalid. */
const DAMAGE_CODES: readonly number[] = [11, 26];

/** The primary result code: the low byte of the extended code. 0 for errors that are not SQLite's. */
function codeOf(error: unknown): number {
  return ((error as { errcode?: number }).errcode ?? 0) & 0xff;
}

/** Whether another process has the lock. */
export function isBusy(error: unknown): boolean {
  return codeOf(error) === BUSY_CODE;
}

/** Whether SQLite found invalid content in the file. */
export function isDamage(error: unknown): boolean {
  return DAMAGE_CODES.includes(codeOf(error));
}

/**
 * The storage error for a failed statement.
 *
 * @param what the statement's name, for the log
 * @param error an error of node:sqlite
 */
export function statementError(what: string, error: unknown): Error {
  const { message, errcode } = error as { message: string; errcode?: number };
  const said = `${what}: ${message}`;
  if (DUPLICATE_CODES.includes(errcode)) return new UniquenessViolation(said);
  if (isBusy(error)) return new StorageBusy(said);
  if (codeOf(error) === FULL_CODE) return new StorageFull(said);
  if (DISK_CODES.includes(codeOf(error))) return new StorageAway(said);
  if (isDamage(error)) return new StorageDamaged(said);
  return new Error(said, { cause: error });
}

/**
 * The storage error for a transaction that failed to begin or to commit, or ended for another reason.
 *
 * @param what the failed step, for the log
 * @param error an error of node:sqlite; other errors are returned unchanged
 */
export function transactionError(what: string, error: unknown): unknown {
  const code = codeOf(error);
  const said = `${what}: ${(error as Error).message}`;
  if (code === FULL_CODE) return new StorageFull(said);
  if (isDamage(error)) return new StorageDamaged(said);
  return code === BUSY_CODE || DISK_CODES.includes(code) ? new StorageAway(said) : error;
}

/** The storage error for a failed COMMIT. After a disk failure the transaction may or may not exist after a restart. */
export function commitError(error: unknown): unknown {
  return codeOf(error) === IO_ERROR_CODE
    ? new CommitUnknown(
        `the disk failed during COMMIT: it is unknown whether the transaction was kept (${(error as Error).message})`,
      )
    : transactionError('commit', error);
}
