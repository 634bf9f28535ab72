/**
 * The storage contract: all that the rest of the service knows about databases.
 *
 * SQL is written once and is portable, and both engines return identical plain rows. Values are text, safe integers
 * and null; times are 24-character ISO 8601 UTC text (`2026-01-31T09:30:00.000Z`), so they compare as text; lists and
 * small records are JSON text. No statement asks the database for chance or for a cast; two ask it for the time.
 */

/** What a column holds and a parameter takes. Numbers are safe integers; `undefined` is refused, never bound as null. */
export type Value = string | number | null;

/** How a list is walked where it is not from the highest values to the end. */
export interface WalkOptions {
  /** Ordered upwards instead of downwards. */
  readonly isRising?: boolean;
  /** The first columns of the cursor, each to the value with which the list ends. */
  readonly last?: Readonly<Record<string, string>>;
}

/** Where the SQL of the engines differs. */
export interface Dialect {
  /** Ends a select that locks the rows it returns: `for no key update` on PostgreSQL, nothing on SQLite (one writer). */
  readonly forUpdate: string;
  /**
   * The right side of a comparison with a set: `license_key ${dialect.among('$1')}`. The parameter is made by
   * {@link listOf}. PostgreSQL looks each value up in an index then, where a join may make it walk the index instead.
   */
  among(parameter: `$${number}`): string;
  /**
   * The condition of the rows of a list that come after a cursor in it, where the list is ordered by `agreed` and then
   * by `cursor`, all of them descending. Rows of the list have the values of `agreed`. Both give columns their
   * parameters or literals. There is to be an index on these columns in this order, which is walked and no other.
   */
  afterCursor(
    agreed: Readonly<Record<string, string>>,
    cursor: Readonly<Record<string, string>>,
    options?: WalkOptions,
  ): string;
  /**
   * A parenthesised sub-select that unfolds one parameter, made by {@link tableOf}, into rows.
   *
   * @param parameter the parameter, for example `$1`
   * @param columns column names in the order of the values of each row, with their types
   */
  table(parameter: `$${number}`, columns: Readonly<Record<string, 'text' | 'integer'>>): string;
  /**
   * A select of one row about the database itself: `version` of the engine; `bytes` that the database takes, null where its
   * files tell that; `moment`, the timestamp of its own clock, null where it has none. It is shown to a person.
   */
  readonly aboutItself: string;
  /**
   * A select of one row with the same `moment` alone, which costs nothing. No rule reckons with it: it only shows whether
   * the clock of a node may be believed (believed-time/).
   */
  readonly ownMoment: string;
}

/** One SQL statement: made once, prepared once per connection, known by its name. */
interface NamedSql {
  /** Unique over the whole service; the prepared statement's name on PostgreSQL. */
  readonly name: string;
  text(dialect: Dialect): string;
}

/** A select, or a write that returns no rows; made with {@link statement}. */
export interface Statement extends NamedSql {
  readonly needsTransaction: false;
}

/** A write that only a transaction takes, so that no read can run it; made with {@link writeStatement}. */
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

type StatementText = string | ((dialect: Dialect) => string);

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

/** A text as `lower()` of a column makes it on both engines (columns of PostgreSQL have the collation "C"): A to Z alone. */
export function foldAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (capitals) => capitals.toLowerCase());
}

/** What follows, in the order of both engines, every text that begins like this one. */
export function afterBeginning(beginning: string): string {
  return `${beginning}\u{10FFFF}`;
}

/** Runs selects. Inside a read, each statement sees what is committed when it runs. Nothing here can write. */
export interface Sql {
  /** All rows, as plain objects keyed by column name. */
  all<Row>(statement: Statement, ...values: Value[]): Promise<Row[]>;
  /** The first row or undefined. */
  first<Row>(statement: Statement, ...values: Value[]): Promise<Row | undefined>;
}

/** A change that a transaction recorded, as far as those who listen to commits may use it. */
export interface RecordedChange {
  /** The type of its event. */
  readonly type: string;
  readonly productId?: string | null;
  /** The fields that differ, as they are now. */
  readonly after?: Readonly<Record<string, unknown>> | null;
  /** `now` is when it was decided, in milliseconds. */
  readonly origin: { readonly now: number };
}

/** Hears which licenses a committed transaction changed, and which changes it recorded. */
export type CommitListener = (changedLicenseKeys: readonly string[], recorded: readonly RecordedChange[]) => void;

/** A transaction: all of its writes or none. */
export interface Tx extends Sql {
  /** All rows that were selected, or that a write returned. */
  all<Row>(statement: AnyStatement, ...values: Value[]): Promise<Row[]>;
  /** The first of them or undefined. */
  first<Row>(statement: AnyStatement, ...values: Value[]): Promise<Row | undefined>;
  /** Runs a write; answers how many rows it changed. */
  run(statement: AnyStatement, ...values: Value[]): Promise<number>;
  /**
   * Says that the license of `licenseKey` is changing. Whoever listens with
   * {@link Storage.onCommitted} hears of it after the commit and before the transaction's promise resolves.
   */
  markChanged(licenseKey: string): void;
  /**
   * Says that a change was recorded. Whoever listens with {@link Storage.onCommitted} hears of it after the commit, beside
   * the licenses that changed.
   */
  markRecorded(change: RecordedChange): void;
  /**
   * Calls `effect` once when this run of the transaction has ended: with true after its commit and before the
   * transaction's promise resolves, with false when nothing of it stays (`work` may then be run again) or nobody knows.
   * For what `work` would do to memory. `effect` must not throw.
   */
  afterwards(effect: (isCommitted: boolean) => void): void;
}

/**
 * What a database can do, as the last calls found it.
 * - `available`: all of it
 * - `unwritable`: reads go on; somebody else holds the lock, the disk is full or failing, the server is read-only
 * - `away`: it cannot be reached
 * - `gone`: its file is not where it was; whatever is written now would be lost, so nothing is acknowledged ever again
 * - `damaged`: pages of its file cannot be right; nothing is answered until a start
 * - `overwritten`: somebody else wrote into its file; nothing is answered until a start
 */
export type Availability =
  | { readonly state: 'available' }
  | {
      readonly state: 'unwritable' | 'away' | 'gone' | 'damaged' | 'overwritten' /** For the log. */;
      readonly reason: string;
    };

/** A database. */
export interface Storage {
  readonly engine: 'sqlite' | 'postgres';
  /** Runs reads. Sees only what is committed, never a transaction under way. */
  read<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  /**
   * Runs `work` in a transaction and commits; resolves once the commit is on disk. When `work` throws, nothing of it
   * stays and the error is passed on. `work` may be run more than once (after a deadlock), so it must do nothing but
   * SQL and pure computation, and await nothing but SQL.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * Calls `listener` with the keys of the licenses that a committed transaction changed and with the changes that it
   * recorded (only when there are any of either).
   */
  onCommitted(listener: CommitListener): void;
  /** Calls `listener` whenever the database's {@link Availability} has changed; at the beginning it is `available`. */
  onAvailability(listener: (availability: Availability) => void): void;
  /**
   * Whether nothing was answered for a while though work waits, so that not much more should be let in. Undefined where
   * that is not known.
   */
  readonly isSilent?: boolean;
  /** Lets what is under way finish, then closes. */
  close(): Promise<void>;
}

/** A uniqueness rule was violated: the one storage error that actions may expect. Rules use `on conflict` before it. */
export class UniquenessViolation extends Error {
  override readonly name = 'UniquenessViolation';
}

/** The database could not serve in time (a row stayed locked, a statement ran too long, a deadlock each time): trying again may succeed. */
export class StorageBusy extends Error {
  override readonly name: string = 'StorageBusy';
}

/** The database cannot be reached, or takes no writes. Nothing was kept; trying again may succeed once it is back. */
export class StorageAway extends Error {
  override readonly name: string = 'StorageAway';
}

/** The disk of the database is full. Nothing was kept. */
export class StorageFull extends StorageAway {
  override readonly name = 'StorageFull';
}

/** The file of the database is damaged. Nothing was kept; trying again will not succeed. */
export class StorageDamaged extends StorageAway {
  override readonly name = 'StorageDamaged';
}

/** Somebody else wrote into the file of the database. Nothing was kept; trying again will not succeed. */
export class StorageOverwritten extends StorageAway {
  override readonly name = 'StorageOverwritten';
}

/** It is unknown whether the transaction was kept: the database went away while it was being committed. */
export class CommitUnknown extends Error {
  override readonly name = 'CommitUnknown';
}
