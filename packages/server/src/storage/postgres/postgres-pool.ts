/** Tracks the connections of a pool: detects answers of the server on any of them, and closes them all. */
import type { Socket } from 'node:net';
import pg from 'pg';

/** State of a connection. */
interface Seen {
  /** Bytes received from the server at the last check. */
  bytesRead: number;
  /** Whether the handshake is complete. */
  isMade: boolean;
  /** Id of the backend process at the handshake, if a pooler is in between. */
  pid?: number;
}

/** The class of a client, from which a pool creates its connections. */
type ClientClass = new (options?: pg.ClientConfig) => pg.Client;

/** All connections of one pool, including those under construction. */
export class PoolConnections {
  readonly #seen = new Map<pg.Client, Seen>();
  readonly #ended = Promise.withResolvers<void>();
  #isEnding = false;
  #areBarred = false;

  /** Whether any connection is established. */
  get areMade(): boolean {
    return this.#seen.values().some(({ isMade }) => isMade);
  }

  /** A client class for the pool; its clients are tracked from construction to end. */
  clients(base: ClientClass = pg.Client): ClientClass {
    const connections = this;
    return class extends base {
      constructor(options?: pg.ClientConfig) {
        super(options);
        connections.#add(this);
        // The pool connects the client in this tick.
        if (connections.#areBarred) process.nextTick(() => this.connection.stream.destroy());
      }
    };
  }

  /** Notes the backend process of a connection behind a pooler. Returns whether it also serves another connection. */
  isShared(client: pg.ClientBase, pid: number): boolean {
    const isShared = this.#seen.values().some((seen) => seen.pid === pid);
    const seen = this.#seen.get(client as pg.Client);
    if (seen !== undefined) seen.pid = pid;
    return isShared;
  }

  /** Whether the server has sent anything on any connection since the last call. */
  haveAnswered(): boolean {
    let haveAnswered = false;
    for (const [client, seen] of this.#seen) {
      const { bytesRead } = client.connection.stream as Socket;
      if (bytesRead !== seen.bytesRead) haveAnswered = true;
      seen.bytesRead = bytesRead;
    }
    return haveAnswered;
  }

  /** Closes all connections: their pending queries fail at once. The pool makes new connections on demand. */
  breakOff(): void {
    for (const client of this.#seen.keys()) client.connection.stream.destroy();
  }

  /**
   * Resolves when the last connection is closed on both sides. Call it after the pool has ended: `pg` ends a pool as
   * soon as it has told the server so, while the server still counts the connections.
   */
  haveEnded(): Promise<void> {
    this.#isEnding = true;
    this.#endWithLast();
    return this.#ended.promise;
  }

  /** While true, no connection is made: calls that wait for one of the pool fail at once. */
  set areBarred(areBarred: boolean) {
    this.#areBarred = areBarred;
  }

  #add(client: pg.Client): void {
    const seen: Seen = { bytesRead: 0, isMade: false };
    this.#seen.set(client, seen);
    client.once('connect', () => {
      seen.isMade = true;
    });
    client.once('end', () => {
      this.#seen.delete(client);
      this.#endWithLast();
    });
  }

  #endWithLast(): void {
    if (this.#isEnding && this.#seen.size === 0) this.#ended.resolve();
  }
}
