/** Damages SQLite files as a failing disk does: pages have other contents than were written. */
import { closeSync, openSync, writeSync } from 'node:fs';
import { openSqliteFile } from './sqlite-file.ts';

/** A page of a table or of an index. */
export interface Page {
  readonly number: number;
  readonly bytes: number;
}

/** A page whose place in a tree is known. */
export interface KnownPage extends Page {
  readonly kind: 'leaf' | 'internal' | 'overflow';
}

/** The pages of a table's rows, or of an index, by its name, in a file that nobody uses; its log is brought into it. */
export function pagesOf(file: string, name: string): readonly KnownPage[] {
  const database = openSqliteFile(file);
  try {
    database.exec('pragma wal_checkpoint(truncate)');
    return database
      .prepare('select pageno as number, pgsize as bytes, pagetype as kind from dbstat where name = ? order by pageno')
      .all(name) as unknown as KnownPage[];
  } finally {
    database.close();
  }
}

/** Overwrites pages of a file, each with a byte that means nothing to SQLite, or as `contents` says. */
export function damage(
  file: string,
  pages: readonly Page[],
  contents: (page: Page) => Uint8Array = ({ bytes }) => Buffer.alloc(bytes, 0xa5),
): void {
  const descriptor = openSync(file, 'r+');
  for (const page of pages) writeSync(descriptor, contents(page), 0, page.bytes, (page.number - 1) * page.bytes);
  closeSync(descriptor);
}

/** Overwrites every second page of the rows of a table. @returns how many */
export function damageRows(file: string, table: string): number {
  const damaged = pagesOf(file, table).filter(({ kind }, index) => kind === 'leaf' && index % 2 === 1);
  damage(file, damaged);
  return damaged.length;
}
