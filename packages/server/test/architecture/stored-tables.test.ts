/**
 * Every table must declare how exports, copies and other ways out of the database treat it, in the code and in the
 * documentation.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { STORED_TABLES } from '../../src/storage/stored-tables.ts';
import { freshDatabase } from '../support/databases.ts';

const page = readFileSync(new URL('../../../../docs/import-export.md', import.meta.url), 'utf8');

describe('the list of stored tables', () => {
  it('has every table of the schema and no other', async (test) => {
    const { database, remove } = await freshDatabase('sqlite');
    test.after(remove);
    assert.ok(database.engine === 'sqlite');
    const connection = new DatabaseSync(database.file);
    const tables = connection.prepare("select name from sqlite_schema where type = 'table' order by name").all();
    connection.close();
    assert.deepEqual(
      Object.keys(STORED_TABLES).sort(),
      tables.map(({ name }) => String(name)),
    );
  });

  it('is the one of the documentation, which says why a table is left out', () => {
    const rows = [...page.matchAll(/^\| `(\w+)` \| (yes|no) \| (yes|no) \|(.*)\|$/gm)];
    const documented = Object.fromEntries(
      rows.map(([, table, copied, exported]) => [
        table,
        { isCopied: copied === 'yes', isExported: exported === 'yes' },
      ]),
    );
    assert.deepEqual(documented, STORED_TABLES);
    for (const [, table, copied, exported, why = ''] of rows)
      if (copied === 'no' || exported === 'no') assert.ok(why.trim().length > 10, `${table}: say why`);
  });
});
