/**
 * Closes connections that wait for their next request for too long. Node can do so too, but sets and clears a timer for
 * every request, which takes about 2 % of the main thread's CPU under load.
 */
import type { Socket } from 'node:net';
import { elapsedMs } from '../../ground/base/clock.ts';

export class IdleConnections {
  readonly #keepAliveMs: number;
  readonly #isIdle: (socket: Socket) => boolean;
  readonly #clock: () => number;
  /** Since when a connection is known to be idle, by the clock, and the bytes read from it by then. */
  readonly #known = new WeakMap<Socket, { readonly since: number; readonly bytesRead: number }>();

  /**
   * @param keepAliveMs time after which an idle connection is closed
   * @param isIdle true if all requests of a connection have been answered and the replies sent
   * @param clock milliseconds since an arbitrary moment
   */
  constructor(keepAliveMs: number, isIdle: (socket: Socket) => boolean, clock: () => number = elapsedMs) {
    this.#keepAliveMs = keepAliveMs;
    this.#isIdle = isIdle;
    this.#clock = clock;
  }

  /**
   * Closes each connection that an earlier look found idle, at least the keep-alive time ago, if no byte has arrived
   * since. With looks at intervals, a connection stays open for up to two intervals longer than that time.
   */
  look(sockets: Iterable<Socket>): void {
    const now = this.#clock();
    for (const socket of sockets) {
      const { bytesRead } = socket;
      const known = this.#known.get(socket);
      if (!this.#isIdle(socket)) this.#known.delete(socket);
      else if (known?.bytesRead !== bytesRead) this.#known.set(socket, { since: now, bytesRead });
      else if (now - known.since >= this.#keepAliveMs) socket.destroy();
    }
  }
}
