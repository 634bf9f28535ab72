/** The priority of threads whose work can wait. */
import { readlinkSync } from 'node:fs';
import { getPriority, platform, setPriority } from 'node:os';
import { basename } from 'node:path';

/** With 10 more than the others, a thread gets a tenth of a busy core, and a whole one if nothing else needs it. */
const MORE_NICENESS = 10;
const MAX_NICENESS = 19;

/**
 * Lets the threads that answer apps run before the calling thread on a busy machine. Only Linux has priorities of
 * threads. Where the system does not permit it, the thread keeps the priority of the process.
 */
export function runInBackground(): void {
  if (platform() !== 'linux') return;
  try {
    const thread = Number(basename(readlinkSync('/proc/thread-self')));
    setPriority(thread, Math.min(MAX_NICENESS, getPriority(thread) + MORE_NICENESS));
  } catch {}
}
