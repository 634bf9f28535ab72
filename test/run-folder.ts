/**
 * The folder that takes the temporary files of a run: databases above all, which tests make and drop by the thousand.
 */
import { accessSync, chmodSync, constants, mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './files.ts';

/** A file system in memory on Linux. A database is copied there in a twentieth of the CPU time it takes on ext4. */
const MEMORY = '/dev/shm';
/** A container has 64 MB unless it is given more. */
const ENOUGH_BYTES = 4 * 1024 ** 3;

/** Makes the folder, in memory where that is possible. TMPDIR names another place. */
export function makeRunFolder(): string {
  const inMemory = process.env.TMPDIR === undefined && hasRoom() ? folderIn(MEMORY) : null;
  if (inMemory !== null && runsPrograms(inMemory)) return inMemory;
  if (inMemory !== null) removeRunFolder(inMemory);
  return folderIn(tmpdir());
}

function folderIn(place: string): string {
  const folder = mkdtempSync(join(place, 'latchkey-run-'));
  // The PostgreSQL of a run by root has another user, which must be able to enter.
  chmodSync(folder, 0o711);
  return folder;
}

/** Whether the file system lets programs in the folder run: tests install some. Containers often mount it `noexec`. */
function runsPrograms(folder: string): boolean {
  const program = join(folder, 'program');
  writeFileSync(program, '', { mode: 0o700 });
  try {
    accessSync(program, constants.X_OK);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(program);
  }
}

function hasRoom(): boolean {
  try {
    accessSync(MEMORY, constants.W_OK);
  } catch {
    return false;
  }
  const { bavail, bsize } = statfsSync(MEMORY);
  return Math.min(bavail * bsize, process.availableMemory()) >= ENOUGH_BYTES;
}

/** Removes the folder. Servers that are about to end may still write into it. */
export function removeRunFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
}

/** Where a test that forgets LATCHKEY_DATA_DIR leaves files: the folders in which tests and their processes run. */
const WATCHED = ['.', 'packages/server', 'packages/client', 'packages/console', 'bench', 'test'];

/**
 * The names of files and folders in the tree that a test could have left there; builds and logs of runs are not among
 * them.
 */
export function filesInTree(): ReadonlySet<string> {
  const names = WATCHED.flatMap((folder) => readdirSync(join(ROOT, folder)).map((name) => join(folder, name)));
  return new Set(names.filter((name) => !/(^|\/)(dist|node_modules|.*\.test\.log)$/.test(name)));
}
