/** The engines' shared rules for statements: the values that may be bound, and the effect of a failure. */
import { Published, type Topic } from './published.ts';
import type { AnyStatement, Sql, Statement, Tx, Value } from './storage.ts';

/** Runs statements with checked values on one connection. SQLite returns results at once, PostgreSQL promises. */
export interface Executor {
  /** {@link import('./storage.ts').Dialect.writesTwoTables} of the database; false where it is absent. */
  readonly writesTwoTables?: boolean;
  all<Row>(statement: AnyStatement, values: readonly Value[]): Row[] | Promise<Row[]>;
  first<Row>(statement: AnyStatement, values: readonly Value[]): Row | undefined | Promise<Row | undefined>;
  run(statement: AnyStatement, values: readonly Value[]): number | Promise<number>;
  /** Runs a write and commits; absent where a commit of its own costs nothing more. */
  runAndCommit?(statement: AnyStatement, values: readonly Value[]): Promise<number>;
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
 * A failed statement dooms the transaction, even if `work` catches the error. PostgreSQL can only roll back then, and
 * SQLite, which could go on, must behave alike.
 */
export class Transaction implements Tx {
  /** The messages published so far. */
  readonly published = new Published();
  /** The error of the first failed statement; undefined if none failed. */
  failure: unknown;
  /** Whether the last write has committed it. */
  isCommitted = false;
  readonly #executor: Executor;
  readonly #effects: ((isCommitted: boolean) => void)[] = [];
  #isOver = false;

  get writesTwoTables(): boolean {
    return this.#executor.writesTwoTables ?? false;
  }

  constructor(executor: Executor) {
    this.#executor = executor;
  }

  /** Runs `work` to its end. @throws errors of `work`, and the failure of a statement that `work` caught */
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

  async runLast(statement: AnyStatement, ...values: Value[]): Promise<number> {
    this.#prepareFor(statement, values);
    this.#isOver = true;
    const executor = this.#executor;
    try {
      if (executor.runAndCommit === undefined) return await executor.run(statement, values);
      const changed = await executor.runAndCommit(statement, values);
      this.isCommitted = true;
      return changed;
    } catch (error) {
      throw this.#doom(error);
    }
  }

  publish<Message>(topic: Topic<Message>, message: Message): void {
    this.published.add(topic, message);
  }

  afterwards(effect: (isCommitted: boolean) => void): void {
    this.#effects.push(effect);
  }

  /** Runs the registered effects with the outcome of the transaction. Later calls have no effect. */
  settle(isCommitted: boolean): void {
    for (const effect of this.#effects.splice(0)) effect(isCommitted);
  }

  #prepareFor(statement: AnyStatement, values: readonly unknown[]): void {
    // A statement that was not awaited would otherwise run inside a later transaction.
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

/** Refuses values that the engines bind differently: SQLite takes undefined for null and keeps NUL in text. */
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

/** The type of a refused value; never the value itself, which may be a secret. */
function describe(value: unknown): string {
  return typeof value === 'number' ? 'a number out of range' : typeof value;
}
