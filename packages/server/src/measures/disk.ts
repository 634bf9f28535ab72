/** What is measured of files and disks: at intervals, whoever scrapes, so that a scrape waits for no disk. */
import { stat, statfs } from 'node:fs/promises';
import type { Measures } from './measures.ts';

const INTERVAL_MS = 15_000;

/** Where to look. Absolute paths. */
export interface MeasuredPlaces {
  readonly dataDirectory: string;
  /** The file of SQLite; null where the database is elsewhere. */
  readonly databaseFile: string | null;
  /** The file that is touched by each backup. */
  readonly backupMark: string;
}

/**
 * Looks now and then every 15 seconds, one time after the other: a disk that hangs holds up the next look and nothing else.
 * What cannot be looked at stays as it was.
 *
 * @returns stops
 */
export function startMeasuringDisk(measures: Measures, places: MeasuredPlaces): () => void {
  let looking: Promise<unknown> | null = null;
  const look = () => {
    looking ??= Promise.allSettled([
      measureDisk(measures, places.dataDirectory),
      measureDatabaseFile(measures, places.databaseFile),
      measureBackup(measures, places.backupMark),
    ]).finally(() => (looking = null));
  };
  look();
  const timer = setInterval(look, INTERVAL_MS).unref();
  return () => clearInterval(timer);
}

async function measureDisk(measures: Measures, directory: string): Promise<void> {
  const { bavail, blocks, bsize } = await statfs(directory);
  // What is kept back for the system's own user is no room for the service.
  measures.set('latchkey_disk_free_bytes', {}, bavail * bsize);
  measures.set('latchkey_disk_bytes', {}, blocks * bsize);
}

async function measureDatabaseFile(measures: Measures, file: string | null): Promise<void> {
  if (file === null) return;
  const [database, log] = await Promise.all([stat(file), statOrNull(`${file}-wal`)]);
  measures.set('latchkey_database_bytes', {}, database.size + (log?.size ?? 0));
}

async function measureBackup(measures: Measures, mark: string): Promise<void> {
  const stats = await statOrNull(mark);
  measures.set('latchkey_last_backup_timestamp_seconds', {}, stats === null ? 0 : stats.mtimeMs / 1000);
}

/** Null where there is no such file. @throws where it may not be looked at */
async function statOrNull(file: string): Promise<{ readonly size: number; readonly mtimeMs: number } | null> {
  try {
    return await stat(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
