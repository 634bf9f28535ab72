/** Finds the facts of the node itself (platform/endpoint/node-facts.ts), for the few calls that report them. */
import { stat, statfs } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { toTimestamp } from '../../ground/base/clock.ts';
import type { ClockState } from '../../platform/believed-time/believed-time.ts';
import type { CertificateFacts, DatabaseFacts, NodeFacts } from '../../platform/endpoint/node-facts.ts';
import { newestSchemaVersion } from '../../storage/opening/open.ts';
import { databaseLocation } from '../../storage/postgres/database-name.ts';
import type { Config } from '../config/config.ts';
import { packageVersion } from './package-version.ts';

/** A file system that takes longer than this to answer is skipped: its sizes are unknown then. */
const LONGEST_LOOK_MS = 1_000;

/** The subjects of node facts beside the configuration. */
export interface NodeSubjects {
  readonly config: Config;
  /** Start of the service, in milliseconds since 1970. */
  readonly startedAt: number;
  /** Build time of the country database (runtime/http/countries.ts). */
  readonly countriesBuiltAt: number | null;
  /** The certificate in use; null behind a proxy. */
  readonly certificate: () => CertificateFacts | null;
  /** The current state of the clock. */
  readonly clockState: () => ClockState;
}

/**
 * Returns a function that finds the facts. It examines files without blocking other work.
 *
 * @param look finds the sizes of a database file; tests inject a slow one
 * @throws as databaseLocation does
 */
export function watchNode(
  { config, startedAt, countriesBuiltAt, certificate, clockState }: NodeSubjects,
  look = lookAt,
): () => Promise<NodeFacts> {
  const location = databaseLocation(config.database);
  const unchanging = {
    version: packageVersion(),
    nodeJsVersion: process.versions.node,
    hostname: hostname(),
    label: config.console?.label ?? null,
    logLevel: config.logLevel,
    startedAt: toTimestamp(startedAt),
    newestMigration: newestSchemaVersion(),
    countries: { header: config.countryHeader, file: config.geoipFile, builtAt: countriesBuiltAt },
  };
  return async () => ({
    ...unchanging,
    database: { engine: config.database.engine, location, ...(await sizesOf(config.database, look)) },
    certificate: certificate(),
    clock: clockState(),
    lastBackupAt: await backupAt(config.backupMark),
    memoryBytes: process.memoryUsage.rss(),
  });
}

/** The moment of the last backup, from the time of its mark. */
function backupAt(mark: string): Promise<number | null> {
  const found = stat(mark).then(
    ({ mtimeMs }) => Math.floor(mtimeMs),
    () => null,
  );
  return Promise.race([wait(LONGEST_LOOK_MS, null, { ref: false }), found]);
}

/** Sizes of a database file, from the file system. */
export type Sizes = Pick<DatabaseFacts, 'fileBytes' | 'diskFreeBytes' | 'diskTotalBytes'>;

const UNKNOWN: Sizes = { fileBytes: null, diskFreeBytes: null, diskTotalBytes: null };

/** Returns the sizes of a database whose files are on this machine. */
async function sizesOf(database: Config['database'], look: typeof lookAt): Promise<Sizes> {
  if (database.engine === 'postgres') return UNKNOWN;
  // A disk that hangs, such as a network disk, must not delay the reply.
  const late = wait(LONGEST_LOOK_MS, UNKNOWN, { ref: false });
  return Promise.race([late, look(database.file).catch(() => UNKNOWN)]);
}

async function lookAt(file: string): Promise<Sizes> {
  const [fileSize, logSize, disk] = await Promise.all([stat(file), sizeIfThere(`${file}-wal`), statfs(dirname(file))]);
  return {
    fileBytes: fileSize.size + logSize,
    // Space that is reserved for the system's own user is not available to the service.
    diskFreeBytes: disk.bavail * disk.bsize,
    diskTotalBytes: disk.blocks * disk.bsize,
  };
}

/** The write-ahead log does not exist until the first write. */
async function sizeIfThere(file: string): Promise<number> {
  return stat(file).then(
    ({ size }) => size,
    () => 0,
  );
}
