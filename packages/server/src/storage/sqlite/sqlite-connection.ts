/** Opens connections to a SQLite file and runs statements on them. */
import { closeSync, openSync } from 'node:fs';
import {
  DatabaseSync,
  type DatabaseSyncOptions,
  type SQLInputValue,
  type SQLOutputValue,
  type StatementSync,
} from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { jitterMs } from '../../ground/base/random.ts';
import type { AnyStatement, Value } from '../contract/storage.ts';
import type { Executor } from '../contract/transaction.ts';
import { sqliteDifferences } from './sqlite-differences.ts';
import { isBusy, statementError, transactionError } from './sqlite-errors.ts';

const { statements: dialect, sessionSettings, writingSettings, beginTransaction } = sqliteDifferences;

/** How long a connection waits for another process (a migration, a backup) to release the file. */
export const LOCK_TIMEOUT_MS = 5_000;

/** SQLITE_CANTOPEN. */
const CANNOT_OPEN_CODE = 14;

/** Most attempts to switch to WAL while another process holds the file. */
const MAX_TRIES = 100;
const RETRY_SPREAD_MS = 50;

/**
 * Creates an empty file, readable by its owner only because it will hold license keys and signing keys. Does not open
 * an existing file: closing it would release the locks that this process holds on it (POSIX).
 */
export function createIfAbsent(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/**
 * Opens a SQLite file. SQLite's own error does not name the file; the one thrown here does.
 *
 * @throws an error that names the file, if the user of this process may not open or create it
 */
export function openFile(file: string, options: DatabaseSyncOptions): DatabaseSync {
  try {
    return new DatabaseSync(file, options);
  } catch (error) {
    if ((error as { errcode?: number }).errcode !== CANNOT_OPEN_CODE) throw error;
    const why = 'unable to open database file; this user must be able to read and write it and the folder it is in';
    throw Object.assign(new Error(`${file}: ${why}`, { cause: error }), { errcode: CANNOT_OPEN_CODE });
  }
}

/** Options of a writing connection. */
export interface WritingOptions {
  readonly enableForeignKeyConstraints: boolean;
  /** How long to wait for another process to release the file. */
  readonly lockTimeoutMs?: number | undefined;
}

/**
 * Opens the writing connection: every commit is on disk before it returns.
 *
 * @throws StorageAway if another process holds the file
 */
export async function openForWriting(file: string, options: WritingOptions): Promise<DatabaseSync> {
  const { lockTimeoutMs = LOCK_TIMEOUT_MS, enableForeignKeyConstraints } = options;
  const database = openFile(file, { timeout: lockTimeoutMs, enableForeignKeyConstraints });
  try {
    await switchToWal(database);
    setUp(database, [...sessionSettings, ...writingSettings]);
    return database;
  } catch (error) {
    database.close();
    throw transactionError('the database cannot be opened', error);
  }
}

/**
 * Retries, because this is the only statement that ignores the timeout: of several concurrent starts, some get an
 * error.
 */
async function switchToWal(database: DatabaseSync): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      database.exec('pragma journal_mode = wal');
      return;
    } catch (error) {
      if (!isBusy(error) || tries === MAX_TRIES) throw error;
      await wait(jitterMs(RETRY_SPREAD_MS));
    }
  }
}

/** Opens a read-only connection, which sees committed data only. */
export function openForReading(file: string): DatabaseSync {
  const database = openFile(file, { timeout: LOCK_TIMEOUT_MS, readOnly: true });
  setUp(database, sessionSettings);
  return database;
}

/**
 * Opens a file that no process writes, such as a backup, as immutable. A plain read-only connection would leave an
 * empty log beside the file, which makes it look like a database in use.
 */
export function openUnused(file: string): DatabaseSync {
  const url = pathToFileURL(file);
  url.searchParams.set('immutable', '1');
  const database = new DatabaseSync(url, { readOnly: true });
  setUp(database, sessionSettings);
  return database;
}

/** Applies settings to a connection. */
function setUp(database: DatabaseSync, settings: readonly string[]): void {
  for (const setting of settings) database.exec(`pragma ${setting}`);
}

interface Prepared {
  readonly statement: StatementSync;
  readonly columns: readonly string[];
}

/** A connection and its prepared statements. */
export class Connection implements Executor {
  readonly database: DatabaseSync;
  /** Whether a statement has changed a row since this was last set to false. */
  hasWritten = false;
  readonly #prepared = new Map<AnyStatement, Prepared>();
  readonly #control = new Map<string, StatementSync>();
  readonly #failed: (error: Error) => void;

  /** @param failed called with the error of each failed statement, before the error is thrown */
  constructor(database: DatabaseSync, failed: (error: Error) => void = () => {}) {
    this.database = database;
    this.#failed = failed;
  }

  all<Row>(statement: AnyStatement, values: readonly Value[]): Row[] {
    try {
      const prepared = this.#prepare(statement);
      const rows = prepared.statement.all(...values.map(toBound)) as unknown as SQLOutputValue[][];
      return rows.map((row) => toRow<Row>(prepared.columns, row));
    } catch (error) {
      throw this.#failure(statement, error);
    }
  }

  first<Row>(statement: AnyStatement, values: readonly Value[]): Row | undefined {
    try {
      const prepared = this.#prepare(statement);
      const row = prepared.statement.get(...values.map(toBound)) as unknown as SQLOutputValue[] | undefined;
      return row && toRow<Row>(prepared.columns, row);
    } catch (error) {
      throw this.#failure(statement, error);
    }
  }

  run(statement: AnyStatement, values: readonly Value[]): number {
    try {
      const changes = Number(this.#prepare(statement).statement.run(...values.map(toBound)).changes);
      if (changes > 0) this.hasWritten = true;
      return changes;
    } catch (error) {
      throw this.#failure(statement, error);
    }
  }

  /** Runs a transaction control statement, prepared once. @throws the error of node:sqlite */
  control(text: 'begin' | 'commit' | 'savepoint action' | 'release action' | 'rollback to action'): void {
    let prepared = this.#control.get(text);
    if (!prepared) {
      prepared = this.database.prepare(text === 'begin' ? beginTransaction : text);
      this.#control.set(text, prepared);
    }
    prepared.run();
  }

  /** Runs SQL of any number of statements. */
  execute(text: string): void {
    this.database.exec(text);
  }

  /** Rolls back an open transaction. After some errors (a full disk) SQLite has already done so. */
  rollBack(): void {
    if (this.database.isTransaction) this.database.exec('rollback');
  }

  #failure(statement: AnyStatement, error: unknown): Error {
    const failure = statementError(statement.name, error);
    this.#failed(failure);
    return failure;
  }

  #prepare(statement: AnyStatement): Prepared {
    const known = this.#prepared.get(statement);
    if (known) return known;
    const made = this.database.prepare(sqliteTextOf(statement));
    // Rows as arrays, made into objects here, cost less than half of copying node:sqlite's null-prototype objects.
    made.setReturnArrays(true);
    const prepared = { statement: made, columns: made.columns().map((column) => column.name) };
    this.#prepared.set(statement, prepared);
    return prepared;
  }
}

/**
 * The text of a statement for node:sqlite, which binds values by position to `?1`, not to `$1`.
 *
 * SQLite compiles a statement again whenever a value is bound to its limit, because the plan may depend on the value
 * (https://www.sqlite.org/c3ref/prepare.html): 14 of 18 microseconds, on average of 188 selects on an empty database.
 * It does not look into a sum.
 */
function sqliteTextOf(statement: AnyStatement): string {
  return statement
    .text(dialect)
    .replace(/\$(\d+)/g, '?$1')
    .replace(/\blimit (\?\d+)/g, 'limit $1 + 0');
}

/** node:sqlite binds a number as a REAL, so that 5 / 2 would be 2.5; a bigint is bound as an INTEGER. */
function toBound(value: Value): SQLInputValue {
  return typeof value === 'number' ? BigInt(value) : value;
}

function toRow<Row>(columns: readonly string[], values: readonly SQLOutputValue[]): Row {
  const row: Record<string, SQLOutputValue> = {};
  for (let index = 0; index < columns.length; index += 1) row[columns[index]!] = values[index]!;
  return row as Row;
}
