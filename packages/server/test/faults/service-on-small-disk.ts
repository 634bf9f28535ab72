/**
 * A service on a disk that is really full, and has room again. The file system of the database is a small one in
 * memory, mounted in a namespace of the service (`unshare`), which needs no rights where the system permits users to
 * make namespaces.
 */
import { spawnSync } from 'node:child_process';
import { statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const NAMESPACE = ['--user', '--map-root-user', '--mount'];
const canMount =
  process.platform === 'linux' &&
  spawnSync('unshare', [...NAMESPACE, 'mount', '-t', 'tmpfs', 'none', tmpdir()]).status === 0;

/** Why tests with a small disk are skipped; false where they run. */
export const NO_SMALL_DISKS = !canMount && 'this system lets nobody mount a small file system (unshare)';

/** A service whose data directory is a file system of its own in memory. */
export interface OnSmallDisk {
  /** The data directory as the test reaches it. */
  readonly inside: string;
  /** A file that takes the room. */
  readonly filler: string;
  readonly service: ServerProcess;
  /** The events in its log about the database. */
  states(): unknown[];
}

interface SmallDisk {
  /** As mount takes it: `80m`. */
  readonly size: string;
  /** A database to begin with. */
  readonly source?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Starts the service on a disk of this size; it is killed after the test. */
export async function startOnSmallDisk(
  test: TestContext,
  { size, source, environment = {} }: SmallDisk,
): Promise<OnSmallDisk> {
  const directory = temporaryFolder(test);
  const file = join(directory, 'latchkey.db');
  const steps = [
    `mount -t tmpfs -o size=${size} none ${directory}`,
    ...(source === undefined ? [] : [`cp ${source} ${file}`]),
    'exec "$0" "$@"',
  ];
  const service = await startServerProcess(
    { engine: 'sqlite', file },
    { LATCHKEY_DATA_DIR: directory, ...environment },
    ['main.ts'],
    ['unshare', ...NAMESPACE, 'sh', '-c', steps.join(' && ')],
  );
  test.after(() => service.kill());
  // The namespace of the service has the mount; the test sees it by way of the process.
  const inside = `/proc/${service.pid}/root${directory}`;
  return {
    inside,
    filler: join(inside, 'filler'),
    service,
    states: () => service.log.map(({ event }) => event).filter((event) => String(event).startsWith('database.')),
  };
}

/** Writes until the file system of a directory is full. */
export function fill(filler: string, directory: string): void {
  const { bavail, bsize } = statfsSync(directory);
  try {
    writeFileSync(filler, Buffer.alloc(bavail * bsize), { flag: 'a' });
  } catch (error) {
    // The service has used some of the room first.
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}
