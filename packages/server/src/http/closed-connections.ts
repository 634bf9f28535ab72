/** Connections that the service closed to make room for others, for the log and the metrics. */
import type { Logger } from 'pino';
import { MINUTE_MS } from '../clock.ts';

/** Why: its answers were not read while too much was unsent; or there were too many connections. */
export type ClosedFor = 'unread' | 'connections';

/** Counts closed connections. */
export interface ClosedConnections {
  note(why: ClosedFor): void;
  /** How many were closed since the start. */
  count(why: ClosedFor): number;
}

/** Logs the first at once, and what follows once a minute. */
export function countClosed(logger: Pick<Logger, 'warn'>): ClosedConnections {
  const counts = { unread: 0, connections: 0 };
  let logged = { ...counts };
  let timer: NodeJS.Timeout | undefined;

  function log(): void {
    timer = undefined;
    const [unread, connections] = [counts.unread - logged.unread, counts.connections - logged.connections];
    if (unread + connections === 0) return;
    logged = { ...counts };
    logger.warn({ event: 'connections.closed', unread, connections });
    timer = setTimeout(log, MINUTE_MS).unref();
  }

  return {
    note(why) {
      counts[why] += 1;
      if (timer === undefined) log();
    },
    count: (why) => counts[why],
  };
}
