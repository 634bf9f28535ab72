/** Each column of an exported table is on a line of the export, or left out on purpose. */
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { sqliteDialect } from '../../src/storage/dialects.ts';
import { allStatements, type Sql } from '../../src/storage/storage.ts';
import { EXPORTED, type Exported } from '../../src/transfer/export.ts';
import { freshDatabase } from '../support/databases.ts';

/** The columns that a line reads of its row. */
async function columnsOnLine({ line }: Exported): Promise<Set<string>> {
  const read = new Set<string>();
  const row = new Proxy(
    {},
    {
      get(_row, column) {
        read.add(String(column));
        return column === 'unlocked_products' ? '[]' : null;
      },
    },
  );
  await line(row, { all: async () => [] } as unknown as Sql);
  return read;
}

describe('each column of an exported table', () => {
  it('is on the lines of the export, or left out on purpose', async (test) => {
    const { database, remove } = await freshDatabase('sqlite');
    test.after(remove);
    assert.ok(database.engine === 'sqlite');
    const connection = new DatabaseSync(database.file, { readOnly: true });
    test.after(() => connection.close());
    const columnsOf = (table: string) => {
      const rows = connection.prepare('select name from pragma_table_info(?)').all(table);
      return rows.map(({ name }) => String(name));
    };
    for (const exported of EXPORTED) {
      // Notes are the events of one type.
      if (exported.table === 'event') continue;
      const { table, leftOut = [] } = exported;
      const onLine = await columnsOnLine(exported);
      assert.deepEqual(
        columnsOf(table).filter((column) => !onLine.has(column) && !leftOut.includes(column)),
        [],
        `${table}: add these columns to the line in src/transfer/export.ts, or to leftOut`,
      );
      assert.deepEqual(
        leftOut.filter((column) => onLine.has(column) || !columnsOf(table).includes(column)),
        [],
        `${table}: these columns are on the line or gone; remove them from leftOut`,
      );
    }
    const seats = allStatements().find(({ name }) => name === 'seat.list_of_order');
    const listed = seats?.text(sqliteDialect) ?? '';
    assert.deepEqual(
      columnsOf('seat').filter((column) => !listed.includes(`s.${column} `)),
      [],
      'seat: add these columns to the table in src/studio-orders/store.ts',
    );
  });
});
