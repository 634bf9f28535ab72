/** How statements and transactions travel on a connection to PostgreSQL. */
import pg from 'pg';
import type { EngineDifferences } from './engine-differences.ts';
import { ConnectionLost, commitError, statementError } from './postgres-errors.ts';
import { type AnyStatement, CommitUnknown, type Dialect, type Value } from './storage.ts';
import type { Executor } from './transaction.ts';

/** Both are prepared on every connection when it is made; the first is run by its name, see {@link queryOpening}. */
const BEGIN = 'transaction.begin';
const COMMIT = { name: 'transaction.commit', text: 'commit' };

/** Connections that have ended while a transaction had them; nothing can be sent on them any more. */
const ended = new WeakSet<pg.ClientBase>();

/** Connections on which the server has said that it no longer waits for its standby to confirm a commit. */
const unconfirmed = new WeakSet<pg.ClientBase>();

/** Makes a new connection ready for transactions. */
export async function prepareConnection(client: pg.ClientBase, { beginTransaction }: EngineDifferences): Promise<void> {
  // A connection that breaks while it is in use tells it here, and somebody has to listen or the process ends.
  client.on('error', () => ended.add(client));
  client.on('notice', ({ routine }) => {
    if (routine === STANDBY_WAIT) unconfirmed.add(client);
  });
  await Promise.all([client.query({ name: BEGIN, text: beginTransaction }), client.query(COMMIT)]);
}

/** Runs statements through `query`: one client's, or the pool's for statements that need no transaction. */
export class PostgresExecutor implements Executor {
  /** Whether a statement has changed a row. */
  hasWritten = false;
  readonly #texts: StatementTexts;
  readonly #query: (query: pg.QueryConfig) => Promise<pg.QueryResult>;

  constructor(texts: StatementTexts, query: (query: pg.QueryConfig) => Promise<pg.QueryResult>) {
    this.#texts = texts;
    this.#query = query;
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

  async #run(statement: AnyStatement, values: readonly Value[]): Promise<pg.QueryResult> {
    try {
      return await this.#query({ name: statement.name, text: this.#texts.of(statement), values: [...values] });
    } catch (error) {
      throw statementError(statement.name, error);
    }
  }
}

/** The texts of statements in the dialect of one engine, each made once. */
export class StatementTexts {
  readonly #dialect: Dialect;
  readonly #texts = new Map<AnyStatement, string>();

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  of(statement: AnyStatement): string {
    let text = this.#texts.get(statement);
    if (text === undefined) {
      text = statement.text(this.#dialect);
      this.#texts.set(statement, text);
    }
    return text;
  }
}

/**
 * Runs the first statement of a transaction. BEGIN travels with it, which saves a round trip. Both are followed by one
 * Sync, so that the server skips the statement if BEGIN should fail: it cannot run outside of the transaction.
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
 * Holds back what is sent on a connection until nothing more can be done without an answer, and sends it in one piece. By
 * itself each statement is a call of the system and wakes the server, which is a tenth of what a batch costs.
 */
export function sendTogether(client: pg.PoolClient): void {
  const { stream } = (client as pg.PoolClient & Pick<pg.Client, 'connection'>).connection;
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}

/** The function of PostgreSQL that waits for a standby. Notices name it in every language. */
const STANDBY_WAIT = 'SyncRepWaitForLSN';

/**
 * Commits.
 *
 * @throws CommitUnknown, which is never tried again, when the connection was lost after COMMIT was sent, or when the
 *   server gave up waiting for its synchronous standby: it says COMMIT then with no more than a notice, and a failover to
 *   that standby may lose what was committed
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
  // PostgreSQL answers COMMIT with ROLLBACK when a statement that nobody awaited has failed.
  if (result.command !== 'COMMIT') throw new Error('the transaction was rolled back: one of its statements failed');
}

/** Rolls back. False when the connection cannot be used any more. */
export async function isRolledBack(client: pg.ClientBase): Promise<boolean> {
  try {
    await client.query('rollback');
    return true;
  } catch {
    return false;
  }
}
