/** The folder that takes the temporary files of a run: databases above all, which tests make and drop by the thousand. */
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './files.ts';

/** A file system in memory on Linux. A database is copied there in a twentieth of the CPU time it takes on ext4. */
const MEMORY = '/dev/shm';
/** A full run takes 1.5 GB at most; a container has 64 MB unless it is given more. */
const ENOUGH_BYTES = 4 * 1024 ** 3;

/** Makes the folder, in memory where there is room. TMPDIR names another place. */
export function makeRunFolder(): string {
  const place = process.env.TMPDIR === undefined && hasRoom() ? MEMORY : tmpdir();
  const folder = mkdtempSync(join(place, 'latchkey-run-'));
  // The PostgreSQL of a run by root has another user, which must be able to enter.
  chmodSync(folder, 0o711);
  return folder;
}

function hasRoom(): boolean {
  if (!existsSync(MEMORY)) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  return Math.min(bavail * bsize, process.availableMemory()) >= ENOUGH_BYTES;
}

/** Removes the folder. Servers that are about to end may still write into it. */
export function removeRunFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
}

/** Where a test that forgets LATCHKEY_DATA_DIR leaves files: the folders in which tests and their processes run. */
const WATCHED = ['.', 'packages/server', 'packages/client', 'packages/console', 'bench', 'test'];

/** The names of files and folders in the tree that a test could have left there; builds and logs of runs are not among them. */
export function filesInTree(): ReadonlySet<string> {
  const names = WATCHED.flatMap((folder) => readdirSync(join(ROOT, folder)).map((name) => join(folder, name)));
  return new Set(names.filter((name) => !/(^|\/)(dist|node_modules|.*\.test\.log)$/.test(name)));
}
