/** Runs the service until a signal ends it. */
import { fstatSync } from 'node:fs';
import { elapsedMs, systemClock } from './clock.ts';
import { type Config, ConfigError } from './config.ts';
import { linkNotice } from './greeting.ts';
import { startServer } from './server.ts';
import { tellServiceManager } from './service-manager.ts';
import { makeSignInLink } from './sign-in-link.ts';
import { checkStart } from './start-check.ts';
import { openStorage } from './storage/open.ts';

/** A second signal means that somebody is tired of waiting; one that comes sooner is the first, told by npm as well. */
const IMPATIENT_MS = 500;
/** A failed start has closed what it opened; whatever keeps the process in spite of that has this time to end. */
const LAST_WORDS_MS = 500;

/**
 * Starts the service, greets whoever is at the terminal, and ends the process in order at SIGTERM or SIGINT: status 0 when
 * everything under way was finished or the start was ended, 1 when a second signal, half a second later or more, did not
 * want to wait for that. SIGHUP looks for replaced files.
 *
 * @throws what {@link startServer} throws; nothing is open then, and the process ends within a second
 */
export async function serveUntilSignal(config: Config): Promise<void> {
  // What is said to a person at a terminal may be said to nobody: a closed pipe or a full disk there must not end the service.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
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
    // A start that fails is told of by its caller.
    void starting
      .then((server) => server.stop(signal))
      .then(
        () => process.exit(0),
        () => {},
      );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  // A terminal that is closed ends what runs in it; without one, the signal means that files were replaced.
  if (process.stdin.isTTY) process.on('SIGHUP', stop);
  else
    process.on(
      'SIGHUP',
      () =>
        void starting.then(
          (server) => server.reload(),
          () => {},
        ),
    );
  try {
    const { greeting, port, hasConsole, noteUntold } = await starting;
    await tellServiceManager(process.env).catch(noteUntold);
    // Where the log goes to the same place, every line there is to be JSON.
    if (!isOneOutput()) process.stderr.write(greeting);
    if (hasConsole && isReadByPerson(process)) process.stderr.write(await noticeOfLink(config, port));
  } catch (error) {
    // Whoever ended it need not be told of it as of a failure.
    if (startEnd.signal.aborted && error === startEnd.signal.reason) process.exit(0);
    setTimeout(() => process.exit(1), LAST_WORDS_MS).unref();
    throw error instanceof ConfigError ? await withEveryError(error, config) : error;
  }
}

/** The error of a start, which found the first, with everything else that the next start would find. */
async function withEveryError(error: ConfigError, config: Config): Promise<ConfigError> {
  try {
    await checkStart(config, systemClock());
    return error;
  } catch (others) {
    return new ConfigError([...new Set([...error.errors, ...(others instanceof ConfigError ? others.errors : [])])]);
  }
}

/** Whether both streams lead to one place that is no terminal, as the journal of systemd or a file. */
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
 * Whether what is written is read at a terminal and kept nowhere. A sign-in link must not get into a log, whichever of the
 * two streams that is made of.
 */
export function isReadByPerson(streams: {
  readonly stdout: { readonly isTTY?: boolean };
  readonly stderr: { readonly isTTY?: boolean };
}): boolean {
  return streams.stdout.isTTY === true && streams.stderr.isTTY === true;
}

/** The text with a sign-in link; empty where there can be none. The service runs, whatever becomes of it. */
async function noticeOfLink(config: Config, port: number): Promise<string> {
  try {
    const storage = await openStorage(config.database);
    try {
      return linkNotice(config, await makeSignInLink(storage, config, port));
    } finally {
      await storage.close();
    }
  } catch {
    return '';
  }
}
