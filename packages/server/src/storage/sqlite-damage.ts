/**
 * Damage of a SQLite file: pages that cannot be right. A service that meets some leaves a note beside the file, because the
 * next start would serve the file until it meets the same pages.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { LOCK_TIMEOUT_MS, openFile } from './sqlite-connection.ts';
import { isDamage } from './sqlite-errors.ts';
import { identityOf } from './sqlite-file.ts';
import { StorageDamaged } from './storage.ts';

/** The table of tables. SQLite looks at the list of free pages together with it. */
const SCHEMA_TABLE = 'sqlite_schema';
/** Faults of one table that are named. */
const MOST_FAULTS = 10;

/** How far a look at a file has come. */
export interface Looked {
  /** The table that is looked at next. */
  readonly table: string;
  /** How many tables there are. */
  readonly tables: number;
}

/**
 * Reads all tables of a file with their indexes, as `quick_check` of SQLite does: that pages are where they belong, and
 * rows in their order. It is not changed. Each table is read by itself, so that a long look keeps back the log of a service
 * for a table at a time.
 *
 * @param next told before each table
 * @param signal ends it before the next table
 * @returns what is wrong, in sentences of SQLite's; none where the file is sound
 * @throws when the file cannot be opened, and the reason of the signal
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
    return faults.slice(0, MOST_FAULTS).map((said) => `${table}: ${said.replaceAll('\n', ' ')}`);
  } catch (error) {
    if (isDamage(error)) return [`${table}: ${(error as Error).message}`];
    throw error;
  }
}

/** The sentence that refuses a damaged file. */
export function damageText(file: string, faults: readonly string[]): string {
  const [first = ''] = faults;
  const more = faults.length === 1 ? '' : `, and ${faults.length - 1} more`;
  return (
    `${file} is damaged (${first}${more}). Restore the last backup, or bring out what can be read with the command salvage: ` +
    'see "The file of SQLite is damaged" in docs/operations.md.'
  );
}

/** Where it is noted that damage was met. */
const noteOf = (file: string) => `${file}-damaged`;

/** Notes that a service has met damage, for {@link refuseDamagedFile}. A disk that takes no note is no further fault. */
export function noteDamage(file: string, reason: string): void {
  try {
    writeFileSync(noteOf(file), `${JSON.stringify({ inode: inodeOf(file), reason })}\n`, { mode: 0o600 });
  } catch {
    // The next start meets the damage itself.
  }
}

/**
 * Refuses a file in which a service has met damage. It is looked at again: a file that was put in its place is served, and
 * so is one that is sound, for not every fault of reading is one of the disk. To be called under the lock of the file.
 *
 * @throws StorageDamaged; the reason of the signal
 */
export async function refuseDamagedFile(file: string, signal?: AbortSignal): Promise<void> {
  let noted: unknown;
  try {
    noted = (JSON.parse(readFileSync(noteOf(file), 'utf8')) as { readonly inode: unknown }).inode;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    // A note that cannot be read is one all the same.
    noted = inodeOf(file);
  }
  const faults = noted === inodeOf(file) ? await findDamage(file, undefined, signal) : [];
  if (faults.length > 0) throw new StorageDamaged(damageText(file, faults));
  rmSync(noteOf(file), { force: true });
}

const inodeOf = (file: string) => String(identityOf(file)?.inode);
