/**
 * Damage of a SQLite file: pages with impossible content. A service that meets damage leaves a note beside the file,
 * because the next start would otherwise serve the file until it meets the same pages.
 */
import { readFileSync, rmSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { StorageDamaged } from '../contract/storage.ts';
import { LOCK_TIMEOUT_MS, openFile } from './sqlite-connection.ts';
import { isDamage } from './sqlite-errors.ts';
import { inodeOf, leaveNote } from './sqlite-file.ts';

/** The schema table. SQLite checks the list of free pages together with it. */
const SCHEMA_TABLE = 'sqlite_schema';
/** Maximum number of reported faults per table. */
const MAX_FAULTS = 10;

/** Progress of a check of a file. */
export interface Looked {
  /** The next table to check. */
  readonly table: string;
  /** Number of tables. */
  readonly tables: number;
}

/**
 * Checks all tables of a file and their indexes with SQLite's `quick_check`: pages are in their places and rows in
 * order. Opens the file for reading only. Each table is checked by itself, because a service cannot restart its log
 * during a check.
 *
 * @param next called before each table
 * @param signal ends the check before the next table
 * @returns the faults in SQLite's words; none if the file is sound
 * @throws when the file cannot be opened; the reason of the signal
 */
export async function findDamage(
  file: string,
  next: (looked: Looked) => void = () => {},
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const database = openFile(file, { readOnly: true, timeout: LOCK_TIMEOUT_MS });
  try {
    const faults: string[] = [];
    const tables = [SCHEMA_TABLE, ...tablesOf(database)];
    for (const table of tables) {
      next({ table, tables: tables.length });
      faults.push(...faultsOf(database, table));
      await nextTurn();
      signal?.throwIfAborted();
    }
    return faults;
  } catch (error) {
    if (isDamage(error)) return [(error as Error).message];
    throw error;
  } finally {
    database.close();
  }
}

function tablesOf(database: DatabaseSync): readonly string[] {
  const rows = database.prepare(`select name from ${SCHEMA_TABLE} where type = 'table' order by name`).all();
  return rows.map(({ name }) => String(name));
}

function faultsOf(database: DatabaseSync, table: string): readonly string[] {
  try {
    const rows = database.prepare(`pragma quick_check('${table}')`).all() as { quick_check: string }[];
    const faults = rows.map(({ quick_check: said }) => said).filter((said) => said !== 'ok');
    return faults.slice(0, MAX_FAULTS).map((said) => `${table}: ${said.replaceAll('\n', ' ')}`);
  } catch (error) {
    if (isDamage(error)) return [`${table}: ${(error as Error).message}`];
    throw error;
  }
}

/** The error message for a damaged file. */
export function damageText(file: string, faults: readonly string[]): string {
  const [first = ''] = faults;
  const more = faults.length === 1 ? '' : `, and ${faults.length - 1} more`;
  return (
    `${file} is damaged (${first}${more}). Restore the last backup, or recover the readable rows with sqlite3: ` +
    'see "The file of SQLite is damaged" in docs/operators/operations.md.'
  );
}

/** The path of the note. */
const noteOf = (file: string) => `${file}-damaged`;

/** Notes that a service has met damage, for {@link refuseDamagedFile}. */
export function noteDamage(file: string, reason: string): void {
  leaveNote(noteOf(file), file, reason);
}

/**
 * Refuses a file in which a service has met damage. A file that has replaced it since is served. The same file is
 * checked again and served if it is sound, because not every failed read means damage on disk. To be called under the
 * lock of the file.
 *
 * @throws StorageDamaged; the reason of the signal
 */
export async function refuseDamagedFile(file: string, signal?: AbortSignal): Promise<void> {
  let noted: unknown;
  try {
    noted = (JSON.parse(readFileSync(noteOf(file), 'utf8')) as { readonly inode: unknown }).inode;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    // An unreadable note counts as a note about this file.
    noted = inodeOf(file);
  }
  const faults = noted === inodeOf(file) ? await findDamage(file, undefined, signal) : [];
  if (faults.length > 0) throw new StorageDamaged(damageText(file, faults));
  rmSync(noteOf(file), { force: true });
}
