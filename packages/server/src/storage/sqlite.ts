/** The embedded engine: one file, one writer that commits in groups, reads beside it. See {@link openSqlite}. */
import { closeSync, openSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { jitterMs } from '../random.ts';
import { Announcements } from './announcements.ts';
import { Gate } from './gate.ts';
import type { MigrationConnection } from './migrate.ts';
import { type Executor, ReadScope, TransactionScope } from './scope.ts';
import {
  type Sql,
  type Statement,
  type Storage,
  StorageBusy,
  type Tx,
  UniquenessViolation,
  type Value,
} from './storage.ts';
import { sqliteWords } from './words.ts';

/** How long a connection waits for another process (a migration, a backup) to let go of the file. */
const BUSY_TIMEOUT_MS = 5_000;

/** How much of the file is read as memory, without a copy; as much as SQLite allows. */
const MAPPED_BYTES = 0x7fff0000;

/** SQLITE_BUSY, and how often a connection asks for WAL that is told so at once. */
const BUSY_CODE = 5;
const MOST_TRIES = 100;
const RETRY_SPREAD_MS = 50;

/** The most transactions that share one commit, so that one slow group does not keep everybody waiting. */
const LARGEST_GROUP = 512;

/** SQLite's extended result codes of a duplicate: SQLITE_CONSTRAINT_PRIMARYKEY and SQLITE_CONSTRAINT_UNIQUE. */
const DUPLICATE_CODES: readonly unknown[] = [1555, 2067];

/**
 * Opens a SQLite database; a file that is not there is made, readable by its owner alone.
 *
 * Transactions that are asked for in one turn of the event loop, or while others run, share one BEGIN..COMMIT (group
 * commit): one wait for the disk instead of many. The connection that writes is opened by the first transaction.
 *
 * @param options.file path of the database file
 * @throws when the file cannot be opened or is no database
 */
export async function openSqlite({ file }: { file: string }): Promise<Storage> {
  createIfAbsent(file);
  return new SqliteStorage(file);
}

/** A connection for {@link migrate}: each of its transactions waits for those of other processes. */
export async function openSqliteForMigration({ file }: { file: string }): Promise<MigrationConnection> {
  createIfAbsent(file);
  // A migration that rebuilds a table drops the old one, which would cascade; the keys are checked at its end instead.
  const connection = new Connection(await openForWriting(file, { enableForeignKeyConstraints: false }));
  return {
    exclusively: async (work) => {
      connection.control('begin immediate');
      try {
        const value = await new TransactionScope(connection).finish((tx) =>
          work(tx, async (text) => connection.execute(text)),
        );
        const broken = connection.database.prepare('pragma foreign_key_check').get();
        if (broken !== undefined) throw new Error(`a foreign key of the table ${broken.table} leads nowhere`);
        connection.control('commit');
        return value;
      } catch (error) {
        connection.rollBack();
        throw error;
      }
    },
    close: async () => connection.database.close(),
  };
}

/** Makes an empty file that only its owner reads: it will hold license keys and signing keys. */
function createIfAbsent(file: string): void {
  closeSync(openSync(file, 'a', 0o600));
}

async function openForWriting(file: string, options: { enableForeignKeyConstraints: boolean }): Promise<DatabaseSync> {
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, ...options });
  await switchToWal(database);
  // A checkpoint every 8000 pages (32 MB) instead of 1000 keeps it out of most commits.
  database.exec(`
    pragma synchronous = full;
    pragma wal_autocheckpoint = 8000;
    pragma journal_size_limit = 67108864;
    pragma cache_size = -65536;
    pragma mmap_size = ${MAPPED_BYTES};
    pragma temp_store = memory;
  `);
  return database;
}

/** The switch is the one statement that ignores the timeout: of several processes that start at once, some are refused. */
async function switchToWal(database: DatabaseSync): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      database.exec('pragma journal_mode = wal');
      return;
    } catch (error) {
      if ((error as { errcode?: number }).errcode !== BUSY_CODE || tries === MOST_TRIES) throw error;
      await wait(jitterMs(RETRY_SPREAD_MS));
    }
  }
}

function openForReading(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, readOnly: true });
  database.exec(`
    pragma cache_size = -65536;
    pragma mmap_size = ${MAPPED_BYTES};
    pragma temp_store = memory;
  `);
  return database;
}

interface Prepared {
  readonly statement: StatementSync;
  readonly columns: readonly string[];
}

/** A connection and its prepared statements. */
class Connection implements Executor {
  readonly database: DatabaseSync;
  readonly #prepared = new Map<Statement, Prepared>();
  readonly #control = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.database = database;
  }

  all<Row>(statement: Statement, values: readonly Value[]): Row[] {
    try {
      const prepared = this.#prepare(statement);
      const rows = prepared.statement.all(...values.map(toBound)) as unknown as SQLOutputValue[][];
      return rows.map((row) => toRow<Row>(prepared.columns, row));
    } catch (error) {
      throw toStorageError(statement, error);
    }
  }

  first<Row>(statement: Statement, values: readonly Value[]): Row | undefined {
    try {
      const prepared = this.#prepare(statement);
      const row = prepared.statement.get(...values.map(toBound)) as unknown as SQLOutputValue[] | undefined;
      return row && toRow<Row>(prepared.columns, row);
    } catch (error) {
      throw toStorageError(statement, error);
    }
  }

  run(statement: Statement, values: readonly Value[]): number {
    try {
      return Number(this.#prepare(statement).statement.run(...values.map(toBound)).changes);
    } catch (error) {
      throw toStorageError(statement, error);
    }
  }

  /** Runs one word of transaction control, prepared once. */
  control(text: 'begin immediate' | 'commit' | 'savepoint action' | 'release action' | 'rollback to action'): void {
    let prepared = this.#control.get(text);
    if (!prepared) {
      prepared = this.database.prepare(text);
      this.#control.set(text, prepared);
    }
    prepared.run();
  }

  /** Runs SQL of any number of statements. */
  execute(text: string): void {
    this.database.exec(text);
  }

  /** Rolls back what is open. Some errors (a full disk) have made SQLite do so already. */
  rollBack(): void {
    if (this.database.isTransaction) this.database.exec('rollback');
  }

  #prepare(statement: Statement): Prepared {
    const known = this.#prepared.get(statement);
    if (known) return known;
    // node:sqlite binds values by position to ?1, not to $1.
    const made = this.database.prepare(statement.text(sqliteWords).replace(/\$(\d+)/g, '?$1'));
    // Rows as arrays, made into objects here, cost less than half of copying node:sqlite's null-prototype objects.
    made.setReturnArrays(true);
    const prepared = { statement: made, columns: made.columns().map((column) => column.name) };
    this.#prepared.set(statement, prepared);
    return prepared;
  }
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

function toStorageError(statement: Statement, error: unknown): Error {
  const { message, errcode } = error as { message: string; errcode?: number };
  if (DUPLICATE_CODES.includes(errcode)) return new UniquenessViolation(`${statement.name}: ${message}`);
  if (errcode === BUSY_CODE) return new StorageBusy(`${statement.name}: ${message}`);
  return new Error(`${statement.name}: ${message}`, { cause: error });
}

/** A transaction that waits for its turn. */
interface Queued {
  readonly work: (tx: Tx) => Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** How a queued transaction ended. */
type Outcome = { readonly value: unknown; readonly subjects: readonly string[] } | { readonly failure: unknown };

class SqliteStorage implements Storage {
  readonly engine = 'sqlite';
  readonly #file: string;
  readonly #reader: Connection;
  readonly #reads: ReadScope;
  readonly #announcements = new Announcements();
  readonly #gate = new Gate();
  #writer: Connection | undefined;
  #queue: Queued[] = [];
  #isScheduled = false;
  #closing: Promise<void> | undefined;

  constructor(file: string) {
    this.#file = file;
    this.#reader = new Connection(openForReading(file));
    this.#reads = new ReadScope(this.#reader);
  }

  read<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.#gate.pass(() => work(this.#reads));
  }

  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#gate.pass(
      () =>
        new Promise<T>((resolve, reject) => {
          this.#queue.push({ work, resolve: resolve as (value: unknown) => void, reject });
          this.#schedule();
        }),
    );
  }

  onCommitted(listener: (subjects: readonly string[]) => void): void {
    this.#announcements.add(listener);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#gate.close();
    this.#reader.database.close();
    if (!this.#writer) return;
    this.#writer.execute('pragma wal_checkpoint(truncate)');
    this.#writer.database.close();
  }

  /** Plans the next group for the end of this turn of the event loop, when all that came in with it is queued. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(async () => {
      await this.#commitGroup(this.#queue.splice(0, LARGEST_GROUP));
      this.#isScheduled = false;
      if (this.#queue.length > 0) this.#schedule();
    });
  }

  /** Runs a group in one transaction and settles each of its promises once that is on disk. */
  async #commitGroup(group: readonly Queued[]): Promise<void> {
    let outcomes: readonly Outcome[];
    try {
      this.#writer ??= new Connection(await openForWriting(this.#file, { enableForeignKeyConstraints: true }));
      outcomes = await runGroup(this.#writer, group);
    } catch (error) {
      for (const queued of group) queued.reject(error);
      return;
    }
    this.#announcements.publish(outcomes.flatMap((outcome) => ('subjects' in outcome ? outcome.subjects : [])));
    for (const [index, outcome] of outcomes.entries()) {
      if ('failure' in outcome) group[index]!.reject(outcome.failure);
      else group[index]!.resolve(outcome.value);
    }
  }
}

/** Runs and commits a group. @throws when nothing of it was kept: the file is locked, the disk is full */
async function runGroup(writer: Connection, group: readonly Queued[]): Promise<readonly Outcome[]> {
  try {
    writer.control('begin immediate');
    let outcomes = await runTogether(writer, group);
    if (!outcomes) {
      writer.rollBack();
      writer.control('begin immediate');
      outcomes = await runApart(writer, group);
    }
    writer.control('commit');
    return outcomes;
  } catch (error) {
    writer.rollBack();
    throw error;
  }
}

/**
 * The usual way, without savepoints (4 microseconds each): undefined when an action failed and the group must be run
 * apart. A group of one that fails is simply thrown: there is nobody to protect.
 */
async function runTogether(writer: Connection, group: readonly Queued[]): Promise<readonly Outcome[] | undefined> {
  const outcomes: Outcome[] = [];
  for (const { work } of group) {
    const scope = new TransactionScope(writer);
    try {
      outcomes.push({ value: await scope.finish(work), subjects: scope.subjects });
    } catch (failure) {
      if (group.length === 1) throw failure;
      return undefined;
    }
  }
  return outcomes;
}

/** The way for a group in which somebody failed: in the same order, each under a savepoint of its own. */
async function runApart(writer: Connection, group: readonly Queued[]): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const { work } of group) {
    writer.control('savepoint action');
    const scope = new TransactionScope(writer);
    try {
      outcomes.push({ value: await scope.finish(work), subjects: scope.subjects });
    } catch (failure) {
      // The transaction itself is gone, and what the neighbours wrote with it.
      if (!writer.database.isTransaction) throw failure;
      writer.control('rollback to action');
      outcomes.push({ failure });
    }
    writer.control('release action');
  }
  return outcomes;
}
