/** Each table is described once, by the slice that owns it: these tests name the part that an author forgot. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { tables } from '../../src/app.ts';
import { isCopied, isExported } from '../../src/storage/contract/table.ts';
import { freshDatabase } from '../support/databases.ts';
import { openSqliteFile } from '../support/sqlite-file.ts';

const page = readFileSync(new URL('../../../../docs/operators/import-export.md', import.meta.url), 'utf8');

const { database, remove } = await freshDatabase('sqlite');
assert.ok(database.engine === 'sqlite');
const connection = openSqliteFile(database.file);
const columns = connection
  .prepare(
    `select t.name as "table", c.name as "column" from sqlite_schema t join pragma_table_info(t.name) c
     where t.type = 'table' and t.name not like 'sqlite_%'`,
  )
  .all() as { table: string; column: string }[];
connection.close();
await remove();

describe('a table', () => {
  it('is described by one slice', () => {
    const described = tables.map(({ name }) => name);
    for (const name of new Set(columns.map(({ table }) => table)))
      assert.ok(
        described.includes(name),
        `describe ${name} in the tables.ts of the slice that owns it, which app.ts lists`,
      );
    for (const name of described) {
      assert.ok(
        columns.some(({ table }) => table === name),
        `no migration makes ${name}`,
      );
      assert.equal(described.indexOf(name), described.lastIndexOf(name), `${name} is described twice`);
    }
  });

  it('has the columns that its description names', () => {
    for (const { name, addresses = [], kept } of tables)
      for (const column of [...addresses, ...(kept === undefined ? [] : [kept.by, ...kept.key])])
        assert.ok(
          columns.some((each) => each.table === name && each.column === column),
          `${name} has no column ${column}`,
        );
  });

  it('names its columns with e-mail addresses, so that forgetting reaches them', () => {
    for (const { table, column } of columns.filter(({ column }) => column.includes('email')))
      assert.ok(
        tables.find(({ name }) => name === table)?.addresses?.includes(column),
        `name ${column} among the addresses of ${table}, and let customers/ forget it`,
      );
  });

  it('is copied and exported as docs/operators/import-export.md says, for the same reason', () => {
    const rows = [...page.matchAll(/^\| `(\w+)` \| (yes|no) \| (yes|no) \|(.*)\|$/gm)].map(
      ([, table, copied, exported, why = '']) => [table, copied, exported, why.trim()],
    );
    const word = (does: boolean) => (does ? 'yes' : 'no');
    const expected = tables.map((table) => {
      const why = table.carried === 'everywhere' ? [''] : Object.values<string>(table.carried);
      return [table.name, word(isCopied(table)), word(isExported(table)), ...why];
    });
    assert.deepEqual(rows.toSorted(), expected.toSorted());
  });
});
