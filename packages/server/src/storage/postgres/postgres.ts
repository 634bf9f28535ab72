/** The storage on PostgreSQL, which many nodes share. See {@link openPostgres}. */
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { elapsedMs } from '../../ground/base/clock.ts';
import { jitterMs } from '../../ground/base/random.ts';
import type { Distribution, Measures } from '../../ground/measures/measures.ts';
import { NODE_METRICS } from '../../ground/measures/node-metrics.ts';
import { AvailabilityWatch } from '../contract/availability.ts';
import { type CommitListener, CommitListeners } from '../contract/published.ts';
import {
  type Availability,
  CommitUnknown,
  type Dialect,
  type Sql,
  type Storage,
  StorageAway,
  StorageBusy,
  type Tx,
} from '../contract/storage.ts';
import { ReadConnection, Transaction } from '../contract/transaction.ts';
import { WorkUnderWay } from '../contract/work-under-way.ts';
import {
  ANSWER_TIMEOUT_MS,
  CONNECT_TIMEOUT_MS,
  connectionOptions,
  LOCK_TIMEOUT_MS,
  STATEMENT_TIMEOUT_MS,
} from './postgres-connection.ts';
import {
  ConnectionLost,
  connectError,
  isWorthAnotherTry,
  statementError,
  TRANSACTION_POOLER,
  UnfitSession,
  Unwritable,
} from './postgres-errors.ts';
import { PostgresHosts } from './postgres-hosts.ts';
import { PoolConnections } from './postgres-pool.ts';
import { PostgresProbe } from './postgres-probe.ts';
import { PostgresSessions } from './postgres-session.ts';
import {
  commit,
  isRolledBack,
  PostgresExecutor,
  prepareConnection,
  queryOpening,
  StatementTexts,
  sendTogether,
} from './postgres-transaction.ts';
import { statementsFor } from './postgres-version.ts';
import { PostgresWatch, WATCH_BOUNDS, type WatchBounds } from './postgres-watch.ts';

/** Wait before a retry in milliseconds: the pool learns meanwhile which other connections ended with the lost one. */
const RETRY_WAIT_MS = 20;
/**
 * Additional random wait: up to this many milliseconds times the number of tries, so that rivals do not collide again.
 */
const RETRY_SPREAD_MS = 30;

/**
 * Time in milliseconds after which an unused connection is closed. A new one checks the password and plans every
 * statement again. After ten seconds, the default of `pg`, the calls of a console that reads now and then found none.
 */
const IDLE_TIMEOUT_MS = 600_000;

/** Timeout in milliseconds for the server to close the connections of a pool that ends. */
const END_TIMEOUT_MS = 2_000;

/** Options of {@link openPostgres}. */
export interface PostgresOptions {
  /**
   * `postgres://user:password@host:port/name`; may name several hosts. Its parameters (`?sslmode=...`) win over the
   * timeouts of these options.
   */
  readonly url: string;
  /** Maximum number of connections; default: 10. */
  readonly poolSize?: number;
  /** Timeout of a statement that waits for a row lock, in milliseconds. */
  readonly lockTimeoutMs?: number;
  /** Timeout for making a connection, or for getting a free one from the pool, in milliseconds. */
  readonly connectTimeoutMs?: number;
  /** Bounds after which a server that does not answer counts as away. */
  readonly watchBounds?: WatchBounds | undefined;
  /** Called once with each warning about the sessions. */
  readonly noticed?: ((warning: string) => void) | undefined;
  /** Metrics of commits and the pool; none if undefined. */
  readonly measures?: Measures | undefined;
}

interface PostgresParts {
  readonly pool: pg.Pool;
  readonly connections: PoolConnections;
  readonly hosts: PostgresHosts;
  readonly probe: PostgresProbe;
  readonly statements: Dialect;
  readonly watchBounds: WatchBounds;
  readonly measures: Measures | undefined;
}

/**
 * Opens a PostgreSQL database. Transactions are READ COMMITTED and retried after a deadlock.
 *
 * @throws when the database cannot be reached; neither this nor any later error shows the URL or a value
 */
export async function openPostgres(options: PostgresOptions): Promise<Storage> {
  const { url, poolSize = 10, lockTimeoutMs = LOCK_TIMEOUT_MS, connectTimeoutMs = CONNECT_TIMEOUT_MS } = options;
  const { watchBounds = WATCH_BOUNDS, measures } = options;
  const connection = connectionOptions(STATEMENT_TIMEOUT_MS, lockTimeoutMs);
  const hosts = new PostgresHosts(url, connection);
  await hosts.choose();
  const sessions = new PostgresSessions(url, connection, options.noticed);
  const connections = new PoolConnections();
  const pool = new pg.Pool({
    ...connection,
    // With several hosts, each connection leads to the host that is chosen when it is created.
    ...(hosts.areSeveral
      ? { Client: connections.clients(hosts.poolClients()) }
      : { Client: connections.clients(), connectionString: url }),
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: ANSWER_TIMEOUT_MS,
    max: poolSize,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    // Statements that an action starts together are sent together.
    pipeline: true,
    onConnect: async (client: pg.ClientBase) => {
      // All are sent together. The session check comes first, because its error explains why the others failed.
      const prepared = [
        sessions.establish(client, PostgresHosts.urlOf(client) ?? url),
        prepareConnection(client),
        ...(hosts.areSeveral ? [PostgresHosts.requireWritable(client)] : []),
      ] as const;
      const failed = (await Promise.allSettled(prepared)).find(({ status }) => status === 'rejected');
      if (failed?.status === 'rejected') throw failed.reason;
      const pid = await prepared[0];
      if (pid !== null && connections.isShared(client, pid)) throw new UnfitSession(TRANSACTION_POOLER);
    },
  });
  // The pool replaces an idle connection that breaks, and emits an error. Without a listener the process would end.
  pool.on('error', () => {});
  let statements: Dialect;
  try {
    statements = await statementsFor(pool);
  } catch (error) {
    await pool.end();
    throw connectError(error);
  }
  const probe = new PostgresProbe(hosts, connection);
  return new PostgresStorage({ pool, connections, hosts, probe, statements, watchBounds, measures });
}

class PostgresStorage implements Storage {
  readonly engine = 'postgres';
  readonly #pool: pg.Pool;
  readonly #connections: PoolConnections;
  readonly #hosts: PostgresHosts;
  readonly #watch: PostgresWatch;
  readonly #texts: StatementTexts;
  readonly #reads: ReadConnection;
  readonly #commitListeners = new CommitListeners();
  readonly #availability = new AvailabilityWatch();
  readonly #workUnderWay = new WorkUnderWay();
  readonly #commitDurations: Distribution | undefined;
  readonly #connectionWaits: Distribution | undefined;
  #closing: Promise<void> | undefined;

  constructor({ pool, connections, hosts, probe, statements, watchBounds, measures }: PostgresParts) {
    this.#pool = pool;
    this.#connections = connections;
    this.#hosts = hosts;
    const watched = {
      haveAnswered: () => connections.haveAnswered(),
      isBusy: () => !this.#workUnderWay.isEmpty,
      probe,
      away: (reason: string) => this.#breakOff(reason),
      back: () => this.#goOn(),
    };
    this.#watch = new PostgresWatch(watched, watchBounds);
    this.#commitDurations = measures?.histogram(NODE_METRICS.latchkey_commit_duration_seconds, {});
    this.#connectionWaits = measures?.histogram(NODE_METRICS.latchkey_database_connection_wait_seconds, {});
    measures?.beforeSamples(() => measurePool(measures, pool));
    this.#texts = new StatementTexts(statements);
    this.#reads = new ReadConnection(new PostgresExecutor(this.#texts, (query) => this.#query(query)));
  }

  read<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.#workUnderWay.run(() => work(this.#reads));
  }

  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#workUnderWay.run(() => this.#runUntilCommitted(work));
  }

  onCommitted(listener: CommitListener): void {
    this.#commitListeners.add(listener);
  }

  onAvailability(listener: (availability: Availability) => void): void {
    this.#availability.add(listener);
  }

  get isSilent(): boolean {
    return this.#watch.isSilent;
  }

  close(): Promise<void> {
    this.#closing ??= this.#workUnderWay.close().then(() => this.#end());
    return this.#closing;
  }

  async #end(): Promise<void> {
    this.#watch.stop();
    // An unresponsive server never closes its connections.
    const late = setTimeout(() => this.#connections.breakOff(), END_TIMEOUT_MS);
    try {
      await this.#pool.end();
      await this.#connections.haveEnded();
    } finally {
      clearTimeout(late);
    }
  }

  /**
   * Fails all work that waits for a server that is away, and all new work. A server that resumes later finds its
   * connections closed and rolls back uncommitted transactions. The outcome of a COMMIT under way is unknown.
   */
  #breakOff(reason: string): void {
    this.#note(new StorageAway(reason));
    this.#hosts.giveUp(this.#hosts.chosen);
    this.#connections.areBarred = true;
    this.#connections.breakOff();
  }

  #goOn(): void {
    this.#connections.areBarred = false;
    this.#availability.served(false);
  }

  /** Runs a statement of a read. It has no transaction, so after a lost connection it is retried on another. */
  async #query(query: pg.QueryConfig): Promise<pg.QueryResult> {
    for (let tries = 1; ; tries += 1) {
      const client = await this.#connect();
      try {
        const result = await client.query(query);
        client.release();
        this.#availability.served(false);
        return result;
      } catch (error) {
        const reason = statementError(query.name!, error);
        client.release(this.#leaves(client, reason) || reason instanceof ConnectionLost);
        if (!this.#isWorthAnotherTry(reason, tries)) {
          this.#note(reason);
          throw error;
        }
        await pauseAfter(tries);
      }
    }
  }

  async #runUntilCommitted<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      const outcome = await this.#tryOnce(work);
      if ('value' in outcome) return outcome.value;
      const { error, reason } = outcome;
      if (!this.#isWorthAnotherTry(reason, tries)) {
        this.#note(reason);
        // `work` may have wrapped or replaced the error, but the caller must learn that the database could not serve.
        throw reason instanceof StorageAway ? reason : error;
      }
      await pauseAfter(tries);
    }
  }

  /** Runs `work` once. `reason` is the storage error that caused `error`, even if `work` replaced it. */
  async #tryOnce<T>(work: (tx: Tx) => Promise<T>): Promise<{ value: T } | { error: unknown; reason: unknown }> {
    const client = await this.#connect();
    let isOpen = false;
    const send = (query: pg.QueryConfig) => {
      sendTogether(client);
      if (isOpen) return client.query(query);
      isOpen = true;
      return queryOpening(client, query);
    };
    const executor = new PostgresExecutor(this.#texts, send, () => this.#commit(client));
    const transaction = new Transaction(executor);
    let value: T;
    try {
      value = await transaction.finish(work);
      if (isOpen && !transaction.isCommitted) await this.#commit(client);
    } catch (error) {
      transaction.settle(false);
      const reason = transaction.failure ?? error;
      client.release(this.#leaves(client, reason) || (isOpen && !(await isRolledBack(client))));
      return { error, reason };
    }
    client.release();
    if (isOpen) this.#availability.served(executor.hasWritten);
    transaction.settle(true);
    this.#commitListeners.notify(transaction.published);
    return { value };
  }

  async #commit(client: pg.PoolClient): Promise<void> {
    const startedAt = this.#commitDurations === undefined ? 0 : elapsedMs();
    await commit(client);
    this.#commitDurations?.observe((elapsedMs() - startedAt) / 1000);
  }

  async #connect(): Promise<pg.PoolClient> {
    const { awayBecause } = this.#watch;
    if (awayBecause !== null) throw new StorageAway(awayBecause);
    const startedAt = this.#connectionWaits === undefined ? 0 : elapsedMs();
    try {
      const client = this.#hosts.areSeveral ? await this.#connectToChosen() : await this.#pool.connect();
      this.#connectionWaits?.observe((elapsedMs() - startedAt) / 1000);
      return client;
    } catch (error) {
      const reason = connectError(error);
      this.#note(reason);
      // While there are connections, only the call that needs another one fails.
      const isServed = this.#hosts.chosen !== null && this.#connections.areMade;
      if (reason instanceof StorageAway && !isServed) this.#watch.setAway(reason.message);
      throw reason;
    }
  }

  /** Connects to the host that takes writes. If the chosen host does not serve, looks for another one, once. */
  async #connectToChosen(): Promise<pg.PoolClient> {
    for (let failures = 0; ; ) {
      await this.#hosts.choose();
      const { chosen } = this.#hosts;
      try {
        const client = await this.#pool.connect();
        if (PostgresHosts.urlOf(client) === this.#hosts.chosen) return client;
        // A connection to the former host: the pool drops these one by one.
        client.release(true);
      } catch (error) {
        failures += 1;
        if (failures > 1 || connectError(error) instanceof StorageBusy) throw error;
        this.#hosts.giveUp(chosen);
      }
    }
  }

  /**
   * Whether a failure makes a connection unusable: the outcome of its COMMIT is unknown, or its server is one of
   * several and takes no writes. That server is not used again before all hosts were asked.
   */
  #leaves(client: pg.PoolClient, reason: unknown): boolean {
    const isReadOnly = this.#hosts.areSeveral && reason instanceof Unwritable && reason.isReadOnly;
    if (!isReadOnly && !(reason instanceof CommitUnknown)) return false;
    this.#hosts.giveUp(PostgresHosts.urlOf(client));
    return true;
  }

  /** Whether to retry. A read-only server has stored nothing, and with several hosts another one may take the write. */
  #isWorthAnotherTry(reason: unknown, tries: number): boolean {
    if (reason instanceof Unwritable) return this.#hosts.areSeveral && reason.isReadOnly && tries < 2;
    return isWorthAnotherTry(reason, tries);
  }

  /** Reports a failure that concerns the availability of the database. */
  #note(reason: unknown): void {
    if (reason instanceof Unwritable) this.#availability.failed('unwritable', reason.message);
    else if (reason instanceof StorageAway || reason instanceof CommitUnknown)
      this.#availability.failed('away', reason.message);
  }
}

/** Sets the gauges of the pool. */
function measurePool(measures: Measures, { totalCount, idleCount, waitingCount, options }: pg.Pool): void {
  measures.set(NODE_METRICS.latchkey_database_connections, { state: 'idle' }, idleCount);
  measures.set(NODE_METRICS.latchkey_database_connections, { state: 'busy' }, totalCount - idleCount);
  measures.set(NODE_METRICS.latchkey_database_connections_limit, {}, options.max);
  measures.set(NODE_METRICS.latchkey_database_connection_waiters, {}, waitingCount);
}

function pauseAfter(tries: number): Promise<void> {
  return wait(RETRY_WAIT_MS + jitterMs(RETRY_SPREAD_MS * tries));
}
