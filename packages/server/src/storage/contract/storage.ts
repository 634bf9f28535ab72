/**
 * The storage contract: everything that the rest of the service knows about databases.
 *
 * SQL is written once and is portable, and both engines return identical plain rows. Values are text, safe integers
 * and null; times are 24-character ISO 8601 UTC text (`2026-01-31T09:30:00.000Z`), so they compare as text; lists and
 * small records are JSON text. No statement uses random values or casts of the database; two ask it for the time.
 */

import type { CommitListener, Topic } from './published.ts';

/** The value of a column or a parameter. Numbers are safe integers; `undefined` is refused, never bound as null. */
export type Value = string | number | null;

/** Options of an index scan. By default, it runs from the highest values to the end of the index. */
export interface IndexScanOptions {
  /** Ascending instead of descending. */
  readonly isRising?: boolean;
  /** The first columns of the cursor with the values at which the list ends. */
  readonly last?: Readonly<Record<string, string>>;
  /** Whether PostgreSQL 16 and earlier, too, must stop at the end of the list; for lists of events, which are long. */
  readonly isLong?: boolean;
}

/** The SQL that differs between the engines. */
export interface Dialect {
  /**
   * Ends a select that locks the rows it returns: `for no key update` on PostgreSQL, nothing on SQLite (one writer).
   */
  readonly forUpdate: string;
  /**
   * The right side of a comparison with a set: `license_key ${dialect.among('$1')}`. The parameter is made by
   * {@link listOf}. PostgreSQL then looks each value up in an index; with a join it may scan the index instead.
   */
  among(parameter: `$${number}`): string;
  /**
   * The condition for the rows after a cursor, in a list of the rows with the values of `agreed`, ordered by `agreed`
   * and then by `cursor`, all descending. Both map columns to parameters or literals. An index on these columns in this
   * order must exist; only that index is scanned.
   */
  afterCursor(
    agreed: Readonly<Record<string, string>>,
    cursor: Readonly<Record<string, string>>,
    options?: IndexScanOptions,
  ): string;
  /**
   * Whether `order by` names the columns in which all rows agree. SQLite sorts the rows if one of them is an expression
   * with an index of its own, such as `lower(buyer_email)`.
   */
  readonly ordersByAgreed: boolean;
  /**
   * A parenthesised sub-select that unfolds one parameter, made by {@link tableOf}, into rows.
   *
   * @param parameter the parameter, for example `$1`
   * @param columns column names in the order of the values of each row, with their types
   */
  table(parameter: `$${number}`, columns: Readonly<Record<string, 'text' | 'integer'>>): string;
  /**
   * The opposite of {@link table}: a select of one row, whose column `rows` is the JSON text of an array of rows. Each
   * row is an array of these columns. Many rows cost less memory as one text than as objects.
   *
   * @param columns expressions over the select
   * @param select the rows, whose order need not be kept
   */
  rowsAsText(columns: readonly string[], select: string): string;
  /**
   * Whether new rows enter indexes with scattered places later, many together. A commit on SQLite writes every page
   * that it changes; PostgreSQL logs the entries.
   */
  readonly indexesLate: boolean;
  /**
   * A select of one row about the database itself, for a person: `version` of the engine; `bytes`, the size on disk,
   * null for SQLite, where the caller stats the files; `moment`, the timestamp of its own clock, null if it has none.
   */
  readonly aboutItself: string;
  /**
   * A cheap select of one row with the same `moment` only. No rule computes with it: it only helps to decide whether
   * the clock of a node may be believed (believed-time/).
   */
  readonly ownMoment: string;
  /** Whether one statement may write two tables: `with other as (insert ...) insert ...`. */
  readonly writesTwoTables: boolean;
  /**
   * A select of one row: `position`, the highest number that a table's column of numbered rows has assigned so far; 0
   * before the first. On PostgreSQL also that of transactions that are open or were rolled back.
   */
  lastNumber(table: string, column: string): string;
  /** A select that lets these numbers go on after the highest stored one, as SQLite does by itself. */
  continueNumbers(table: string, column: string): string;
  /** A select of `writer`, the names of the open transactions that may have written a table. No rows on SQLite. */
  openWriters(table: string): string;
}

/** One SQL statement: made once, prepared once per connection, identified by its name. */
export interface NamedSql {
  /** Unique over the whole service; the prepared statement's name on PostgreSQL. */
  readonly name: string;
  text(dialect: Dialect): string;
}

/** A select, or a write that returns no rows; made with {@link statement}. */
export interface Statement extends NamedSql {
  readonly needsTransaction: false;
}

/** A write, accepted by transactions only, so that no read can run it; made with {@link writeStatement}. */
export interface WriteStatement extends NamedSql {
  readonly needsTransaction: true;
}

/** Any statement of the service. */
export type AnyStatement = Statement | WriteStatement;

const known = new Map<string, AnyStatement>();

/**
 * Declares a statement. Called at module level in `store.ts` files only, so that every statement of the service is in
 * {@link allStatements} and its query plan can be checked.
 *
 * A write that returns rows (`returning`) is declared with {@link writeStatement}.
 *
 * @param name `noun.verb`, unique; @throws when the name is taken
 * @param text SQL with `$1..$n`, or a function of the engine's dialect
 */
export function statement(name: string, text: StatementText): Statement {
  return declared({ name, text: textFunction(text), needsTransaction: false });
}

/** Declares a write, as {@link statement} does; the compiler refuses it wherever a read is under way. */
export function writeStatement(name: string, text: StatementText): WriteStatement {
  return declared({ name, text: textFunction(text), needsTransaction: true });
}

/** SQL, or SQL by the dialect of an engine. */
export type StatementText = string | ((dialect: Dialect) => string);

function textFunction(text: StatementText): (dialect: Dialect) => string {
  return typeof text === 'string' ? () => text : text;
}

function declared<Declared extends AnyStatement>(made: Declared): Declared {
  if (known.has(made.name)) throw new Error(`two statements are named ${made.name}`);
  known.set(made.name, made);
  return made;
}

/** Every statement declared so far, for the tests that read query plans. */
export function allStatements(): readonly AnyStatement[] {
  return [...known.values()];
}

/** The value of a table parameter (see {@link Dialect.table}): rows of values in column order. */
export function tableOf(rows: readonly (readonly Value[])[]): string {
  return JSON.stringify(rows);
}

/** The value of a set parameter (see {@link Dialect.among}): texts. */
export function listOf(values: readonly string[]): string {
  return JSON.stringify(values);
}

/**
 * A text as `lower()` of a column makes it on both engines (columns of PostgreSQL have the collation "C"): A to Z
 * alone.
 */
export function foldAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (capitals) => capitals.toLowerCase());
}

/** Returns a text that sorts, on both engines, after every text that begins with this one. */
export function afterBeginning(beginning: string): string {
  return `${beginning}\u{10FFFF}`;
}

/** Runs selects. Inside a read, each statement sees the data committed when it runs. Nothing here can write. */
export interface Sql {
  /** All rows, as plain objects keyed by column name. */
  all<Row>(statement: Statement, ...values: Value[]): Promise<Row[]>;
  /** The first row or undefined. */
  first<Row>(statement: Statement, ...values: Value[]): Promise<Row | undefined>;
}

/** A transaction: all of its writes or none. */
export interface Tx extends Sql {
  /** {@link Dialect.writesTwoTables} of the database; false where it is absent. */
  readonly writesTwoTables?: boolean;
  /** All rows of a select, or of the `returning` clause of a write. */
  all<Row>(statement: AnyStatement, ...values: Value[]): Promise<Row[]>;
  /** The first of them or undefined. */
  first<Row>(statement: AnyStatement, ...values: Value[]): Promise<Row | undefined>;
  /** Runs a write; resolves with the number of changed rows. */
  run(statement: AnyStatement, ...values: Value[]): Promise<number>;
  /**
   * Runs the last write of the transaction. PostgreSQL receives COMMIT together with it, which saves a round trip, so
   * the transaction may be committed when this resolves: further statements are refused, and `work` must not fail.
   */
  runLast(statement: AnyStatement, ...values: Value[]): Promise<number>;
  /**
   * Publishes a message. Listeners of {@link Storage.onCommitted} receive it after the commit and before the
   * transaction's promise resolves.
   */
  publish<Message>(topic: Topic<Message>, message: Message): void;
  /**
   * Calls `effect` once when this run of the transaction has ended: with true after its commit and before the
   * transaction's promise resolves; with false if it was rolled back (`work` may then run again) or the result is
   * unknown. Changes of memory that depend on the commit belong here. `effect` must not throw.
   */
  afterwards(effect: (isCommitted: boolean) => void): void;
}

/**
 * The state of a database by the outcome of the last calls.
 * - `available`: reads and writes work
 * - `unwritable`: reads work, writes do not: another process holds the lock, the disk is full or failing, or the server
 *   is read-only
 * - `away`: it cannot be reached
 * - `gone`: its file is no longer at its path; writes would be lost, so none is acknowledged any more
 * - `damaged`: pages of its file are corrupt; nothing is answered until the next start
 */
export type Availability =
  | { readonly state: 'available' }
  | {
      readonly state: 'unwritable' | 'away' | 'gone' | 'damaged' /** For the log. */;
      readonly reason: string;
    };

/** A database. */
export interface Storage {
  readonly engine: 'sqlite' | 'postgres';
  /** Runs reads, which see committed data only. */
  read<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  /**
   * Runs `work` in a transaction and commits; resolves once the commit is on disk. If `work` throws, rolls back and
   * throws the same error. `work` may run more than once (after a deadlock), so it must do nothing but SQL and pure
   * computation, and await nothing but SQL.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Calls `listener` with the messages that committed transactions published, if there are any. */
  onCommitted(listener: CommitListener): void;
  /** Calls `listener` after each change of the database's {@link Availability}, which starts as `available`. */
  onAvailability(listener: (availability: Availability) => void): void;
  /**
   * Whether the database has answered nothing for a while although work waits, so that callers should admit less.
   * Undefined if the engine does not know.
   */
  readonly isSilent?: boolean;
  /** Waits for running work, then closes. */
  close(): Promise<void>;
}

/** A uniqueness rule was violated: the one storage error that actions may expect. Rules use `on conflict` before it. */
export class UniquenessViolation extends Error {
  override readonly name = 'UniquenessViolation';
}

/**
 * The database did not serve in time (a row stayed locked, a statement ran too long, repeated deadlocks); a retry may
 * succeed.
 */
export class StorageBusy extends Error {
  override readonly name: string = 'StorageBusy';
}

/** The database cannot be reached, or takes no writes. Nothing was kept; a retry may succeed once it is back. */
export class StorageAway extends Error {
  override readonly name: string = 'StorageAway';
}

/** The disk of the database is full. Nothing was kept. */
export class StorageFull extends StorageAway {
  override readonly name = 'StorageFull';
}

/** The file of the database is damaged. Nothing was kept; a retry cannot succeed. */
export class StorageDamaged extends StorageAway {
  override readonly name = 'StorageDamaged';
}

/** Whether the transaction was kept is unknown: the database went away during the commit. */
export class CommitUnknown extends Error {
  override readonly name = 'CommitUnknown';
}
