/** Counts the connections that the service closed to make room for others, for the log. */
import type { Logger } from 'pino';
import { MINUTE_MS } from '../../ground/base/clock.ts';
import type { ConnectionBound } from './connections.ts';

/** The reason: its replies were not read while too many bytes were unsent, or there were too many connections. */
export type ClosedFor = 'unread' | ConnectionBound;

const NONE: Readonly<Record<ClosedFor, number>> = { unread: 0, network: 0, connections: 0 };

/**
 * Returns a function that notes a closed connection: it logs the first one at once, and later ones once a minute.
 *
 * @param onClosed called for each of them
 */
export function logClosedConnections(
  logger: Pick<Logger, 'warn'>,
  onClosed: (reason: ClosedFor) => void,
): (reason: ClosedFor) => void {
  let unlogged = { ...NONE };
  let timer: NodeJS.Timeout | undefined;

  function log(): void {
    timer = undefined;
    const { unread, network, connections } = unlogged;
    if (unread + network + connections === 0) return;
    logger.warn({ event: 'connections.closed', unread, network, connections });
    unlogged = { ...NONE };
    timer = setTimeout(log, MINUTE_MS).unref();
  }

  return (reason) => {
    onClosed(reason);
    unlogged[reason] += 1;
    if (timer === undefined) log();
  };
}
