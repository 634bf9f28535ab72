/** The connections to one server that stay open from window to window, so that no window pays for handshakes. */
import type { Connection, ConnectionListener } from './connection.ts';

/** For connections that no window uses. The next window replaces those that break. */
const NOBODY: ConnectionListener = { onAnswer() {}, onBroken() {} };

/** Opens connections to one server, and keeps them. */
export class OpenConnections {
  readonly #open: (listener: ConnectionListener, index: number) => Promise<Connection>;
  #connections: readonly Connection[] = [];

  /** @param open opens the connection with this number, from 0, that reports to a listener */
  constructor(open: (listener: ConnectionListener, index: number) => Promise<Connection>) {
    this.#open = open;
  }

  /** Returns this number of connections that report to the listener. Opens the missing ones, and closes the others. */
  async take(count: number, listener: ConnectionListener): Promise<readonly Connection[]> {
    const kept = this.#connections;
    for (const connection of kept.slice(count)) connection.close();
    this.#connections = await Promise.all(
      Array.from({ length: count }, (_, index) => {
        const connection = kept[index];
        if (connection === undefined || !connection.isOpen) return this.#open(listener, index);
        connection.listener = listener;
        return connection;
      }),
    );
    return this.#connections;
  }

  /** Ends a window. Closes the connections that still wait for a response, and keeps the others. */
  release(): void {
    for (const connection of this.#connections) {
      connection.listener = NOBODY;
      if (connection.inFlight) connection.close();
    }
  }

  close(): void {
    for (const connection of this.#connections) connection.close();
    this.#connections = [];
  }
}
