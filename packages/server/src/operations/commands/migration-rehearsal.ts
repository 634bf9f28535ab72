/**
 * A rehearsal applies the missing migrations to a copy of the database. Its durations are kept in the data directory,
 * so that `check` can tell how long the next start will take.
 */
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { toTimestamp } from '../../ground/base/clock.ts';
import { makeDataDirectory, readIfThere, replaceFile } from '../../runtime/config/data-directory.ts';
import type { Database } from '../../storage/contract/database.ts';
import type { MigrationListener } from '../../storage/migrations/migrate.ts';
import { listPendingMigrations, migrateDatabase } from '../../storage/opening/open.ts';
import { databaseLocation, databaseName } from '../../storage/postgres/database-name.ts';

/** A rehearsal, as the data directory keeps it. */
interface Rehearsal {
  /** Its database, for a person. */
  readonly database: string;
  /** Its beginning, as a timestamp. */
  readonly at: string;
  /** The duration of each migration that it applied, by name. */
  readonly durationsMs: Readonly<Record<string, number>>;
}

/** The file of the last rehearsal in a data directory. */
export const rehearsalFile = (dataDirectory: string): string => join(dataDirectory, 'migration-rehearsal.json');

/**
 * Applies the missing migrations to a copy of a database, and keeps their durations.
 *
 * @param now milliseconds since 1970
 * @returns the durations in milliseconds, by name; empty if the copy lacks no migration
 * @throws when the copy has no tables, or is the database itself
 */
export async function rehearse(
  { database, dataDirectory }: { readonly database: Database; readonly dataDirectory: string },
  copy: Database,
  now: number,
  listener: MigrationListener,
): Promise<Rehearsal['durationsMs']> {
  if (placeOf(copy) === placeOf(database))
    throw new Error('--rehearse-on names the database of the service. Name a copy of it.');
  const missing = await listPendingMigrations(copy);
  if (missing[0]?.version === 1)
    throw new Error(`${databaseName(copy)} has no tables of Latchkey. Restore a backup into it first.`);
  const durationsMs: Record<string, number> = {};
  await migrateDatabase(copy, now, undefined, {
    ...listener,
    done(name, durationMs) {
      durationsMs[name] = Math.round(durationMs);
      listener.done(name, durationMs);
    },
  });
  if (Object.keys(durationsMs).length === 0) return {};
  const rehearsal: Rehearsal = { database: databaseName(copy), at: toTimestamp(now), durationsMs };
  makeDataDirectory(dataDirectory);
  replaceFile(rehearsalFile(dataDirectory), `${JSON.stringify(rehearsal, null, 2)}\n`);
  return durationsMs;
}

/**
 * Describes the last rehearsal of these migrations in a sentence; null if some of them were not in it, or if its file
 * cannot be read.
 */
export function describeRehearsal(dataDirectory: string, names: readonly string[]): string | null {
  try {
    const text = readIfThere(rehearsalFile(dataDirectory));
    if (text === undefined) return null;
    const { database, at, durationsMs } = JSON.parse(text) as Rehearsal;
    const known = names.map((name) => durationsMs[name]);
    if (known.some((duration) => typeof duration !== 'number')) return null;
    return `A rehearsal of ${at} (${database}) took ${inSeconds(totalOf(known as number[]))}.`;
  } catch {
    return null;
  }
}

/** A duration for a person: `12.3 s`. */
export const inSeconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(1)} s`;

/** The sum of durations. */
export const totalOf = (durations: readonly number[]): number => durations.reduce((sum, each) => sum + each, 0);

/** The location of a database; equal for two names of one SQLite file. */
function placeOf(database: Database): string {
  if (database.engine === 'postgres') return databaseLocation(database);
  try {
    return realpathSync(database.file);
  } catch {
    return database.file;
  }
}
