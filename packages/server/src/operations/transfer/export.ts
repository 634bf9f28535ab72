/** Exports the licenses of a database and the catalogue behind them as lines, in the order of {@link LINE_KINDS}. */

import type { Database } from '../../storage/contract/database.ts';
import type { Sql, Value } from '../../storage/contract/storage.ts';
import type { StoredRow } from '../../storage/contract/table.ts';
import { PageSize } from '../../storage/copy/page-size.ts';
import { TableRows } from '../../storage/copy/rows-store.ts';
import { readShapes } from '../../storage/copy/shape-store.ts';
import { withStorage } from '../../storage/opening/open.ts';
import { readSnapshot } from '../../storage/opening/snapshot.ts';
import { firstLine, LINE_KINDS, type LineKind, lastLine } from './format.ts';
import { KINDS } from './kinds.ts';
import type { Page } from './record.ts';

/** Number of lines of each kind. */
export type LineCounts = Readonly<Partial<Record<LineKind, number>>>;

/**
 * Exports a snapshot of a database while servers keep running.
 *
 * @param exportedAt the present time, a timestamp
 * @param write takes some lines, including their line ends; the next ones are read when it has finished
 * @throws when the database cannot be read
 */
export async function exportDatabase(
  database: Database,
  exportedAt: string,
  write: (text: string) => Promise<void>,
): Promise<LineCounts> {
  const pages = await pagesOfTables(database);
  return readSnapshot(database, async (sql) => {
    const counts: Partial<Record<LineKind, number>> = {};
    let lines = 0;
    await write(firstLine(exportedAt));
    for (const kind of LINE_KINDS) {
      const count = await exportKind(sql, kind, KINDS[kind].page ?? pages.get(KINDS[kind].table)!, write);
      if (count > 0) counts[kind] = count;
      lines += count;
    }
    await write(lastLine(lines));
    return counts;
  });
}

async function pagesOfTables(database: Database): Promise<ReadonlyMap<string, Page>> {
  const names = LINE_KINDS.map((kind) => KINDS[kind].table);
  const shapes = await withStorage(database, { poolSize: 1 }, (storage) => readShapes(storage, names));
  return new Map([...shapes].map(([name, shape]) => [name, pageOf(new TableRows(shape))]));
}

/** Pages of all rows of a table. */
function pageOf(table: TableRows): Page {
  const { columns, primaryKey } = table.shape;
  return async (sql, last, limit) => {
    const rows = await table.page(sql, last && primaryKey.map((name) => last[name] as Value), limit);
    return rows.map((row) => Object.fromEntries(columns.map(({ name }, index) => [name, row[index] as Value])));
  };
}

async function exportKind(
  sql: Sql,
  kind: LineKind,
  read: Page,
  write: (text: string) => Promise<void>,
): Promise<number> {
  const size = new PageSize();
  let lines = 0;
  for (let last: Readonly<StoredRow> | null = null; ; ) {
    const limit = size.rows;
    const page = await read(sql, last, limit);
    let text = '';
    for (const row of page) text += `${JSON.stringify({ kind, ...(await KINDS[kind].line(row, sql)) })}\n`;
    if (text !== '') await write(text);
    lines += page.length;
    last = page.at(-1) ?? null;
    if (last === null || page.length < limit) return lines;
    size.learn(page.length, text.length);
  }
}
