/** Programs on tables that are newer than they are: they continue where every newer migration permits it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkDatabase } from '../../src/operations/commands/database-check.ts';
import { migrations as ownMigrations } from '../../src/storage/migrations/migrations.ts';
import { migrateDatabase } from '../../src/storage/opening/open.ts';
import { postgresSchemaDialect } from '../../src/storage/postgres/postgres-differences.ts';
import { sqliteSchemaDialect } from '../../src/storage/sqlite/sqlite-differences.ts';
import { environmentOf, runCommand } from '../support/command.ts';
import { engines } from '../support/databases.ts';
import { emptyFor, freshFor } from '../support/for-test.ts';
import { nextMigration } from '../support/next-migrations.ts';
import { makeNotesAs } from './test-migrations.ts';

const JANUARY = Date.parse('2026-01-31T09:30:00.000Z');
const NEWEST = ownMigrations.at(-1)!.version;

/**
 * Only one program uses a SQLite file at a time, so a migration may replace an index by a partial one. An older program
 * on the file then lists more slowly.
 */
const SMALLER_INDEXES = /drop index (\w+);\s*(?=create index \1 )/g;

/** Whether a script is invisible to programs that do not know it. */
function isOnlyAdding(script: string): boolean {
  const statements = script
    .replace(/--.*$/gm, '')
    .split(';')
    .map((each) => each.replace(/\s+/g, ' ').trim())
    .filter((each) => each !== '');
  return statements.every(
    (each) =>
      /^create (table|index) /.test(each) ||
      // Rows of a table that the script itself makes.
      (/^insert into (\w+) /.test(each) &&
        script.includes(`create table ${/^insert into (\w+) /.exec(each)?.[1]} (`)) ||
      /^alter table \w+ set \(fillfactor = \d+\)$/.test(each) ||
      (/^alter table \w+ add column /.test(each) && (!/ not null/.test(each) || / default /.test(each))),
  );
}

for (const engine of engines)
  describe(`a program on tables of ${engine} that are newer than it`, () => {
    it('goes on where all that is newer says that it may, and changes nothing', async (test) => {
      const database = await emptyFor(test, engine);
      const known = [makeNotesAs(NEWEST)];
      await migrateDatabase(database, JANUARY, known);
      await migrateDatabase(database, JANUARY, [...known, nextMigration(1), nextMigration(2)]);
      assert.deepEqual(await migrateDatabase(database, JANUARY, known), []);
    });

    it('is refused where one of several newer migrations says that it must stop', async (test) => {
      const database = await emptyFor(test, engine);
      const known = [makeNotesAs(NEWEST)];
      await migrateDatabase(database, JANUARY, [...known, nextMigration(1, 'must stop'), nextMigration(2)]);
      await assert.rejects(migrateDatabase(database, JANUARY, known), {
        message: `The tables have version ${NEWEST + 2}, but this Latchkey supports versions up to ${NEWEST}. Use the newer Latchkey.`,
      });
    });

    it('takes commands and passes the check as it serves', async (test) => {
      for (const [olderNodes, code] of [
        ['go on', 0],
        ['must stop', 1],
      ] as const) {
        const database = await freshFor(test, engine);
        await migrateDatabase(database, JANUARY, [...ownMigrations, nextMigration(1, olderNodes)]);
        const ended = await runCommand(['list-token-keys'], environmentOf(database));
        assert.equal(ended.code, code, ended.err);
        if (code === 0) {
          const { facts } = await checkDatabase(database, JANUARY);
          assert.deepEqual(facts, [
            `The tables have version ${NEWEST + 1}; this Latchkey knows version ${NEWEST}, and can serve the newer tables.`,
          ]);
        } else {
          assert.match(ended.err, /Use the newer Latchkey/);
          await assert.rejects(checkDatabase(database, JANUARY), /Use the newer Latchkey/);
        }
      }
    });
  });

describe('a migration that lets older nodes go on', () => {
  it('does nothing but add', () => {
    for (const { name, script } of ownMigrations.filter(({ olderNodes }) => olderNodes === 'go on'))
      for (const dialect of [sqliteSchemaDialect, postgresSchemaDialect])
        assert.ok(
          isOnlyAdding(
            dialect === sqliteSchemaDialect ? script(dialect).replaceAll(SMALLER_INDEXES, '') : script(dialect),
          ),
          `${name} does more than add, so older nodes must stop`,
        );
  });

  it('is distinguished from one that does more', () => {
    for (const [script, expected] of [
      ['create table a (b text); create index c on a (b);', true],
      ["alter table a add column b text; alter table a add column c text not null default 'x'", true],
      ['alter table a set (fillfactor = 50)', true],
      ['alter table a set (fillfactor = 50, autovacuum_enabled = off)', false],
      ['alter table a add column b text not null', false],
      ['create unique index c on a (b)', false],
      ['alter table a drop column b', false],
      ['create table a (b text); update a set b = 1', false],
    ] as const)
      assert.equal(isOnlyAdding(script), expected, script);
  });
});
