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

/** A request log on a logger. Unknown paths are cut, so that nobody can fill the log with one request. */
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
      path: path.slice(0, 100),
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

/** Enough of a license key to find it with a customer on the phone, too little to use it. */
export function maskLicenseKey(licenseKey: unknown): string | undefined {
  if (typeof licenseKey !== 'string') return undefined;
  const key = licenseKey.trim().toUpperCase();
  return key.length < 20 ? '…' : `${key.slice(0, 5)}…${key.slice(-5)}`;
}
