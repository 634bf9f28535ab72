/** Runs the service until a signal ends it. */
import { fstatSync } from 'node:fs';
import { elapsedMs, systemClock } from '../../ground/base/clock.ts';
import { withStorage } from '../../storage/opening/open.ts';
import { type Config, ConfigError } from '../config/config.ts';
import { linkNotice } from './greeting.ts';
import { startServer } from './server.ts';
import { tellServiceManager } from './service-manager.ts';
import { allocateYoung } from './short-lived-objects.ts';
import { makeSignInLink } from './sign-in-link.ts';
import { checkStart } from './start-check.ts';

/**
 * A second signal means that somebody is tired of waiting. A signal that comes sooner is the first one, forwarded by
 * npm.
 */
const IMPATIENT_MS = 500;
/** Time for the process to end by itself after a failed start has closed its parts. */
const LAST_WORDS_MS = 500;

/**
 * Starts the service, greets the person at the terminal, and ends the process in order at SIGTERM or SIGINT. The exit
 * status is 0 when all work in progress was finished or the start was cancelled, and 1 when a second signal, half a
 * second later or more, cut that short. SIGHUP makes the service look for replaced files.
 *
 * @throws the error of {@link startServer}; nothing is open then, and the process ends within a second
 */
export async function serveUntilSignal(config: Config): Promise<void> {
  // Messages to a terminal may have no reader: a closed pipe or a full disk there must not end the service.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  allocateYoung();
  const startEnd = new AbortController();
  const starting = startServer(config, undefined, undefined, startEnd.signal);
  let firstSignalAt: number | undefined;
  const stop = (signal: NodeJS.Signals) => {
    const now = elapsedMs();
    if (firstSignalAt !== undefined) {
      if (now - firstSignalAt >= IMPATIENT_MS) process.exit(1);
      return;
    }
    firstSignalAt = now;
    startEnd.abort();
    // The caller reports a start that fails.
    void starting
      .then((server) => server.stop(signal))
      .then(
        () => process.exit(0),
        () => {},
      );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  // Closing a terminal ends the programs in it. Without a terminal, SIGHUP means that files were replaced.
  if (process.stdin.isTTY) process.on('SIGHUP', stop);
  // The caller reports a start that fails, and the watch reports files that cannot be served.
  else process.on('SIGHUP', () => void starting.then((server) => server.reload()).catch(() => {}));
  try {
    const { greeting, port, hasConsole, logNotifyFailure } = await starting;
    await tellServiceManager(process.env).catch(logNotifyFailure);
    // If the log goes to the same place, every line there must be JSON.
    if (!isOneOutput()) process.stderr.write(greeting);
    if (hasConsole && isReadByPerson(process)) process.stderr.write(await noticeOfLink(config, port));
  } catch (error) {
    // A start that was cancelled is not reported as a failure.
    if (startEnd.signal.aborted && error === startEnd.signal.reason) process.exit(0);
    setTimeout(() => process.exit(1), LAST_WORDS_MS).unref();
    throw error instanceof ConfigError ? await withEveryError(error, config) : error;
  }
}

/**
 * Returns the error of a start, which stops at the first one, together with every other error that the next start would
 * find.
 */
async function withEveryError(error: ConfigError, config: Config): Promise<ConfigError> {
  try {
    await checkStart(config, systemClock());
    return error;
  } catch (others) {
    return new ConfigError([...new Set([...error.errors, ...(others instanceof ConfigError ? others.errors : [])])]);
  }
}

/** Whether both streams lead to the same place other than a terminal, such as systemd's journal or a file. */
function isOneOutput(): boolean {
  if (process.stderr.isTTY) return false;
  try {
    const [out, err] = [fstatSync(process.stdout.fd), fstatSync(process.stderr.fd)];
    return out.dev === err.dev && out.ino === err.ino;
  } catch {
    return false;
  }
}

/**
 * Whether the output is read at a terminal and kept nowhere. A sign-in link must not get into a log that is made of
 * either stream.
 */
export function isReadByPerson(streams: {
  readonly stdout: { readonly isTTY?: boolean };
  readonly stderr: { readonly isTTY?: boolean };
}): boolean {
  return streams.stdout.isTTY === true && streams.stderr.isTTY === true;
}

/**
 * Returns the notice with a sign-in link, or an empty text if no link can be made. A failure does not affect the
 * service.
 */
async function noticeOfLink(config: Config, port: number): Promise<string> {
  try {
    const link = await withStorage(config.database, {}, (storage) => makeSignInLink(storage, config, port));
    return linkNotice(config, link);
  } catch {
    return '';
  }
}
