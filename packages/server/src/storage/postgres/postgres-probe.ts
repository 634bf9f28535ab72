/** Probes PostgreSQL on a connection outside the pool, because all connections of the pool may be waiting. */
import pg from 'pg';
import type { PostgresHosts } from './postgres-hosts.ts';

/** Timeout for the connection and the answer together, in milliseconds. */
const PATIENCE_MS = 2_000;

/** Runs one probe at a time. Keeps its connection until {@link PostgresProbe.rest}. */
export class PostgresProbe {
  readonly #hosts: PostgresHosts;
  readonly #options: pg.ClientConfig;
  #client: pg.Client | undefined;

  /** @param options connection options without the destination */
  constructor(hosts: PostgresHosts, options: pg.ClientConfig) {
    this.#hosts = hosts;
    this.#options = options;
  }

  /**
   * Resolves with 'serves', or with 'refuses' if the server answers with an error. Of several hosts, probes the one
   * that takes writes.
   *
   * @throws when the server does not answer
   */
  async ask(): Promise<'serves' | 'refuses'> {
    let late: NodeJS.Timeout | undefined;
    try {
      await this.#hosts.choose();
      // The timeouts of the driver are no substitute: parameters of the URL may override them.
      late = setTimeout(() => this.rest(), PATIENCE_MS);
      this.#client ??= await this.#connect();
      await this.#client.query('select 1');
      return 'serves';
    } catch (error) {
      this.rest();
      if (error instanceof pg.DatabaseError) return 'refuses';
      throw error;
    } finally {
      clearTimeout(late);
    }
  }

  /** Drops the connection. A probe under way fails. */
  rest(): void {
    // An unresponsive server would never close it.
    this.#client?.connection.stream.destroy();
    this.#client = undefined;
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client({ ...this.#options, connectionString: this.#hosts.chosen! });
    // The next probe reports a broken connection.
    client.on('error', () => {});
    this.#client = client;
    await client.connect();
    return client;
  }
}
