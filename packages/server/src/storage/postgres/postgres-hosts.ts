/**
 * The hosts of a PostgreSQL cluster, and the choice of the one that takes writes. The driver has no such choice: this
 * module asks the hosts and chooses one, and every connection to another host is closed.
 */
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { postgresDifferences } from './postgres-differences.ts';
import { CANNOT_BE_REACHED, connectError, Unreachable } from './postgres-errors.ts';
import { PostgresSessions } from './postgres-session.ts';
import { splitPostgresUrl } from './postgres-url.ts';

/** Timeout in milliseconds for connecting to one of several hosts, and again for its answer. */
export const HOST_TIMEOUT_MS = 3_000;
/** Wait in milliseconds for the other hosts after the first host that takes writes has answered. */
const OTHERS_WAIT_MS = 250;

/**
 * Reads whether a server is read-only, and its timeline: a number that rises with every promotion, as eight hexadecimal
 * digits. A standby reports no timeline.
 */
const ASK_STATE = `select
  pg_catalog.pg_is_in_recovery() or pg_catalog.current_setting('transaction_read_only') = 'on' as "isReadOnly",
  case when pg_catalog.pg_is_in_recovery() then '' else ${postgresDifferences.timeline} end as timeline`;

/** Reads only whether a server is read-only. */
const ASK_READ_ONLY = `select
  pg_catalog.pg_is_in_recovery() or pg_catalog.current_setting('transaction_read_only') = 'on' as "isReadOnly"`;

/** A host that takes writes. */
interface Writable {
  readonly url: string;
  readonly timeline: string;
}

/** A client that keeps the URL of its host. */
class HostClient extends pg.Client {
  readonly url: string;

  constructor(url: string, options: pg.ClientConfig) {
    super({ ...options, connectionString: url, connectionTimeoutMillis: HOST_TIMEOUT_MS });
    this.url = url;
  }
}

/**
 * The hosts of a URL. A single host is used without a check, as the driver does it: a server that takes no writes still
 * serves reads. Of several hosts, the one that takes writes is looked up whenever it is not known.
 */
export class PostgresHosts {
  readonly #urls: readonly string[];
  readonly #options: pg.ClientConfig;
  /** Null while no host is chosen. */
  #chosen: string | null;
  #looking: Promise<void> | undefined;

  /**
   * @param url `postgres://user:password@host:port,host:port/name`
   * @param options options of the connections that ask, without the destination
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

  /** The URL of the chosen host; null while none is chosen. */
  get chosen(): string | null {
    return this.#chosen;
  }

  /**
   * Ensures that a host is chosen. Concurrent calls share one look-up.
   *
   * @throws Unreachable when no host takes writes, or StorageAway if waiting would not help
   */
  async choose(): Promise<void> {
    if (this.#chosen !== null) return;
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    await this.#looking;
  }

  /** Drops the choice of a host that does not serve; does nothing if another host has been chosen since. */
  giveUp(url: string | null): void {
    if (this.areSeveral && this.#chosen === url) this.#chosen = null;
  }

  /** The client class for a pool: each client connects to the host that is chosen when it is created. */
  poolClients(): new (options?: pg.ClientConfig) => pg.Client {
    const hosts = this;
    return class extends HostClient {
      constructor(options: pg.ClientConfig = {}) {
        // If no host is chosen any more, the connection fails, or is closed as soon as it is made.
        super(hosts.#chosen ?? hosts.#urls[0]!, options);
      }
    };
  }

  /** The URL of the host of a client of {@link poolClients}; null for other clients. */
  static urlOf(client: pg.ClientBase): string | null {
    return client instanceof HostClient ? client.url : null;
  }

  /** Checks that a new connection leads to a server that takes writes. @throws Unreachable */
  static async requireWritable(client: pg.ClientBase): Promise<void> {
    const { rows } = await client.query<{ isReadOnly: unknown }>(ASK_READ_ONLY);
    if (rows[0]?.isReadOnly) throw new Unreachable('PostgreSQL takes no writes here: it is a standby or read-only');
  }

  /** Asks all hosts at once and chooses the last promoted one, so that a former primary that came back loses. */
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
      // Not awaited: an unresponsive server would delay the choice.
      client.end().catch(() => {});
    }
  }
}

/** The host of a URL with one host, with its port if it has one. */
function hostOf(url: string): string {
  return new URL(url).host;
}

/**
 * Connects to PostgreSQL outside the pool; of several hosts, to the one that takes writes.
 *
 * @param url may name several hosts
 * @throws StorageAway when no host can be reached, or the session is unfit; the message never shows the URL
 */
export async function connectToPostgres(url: string, options: pg.ClientConfig): Promise<pg.Client> {
  const hosts = new PostgresHosts(url, options);
  await hosts.choose();
  const client = new pg.Client({ ...options, connectionString: hosts.chosen! });
  // The next statement reports a broken connection.
  client.on('error', () => {});
  try {
    await client.connect();
    await new PostgresSessions(hosts.chosen!, options).establish(client);
    return client;
  } catch (error) {
    client.connection.stream.destroy();
    throw connectError(error);
  }
}
