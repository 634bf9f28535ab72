/**
 * Reads the readable rows of a damaged SQLite file, which is opened for reading only. After an unreadable page, the
 * next rows are searched by their row numbers, one after the other.
 */
import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import type { Sql, Value } from '../contract/storage.ts';
import { ReadConnection } from '../contract/transaction.ts';
import { Connection, LOCK_TIMEOUT_MS, openFile } from './sqlite-connection.ts';

/** A row by the names of its columns. */
export type SalvagedRow = Readonly<Record<string, Value>>;

/** Rows per page while nothing is damaged. */
const PAGE_ROWS = 256;
/**
 * Row numbers after a damaged page that are tried one by one, which takes half a second. After these the steps double,
 * unless an index gives the highest row number.
 */
const SINGLE_STEPS = 20_000;
/** Number of readable indexes to ask: a damaged one may return a wrong answer without an error. */
const MAX_ASKED = 3;
/** The column name of the row number; no other column has a blank in its name. */
const ROW_NUMBER = 'row number';

/** An open damaged file. */
export class DamagedFile {
  /** Runs single statements; a statement that meets damage throws. */
  readonly sql: Sql;
  readonly #database: DatabaseSync;

  /** @throws when the file does not exist, or its list of tables cannot be read */
  constructor(file: string) {
    if (!existsSync(file)) throw new Error(`There is no file ${file}.`);
    this.#database = openUnchanged(file);
    this.sql = new ReadConnection(new Connection(this.#database));
    try {
      this.#database.prepare('select count(*) from sqlite_schema').get();
    } catch (error) {
      this.#database.close();
      throw new Error(
        `The list of tables in ${file} cannot be read (${(error as Error).message}): this command can recover nothing ` +
          'from it.',
        { cause: error },
      );
    }
  }

  close(): void {
    this.#database.close();
  }

  /** The readable rows of a table in pages, in the order of their row numbers. Returns whether no row was left out. */
  *rows(table: string): Generator<readonly SalvagedRow[], { readonly isWhole: boolean }> {
    const page = this.#database.prepare(
      `select *, rowid as "${ROW_NUMBER}" from ${table} where rowid >= ? order by rowid limit ?`,
    );
    /** The rows from a row number on; undefined if they cannot be read. */
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

  /** The number of rows of a table according to its readable indexes; null if none is readable. */
  count(table: string): number | null {
    return this.#ofIndexes(table, 'count(*)');
  }

  /** The highest answer of a table's indexes; null if none is readable. */
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
      if (answers.length === MAX_ASKED) break;
    }
    return answers.length === 0 ? null : Math.max(...answers);
  }

  /**
   * The distinct texts that a query returns. If the query meets damage, it also runs in reverse order.
   *
   * @param query ends with its `order by` column, without a direction
   */
  texts(query: string): { readonly found: readonly string[]; readonly isWhole: boolean } {
    const found = new Set<string>();
    const tryOrder = (text: string): boolean =>
      attempt(() => {
        const statement = this.#database.prepare(text);
        statement.setReturnArrays(true);
        for (const row of statement.iterate() as unknown as Iterable<SQLOutputValue[]>) found.add(String(row[0]));
        return true;
      }) ?? false;
    const isWhole = tryOrder(query);
    if (!isWhole) tryOrder(`${query} desc`);
    return { found: [...found], isWhole };
  }
}

/** Opens a file without creating others beside it: SQLite would create a log if there is none. */
function openUnchanged(file: string): DatabaseSync {
  const hasLog = (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
  if (hasLog) return openFile(file, { readOnly: true, timeout: LOCK_TIMEOUT_MS });
  const url = pathToFileURL(resolve(file));
  url.searchParams.set('immutable', '1');
  return new DatabaseSync(url, { readOnly: true });
}

/** The result of a read; undefined if SQLite cannot read it, or a value is out of range. */
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

/** Whether row numbers rise. On a page that another table overwrote they may not, and reading would never end. */
function areInOrder(rows: readonly SalvagedRow[], from: number): boolean {
  return rows.every((row, index) => numberOf(row) >= (index === 0 ? from : numberOf(rows[index - 1]!) + 1));
}

/**
 * The first readable row number after an unreadable one; null if there is none.
 *
 * @param last the highest row number, NaN if unknown
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

/** The first readable number between an unreadable lower one and a readable higher one. */
function firstBetween(low: number, high: number, isReadable: (from: number) => boolean): number {
  let [bad, good] = [low, high];
  while (good - bad > 1) {
    const middle = bad + Math.floor((good - bad) / 2);
    if (isReadable(middle)) good = middle;
    else bad = middle;
  }
  return good;
}
