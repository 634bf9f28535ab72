/** Finds what the node knows of itself (endpoint/node-facts.ts); for the few calls that tell of it, never for others. */
import { stat, statfs } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { ClockState } from './believed-time/believed-time.ts';
import { toTimestamp } from './clock.ts';
import type { Config } from './config.ts';
import type { CertificateFacts, DatabaseFacts, NodeFacts } from './endpoint/node-facts.ts';
import { packageVersion } from './package-version.ts';
import { databaseLocation } from './storage/database-name.ts';
import { NEWEST_SCHEMA_VERSION } from './storage/open.ts';

/** A file system that does not answer for so long is left alone: what it would have said is not known then. */
const LONGEST_LOOK_MS = 1_000;

/** What there is beside the configuration. */
export interface NodeSubjects {
  readonly config: Config;
  /** When the service started, in milliseconds since 1970. */
  readonly startedAt: number;
  /** When the database of countries was built (countries.ts). */
  readonly countriesBuiltAt: number | null;
  /** The certificate that is served at the moment; null behind a proxy. */
  readonly certificate: () => CertificateFacts | null;
  /** What is known of the clock at the moment. */
  readonly clockState: () => ClockState;
}

/**
 * Answers a function that finds the facts; it looks at files, and keeps nothing else waiting.
 *
 * @param look finds the sizes of a database file; tests have one that takes its time
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
    newestMigration: NEWEST_SCHEMA_VERSION,
    countries: { header: config.countryHeader, file: config.geoipFile, builtAt: countriesBuiltAt },
  };
  return async () => ({
    ...unchanging,
    database: { engine: config.database.engine, location, ...(await sizesOf(config.database, look)) },
    certificate: certificate(),
    clock: clockState(),
    memoryBytes: process.memoryUsage.rss(),
  });
}

/** What the file system says of a database file. */
export type Sizes = Pick<DatabaseFacts, 'fileBytes' | 'diskFreeBytes' | 'diskTotalBytes'>;

const UNKNOWN: Sizes = { fileBytes: null, diskFreeBytes: null, diskTotalBytes: null };

/** The sizes of a database whose files are here. */
async function sizesOf(database: Config['database'], look: typeof lookAt): Promise<Sizes> {
  if (database.engine === 'postgres') return UNKNOWN;
  // A disk that hangs, as one of the network may, must not keep the answer.
  const late = wait(LONGEST_LOOK_MS, UNKNOWN, { ref: false });
  return Promise.race([late, look(database.file).catch(() => UNKNOWN)]);
}

async function lookAt(file: string): Promise<Sizes> {
  const [fileSize, logSize, disk] = await Promise.all([stat(file), sizeIfThere(`${file}-wal`), statfs(dirname(file))]);
  return {
    fileBytes: fileSize.size + logSize,
    // What is kept back for the system's own user is no room for the service.
    diskFreeBytes: disk.bavail * disk.bsize,
    diskTotalBytes: disk.blocks * disk.bsize,
  };
}

/** The log is not there until something is written. */
async function sizeIfThere(file: string): Promise<number> {
  return stat(file).then(
    ({ size }) => size,
    () => 0,
  );
}
