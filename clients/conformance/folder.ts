/** The folder for databases and stored states, which outlive no test: in memory where the system has room there. */
import { existsSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const IN_MEMORY = '/dev/shm';
/** Containers often have 64 MB there, which three services and their backups may exceed. */
const ENOUGH_BYTES = 1e9;

function hasRoom(folder: string): boolean {
  if (!existsSync(folder)) return false;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize >= ENOUGH_BYTES;
}

export const FOLDER = hasRoom(IN_MEMORY) ? IN_MEMORY : tmpdir();
