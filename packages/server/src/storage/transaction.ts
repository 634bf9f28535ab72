/** What both engines share about running statements: which values may be bound, and what a failure means. */
import type { AnyStatement, RecordedChange, Sql, Statement, Tx, Value } from './storage.ts';

/** Runs statements on one connection, whose values have been checked. SQLite answers at once, PostgreSQL later. */
export interface Executor {
  all<Row>(statement: AnyStatement, values: readonly Value[]): Row[] | Promise<Row[]>;
  first<Row>(statement: AnyStatement, values: readonly Value[]): Row | undefined | Promise<Row | undefined>;
  run(statement: AnyStatement, values: readonly Value[]): number | Promise<number>;
}

/**
 * The statements of a read.
 *
 * @throws (as a rejection) when given a value that is not a {@link Value}
 */
export class ReadConnection implements Sql {
  readonly #executor: Executor;

  constructor(executor: Executor) {
    this.#executor = executor;
  }

  async all<Row>(statement: Statement, ...values: Value[]): Promise<Row[]> {
    checkValues(statement, values);
    return this.#executor.all<Row>(statement, values);
  }

  async first<Row>(statement: Statement, ...values: Value[]): Promise<Row | undefined> {
    checkValues(statement, values);
    return this.#executor.first<Row>(statement, values);
  }
}

/**
 * The statements of one transaction, usable until its `work` has ended.
 *
 * A statement that failed dooms the transaction, whether or not `work` catches the error: PostgreSQL can only roll back
 * from there, and what SQLite would let pass must not pass on one engine alone.
 */
export class Transaction implements Tx {
  /** Keys of the licenses that were marked as changed so far. */
  readonly changedLicenseKeys: string[] = [];
  /** Changes that were marked as recorded so far. */
  readonly recorded: RecordedChange[] = [];
  /** The error of the first statement that failed, undefined while none has. */
  failure: unknown;
  readonly #executor: Executor;
  readonly #effects: ((isCommitted: boolean) => void)[] = [];
  #isOver = false;

  constructor(executor: Executor) {
    this.#executor = executor;
  }

  /** Runs `work` to its end. @throws what `work` throws, or the failure of a statement that `work` made light of. */
  async finish<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    try {
      const value = await work(this);
      if (this.failure !== undefined) throw this.failure;
      return value;
    } finally {
      this.#isOver = true;
    }
  }

  async all<Row>(statement: AnyStatement, ...values: Value[]): Promise<Row[]> {
    this.#prepareFor(statement, values);
    try {
      return await this.#executor.all<Row>(statement, values);
    } catch (error) {
      throw this.#doom(error);
    }
  }

  async first<Row>(statement: AnyStatement, ...values: Value[]): Promise<Row | undefined> {
    this.#prepareFor(statement, values);
    try {
      return await this.#executor.first<Row>(statement, values);
    } catch (error) {
      throw this.#doom(error);
    }
  }

  async run(statement: AnyStatement, ...values: Value[]): Promise<number> {
    this.#prepareFor(statement, values);
    try {
      return await this.#executor.run(statement, values);
    } catch (error) {
      throw this.#doom(error);
    }
  }

  markChanged(licenseKey: string): void {
    this.changedLicenseKeys.push(licenseKey);
  }

  markRecorded(change: RecordedChange): void {
    this.recorded.push(change);
  }

  afterwards(effect: (isCommitted: boolean) => void): void {
    this.#effects.push(effect);
  }

  /** Tells those who asked how the transaction ended. The first time counts. */
  settle(isCommitted: boolean): void {
    for (const effect of this.#effects.splice(0)) effect(isCommitted);
  }

  #prepareFor(statement: AnyStatement, values: readonly unknown[]): void {
    // A statement that nobody awaited would otherwise run inside somebody else's transaction.
    if (this.#isOver) throw new Error(`${statement.name}: its transaction is over`);
    if (this.failure !== undefined) throw this.failure;
    try {
      checkValues(statement, values);
    } catch (error) {
      throw this.#doom(error);
    }
  }

  #doom(error: unknown): unknown {
    this.failure ??= error;
    return error;
  }
}

/** Refuses what the engines would bind differently or silently: SQLite takes undefined for null and keeps NUL in text. */
function checkValues(statement: AnyStatement, values: readonly unknown[]): void {
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index];
    if (typeof value === 'string') {
      if (value.includes('\0')) throw new TypeError(`${statement.name}: $${index + 1} has a NUL character`);
    } else if (value !== null && !Number.isSafeInteger(value)) {
      throw new TypeError(`${statement.name}: $${index + 1} is ${describe(value)}, not text, a safe integer or null`);
    }
  }
}

/** The kind of a refused value; never the value itself, which may be a secret. */
function describe(value: unknown): string {
  return typeof value === 'number' ? 'a number out of range' : typeof value;
}
