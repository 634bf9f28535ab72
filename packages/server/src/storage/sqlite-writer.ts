/** The one connection that writes a SQLite file: it commits transactions in groups. */
import { elapsedMs } from '../clock.ts';
import type { Distribution, Measures } from '../measures/measures.ts';
import type { AvailabilityWatch } from './availability.ts';
import { Connection, LOCK_TIMEOUT_MS, openForWriting } from './sqlite-connection.ts';
import { commitError, isBusy, transactionError } from './sqlite-errors.ts';
import { type FileIdentity, identityOf, isStillAt } from './sqlite-file.ts';
import { FullDisk } from './sqlite-full-disk.ts';
import { CommitUnknown, type RecordedChange, StorageAway, StorageFull, type Tx } from './storage.ts';
import { Transaction } from './transaction.ts';
import type { WatchedFile } from './watched-file.ts';

/** How long a group waits for the lock while it is known that somebody else has it: nobody should wait for that twice. */
const TIMEOUT_WHILE_LOCKED_MS = 250;

/** Which file, and how patiently. */
export interface SqliteOptions {
  /** Path of the database file. */
  readonly file: string;
  /** How long a group of transactions waits for another process to let go of the file, in milliseconds; 5000. */
  readonly lockTimeoutMs?: number | undefined;
  /** Where commits are measured, if anywhere. */
  readonly measures?: Measures | undefined;
  /** The file as it is watched, where a service has it to itself. */
  readonly watched?: WatchedByThread | undefined;
  /** Follows what the file can do; one that is shared lets others end the use of the file. */
  readonly availability?: AvailabilityWatch | undefined;
}

/** A watched file in one of the threads that share it. */
export interface WatchedByThread {
  readonly file: WatchedFile;
  /** Whether this thread writes: it looks at the log as well, and saves what there is when somebody else wrote. */
  readonly isWriter: boolean;
  /** Hears why something could not be saved. */
  readonly report: (failure: string) => void;
}

/** One of the transactions of a group. */
export interface GroupMember {
  readonly work: (tx: Tx) => Promise<unknown>;
}

/** How a transaction of a group ended. */
export type Outcome =
  | {
      readonly value: unknown;
      readonly changedLicenseKeys: readonly string[];
      readonly recorded: readonly RecordedChange[];
    }
  | { readonly failure: unknown };

/** See the head of this file. */
export class SqliteWriter {
  readonly #connection: Connection;
  readonly #disk: FullDisk;
  readonly #file: string;
  readonly #identity: FileIdentity;
  readonly #availability: AvailabilityWatch;
  readonly #lockTimeoutMs: number;
  readonly #commitDurations: Distribution | undefined;
  readonly #commitSizes: Distribution | undefined;
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
    this.#lockTimeoutMs = lockTimeoutMs;
    this.#commitDurations = measures?.histogram('latchkey_commit_duration_seconds', {});
    this.#commitSizes = measures?.histogram('latchkey_commit_transactions', {});
    this.#availability = availability;
  }

  /** Opens the file, which must be there. @throws StorageAway when it is not, or when another process has it */
  static async open(options: SqliteOptions, availability: AvailabilityWatch): Promise<SqliteWriter> {
    const { file, lockTimeoutMs } = options;
    const identity = identityOf(file);
    if (identity === undefined) throw new StorageAway(`${file} is gone`);
    const connection = new Connection(await openForWriting(file, { enableForeignKeyConstraints: true, lockTimeoutMs }));
    // The same before and after the opening, so it is the file that was opened.
    if (isStillAt(file, identity)) return new SqliteWriter(connection, identity, options, availability);
    connection.database.close();
    throw new StorageAway(`${file} was replaced while it was opened`);
  }

  /**
   * Whether transactions are to be committed one by one: on a full disk one that needs new pages fails, and takes its
   * group with it.
   */
  get prefersSingles(): boolean {
    return this.#disk.isFull;
  }

  /**
   * Runs a group in one transaction, each of its members once, and commits it. Where the disk turns out to be full, that is
   * tried once more with the reserve.
   *
   * @param transactions takes those of the transactions that ran, which are to be told how that ended
   * @throws StorageAway or what else failed when nothing of it was kept, CommitUnknown when nobody knows
   */
  async commit(group: readonly GroupMember[], transactions: Transaction[]): Promise<readonly Outcome[]> {
    if (this.#availability.isLost) throw new StorageAway(`${this.#file} is not used any more`);
    this.#disk.look();
    try {
      return await this.#commitOnce(group, transactions);
    } catch (error) {
      if (!(error instanceof StorageFull) || !this.#disk.met()) throw error;
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
   * Whether the file is still where it was: then what was committed is there. To be asked after each commit, before
   * anybody is told of it.
   *
   * @returns undefined, or the error that everybody of the group gets instead
   */
  fileError(): CommitUnknown | undefined {
    try {
      if (isStillAt(this.#file, this.#identity)) return undefined;
    } catch (error) {
      return new CommitUnknown(`it is unknown whether ${this.#file} is still there: ${(error as Error).message}`);
    }
    const reason = `${this.#file} was deleted or replaced: what is written now would be lost`;
    this.#availability.failed('gone', reason);
    return new CommitUnknown(reason);
  }

  /** Writes the log back into the file, which is then all that is left. */
  writeLogBack(): void {
    try {
      this.#connection.execute('pragma wal_checkpoint(truncate)');
    } catch {
      // A full disk, a lock: the log stays beside the file, and the next start reads both.
    }
  }

  /** Closes the file, the log written back unless the file is not this service's any more. */
  close(): void {
    if (this.#availability.readRefusal === undefined) this.writeLogBack();
    this.#connection.database.close();
  }

  /** The connection, for what is saved when somebody else wrote into the file. */
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

  #note(outcomes: readonly Outcome[]): void {
    const unserved = outcomes
      .map((outcome) => ('failure' in outcome ? outcome.failure : undefined))
      .find((failure) => failure instanceof StorageAway);
    if (unserved instanceof StorageFull) this.#disk.met();
    if (unserved === undefined) this.#availability.served(this.#connection.hasWritten && !this.#disk.refusesGrowth);
    else this.#availability.failedWith(unserved);
  }
}

/** Rolls back; a disk that fails may not let go of the transaction, which the next one must not find open. */
function rollBackAfter(connection: Connection, error: unknown): void {
  try {
    connection.rollBack();
  } catch {
    throw error;
  }
}

/** What ended an action: the storage's own failure counts, whatever the action made of it. */
function reasonOf(transaction: Transaction, error: unknown): unknown {
  return transaction.failure instanceof StorageAway ? transaction.failure : error;
}

/** Runs one after the other, each under a savepoint of its own: one that fails takes back only what it wrote itself. */
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
      const { changedLicenseKeys, recorded } = transaction;
      outcomes.push({ value, changedLicenseKeys, recorded });
    } catch (error) {
      const failure = reasonOf(transaction, error);
      // The transaction itself is gone, and what the neighbours wrote with it.
      if (!writer.database.isTransaction) throw failure;
      writer.control('rollback to action');
      transaction.settle(false);
      outcomes.push({ failure });
    }
    writer.control('release action');
  }
  return outcomes;
}
