/** The engine that many nodes share. See {@link openPostgres}. */
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
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
import { postgresWords } from './words.ts';

/** How often a transaction is run that deadlocks each time. */
const MOST_TRIES = 5;
/** Before the next try: long enough for the pool to learn which connections ended with a lost one, */
const RETRY_WAIT_MS = 20;
/** and up to so much longer, times the number of tries so far, that rivals part. */
const RETRY_SPREAD_MS = 30;

const CONNECT_TIMEOUT_MS = 10_000;
const STATEMENT_TIMEOUT_MS = 15_000;
const LOCK_TIMEOUT_MS = 5_000;
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000;
/** The client's own patience, for a server that is gone without a word; longer than the server's. */
const ANSWER_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 5_000;

/** Any number that all migrating nodes know: the key of the advisory lock they take. */
const MIGRATION_LOCK = 5_282_435_539;

const UNIQUE_VIOLATION = '23505';
/** lock_not_available and query_canceled: what the two timeouts of a session say. */
const BUSY_CODES: readonly unknown[] = ['55P03', '57014'];
/** serialization_failure and deadlock_detected: nothing stayed, and the next try may succeed. */
const RETRIED_CODES: readonly unknown[] = ['40001', '40P01'];
/** idle_in_transaction_session_timeout, admin_shutdown, crash_shutdown, cannot_connect_now. */
const CONNECTION_LOST_CODES: readonly unknown[] = ['25P03', '57P01', '57P02', '57P03'];

/** Prepared on every connection when it is made: the first is run by its name, see {@link queryOpening}. */
const BEGIN = { name: 'transaction.begin', text: 'begin isolation level read committed' };
const COMMIT = { name: 'transaction.commit', text: 'commit' };

/**
 * Settings of every session. All statements find their rows by an index and take them in its order, whatever the values,
 * and each takes microseconds; PostgreSQL, which plans for any workload, has to be told:
 *
 * - A plan made while the tables are nearly empty walks through them and is kept until statistics are gathered, 40 times
 *   slower at 50,000 licenses. So walking is made to look expensive from the start, and so is gathering rows to sort them:
 *   a page of a hundred must not sort what a reseller bought in years.
 * - That makes plans look worth compiling or spreading over several processes. Starting these took 10 ms of each list of
 *   expired licenses among ten million.
 * - A plan for any values is taken from the first. Left to itself, PostgreSQL plans lists anew for each page, a third of
 *   their time.
 */
export const SESSION_OPTIONS = [
  'synchronous_commit=on',
  'enable_seqscan=off',
  'enable_bitmapscan=off',
  'enable_hashjoin=off',
  'enable_mergejoin=off',
  'max_parallel_workers_per_gather=0',
  'jit=off',
  'plan_cache_mode=force_generic_plan',
]
  .map((setting) => `-c ${setting}`)
  .join(' ');

/** Options of {@link openPostgres}. */
export interface PostgresOptions {
  /** `postgres://user:password@host:port/name`; its parameters (`?sslmode=...`) win over the timeouts set here. */
  readonly url: string;
  /** The most connections at once. */
  readonly poolSize?: number;
  /** How long a statement waits for a row that somebody else has locked, in milliseconds. */
  readonly lockTimeoutMs?: number;
}

/**
 * Opens a PostgreSQL database. Transactions are READ COMMITTED and run again when they deadlock.
 *
 * @throws when it cannot be reached; neither this nor any later error shows the URL or a value
 */
export async function openPostgres({ url, poolSize = 10, lockTimeoutMs }: PostgresOptions): Promise<Storage> {
  const pool = new pg.Pool({
    ...connectionOptions(url, STATEMENT_TIMEOUT_MS, lockTimeoutMs ?? LOCK_TIMEOUT_MS),
    query_timeout: ANSWER_TIMEOUT_MS,
    max: poolSize,
    // Statements that an action starts together travel together.
    pipeline: true,
    onConnect: (client) => Promise.all([client.query(BEGIN), client.query(COMMIT)]),
  });
  // A connection that breaks tells its pool while it is idle and itself while it is in use. Either way somebody has to
  // listen or the process ends; its statements fail by themselves and the pool replaces it.
  pool.on('error', ignore);
  pool.on('connect', (client) => client.on('error', ignore));
  try {
    (await pool.connect()).release();
  } catch (error) {
    await pool.end();
    throw unreachable(error);
  }
  return new PostgresStorage(pool);
}

/** A connection for {@link migrate}, without a limit on how long a statement takes. */
export async function openPostgresForMigration({ url }: { url: string }): Promise<MigrationConnection> {
  const client = new pg.Client(connectionOptions(url, 0, 0));
  client.on('error', ignore);
  await client.connect().catch((error: unknown) => {
    throw unreachable(error);
  });
  const executor = new PostgresExecutor((query) => client.query(query));
  return {
    exclusively: async (work) => {
      await client.query('begin');
      try {
        await client.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
        const value = await new TransactionScope(executor).finish((tx) =>
          work(tx, async (text) => {
            await client.query(text).catch((error: unknown) => {
              throw new PostgresError('script', error);
            });
          }),
        );
        await client.query('commit');
        return value;
      } catch (error) {
        await client.query('rollback').catch(ignore);
        throw error;
      }
    },
    close: () => client.end(),
  };
}

function connectionOptions(url: string, statementTimeoutMs: number, lockTimeoutMs: number): pg.ClientConfig {
  return {
    connectionString: url,
    application_name: 'latchkey',
    keepAlive: true,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: statementTimeoutMs,
    lock_timeout: lockTimeoutMs,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
    options: SESSION_OPTIONS,
    types: { getTypeParser },
  };
}

function ignore(): void {}

/** The types of integers, of sums of them, and bool, by their numbers in pg_type; all others are read as text. */
const INTEGER_TYPES: readonly number[] = [20, 21, 23, 1700];
const BOOLEAN_TYPE = 16;

function getTypeParser(type: number): (text: string) => Value {
  if (INTEGER_TYPES.includes(type)) return toSafeInteger;
  return type === BOOLEAN_TYPE ? (text) => (text === 't' ? 1 : 0) : (text) => text;
}

function toSafeInteger(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number)) throw new RangeError('a number in the database is out of range');
  return number;
}

/** A statement that PostgreSQL refused or that was lost on the way. Keeps no values: PostgreSQL's details show rows. */
class PostgresError extends Error {
  override readonly name = 'PostgresError';
  /** The SQLSTATE, when the server said one. */
  readonly code: string | undefined;
  readonly isConnectionLost: boolean;

  constructor(what: string, error: unknown) {
    const { message } = error as Error;
    super(`${what}: ${message}`);
    this.code = error instanceof pg.DatabaseError ? error.code : undefined;
    this.isConnectionLost = this.code === undefined ? !(error instanceof RangeError) : isConnectionLost(this.code);
  }
}

function isConnectionLost(code: string): boolean {
  return code.startsWith('08') || CONNECTION_LOST_CODES.includes(code);
}

function toStorageError(statement: Statement, error: unknown): Error {
  if (error instanceof pg.DatabaseError && error.code === UNIQUE_VIOLATION) {
    return new UniquenessViolation(`${statement.name}: ${error.message}`);
  }
  if (error instanceof pg.DatabaseError && BUSY_CODES.includes(error.code)) {
    return new StorageBusy(`${statement.name}: ${error.message}`);
  }
  return new PostgresError(statement.name, error);
}

/** Connection failures name the host, never the URL. A refusal on several addresses at once has a code and no message. */
function unreachable(error: unknown): Error {
  const { message, code } = error as { message?: string; code?: string };
  return new Error(`PostgreSQL cannot be reached: ${message || code}`);
}

/** Runs statements through `query`: one client's, or the pool's for statements that need no transaction. */
class PostgresExecutor implements Executor {
  readonly #query: (query: pg.QueryConfig) => Promise<pg.QueryResult>;

  constructor(query: (query: pg.QueryConfig) => Promise<pg.QueryResult>) {
    this.#query = query;
  }

  async all<Row>(statement: Statement, values: readonly Value[]): Promise<Row[]> {
    return (await this.#run(statement, values)).rows;
  }

  async first<Row>(statement: Statement, values: readonly Value[]): Promise<Row | undefined> {
    return (await this.#run(statement, values)).rows[0];
  }

  async run(statement: Statement, values: readonly Value[]): Promise<number> {
    return (await this.#run(statement, values)).rowCount ?? 0;
  }

  async #run(statement: Statement, values: readonly Value[]): Promise<pg.QueryResult> {
    try {
      return await this.#query({ name: statement.name, text: textOf(statement), values: [...values] });
    } catch (error) {
      throw toStorageError(statement, error);
    }
  }
}

const texts = new Map<Statement, string>();

function textOf(statement: Statement): string {
  let text = texts.get(statement);
  if (text === undefined) {
    text = statement.text(postgresWords);
    texts.set(statement, text);
  }
  return text;
}

class PostgresStorage implements Storage {
  readonly engine = 'postgres';
  readonly #pool: pg.Pool;
  readonly #reads: ReadScope;
  readonly #announcements = new Announcements();
  readonly #gate = new Gate();
  #closing: Promise<void> | undefined;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
    this.#reads = new ReadScope(new PostgresExecutor((query) => this.#query(query)));
  }

  read<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.#gate.pass(() => work(this.#reads));
  }

  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#gate.pass(() => this.#runUntilCommitted(work));
  }

  onCommitted(listener: (subjects: readonly string[]) => void): void {
    this.#announcements.add(listener);
  }

  close(): Promise<void> {
    this.#closing ??= this.#gate.close().then(() => this.#pool.end());
    return this.#closing;
  }

  /** Runs a statement of a read. It stands alone, so one that meets a lost connection is asked again on another. */
  async #query(query: pg.QueryConfig): Promise<pg.QueryResult> {
    for (let tries = 1; ; tries += 1) {
      const client = await this.#connect();
      try {
        const result = await client.query(query);
        client.release();
        return result;
      } catch (error) {
        const reason = new PostgresError(query.name!, error);
        client.release(reason.isConnectionLost);
        if (!isWorthAnotherTry(reason, tries)) throw error;
        await pauseAfter(tries);
      }
    }
  }

  async #runUntilCommitted<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      const ended = await this.#tryOnce(work);
      if ('value' in ended) return ended.value;
      if (!isWorthAnotherTry(ended.reason, tries)) throw ended.error;
      await pauseAfter(tries);
    }
  }

  /** Runs `work` once. `reason` is the storage's own failure behind `error`, whatever `work` made of it. */
  async #tryOnce<T>(work: (tx: Tx) => Promise<T>): Promise<{ value: T } | { error: unknown; reason: unknown }> {
    const client = await this.#connect();
    let isOpen = false;
    const executor = new PostgresExecutor((query) => {
      if (isOpen) return client.query(query);
      isOpen = true;
      return queryOpening(client, query);
    });
    const scope = new TransactionScope(executor);
    let value: T;
    try {
      value = await scope.finish(work);
      if (isOpen) await commit(client);
    } catch (error) {
      client.release(isOpen && !(await isRolledBack(client)));
      return { error, reason: scope.failure ?? error };
    }
    client.release();
    this.#announcements.publish(scope.subjects);
    return { value };
  }

  #connect(): Promise<pg.PoolClient> {
    return this.#pool.connect().catch((error: unknown) => {
      throw unreachable(error);
    });
  }
}

/**
 * Runs the first statement of a transaction. BEGIN travels with it, which saves a round trip. Both are followed by one
 * Sync, so that the server skips the statement if BEGIN should fail: it cannot run outside of the transaction.
 */
function queryOpening(client: pg.PoolClient, config: pg.QueryConfig): Promise<pg.QueryResult> {
  return new Promise((resolve, reject) => {
    const query = new pg.Query(config, (error, results) => {
      if (error) reject(error);
      // The first result is BEGIN's.
      else resolve((results as unknown as pg.QueryResult[])[1]!);
    });
    const { submit } = query;
    query.submit = (connection) => {
      connection.bind({ statement: BEGIN.name }, true);
      connection.execute({}, true);
      return submit.call(query, connection);
    };
    client.query(query);
  });
}

function pauseAfter(tries: number): Promise<void> {
  return wait(RETRY_WAIT_MS + jitterMs(RETRY_SPREAD_MS * tries));
}

/** A deadlock may be tried again several times, a connection lost before COMMIT was sent once. */
function isWorthAnotherTry(reason: unknown, tries: number): boolean {
  if (!(reason instanceof PostgresError)) return false;
  return RETRIED_CODES.includes(reason.code) ? tries < MOST_TRIES : reason.isConnectionLost && tries < 2;
}

/** @throws an error that is never tried again when it is unknown whether the transaction was kept */
async function commit(client: pg.ClientBase): Promise<void> {
  let result: pg.QueryResult;
  try {
    result = await client.query(COMMIT);
  } catch (error) {
    const failure = new PostgresError(COMMIT.name, error);
    if (!failure.isConnectionLost) throw failure;
    throw new Error('the connection was lost during COMMIT: it is unknown whether the transaction was kept', {
      cause: failure,
    });
  }
  // PostgreSQL answers COMMIT with ROLLBACK when a statement that nobody awaited has failed.
  if (result.command !== 'COMMIT') throw new Error('the transaction was rolled back: one of its statements failed');
}

/** Rolls back. False when the connection cannot be used any more. */
async function isRolledBack(client: pg.ClientBase): Promise<boolean> {
  try {
    await client.query('rollback');
    return true;
  } catch {
    return false;
  }
}
