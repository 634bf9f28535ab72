/** The number of connections that this machine has room for. */
import { totalmem } from 'node:os';

/** Files that the service opens besides connections (the database, its pool, logs), with a margin. */
const OTHER_FILES = 500;
/** Used where the system reports no limit of open files. */
const USUAL_FILES = 10_000;
/** Twice the memory of a TLS connection with its last request and reply, measured at 10,000 connections. */
const BYTES_OF_CONNECTION = 128 * 1024;
const LEAST = 100;

/** The number of connections that the open-file limit and half of the memory allow; at most `asked`, if given. */
export function connectionRoom(asked: number | null): number {
  const byFiles = openFiles() - OTHER_FILES;
  const byMemory = Math.floor(memoryBytes() / 2 / BYTES_OF_CONNECTION);
  return Math.max(1, Math.min(asked ?? Math.max(LEAST, byMemory), Math.max(LEAST, byFiles)));
}

let limitOfFiles: number | undefined;

/** Number of files that this process may have open. Read once, because the report takes 15 ms or more. */
function openFiles(): number {
  limitOfFiles ??= readLimitOfFiles();
  return limitOfFiles;
}

function readLimitOfFiles(): number {
  // Otherwise the report would resolve the names of all peers.
  const report: typeof process.report & { excludeNetwork?: boolean } = process.report;
  const { excludeNetwork = false } = report;
  report.excludeNetwork = true;
  const { userLimits } = report.getReport() as { userLimits?: { open_files?: { soft: number | 'unlimited' } } };
  report.excludeNetwork = excludeNetwork;
  const soft = userLimits?.open_files?.soft ?? USUAL_FILES;
  return soft === 'unlimited' ? Number.POSITIVE_INFINITY : soft;
}

/** Memory in bytes of this machine, or of its container if that is less. */
function memoryBytes(): number {
  const container = process.constrainedMemory();
  return container > 0 ? Math.min(container, totalmem()) : totalmem();
}
