/** Runs the service until a signal ends it. */
import type { Config } from './config.ts';
import { linkNotice } from './greeting.ts';
import { startServer } from './server.ts';
import { makeSignInLink } from './sign-in-link.ts';
import { WaitEnded } from './storage/database-wait.ts';
import { openStorage } from './storage/open.ts';

/**
 * Starts the service, greets whoever is at the terminal, and ends the process in order at SIGTERM or SIGINT: status 0 when
 * everything under way was finished or the start was still waiting for its database, 1 when a second signal did not want to
 * wait for that. SIGHUP looks for replaced files.
 *
 * @throws what {@link startServer} throws; nothing listens then
 */
export async function serveUntilSignal(config: Config): Promise<void> {
  // What is said to a person at a terminal may be said to nobody: a closed pipe or a full disk there must not end the service.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  const waiting = new AbortController();
  const starting = startServer(config, undefined, undefined, waiting.signal);
  const stop = (signal: NodeJS.Signals) => {
    // A second signal means it: leave at once.
    process.once('SIGTERM', () => process.exit(1));
    process.once('SIGINT', () => process.exit(1));
    // A start under way is waited for, so that it leaves nothing half done; one that fails is told of by its caller. One
    // that only waits for its database has done nothing yet.
    waiting.abort();
    void starting
      .then((server) => server.stop(signal))
      .then(
        () => process.exit(0),
        () => {},
      );
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  // A terminal that is closed ends what runs in it; without one, the signal means that files were replaced.
  if (process.stdin.isTTY) process.once('SIGHUP', stop);
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
    const { greeting, port } = await starting;
    process.stderr.write(greeting);
    if (isReadByPerson(process)) process.stderr.write(await noticeOfLink(config, port));
  } catch (error) {
    // Whoever ended it need not be told of it as of a failure.
    if (!(error instanceof WaitEnded)) throw error;
    process.exit(0);
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
