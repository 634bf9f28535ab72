/** The engine that many nodes share. See {@link openPostgres}. */
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { elapsedMs } from '../clock.ts';
import type { Distribution, Measures } from '../measures/measures.ts';
import { jitterMs } from '../random.ts';
import { AvailabilityWatch } from './availability.ts';
import { CommitListeners } from './commit-listeners.ts';
import { type EngineDifferences, postgresDifferences } from './engine-differences.ts';
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
import { PostgresWatch, WATCH_BOUNDS, type WatchBounds } from './postgres-watch.ts';
import {
  type Availability,
  type CommitListener,
  CommitUnknown,
  type Dialect,
  type Sql,
  type Storage,
  StorageAway,
  StorageBusy,
  type Tx,
} from './storage.ts';
import { ReadConnection, Transaction } from './transaction.ts';
import { WorkUnderWay } from './work-under-way.ts';

/** Before the next try: long enough for the pool to learn which connections ended with a lost one, */
const RETRY_WAIT_MS = 20;
/** and up to so much longer, times the number of tries so far, that rivals part. */
const RETRY_SPREAD_MS = 30;

/** How long a server may take to close the connections of a pool that ends, in milliseconds. */
const END_TIMEOUT_MS = 2_000;

/** Options of {@link openPostgres}. */
export interface PostgresOptions {
  /**
   * `postgres://user:password@host:port/name`, with several hosts perhaps; its parameters (`?sslmode=...`) win over the
   * timeouts set here.
   */
  readonly url: string;
  /** What its server does otherwise; PostgreSQL's own unless told. */
  readonly differences?: EngineDifferences;
  /** The most connections at once. */
  readonly poolSize?: number;
  /** How long a statement waits for a row that somebody else has locked, in milliseconds. */
  readonly lockTimeoutMs?: number;
  /** How long to wait for a connection to be made, or for one of the pool that is free, in milliseconds. */
  readonly connectTimeoutMs?: number;
  /** When the server counts as away because it answers nothing. */
  readonly watchBounds?: WatchBounds | undefined;
  /** Told, once, of each thing about its sessions that an operator should know. */
  readonly noticed?: ((warning: string) => void) | undefined;
  /** Where commits and the pool are measured, if anywhere. */
  readonly measures?: Measures | undefined;
}

/** What a storage has of its server. */
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
 * Opens a PostgreSQL database. Transactions are READ COMMITTED and run again when they deadlock.
 *
 * @throws when it cannot be reached; neither this nor any later error shows the URL or a value
 */
export async function openPostgres(options: PostgresOptions): Promise<Storage> {
  const { url, poolSize = 10, lockTimeoutMs = LOCK_TIMEOUT_MS, connectTimeoutMs = CONNECT_TIMEOUT_MS } = options;
  const { differences = postgresDifferences, watchBounds = WATCH_BOUNDS, measures } = options;
  const connection = connectionOptions(differences, STATEMENT_TIMEOUT_MS, lockTimeoutMs);
  const hosts = new PostgresHosts(url, connection);
  await hosts.choose();
  const sessions = new PostgresSessions(url, differences, connection, options.noticed);
  const connections = new PoolConnections();
  const pool = new pg.Pool({
    ...connection,
    // With several hosts each connection leads to the one that is chosen when it is made.
    ...(hosts.areSeveral
      ? { Client: connections.clients(hosts.poolClients()) }
      : { Client: connections.clients(), connectionString: url }),
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: ANSWER_TIMEOUT_MS,
    max: poolSize,
    // Statements that an action starts together travel together.
    pipeline: true,
    onConnect: async (client: pg.ClientBase) => {
      // All of it travels together. What the session says of itself explains why the rest may have failed.
      const prepared = [
        sessions.establish(client, PostgresHosts.urlOf(client) ?? url),
        prepareConnection(client, differences),
        ...(hosts.areSeveral ? [PostgresHosts.requireWritable(client)] : []),
      ] as const;
      const failed = (await Promise.allSettled(prepared)).find(({ status }) => status === 'rejected');
      if (failed?.status === 'rejected') throw failed.reason;
      const pid = await prepared[0];
      if (pid !== null && connections.isShared(client, pid)) throw new UnfitSession(TRANSACTION_POOLER);
    },
  });
  // A connection that breaks while it is idle tells its pool, which replaces it; somebody has to listen or the process
  // ends.
  pool.on('error', () => {});
  try {
    (await pool.connect()).release();
  } catch (error) {
    await pool.end();
    throw connectError(error);
  }
  const { statements } = differences;
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
    this.#commitDurations = measures?.histogram('latchkey_commit_duration_seconds', {});
    this.#connectionWaits = measures?.histogram('latchkey_database_connection_wait_seconds', {});
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
    // A server that stands still closes nothing.
    const late = setTimeout(() => this.#connections.breakOff(), END_TIMEOUT_MS);
    try {
      await this.#pool.end();
    } finally {
      clearTimeout(late);
    }
  }

  /**
   * Makes all work fail that waits for a server which is away, and all that comes. A server that goes on later finds its
   * connections closed: it rolls back what was not committed, and of a COMMIT it is unknown what came.
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

  /** Runs a statement of a read. It stands alone, so one that meets a lost connection is asked again on another. */
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
        // Whatever the work made of it, the caller has to know that the database could not serve.
        throw reason instanceof StorageAway ? reason : error;
      }
      await pauseAfter(tries);
    }
  }

  /** Runs `work` once. `reason` is the storage's own failure behind `error`, whatever `work` made of it. */
  async #tryOnce<T>(work: (tx: Tx) => Promise<T>): Promise<{ value: T } | { error: unknown; reason: unknown }> {
    const client = await this.#connect();
    let isOpen = false;
    const executor = new PostgresExecutor(this.#texts, (query) => {
      sendTogether(client);
      if (isOpen) return client.query(query);
      isOpen = true;
      return queryOpening(client, query);
    });
    const transaction = new Transaction(executor);
    let value: T;
    try {
      value = await transaction.finish(work);
      if (isOpen) await this.#commit(client);
    } catch (error) {
      transaction.settle(false);
      const reason = transaction.failure ?? error;
      client.release(this.#leaves(client, reason) || (isOpen && !(await isRolledBack(client))));
      return { error, reason };
    }
    client.release();
    if (isOpen) this.#availability.served(executor.hasWritten);
    transaction.settle(true);
    this.#commitListeners.notify(transaction.changedLicenseKeys, transaction.recorded);
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
      // While there are connections, only the call that needed another one cannot be served.
      const isServed = this.#hosts.chosen !== null && this.#connections.areMade;
      if (reason instanceof StorageAway && !isServed) this.#watch.setAway(reason.message);
      throw reason;
    }
  }

  /** A connection to the host that takes writes, which is looked for again once where the chosen one does not serve. */
  async #connectToChosen(): Promise<pg.PoolClient> {
    for (let failures = 0; ; ) {
      await this.#hosts.choose();
      const { chosen } = this.#hosts;
      try {
        const client = await this.#pool.connect();
        if (PostgresHosts.urlOf(client) === this.#hosts.chosen) return client;
        // It was made before the choice: what the pool has of the former host goes away one by one.
        client.release(true);
      } catch (error) {
        failures += 1;
        if (failures > 1 || connectError(error) instanceof StorageBusy) throw error;
        this.#hosts.giveUp(chosen);
      }
    }
  }

  /**
   * Whether a connection is of no use after a failure: nobody knows what its server makes of a COMMIT, or its server, one
   * of several, takes no writes. That server is not taken any more before all were asked.
   */
  #leaves(client: pg.PoolClient, reason: unknown): boolean {
    const isReadOnly = this.#hosts.areSeveral && reason instanceof Unwritable && reason.isReadOnly;
    if (!isReadOnly && !(reason instanceof CommitUnknown)) return false;
    this.#hosts.giveUp(PostgresHosts.urlOf(client));
    return true;
  }

  /** Nothing is kept of what a read-only server refused; with several hosts another one may take it. */
  #isWorthAnotherTry(reason: unknown, tries: number): boolean {
    if (reason instanceof Unwritable) return this.#hosts.areSeveral && reason.isReadOnly && tries < 2;
    return isWorthAnotherTry(reason, tries);
  }

  /** Notes a failure that says something about the database. */
  #note(reason: unknown): void {
    if (reason instanceof Unwritable) this.#availability.failed('unwritable', reason.message);
    else if (reason instanceof StorageAway || reason instanceof CommitUnknown)
      this.#availability.failed('away', reason.message);
  }
}

/** Sets what there is of the pool. */
function measurePool(measures: Measures, { totalCount, idleCount, waitingCount, options }: pg.Pool): void {
  measures.set('latchkey_database_connections', { state: 'idle' }, idleCount);
  measures.set('latchkey_database_connections', { state: 'busy' }, totalCount - idleCount);
  measures.set('latchkey_database_connections_limit', {}, options.max);
  measures.set('latchkey_database_connection_waiters', {}, waitingCount);
}

function pauseAfter(tries: number): Promise<void> {
  return wait(RETRY_WAIT_MS + jitterMs(RETRY_SPREAD_MS * tries));
}
