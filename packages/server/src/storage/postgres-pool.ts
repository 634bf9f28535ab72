/** The connections of a pool, seen from outside: whether the server answers on any of them, and how all are broken off. */
import type { Socket } from 'node:net';
import pg from 'pg';

/** What is known of a connection. */
interface Seen {
  /** Bytes that had come from the server at the last look. */
  bytesRead: number;
  /** Whether the server has let the client in. */
  isMade: boolean;
  /** The process that served it when it was made, where a pooler is in between. */
  pid?: number;
}

/** The class of a client, as a pool makes its connections by it. */
type ClientClass = new (options?: pg.ClientConfig) => pg.Client;

/** All connections of one pool, those that are being made included. */
export class PoolConnections {
  readonly #seen = new Map<pg.Client, Seen>();
  #areBarred = false;

  /** Whether the server has let any connection in that has not ended since. */
  get areMade(): boolean {
    return this.#seen.values().some(({ isMade }) => isMade);
  }

  /** A class of clients for the pool, which are known here from their making to their end. */
  clients(base: ClientClass = pg.Client): ClientClass {
    const connections = this;
    return class extends base {
      constructor(options?: pg.ClientConfig) {
        super(options);
        connections.#add(this);
        // The pool connects it in this turn.
        if (connections.#areBarred) process.nextTick(() => this.connection.stream.destroy());
      }
    };
  }

  /** Notes which process serves a connection behind a pooler. Answers whether it serves another one, too. */
  isShared(client: pg.ClientBase, pid: number): boolean {
    const isShared = this.#seen.values().some((seen) => seen.pid === pid);
    const seen = this.#seen.get(client as pg.Client);
    if (seen !== undefined) seen.pid = pid;
    return isShared;
  }

  /** Whether the server has sent anything on any connection since this was asked last. */
  haveAnswered(): boolean {
    let haveAnswered = false;
    for (const [client, seen] of this.#seen) {
      const { bytesRead } = client.connection.stream as Socket;
      if (bytesRead !== seen.bytesRead) haveAnswered = true;
      seen.bytesRead = bytesRead;
    }
    return haveAnswered;
  }

  /** Breaks all connections off: what waits for an answer on them fails at once, and the pool makes others when asked to. */
  breakOff(): void {
    for (const client of this.#seen.keys()) client.connection.stream.destroy();
  }

  /** Whether no connection is to be made: whoever waits for one of the pool fails at once. */
  set areBarred(areBarred: boolean) {
    this.#areBarred = areBarred;
  }

  #add(client: pg.Client): void {
    const seen: Seen = { bytesRead: 0, isMade: false };
    this.#seen.set(client, seen);
    client.once('connect', () => {
      seen.isMade = true;
    });
    client.once('end', () => this.#seen.delete(client));
  }
}
