/** Measures files and disks at intervals, independently of scrapes, so that no scrape waits for a disk. */
import { stat, statfs } from 'node:fs/promises';
import type { Measures } from './measures.ts';
import { NODE_METRICS } from './node-metrics.ts';

const INTERVAL_MS = 15_000;

/** Absolute paths of the measured places. */
export interface MeasuredPlaces {
  readonly dataDirectory: string;
  /** The SQLite file; null for PostgreSQL. */
  readonly databaseFile: string | null;
  /** The file whose time each backup sets. */
  readonly backupMark: string;
}

/**
 * Measures now and every 15 seconds. A round waits for the one before, so a disk that hangs delays only the next round.
 * A measure that fails keeps its last value.
 *
 * @returns stops measuring
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
  // Not `bfree`: it includes blocks that are reserved for the root user.
  measures.set(NODE_METRICS.latchkey_disk_free_bytes, {}, bavail * bsize);
  measures.set(NODE_METRICS.latchkey_disk_bytes, {}, blocks * bsize);
}

async function measureDatabaseFile(measures: Measures, file: string | null): Promise<void> {
  if (file === null) return;
  const [database, log] = await Promise.all([stat(file), statOrNull(`${file}-wal`)]);
  measures.set(NODE_METRICS.latchkey_database_bytes, {}, database.size + (log?.size ?? 0));
}

async function measureBackup(measures: Measures, mark: string): Promise<void> {
  const stats = await statOrNull(mark);
  measures.set(NODE_METRICS.latchkey_last_backup_timestamp_seconds, {}, stats === null ? 0 : stats.mtimeMs / 1000);
}

/** Returns null if the file does not exist. @throws if its status may not be read */
async function statOrNull(file: string): Promise<{ readonly size: number; readonly mtimeMs: number } | null> {
  try {
    return await stat(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
