/**
 * One JSON line per request worth a line: whatever is refused or fails, and the successes of operators and creators. Those
 * of the client endpoints (there are thousands a second of them) and of documents, /readyz included, are told at level
 * debug only. Never a secret, a query string or a full license key.
 */
import { type Logger, pino } from 'pino';
import { type Clock, MINUTE_MS } from '../clock.ts';
import type { AnswerObserver } from './answered.ts';
import { LogOutput } from './log-output.ts';

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
export interface RequestLog {
  /** Writes the line of an answer, where it is worth one. */
  readonly observe: AnswerObserver;
  /** Writes how many refusals had no line of their own and have not been told of yet, if any. */
  finish(): void;
}

/**
 * So many refusals a minute of connections on which no request could be read have a line each; of further ones the log
 * says how many there were, by code. Such bytes come from scanners as well, day and night. At level `debug` each has one.
 */
const ENDED_LINES_PER_MINUTE = 60;

/**
 * Makes the log of answers.
 *
 * @param clock the app's; says when a minute is over
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
    // A clock that was put back begins a minute, too: else the count would stand until that time comes again.
    if (Math.abs(now - minuteBeganAt) < MINUTE_MS) return;
    finish();
    minuteBeganAt = now;
    linesOfMinute = 0;
  }

  /** Whether a refusal that ended its connection has a line of its own; counts it where it has none. */
  function hasLine(code: string): boolean {
    if (isRoutineLogged) return true;
    linesOfMinute += 1;
    if (linesOfMinute <= ENDED_LINES_PER_MINUTE) return true;
    withoutLine.set(code, (withoutLine.get(code) ?? 0) + 1);
    return false;
  }

  return {
    observe(answered) {
      const { requestId, method, path, endpoint, status, code, durationMs, address, isRead, failure } = answered;
      const { caller, changedLicenses } = answered;
      const isRoutine = code === null ? endpoint === null || endpoint.access === 'client' : code === 'not_ready';
      if (isRoutine && !isRoutineLogged) return;
      if (code !== null) beginMinuteIfOver();
      if (!isRead && !hasLine(String(code))) return;
      const line = {
        event: `request.${code === null ? 'done' : status < 500 ? 'refused' : 'failed'}`,
        requestId,
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
