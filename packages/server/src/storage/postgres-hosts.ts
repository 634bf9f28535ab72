/**
 * The hosts of a PostgreSQL of which one takes writes, and which of them that is at the moment. The driver knows nothing
 * of this: hosts are asked and chosen here, and every connection to another host than the chosen one is given up.
 */
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import type { EngineDifferences } from './engine-differences.ts';
import { CANNOT_BE_REACHED, connectError, Unreachable } from './postgres-errors.ts';
import { PostgresSessions } from './postgres-session.ts';
import { splitPostgresUrl } from './postgres-url.ts';

/** How long one of several hosts may take to let a connection in, and as long again to answer, in milliseconds. */
export const HOST_TIMEOUT_MS = 3_000;
/** How long the other hosts are waited for once one was found that takes writes, in milliseconds. */
const OTHERS_WAIT_MS = 250;

/**
 * Whether a server takes writes, and its timeline: a number that rises with every promotion, as eight hexadecimal digits.
 * A standby has none to tell.
 */
const ASK_STATE = `select
  pg_catalog.pg_is_in_recovery() or pg_catalog.current_setting('transaction_read_only') = 'on' as "isReadOnly",
  case when pg_catalog.pg_is_in_recovery() then ''
    else pg_catalog.left(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_lsn()), 8) end as timeline`;

/** Asks whether a server takes writes, and nothing else. */
const ASK_READ_ONLY = `select
  pg_catalog.pg_is_in_recovery() or pg_catalog.current_setting('transaction_read_only') = 'on' as "isReadOnly"`;

/** A host that takes writes. */
interface Writable {
  readonly url: string;
  readonly timeline: string;
}

/** A connection that knows where it leads. */
class HostClient extends pg.Client {
  readonly url: string;

  constructor(url: string, options: pg.ClientConfig) {
    super({ ...options, connectionString: url, connectionTimeoutMillis: HOST_TIMEOUT_MS });
    this.url = url;
  }
}

/**
 * The hosts of a URL. With one host nothing is asked and everything is as the driver does it: a server that takes no
 * writes still serves reads. With several, the one that takes writes is found whenever it is not known.
 */
export class PostgresHosts {
  readonly #urls: readonly string[];
  readonly #options: pg.ClientConfig;
  /** Null: it has to be looked for. */
  #chosen: string | null;
  #looking: Promise<void> | undefined;

  /**
   * @param url `postgres://user:password@host:port,host:port/name`
   * @param options of the connections that ask, but for where they lead
   * @throws PostgresUrlError
   */
  constructor(url: string, options: pg.ClientConfig) {
    this.#urls = splitPostgresUrl(url);
    this.#options = options;
    this.#chosen = this.areSeveral ? null : this.#urls[0]!;
  }

  get areSeveral(): boolean {
    return this.#urls.length > 1;
  }

  /** The URL of the one host of which everything is expected; null while that is not known. */
  get chosen(): string | null {
    return this.#chosen;
  }

  /**
   * Sees that a host is chosen. Whoever asks while the hosts are being looked at shares what comes of it.
   *
   * @throws Unreachable, or StorageAway where waiting would not help, when no host takes writes
   */
  async choose(): Promise<void> {
    if (this.#chosen !== null) return;
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    await this.#looking;
  }

  /** Gives up the choice of a host that was found not to serve; does nothing where another one was chosen since. */
  giveUp(url: string | null): void {
    if (this.areSeveral && this.#chosen === url) this.#chosen = null;
  }

  /** Clients for a pool: each leads to the host that is chosen when it is made. */
  poolClients(): new (options?: pg.ClientConfig) => pg.Client {
    const hosts = this;
    return class extends HostClient {
      constructor(options: pg.ClientConfig = {}) {
        // Where none is chosen any more the connection is given up as soon as it is there, or fails before.
        super(hosts.#chosen ?? hosts.#urls[0]!, options);
      }
    };
  }

  /** Where a connection of {@link poolClients} leads. */
  static urlOf(client: pg.ClientBase): string | null {
    return client instanceof HostClient ? client.url : null;
  }

  /** Sees that a new connection leads to a server that takes writes. @throws Unreachable */
  static async requireWritable(client: pg.ClientBase): Promise<void> {
    const { rows } = await client.query<{ isReadOnly: unknown }>(ASK_READ_ONLY);
    if (rows[0]?.isReadOnly) throw new Unreachable('PostgreSQL takes no writes here: it is a standby or read-only');
  }

  /** Asks all hosts at once, and takes the one that was promoted last: an old primary that came back has not been. */
  async #look(): Promise<void> {
    const found: Writable[] = [];
    const failures = new Map<string, Error>();
    const first = Promise.withResolvers<void>();
    const asked = Promise.all(
      this.#urls.map(async (url) => {
        try {
          found.push(await this.#ask(url));
          first.resolve();
        } catch (error) {
          failures.set(url, error as Error);
        }
      }),
    );
    const enough = new AbortController();
    try {
      const others = first.promise.then(() => wait(OTHERS_WAIT_MS, undefined, { signal: enough.signal }));
      await Promise.race([asked, others.catch(() => {})]);
    } finally {
      enough.abort();
    }
    const [newest] = found.toSorted((one, other) => (one.timeline < other.timeline ? 1 : -1));
    if (newest !== undefined) {
      this.#chosen = newest.url;
      return;
    }
    const said = this.#urls.map(
      (url) => `${hostOf(url)}: ${failures.get(url)?.message.replace(CANNOT_BE_REACHED, '')}`,
    );
    const isHopeful = [...failures.values()].every((each) => each instanceof Unreachable);
    const message = `no host of PostgreSQL takes writes (${said.join('; ')})`;
    throw isHopeful ? new Unreachable(message) : connectError(new Error(message));
  }

  async #ask(url: string): Promise<Writable> {
    const client = new HostClient(url, { ...this.#options, query_timeout: HOST_TIMEOUT_MS });
    client.on('error', () => {});
    try {
      await client.connect();
      const { rows } = await client.query<{ isReadOnly: unknown; timeline: string }>(ASK_STATE);
      if (rows[0]!.isReadOnly) throw new Unreachable('it takes no writes');
      return { url, timeline: rows[0]!.timeline };
    } catch (error) {
      throw error instanceof Unreachable ? error : connectError(error);
    } finally {
      // Nobody waits for the end: a server that is silent would hold up the choice.
      client.end().catch(() => {});
    }
  }
}

/** The host of a URL of one host, with its port where it has one. */
function hostOf(url: string): string {
  return new URL(url).host;
}

/**
 * Connects to a PostgreSQL beside the pool, of several hosts to the one that takes writes.
 *
 * @param url may name several hosts
 * @param differences what its sessions are to be set to
 * @throws StorageAway when it cannot be reached, or its sessions cannot be relied on; the message never shows the URL
 */
export async function connectToPostgres(
  url: string,
  differences: EngineDifferences,
  options: pg.ClientConfig,
): Promise<pg.Client> {
  const hosts = new PostgresHosts(url, options);
  await hosts.choose();
  const client = new pg.Client({ ...options, connectionString: hosts.chosen! });
  // What breaks the connection is told by the statement that needs it.
  client.on('error', () => {});
  try {
    await client.connect();
    await new PostgresSessions(hosts.chosen!, differences, options).establish(client);
    return client;
  } catch (error) {
    client.connection.stream.destroy();
    throw connectError(error);
  }
}
