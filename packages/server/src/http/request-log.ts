/**
 * One JSON line per request worth a line: whatever is refused or fails, and everything but the client endpoints'
 * successes, which are told at level debug only (there are thousands a second of them). Never a secret, a query string
 * or a full license key.
 */
import { type Logger, pino } from 'pino';
import type { Clock } from '../clock.ts';
import type { Outcome } from '../dispatch/call.ts';
import type { Endpoint } from '../endpoint/endpoint.ts';

/** A request that was answered. */
export interface AnsweredRequest {
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  readonly outcome: Outcome;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly address: string | undefined;
  readonly licenseKey: unknown;
}

export type RequestLog = (request: AnsweredRequest) => void;

/** The service's log: JSON lines on standard output, written in the background. */
export function createLogger(level: string): Logger {
  return pino(
    { level, base: { pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ dest: 1, sync: false, minLength: 0 }),
  );
}

/** A request log on a logger. */
export function createRequestLog(logger: Logger, endpoints: ReadonlyMap<string, Endpoint>, clock: Clock): RequestLog {
  const isRoutineLogged = logger.isLevelEnabled('debug');
  return ({ requestId, method, path, outcome, startedAt, address, licenseKey }) => {
    const isSuccess = outcome.status < 400;
    const isRoutine = isSuccess && endpoints.get(path)?.access === 'client';
    if (isRoutine && !isRoutineLogged) return;
    const line = {
      event: `request.${isSuccess ? 'done' : outcome.status < 500 ? 'refused' : 'failed'}`,
      requestId,
      method,
      path: endpoints.has(path) ? path : maskUnknownPath(path),
      status: outcome.status,
      reason: outcome.refused,
      license: maskLicenseKey(licenseKey),
      address,
      durationMs: clock() - startedAt,
      failure: outcome.failure,
    };
    if (outcome.failure !== undefined) logger.error(line);
    else if (isRoutine) logger.debug(line);
    else logger.info(line);
  };
}

/**
 * Enough of a license key to find it with a customer on the phone, too little to use it. Of what has another form
 * nothing is shown: it may be a secret in the wrong place.
 */
function maskLicenseKey(licenseKey: unknown): string | undefined {
  if (typeof licenseKey !== 'string') return undefined;
  const key = licenseKey.trim().toUpperCase();
  return /^\w{5}(-\w{5}){4}$/.test(key) ? `${key.slice(0, 5)}…${key.slice(-5)}` : '…';
}

/**
 * Enough of a path that leads nowhere to see what was meant. Keys, codes and secrets that somebody made a part of a path
 * are longer than what is shown, or not letters alone; and nobody can fill the log with one request.
 */
function maskUnknownPath(path: string): string {
  const parts = path.split('/', 10).map((part) => (/^([A-Za-z]{0,30}|.{0,12})$/.test(part) ? part : '…'));
  return parts.join('/');
}
