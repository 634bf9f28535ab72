/**
 * Reads what can still be read of a damaged SQLite file. It is opened to be read only. Where a page cannot be read, the rows
 * after it are looked for by their row numbers, one after the other.
 */
import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { Connection, LOCK_TIMEOUT_MS, openFile } from './sqlite-connection.ts';
import type { Sql, Value } from './storage.ts';
import { ReadConnection } from './transaction.ts';

/** A row by the names of its columns. */
export type SalvagedRow = Readonly<Record<string, Value>>;

/** Rows that are read together where nothing is damaged. */
const PAGE_ROWS = 256;
/**
 * So many row numbers behind a damaged page are tried one by one, which takes half a second; from then on the steps double,
 * unless an index tells up to where there are rows.
 */
const SINGLE_STEPS = 20_000;
/** Indexes that are asked, of those that can be read: one may be damaged in a way that does not show. */
const MOST_ASKED = 3;
/** The name of the row number among the columns; no column has a blank in its name. */
const ROW_NUMBER = 'row number';

/** A damaged file that is open. */
export class DamagedFile {
  /** Reads single things; a statement that meets damage throws. */
  readonly sql: Sql;
  readonly #database: DatabaseSync;

  /** @throws when it is not there, or when even the list of its tables cannot be read */
  constructor(file: string) {
    if (!existsSync(file)) throw new Error(`There is no file ${file}.`);
    this.#database = openUnchanged(file);
    this.sql = new ReadConnection(new Connection(this.#database));
    try {
      this.#database.prepare('select count(*) from sqlite_schema').get();
    } catch (error) {
      this.#database.close();
      throw new Error(
        `The list of tables in ${file} cannot be read (${(error as Error).message}): nothing can be brought out of it ` +
          'with this command.',
        { cause: error },
      );
    }
  }

  close(): void {
    this.#database.close();
  }

  /** The rows of a table, some at a time, in the order of their row numbers; those that cannot be read are left out. */
  *rows(table: string): Generator<readonly SalvagedRow[], { readonly isWhole: boolean }> {
    const page = this.#database.prepare(
      `select *, rowid as "${ROW_NUMBER}" from ${table} where rowid >= ? order by rowid limit ?`,
    );
    /** The rows from a number on; undefined where they cannot be read. */
    const read = (from: number, limit: number): readonly SalvagedRow[] | undefined =>
      attempt(() => {
        const rows = page.all(from, limit) as SalvagedRow[];
        return areInOrder(rows, from) ? rows : undefined;
      });
    let isWhole = true;
    let last: number | undefined;
    for (let from = 0, limit = PAGE_ROWS; ; ) {
      const rows = read(from, limit);
      if (rows !== undefined) {
        if (rows.length > 0) yield rows;
        if (rows.length < limit) return { isWhole };
        from = numberOf(rows.at(-1)!) + 1;
      } else if (limit > 1) {
        limit = 1;
        isWhole = false;
      } else {
        last ??= this.#ofIndexes(table, 'max(rowid)') ?? Number.NaN;
        const next = nextReadable(from, last, (number) => read(number, 1) !== undefined);
        if (next === null) return { isWhole };
        from = next;
        limit = PAGE_ROWS;
      }
    }
  }

  /** How many rows a table has, by those of its indexes that can be read; null where none can be. */
  count(table: string): number | null {
    return this.#ofIndexes(table, 'count(*)');
  }

  /** The highest number that indexes of a table answer; null where none can be read. */
  #ofIndexes(table: string, asked: 'count(*)' | 'max(rowid)'): number | null {
    const indexes = attempt(() =>
      this.#database.prepare('select name from pragma_index_list(?) where partial = 0 order by origin desc').all(table),
    );
    const answers: number[] = [];
    for (const { name } of indexes ?? []) {
      const found = attempt(() =>
        this.#database.prepare(`select ${asked} as answer from ${table} indexed by ${String(name)}`).get(),
      );
      if (found !== undefined) answers.push(Number(found.answer));
      if (answers.length === MOST_ASKED) break;
    }
    return answers.length === 0 ? null : Math.max(...answers);
  }

  /**
   * Texts that a query lists, each once: from its beginning and, where it meets damage, from its end.
   *
   * @param query ends with what it is ordered by
   */
  texts(query: string): { readonly found: readonly string[]; readonly isWhole: boolean } {
    const found = new Set<string>();
    const walk = (text: string): boolean =>
      attempt(() => {
        const statement = this.#database.prepare(text);
        statement.setReturnArrays(true);
        for (const row of statement.iterate() as unknown as Iterable<SQLOutputValue[]>) found.add(String(row[0]));
        return true;
      }) ?? false;
    const isWhole = walk(query);
    if (!isWhole) walk(`${query} desc`);
    return { found: [...found], isWhole };
  }
}

/** Opens a file so that nothing is made beside it: SQLite would make a log, where there is none to be read. */
function openUnchanged(file: string): DatabaseSync {
  const hasLog = (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
  if (hasLog) return openFile(file, { readOnly: true, timeout: LOCK_TIMEOUT_MS });
  const url = pathToFileURL(resolve(file));
  url.searchParams.set('immutable', '1');
  return new DatabaseSync(url, { readOnly: true });
}

/** What a read answers; undefined where SQLite cannot read it, or where it is no value that a column takes. */
function attempt<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ERR_SQLITE_ERROR' || code === 'ERR_OUT_OF_RANGE') return undefined;
    throw error;
  }
}

const numberOf = (row: SalvagedRow) => Number(row[ROW_NUMBER]);

/** Whether row numbers rise: those of a page that another table overwrote may not, and would be read for ever. */
function areInOrder(rows: readonly SalvagedRow[], from: number): boolean {
  return rows.every((row, index) => numberOf(row) >= (index === 0 ? from : numberOf(rows[index - 1]!) + 1));
}

/**
 * The first number after one that cannot be read from which on it can; null where there is none.
 *
 * @param last the highest number of a row, NaN where nobody knows
 */
function nextReadable(unreadable: number, last: number, isReadable: (from: number) => boolean): number | null {
  const end = Number.isNaN(last) ? unreadable + SINGLE_STEPS : last;
  for (let number = unreadable + 1; number <= end; number += 1) if (isReadable(number)) return number;
  if (!Number.isNaN(last)) return null;
  let low = unreadable + SINGLE_STEPS;
  for (let step = SINGLE_STEPS; ; step *= 2) {
    const high = low + step;
    if (high > Number.MAX_SAFE_INTEGER) return null;
    if (isReadable(high)) return firstBetween(low, high, isReadable);
    low = high;
  }
}

/** The first readable number, where the lower one is not and the higher one is. */
function firstBetween(low: number, high: number, isReadable: (from: number) => boolean): number {
  let [bad, good] = [low, high];
  while (good - bad > 1) {
    const middle = bad + Math.floor((good - bad) / 2);
    if (isReadable(middle)) good = middle;
    else bad = middle;
  }
  return good;
}
