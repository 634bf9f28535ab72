/** The one connection that writes a SQLite file: it commits transactions in groups. */
import { elapsedMs } from '../../ground/base/clock.ts';
import type { Distribution, Measures } from '../../ground/measures/measures.ts';
import { NODE_METRICS } from '../../ground/measures/node-metrics.ts';
import type { AvailabilityWatch } from '../contract/availability.ts';
import type { Published } from '../contract/published.ts';
import { CommitUnknown, StorageAway, StorageFull, type Tx } from '../contract/storage.ts';
import { Transaction } from '../contract/transaction.ts';
import { Connection, LOCK_TIMEOUT_MS, openForWriting } from './sqlite-connection.ts';
import { commitError, isBusy, transactionError } from './sqlite-errors.ts';
import { type FileIdentity, identityOf, isStillAt } from './sqlite-file.ts';
import { FullDisk } from './sqlite-full-disk.ts';

/** How long a group waits for a lock that another process is known to hold: the full wait is spent only once. */
const TIMEOUT_WHILE_LOCKED_MS = 250;

/** Options of {@link openSqlite}. */
export interface SqliteOptions {
  /** Path of the database file. */
  readonly file: string;
  /**
   * How long a group of transactions waits for another process to release the file, in milliseconds; 5000 by default.
   */
  readonly lockTimeoutMs?: number | undefined;
  /** Receives measurements of commits; undefined measures nothing. */
  readonly measures?: Measures | undefined;
  /** Follows the state of the file. Storages that share one stop using the file together. */
  readonly availability?: AvailabilityWatch | undefined;
}

/** One of the transactions of a group. */
export interface GroupMember {
  readonly work: (tx: Tx) => Promise<unknown>;
}

/** The result of one transaction of a group. */
export type Outcome = { readonly value: unknown; readonly published: Published } | { readonly failure: unknown };

/** Writes one SQLite file. */
export class SqliteWriter {
  readonly #connection: Connection;
  readonly #disk: FullDisk;
  readonly #file: string;
  readonly #identity: FileIdentity;
  readonly #availability: AvailabilityWatch;
  readonly #lockTimeoutMs: number;
  readonly #commitDurations: Distribution | undefined;
  readonly #commitSizes: Distribution | undefined;
  readonly #logPath: string;
  /** Known from the first group on: SQLite makes the log when a connection first uses the file. */
  #log: FileIdentity | undefined;
  #isLocked = false;

  private constructor(
    connection: Connection,
    identity: FileIdentity,
    { file, lockTimeoutMs = LOCK_TIMEOUT_MS, measures }: SqliteOptions,
    availability: AvailabilityWatch,
  ) {
    this.#connection = connection;
    this.#disk = new FullDisk(connection, file);
    this.#identity = identity;
    this.#file = file;
    this.#logPath = `${file}-wal`;
    this.#log = identityOf(this.#logPath);
    this.#lockTimeoutMs = lockTimeoutMs;
    this.#commitDurations = measures?.histogram(NODE_METRICS.latchkey_commit_duration_seconds, {});
    this.#commitSizes = measures?.histogram(NODE_METRICS.latchkey_commit_transactions, {});
    this.#availability = availability;
  }

  /** Opens an existing file. @throws StorageAway if it is missing or another process holds it */
  static async open(options: SqliteOptions, availability: AvailabilityWatch): Promise<SqliteWriter> {
    const { file, lockTimeoutMs } = options;
    const identity = identityOf(file);
    if (identity === undefined) throw new StorageAway(`${file} is gone`);
    const connection = new Connection(await openForWriting(file, { enableForeignKeyConstraints: true, lockTimeoutMs }));
    // The path named the same file before and after, so that is the file that was opened.
    if (isStillAt(file, identity)) return new SqliteWriter(connection, identity, options, availability);
    connection.database.close();
    throw new StorageAway(`${file} was replaced while it was opened`);
  }

  /** Whether to commit transactions singly: on a full disk, one that needs new pages fails together with its group. */
  get prefersSingles(): boolean {
    return this.#disk.isFull;
  }

  /**
   * Runs each member of a group once in one transaction and commits it. If the disk is full, tries once more with the
   * reserve.
   *
   * @param transactions receives the transactions that ran; the caller settles them
   * @throws StorageAway or the cause if nothing was kept; CommitUnknown if that is uncertain
   */
  async commit(group: readonly GroupMember[], transactions: Transaction[]): Promise<readonly Outcome[]> {
    if (this.#availability.isLost) throw new StorageAway(`${this.#file} is no longer used`);
    this.#disk.look();
    try {
      return await this.#commitOnce(group, transactions);
    } catch (error) {
      if (!(error instanceof StorageFull) || !this.#metFullDisk()) throw error;
      for (const transaction of transactions.splice(0)) transaction.settle(false);
      return this.#commitOnce(group, transactions);
    }
  }

  async #commitOnce(group: readonly GroupMember[], transactions: Transaction[]): Promise<readonly Outcome[]> {
    const connection = this.#connection;
    connection.hasWritten = false;
    this.#begin();
    let outcomes: readonly Outcome[];
    try {
      outcomes = await runGroup(connection, group, transactions);
      this.#end(group.length);
    } catch (error) {
      rollBackAfter(connection, error);
      throw transactionError('a transaction', error);
    }
    this.#note(outcomes);
    return outcomes;
  }

  /**
   * Checks that the open file is still the file at its path; otherwise the commit is lost. Call it after each commit,
   * before the calls of the group are answered.
   *
   * @returns undefined, or the error for every call of the group
   */
  fileError(): CommitUnknown | undefined {
    try {
      if (isStillAt(this.#file, this.#identity)) return undefined;
    } catch (error) {
      return new CommitUnknown(`it is unknown whether ${this.#file} is still there: ${(error as Error).message}`);
    }
    const reason = `${this.#file} was deleted or replaced: further changes would be lost`;
    this.#availability.failed('gone', reason);
    return new CommitUnknown(reason);
  }

  /**
   * Checks that the log is still beside the file: a crash would lose the changes that only the log has. If the log was
   * deleted, writes them into the file. Call it before each group.
   *
   * @throws StorageAway if the log was deleted; nothing is acknowledged from then on
   */
  requireLog(): void {
    if (this.#availability.isLost) return;
    this.#log ??= identityOf(this.#logPath);
    if (this.#log === undefined || isStillAt(this.#logPath, this.#log)) return;
    // A log that was moved away together with its file is found after the commit.
    if (!isStillAt(this.#file, this.#identity)) return;
    this.writeLogBack();
    const reason = `${this.#logPath} was deleted: acknowledged changes were saved in the file, but later ones could be lost`;
    this.#availability.failed('gone', reason);
    throw new StorageAway(reason);
  }

  /** Writes the log back into the file and empties it. */
  writeLogBack(): void {
    try {
      this.#connection.execute('pragma wal_checkpoint(truncate)');
    } catch {
      // Disk full, or locked: the log stays beside the file, and the next start reads both.
    }
  }

  /** Closes the file. Writes the log back first, unless the file is lost. */
  close(): void {
    if (this.#availability.readRefusal === undefined) this.writeLogBack();
    this.#connection.database.close();
  }

  /** The connection, whose settings a test reads. */
  get database(): Connection['database'] {
    return this.#connection.database;
  }

  #begin(): void {
    try {
      this.#connection.control('begin');
    } catch (error) {
      if (isBusy(error)) this.#waitForLock(true);
      throw transactionError('begin', error);
    }
    if (this.#isLocked) this.#waitForLock(false);
  }

  #waitForLock(isLocked: boolean): void {
    this.#isLocked = isLocked;
    const timeoutMs = isLocked ? Math.min(this.#lockTimeoutMs, TIMEOUT_WHILE_LOCKED_MS) : this.#lockTimeoutMs;
    this.#connection.execute(`pragma busy_timeout = ${timeoutMs}`);
  }

  #end(transactions: number): void {
    const startedAt = this.#commitDurations === undefined ? 0 : elapsedMs();
    try {
      this.#connection.control('commit');
    } catch (error) {
      throw commitError(error);
    }
    this.#commitSizes?.observe(transactions);
    this.#commitDurations?.observe((elapsedMs() - startedAt) / 1000);
  }

  /**
   * Handles a full disk; returns whether a retry may succeed. An error of the handling must not take the place of the
   * full disk, nor the place of a commit.
   */
  #metFullDisk(): boolean {
    try {
      return this.#disk.met();
    } catch {
      return false;
    }
  }

  #note(outcomes: readonly Outcome[]): void {
    const unserved = outcomes
      .map((outcome) => ('failure' in outcome ? outcome.failure : undefined))
      .find((failure) => failure instanceof StorageAway);
    if (unserved instanceof StorageFull) this.#metFullDisk();
    if (unserved === undefined) this.#availability.served(this.#connection.hasWritten && !this.#disk.refusesGrowth);
    else this.#availability.failedWith(unserved);
  }
}

/**
 * Rolls back, so that the next transaction does not find this one open. Throws `error` if a failing disk prevents it.
 */
function rollBackAfter(connection: Connection, error: unknown): void {
  try {
    connection.rollBack();
  } catch {
    throw error;
  }
}

/** Returns the failure of the storage if there was one, otherwise the error that the action threw. */
function reasonOf(transaction: Transaction, error: unknown): unknown {
  return transaction.failure instanceof StorageAway ? transaction.failure : error;
}

/** Runs the transactions in order, each under its own savepoint: a failure rolls back only its own writes. */
async function runGroup(
  writer: Connection,
  group: readonly GroupMember[],
  transactions: Transaction[],
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const { work } of group) {
    writer.control('savepoint action');
    const transaction = new Transaction(writer);
    transactions.push(transaction);
    try {
      const value = await transaction.finish(work);
      outcomes.push({ value, published: transaction.published });
    } catch (error) {
      const failure = reasonOf(transaction, error);
      // SQLite rolled the whole transaction back, with the writes of the other members.
      if (!writer.database.isTransaction) throw failure;
      writer.control('rollback to action');
      transaction.settle(false);
      outcomes.push({ failure });
    }
    writer.control('release action');
  }
  return outcomes;
}
