/**
 * One JSON line per request worth a line: whatever is refused or fails, and everything but the client endpoints'
 * successes, which are told at level debug only (there are thousands a second of them). Never a secret, a query string
 * or a full license key.
 */
import { type Logger, pino } from 'pino';
import type { Clock } from '../clock.ts';
import type { Outcome } from '../dispatch/call.ts';
import type { Endpoint } from '../endpoint/endpoint.ts';
import { LogOutput } from './log-output.ts';

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

/**
 * The service's log: JSON lines on standard output, written in the background. A full disk or a pipe that nobody reads
 * costs lines, never the service; how many, the log says itself at level `warn`, whatever level it has otherwise.
 */
export function createLogger(level: string): Logger {
  const options = { level, base: { pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime };
  return pino(options, standardOutput());
}

/** How many log lines this process has lost so far. */
export function lostLogLines(): number {
  return output?.lostLines ?? 0;
}

/** Of all loggers of this process: there is one standard output. */
let output: LogOutput | undefined;

function standardOutput(): LogOutput {
  if (output !== undefined) return output;
  // Node.js sets a pipe or socket not to block when it is first looked at; a write to one that is full then fails. Else
  // it would hold its thread until somebody reads, and the process could not end before.
  void process.stdout;
  const made = new LogOutput(1, {
    failed({ code }) {
      process.stderr.write(
        `Latchkey cannot write its log to standard output (${code}); some lines wait, more are lost.\n`,
      );
    },
    lost: (lines) => createLogger('warn').warn({ event: 'log.lost', lines }),
  });
  process.once('exit', () => made.flushNow());
  output = made;
  return made;
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
