/** Reports to systemd that the service is ready, if the unit has `Type=notify`. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Environment } from '../config/names.ts';

/** Timeout of the report, which usually takes a few milliseconds; systemd itself waits longer for it. */
const LONGEST_MS = 10_000;

/**
 * Runs `systemd-notify --ready` if NOTIFY_SOCKET names a socket: the socket takes datagrams, which Node.js cannot send
 * to a path.
 *
 * @throws when the program exists and fails; a missing program is ignored
 */
export async function tellServiceManager(environment: Environment): Promise<void> {
  if (!environment.NOTIFY_SOCKET) return;
  try {
    await promisify(execFile)('systemd-notify', ['--ready'], { timeout: LONGEST_MS });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
