/** Tells systemd that the service is ready, where the unit has `Type=notify`. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Environment } from './config.ts';

/** Usually a few milliseconds; systemd itself waits longer for the message. */
const LONGEST_MS = 10_000;

/**
 * Runs `systemd-notify --ready` where NOTIFY_SOCKET names a socket: it takes datagrams, which Node.js cannot send to a path.
 *
 * @throws when the program is there and fails; where there is none, nobody is told
 */
export async function tellServiceManager(environment: Environment): Promise<void> {
  if (!environment.NOTIFY_SOCKET) return;
  try {
    await promisify(execFile)('systemd-notify', ['--ready'], { timeout: LONGEST_MS });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
