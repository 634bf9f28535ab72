/** The embedded engine: one file, one writer that commits in groups, and concurrent reads. See {@link openSqlite}. */

import { oncePerTick } from '../../ground/base/tick.ts';
import { AvailabilityWatch } from '../contract/availability.ts';
import { type CommitListener, CommitListeners, Published } from '../contract/published.ts';
import {
  type Availability,
  CommitUnknown,
  type Sql,
  type Storage,
  StorageAway,
  StorageDamaged,
  type Tx,
} from '../contract/storage.ts';
import { ReadConnection, Transaction } from '../contract/transaction.ts';
import { WorkUnderWay } from '../contract/work-under-way.ts';
import type { MigrationConnection } from '../migrations/migrate.ts';
import { Connection, createIfAbsent, openForReading, openForWriting } from './sqlite-connection.ts';
import { sqliteDifferences } from './sqlite-differences.ts';
import { transactionError } from './sqlite-errors.ts';
import { type GroupMember, type Outcome, type SqliteOptions, SqliteWriter } from './sqlite-writer.ts';

/** Most transactions in one commit, so that one slow group does not delay every caller. */
const LARGEST_GROUP = 512;

/**
 * Opens a SQLite database; creates a missing file, readable by its owner only.
 *
 * Transactions that arrive in one tick of the event loop, or while others run, share one BEGIN..COMMIT (group commit):
 * one wait for the disk instead of many. The first transaction opens the writing connection.
 *
 * @throws if the file cannot be opened or is not a database
 */
export async function openSqlite(options: SqliteOptions): Promise<Storage> {
  createIfAbsent(options.file);
  return new SqliteStorage(options);
}

/** Opens a connection for {@link migrate}: each of its transactions waits for those of other processes. */
export async function openSqliteForMigration({ file }: { file: string }): Promise<MigrationConnection> {
  createIfAbsent(file);
  // A migration that rebuilds a table drops the old one, which would cascade; the keys are checked at its end instead.
  const connection = new Connection(await openForWriting(file, { enableForeignKeyConstraints: false }));
  const found = (text: string, ...values: string[]): boolean => {
    try {
      return connection.database.prepare(text).get(...values) !== undefined;
    } catch (error) {
      throw transactionError('the tables cannot be inspected', error);
    }
  };
  return {
    dialect: sqliteDifferences.tables,
    hasTable: async (name) => found(sqliteDifferences.findTable, name),
    exclusively: async (work) => {
      try {
        connection.control('begin');
      } catch (error) {
        throw transactionError('the tables cannot be brought up to date', error);
      }
      try {
        const value = await new Transaction(connection).finish((tx) =>
          work(tx, async (text) => connection.execute(text)),
        );
        const broken = connection.database.prepare('pragma foreign_key_check').get();
        if (broken !== undefined) throw new Error(`the table ${broken.table} has a broken foreign key`);
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

/** A transaction that waits for its group. */
interface Queued extends GroupMember {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

class SqliteStorage implements Storage {
  readonly engine = 'sqlite';
  readonly #options: SqliteOptions;
  readonly #reader: Connection;
  readonly #reads: ReadConnection;
  readonly #commitListeners = new CommitListeners();
  readonly #availability: AvailabilityWatch;
  readonly #workUnderWay = new WorkUnderWay();
  #writer: SqliteWriter | undefined;
  #queue: Queued[] = [];
  #isCommitting = false;
  #closing: Promise<void> | undefined;

  constructor(options: SqliteOptions) {
    this.#options = options;
    this.#availability = options.availability ?? new AvailabilityWatch();
    this.#reader = new Connection(openForReading(options.file), (error) => this.#noteDamage(error));
    this.#reads = new ReadConnection(this.#reader);
  }

  read<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    const refusal = this.#availability.readRefusal;
    if (refusal !== undefined) return Promise.reject(refusal);
    return this.#workUnderWay.run(() => work(this.#reads));
  }

  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#workUnderWay.run(
      () =>
        new Promise<T>((resolve, reject) => {
          this.#queue.push({ work, resolve: resolve as (value: unknown) => void, reject });
          this.#commitSoon();
        }),
    );
  }

  onCommitted(listener: CommitListener): void {
    this.#commitListeners.add(listener);
  }

  onAvailability(listener: (availability: Availability) => void): void {
    this.#availability.add(listener);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#workUnderWay.close();
    this.#reader.database.close();
    this.#writer?.close();
  }

  /** Commits the next group at the end of this tick of the event loop, when everything that arrived in it is queued. */
  readonly #commitSoon = oncePerTick(() => void this.#commitNext());

  async #commitNext(): Promise<void> {
    if (this.#isCommitting || this.#queue.length === 0) return;
    this.#isCommitting = true;
    await this.#commitGroup(this.#queue.splice(0, this.#writer?.prefersSingles ? 1 : LARGEST_GROUP));
    this.#isCommitting = false;
    if (this.#queue.length > 0) this.#commitSoon();
  }

  /** Runs a group in one transaction and settles its promises once the commit is on disk. */
  async #commitGroup(group: readonly Queued[]): Promise<void> {
    let outcomes: readonly Outcome[];
    const transactions: Transaction[] = [];
    try {
      this.#writer ??= await SqliteWriter.open(this.#options, this.#availability);
      this.#writer.requireLog();
      outcomes = await this.#writer.commit(group, transactions);
    } catch (error) {
      if (error instanceof StorageAway || error instanceof CommitUnknown) this.#availability.failedWith(error);
      for (const transaction of transactions) transaction.settle(false);
      for (const queued of group) queued.reject(error);
      return;
    }
    const published = new Published();
    for (const outcome of outcomes) if ('published' in outcome) published.addAll(outcome.published);
    this.#commitListeners.notify(published);
    const fileError = this.#writer.fileError();
    for (const transaction of transactions) transaction.settle(fileError === undefined);
    for (const [index, outcome] of outcomes.entries()) {
      const { resolve, reject } = group[index]!;
      if (fileError !== undefined) reject(fileError);
      else if ('failure' in outcome) reject(outcome.failure);
      else resolve(outcome.value);
    }
  }

  #noteDamage(error: Error): void {
    if (error instanceof StorageDamaged) this.#availability.failedWith(error);
  }
}
