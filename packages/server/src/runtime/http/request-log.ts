/**
 * Writes one JSON line per relevant request: every refusal and failure, and the successes of operators and creators.
 * Successes of client endpoints (thousands a second) and of documents, and every reply of /readyz, are logged at level
 * debug only. A line never contains a secret, a query string or a full license key.
 */

import { type Logger, pino } from 'pino';
import { type Clock, MINUTE_MS } from '../../ground/base/clock.ts';
import { maskLicenseKey } from '../../ground/base/masked-key.ts';
import type { AnswerObserver } from './answered.ts';
import { LogOutput } from './log-output.ts';

/**
 * The service's log: JSON lines on standard output, written in the background. A full disk or an unread pipe costs
 * lines, but never blocks the service. The number of lost lines is logged at level `warn`, regardless of the configured
 * level.
 */
export function createLogger(level: string): Logger {
  const options = { level, base: { pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime };
  return pino(options, standardOutput());
}

/** Number of log lines that this process has lost so far. */
export function lostLogLines(): number {
  return output?.lostLines ?? 0;
}

/** Shared by all loggers of this process, because there is one standard output. */
let output: LogOutput | undefined;

function standardOutput(): LogOutput {
  if (output !== undefined) return output;
  // Node.js makes a pipe or socket non-blocking on first access, so that a write to a full one fails. Otherwise the
  // write would block its thread until somebody reads, and the process could not end.
  void process.stdout;
  const made = new LogOutput(1, {
    failed({ code }) {
      process.stderr.write(
        `Latchkey cannot write its log to standard output (${code}); some lines are buffered, further ones are lost.\n`,
      );
    },
    lost: (lines) => createLogger('warn').warn({ event: 'log.lost', lines }),
  });
  process.once('exit', () => made.flushNow());
  output = made;
  return made;
}

export interface RequestLog {
  /** Writes the log line of a reply, if it is relevant. */
  readonly observe: AnswerObserver;
  /** Writes the number of refusals without a line of their own since the last report, if any. */
  finish(): void;
}

/**
 * Refusals per minute that get a line of their own although no request could be read; further ones are only counted, by
 * code. Scanners send such bytes day and night. At level `debug` each refusal has a line.
 */
const ENDED_LINES_PER_MINUTE = 60;

/**
 * Creates the log of replies.
 *
 * @param clock the app's; decides when a minute is over
 */
export function createRequestLog(logger: Logger, clock: Clock): RequestLog {
  const isRoutineLogged = logger.isLevelEnabled('debug');
  let minuteBeganAt = Number.NEGATIVE_INFINITY;
  let linesOfMinute = 0;
  const withoutLine = new Map<string, number>();

  function finish(): void {
    if (withoutLine.size === 0) return;
    logger.info({ event: 'request.refusals_counted', codes: Object.fromEntries(withoutLine) });
    withoutLine.clear();
  }

  function beginMinuteIfOver(): void {
    const now = clock();
    // A clock that was set back also begins a minute; otherwise the count would last until that time comes again.
    if (Math.abs(now - minuteBeganAt) < MINUTE_MS) return;
    finish();
    minuteBeganAt = now;
    linesOfMinute = 0;
  }

  /** True if a refusal that ended its connection gets a line of its own; if not, counts it. */
  function hasLine(code: string): boolean {
    if (isRoutineLogged) return true;
    linesOfMinute += 1;
    if (linesOfMinute <= ENDED_LINES_PER_MINUTE) return true;
    withoutLine.set(code, (withoutLine.get(code) ?? 0) + 1);
    return false;
  }

  return {
    observe(answered) {
      const { requestId, callerRequestId, method, path, endpoint, status, code, durationMs, address, isRead, failure } =
        answered;
      const { caller, changedLicenses } = answered;
      const isUsual = code === null ? endpoint === null || endpoint.access === 'client' : code === 'not_ready';
      // A page may hide the failure of one of its calls and be a success.
      const isRoutine = isUsual && failure === undefined;
      if (isRoutine && !isRoutineLogged) return;
      if (code !== null) beginMinuteIfOver();
      if (!isRead && !hasLine(String(code))) return;
      const line = {
        event: `request.${code === null ? 'done' : status < 500 ? 'refused' : 'failed'}`,
        requestId,
        callerRequestId: callerRequestId ?? undefined,
        method: method ?? undefined,
        path: path === null || endpoint !== null ? (path ?? undefined) : maskUnknownPath(path),
        status,
        code: code ?? undefined,
        caller: caller?.actor,
        keyName: caller?.keyName,
        license: maskLicenseKey(answered.licenseKey),
        changed: changedLicenses?.map(maskLicenseKey),
        address: address ?? undefined,
        durationMs: durationMs === null ? undefined : Math.round(durationMs),
        failure,
      };
      if (failure !== undefined) logger.error(line);
      else if (isRoutine) logger.debug(line);
      else logger.info(line);
    },
    finish,
  };
}

/**
 * Masks an unknown path: enough remains to recognize the intended endpoint. Parts that are long and not letters alone
 * are hidden, because they may be keys, codes or secrets. The result is bounded, so that one request cannot fill the
 * log.
 */
function maskUnknownPath(path: string): string {
  const parts = path.split('/', 10).map((part) => (/^([A-Za-z]{0,30}|.{0,12})$/.test(part) ? part : '…'));
  return parts.join('/');
}
