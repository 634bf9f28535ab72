/** Pages of any table are read along its primary key: no page costs more than its rows, and none is sorted. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import pg from 'pg';
import { copiedTables } from '../../src/app.ts';
import { TableRows } from '../../src/storage/copy/rows-store.ts';
import { readShapes } from '../../src/storage/copy/shape-store.ts';
import { inFillingOrder, type TableShape } from '../../src/storage/copy/table-shape.ts';
import { withStorage } from '../../src/storage/opening/open.ts';
import { SESSION_OPTIONS } from '../../src/storage/postgres/postgres-connection.ts';
import { postgresDialect } from '../../src/storage/postgres/postgres-dialect.ts';
import { sqliteDialect } from '../../src/storage/sqlite/sqlite-dialect.ts';
import { engines } from '../support/databases.ts';
import { freshFor } from '../support/for-test.ts';
import { openSqliteFile } from '../support/sqlite-file.ts';

for (const engine of engines)
  it(`pages of each table follow its primary key on ${engine}`, async (test) => {
    const database = await freshFor(test, engine);
    const shapes = await withStorage(database, {}, (storage) => readShapes(storage, copiedTables));
    const pages = [...shapes.values()].flatMap((shape) =>
      new TableRows(shape).statements.filter(({ needsTransaction }) => !needsTransaction),
    );
    assert.equal(pages.length, 2 * copiedTables.length);
    if (database.engine === 'sqlite') {
      const connection = openSqliteFile(database.file);
      for (const { name, text } of pages) {
        const plan = connection.prepare(`explain query plan ${text(sqliteDialect)}`).all();
        const steps = plan.map(({ detail }) => String(detail));
        assert.equal(steps.length, 1, `${name}: ${steps.join('; ')}`);
        assert.match(
          steps[0]!,
          /^(SEARCH|SCAN) \w+ USING ((COVERING )?INDEX sqlite_autoindex_|(INTEGER )?PRIMARY KEY)|^SCAN \w+$/,
          name,
        );
        if (name.includes('next')) assert.match(steps[0]!, /^SEARCH/, name);
      }
      connection.close();
      return;
    }
    const client = new pg.Client({ connectionString: database.url, options: SESSION_OPTIONS });
    await client.connect();
    for (const { name, text } of pages) {
      const { rows } = await client.query(`explain (generic_plan) ${text(postgresDialect)}`);
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      assert.match(plan, /Index (Only )?Scan using \w+_pkey/, name);
      assert.doesNotMatch(plan, /Sort|Seq Scan/, name);
      if (name.includes('next')) assert.match(plan, /Index Cond/, name);
    }
    await client.end();
  });

describe('tables that refer to each other', () => {
  const shape = (name: string, ...references: string[]): TableShape => ({
    name,
    columns: [{ name: 'id', type: 'text' }],
    primaryKey: ['id'],
    references,
  });

  it('are filled after those that they refer to', () => {
    const tables = [shape('a', 'b', 'z'), shape('b', 'c'), shape('c', 'c'), shape('z')];
    assert.deepEqual(
      inFillingOrder(tables).map(({ name }) => name),
      ['c', 'b', 'z', 'a'],
    );
  });

  it('in a circle cannot be filled', () => {
    assert.throws(() => inFillingOrder([shape('a', 'b'), shape('b', 'a')]), /refer to each other: a, b/);
  });
});
