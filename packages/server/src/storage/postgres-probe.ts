/** Asks a PostgreSQL whether it is there, on a connection beside the pool, which may be full of work that waits. */
import pg from 'pg';
import type { PostgresHosts } from './postgres-hosts.ts';

/** How long the server may take to let the connection in and to answer, in milliseconds. */
const PATIENCE_MS = 2_000;

/** One question at a time. The connection is kept until {@link PostgresProbe.rest}. */
export class PostgresProbe {
  readonly #hosts: PostgresHosts;
  readonly #options: pg.ClientConfig;
  #client: pg.Client | undefined;

  /** @param options of the connection, but for where it leads */
  constructor(hosts: PostgresHosts, options: pg.ClientConfig) {
    this.#hosts = hosts;
    this.#options = options;
  }

  /**
   * Answers whether the server serves, or says itself that it does not; of several hosts it is the one that takes writes.
   *
   * @throws when it says nothing
   */
  async ask(): Promise<'serves' | 'refuses'> {
    let late: NodeJS.Timeout | undefined;
    try {
      await this.#hosts.choose();
      // The parameters of the URL may set the timeouts of the driver.
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

  /** Gives the connection up. A question under way fails. */
  rest(): void {
    // A server that is silent would not close it.
    this.#client?.connection.stream.destroy();
    this.#client = undefined;
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client({ ...this.#options, connectionString: this.#hosts.chosen! });
    // What breaks the connection is told by the next question.
    client.on('error', () => {});
    this.#client = client;
    await client.connect();
    return client;
  }
}
