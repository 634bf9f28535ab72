/** Sends statements and transactions on a connection to PostgreSQL. */
import pg from 'pg';
import { type AnyStatement, CommitUnknown, type Dialect, type Value } from '../contract/storage.ts';
import type { Executor } from '../contract/transaction.ts';
import { postgresDifferences } from './postgres-differences.ts';
import { ConnectionLost, commitError, statementError } from './postgres-errors.ts';

/** Both are prepared on every new connection; {@link queryOpening} runs BEGIN by its name. */
const BEGIN = 'transaction.begin';
const COMMIT = { name: 'transaction.commit', text: 'commit' };

/** Connections that ended while a transaction used them. */
const ended = new WeakSet<pg.ClientBase>();

/** Connections whose server has stopped waiting for its standby to confirm a commit. */
const unconfirmed = new WeakSet<pg.ClientBase>();

/** Prepares a new connection for transactions. */
export async function prepareConnection(client: pg.ClientBase): Promise<void> {
  // A connection that breaks during use emits an error. Without a listener the process would end.
  client.on('error', () => ended.add(client));
  client.on('notice', ({ routine }) => {
    if (routine === STANDBY_WAIT) unconfirmed.add(client);
  });
  await Promise.all([client.query({ name: BEGIN, text: postgresDifferences.beginTransaction }), client.query(COMMIT)]);
}

/** Runs statements through the `query` of a client, or of the pool for statements without a transaction. */
export class PostgresExecutor implements Executor {
  /** Whether a statement has changed a row. */
  hasWritten = false;
  readonly #texts: StatementTexts;
  readonly #query: (query: pg.QueryConfig) => Promise<pg.QueryResult>;
  readonly #commit: () => Promise<void>;

  /** @param commitOpen commits the transaction of these statements */
  constructor(
    texts: StatementTexts,
    query: (query: pg.QueryConfig) => Promise<pg.QueryResult>,
    commitOpen: () => Promise<void> = () => Promise.reject(new Error('no transaction is open')),
  ) {
    this.#texts = texts;
    this.#query = query;
    this.#commit = commitOpen;
  }

  get writesTwoTables(): boolean {
    return this.#texts.dialect.writesTwoTables;
  }

  async all<Row>(statement: AnyStatement, values: readonly Value[]): Promise<Row[]> {
    return (await this.#run(statement, values)).rows;
  }

  async first<Row>(statement: AnyStatement, values: readonly Value[]): Promise<Row | undefined> {
    return (await this.#run(statement, values)).rows[0];
  }

  async run(statement: AnyStatement, values: readonly Value[]): Promise<number> {
    const changed = (await this.#run(statement, values)).rowCount ?? 0;
    if (changed > 0) this.hasWritten = true;
    return changed;
  }

  /**
   * Sends COMMIT behind the write, without waiting for the result of the write. The server answers it with ROLLBACK if
   * the write has failed.
   *
   * @throws CommitUnknown also when the connection was lost during the write, because COMMIT was sent with it
   */
  async runAndCommit(statement: AnyStatement, values: readonly Value[]): Promise<number> {
    const [written, committed] = await Promise.allSettled([this.run(statement, values), this.#commit()]);
    if (committed.status === 'rejected' && committed.reason instanceof CommitUnknown) throw committed.reason;
    if (written.status === 'rejected') throw written.reason;
    if (committed.status === 'rejected') throw committed.reason;
    return written.value;
  }

  async #run(statement: AnyStatement, values: readonly Value[]): Promise<pg.QueryResult> {
    try {
      return await this.#query({ name: statement.name, text: this.#texts.of(statement), values: [...values] });
    } catch (error) {
      throw statementError(statement.name, error);
    }
  }
}

/** Caches the texts of statements in the dialect of one engine. */
export class StatementTexts {
  readonly dialect: Dialect;
  readonly #texts = new Map<AnyStatement, string>();

  constructor(dialect: Dialect) {
    this.dialect = dialect;
  }

  of(statement: AnyStatement): string {
    let text = this.#texts.get(statement);
    if (text === undefined) {
      text = statement.text(this.dialect);
      this.#texts.set(statement, text);
    }
    return text;
  }
}

/**
 * Runs the first statement of a transaction together with BEGIN, which saves a round trip. One Sync follows both, so
 * the server skips the statement if BEGIN fails: the statement cannot run outside the transaction.
 */
export function queryOpening(client: pg.PoolClient, config: pg.QueryConfig): Promise<pg.QueryResult> {
  return new Promise((resolve, reject) => {
    const query = new pg.Query(config, (error, results) => {
      if (error) reject(error);
      // The first result is BEGIN's.
      else resolve((results as unknown as pg.QueryResult[])[1]!);
    });
    const { submit } = query;
    query.submit = (connection) => {
      connection.bind({ statement: BEGIN }, true);
      connection.execute({}, true);
      return submit.call(query, connection);
    };
    client.query(query);
  });
}

/**
 * Buffers the messages of a connection until the end of the tick and sends them in one piece. Otherwise each statement
 * would be a system call and wake the server, which is a tenth of the cost of a batch.
 */
export function sendTogether(client: pg.PoolClient): void {
  const { stream } = (client as pg.PoolClient & Pick<pg.Client, 'connection'>).connection;
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}

/**
 * The function of PostgreSQL that waits for a standby. Notices name it in every language, and sessions have the
 * `client_min_messages` with which they arrive.
 */
const STANDBY_WAIT = 'SyncRepWaitForLSN';

/**
 * Commits.
 *
 * @throws CommitUnknown, which is never retried, when the connection was lost after COMMIT was sent, or when the server
 *   gave up waiting for its synchronous standby: it then reports success with only a notice, and a failover to that
 *   standby may lose the transaction
 */
export async function commit(client: pg.ClientBase): Promise<void> {
  if (ended.has(client)) throw new ConnectionLost('the connection was lost before COMMIT');
  unconfirmed.delete(client);
  let result: pg.QueryResult;
  try {
    result = await client.query(COMMIT);
  } catch (error) {
    throw commitError(COMMIT.name, error);
  }
  if (unconfirmed.delete(client))
    throw new CommitUnknown('the standby did not confirm the transaction in time: a failover may lose it');
  // PostgreSQL answers COMMIT with ROLLBACK when a statement that was not awaited has failed.
  if (result.command !== 'COMMIT') throw new Error('the transaction was rolled back: one of its statements failed');
}

/** Rolls back. Returns false when the connection is unusable. */
export async function isRolledBack(client: pg.ClientBase): Promise<boolean> {
  try {
    await client.query('rollback');
    return true;
  } catch {
    return false;
  }
}
