/** SQLite compiles each statement of the service once per connection. */
import assert from 'node:assert/strict';
import { constants } from 'node:sqlite';
import { it } from 'node:test';
// Only commands read these.
import '../../src/platform/events/note-store.ts';
import '../../src/operations/recovery/state-store.ts';
import '../../src/runtime/service/server.ts';
import type { AnyStatement, Value } from '../../src/storage/contract/storage.ts';
import { Connection } from '../../src/storage/sqlite/sqlite-connection.ts';
import { sqliteDialect } from '../../src/storage/sqlite/sqlite-dialect.ts';
import { freshFor } from '../support/for-test.ts';
import { statementsOfService } from '../support/service-statements.ts';
import { openSqliteFile } from '../support/sqlite-file.ts';

/** They compare the column that decides whether a row is in a partial index, so their plan depends on the value. */
const COMPILED_FOR_EACH_VALUE: readonly string[] = [
  'event.list_of_product_type',
  'event.list_of_type',
  'event.list_of_type_up',
  'license.list_threatened',
  'license.list_threatened_of_product',
];

/** Numbers for limits, and a text that most other parameters take. */
function valuesOf(statement: AnyStatement, number: number): readonly Value[] {
  const text = statement.text(sqliteDialect);
  const parameters = new Set([...text.matchAll(/\$(\d+)/g)].map(([, position]) => Number(position)));
  const isLimit = (position: number) => new RegExp(`(limit|offset) \\$${position}\\b`).test(text);
  return [...parameters].map((_, index) => (isLimit(index + 1) ? number : '[]'));
}

it('a statement on SQLite is compiled once, whatever its values and its limit are', async (test) => {
  const database = await freshFor(test, 'sqlite');
  const opened = openSqliteFile(database.file);
  test.after(() => opened.close());
  // SQLite asks for permission whenever it compiles a statement.
  let compiled = 0;
  opened.setAuthorizer(() => {
    compiled += 1;
    return constants.SQLITE_OK;
  });
  const connection = new Connection(opened);
  const again: string[] = [];
  let ran = 0;
  for (const statement of statementsOfService()) {
    const run = (number: number) => {
      try {
        connection.all(statement, valuesOf(statement, number));
        ran += 1;
      } catch {
        // A value that a statement does not take; it is compiled nevertheless.
      }
    };
    run(1);
    assert.notEqual(compiled, 0, statement.name);
    compiled = 0;
    run(2);
    if (compiled > 0) again.push(statement.name);
    compiled = 0;
  }
  // The order of statements is that of their modules, which depends on the other tests of this process.
  assert.deepEqual(again.sort(), COMPILED_FOR_EACH_VALUE);
  assert.ok(ran > 1_000, `${ran} runs`);
});
