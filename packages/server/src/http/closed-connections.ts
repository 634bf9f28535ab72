/** Counts the connections that the service closed to make room for others, for the log. */
import type { Logger } from 'pino';
import { MINUTE_MS } from '../clock.ts';

/** The reason: its replies were not read while too many bytes were unsent, or there were too many connections. */
export type ClosedFor = 'unread' | 'connections';

/** Returns a function that notes a closed connection: it logs the first one at once, and later ones once a minute. */
export function logClosedConnections(logger: Pick<Logger, 'warn'>): (reason: ClosedFor) => void {
  let unlogged = { unread: 0, connections: 0 };
  let timer: NodeJS.Timeout | undefined;

  function log(): void {
    timer = undefined;
    const { unread, connections } = unlogged;
    if (unread + connections === 0) return;
    logger.warn({ event: 'connections.closed', unread, connections });
    unlogged = { unread: 0, connections: 0 };
    timer = setTimeout(log, MINUTE_MS).unref();
  }

  return (reason) => {
    unlogged[reason] += 1;
    if (timer === undefined) log();
  };
}
