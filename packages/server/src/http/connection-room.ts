/** How many connections this machine has room for. */
import { totalmem } from 'node:os';

/** Files that the service has open beside connections: the database, its pool, logs; with room to spare. */
const OTHER_FILES = 500;
/** Where the system does not tell how many files a process may open. */
const USUAL_FILES = 10_000;
/** What a TLS connection takes with its last request and answer, measured at 10,000 of them, and twice that. */
const BYTES_OF_CONNECTION = 128 * 1024;
const LEAST = 100;

/** Connections that open files and half of the memory suffice for; no more than `asked`, where that is given. */
export function connectionRoom(asked: number | null): number {
  const byFiles = openFiles() - OTHER_FILES;
  const byMemory = Math.floor(memoryBytes() / 2 / BYTES_OF_CONNECTION);
  return Math.max(1, Math.min(asked ?? Math.max(LEAST, byMemory), Math.max(LEAST, byFiles)));
}

/** Files that this process may have open. */
function openFiles(): number {
  // Without this a report looks up the names of all peers.
  const report: typeof process.report & { excludeNetwork?: boolean } = process.report;
  const { excludeNetwork = false } = report;
  report.excludeNetwork = true;
  const { userLimits } = report.getReport() as { userLimits?: { open_files?: { soft: number | 'unlimited' } } };
  report.excludeNetwork = excludeNetwork;
  const soft = userLimits?.open_files?.soft ?? USUAL_FILES;
  return soft === 'unlimited' ? Number.POSITIVE_INFINITY : soft;
}

/** The memory of this machine, or of the container where that is less. */
function memoryBytes(): number {
  const container = process.constrainedMemory();
  return container > 0 ? Math.min(container, totalmem()) : totalmem();
}
