/** A migration is rehearsed on a copy of the database, and check tells how long the rehearsal took. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { systemClock } from '../../../src/ground/base/clock.ts';
import type { Database } from '../../../src/storage/contract/database.ts';
import { migrations } from '../../../src/storage/migrations/migrations.ts';
import { listPendingMigrations, migrateDatabase } from '../../../src/storage/opening/open.ts';
import { environmentOf, nameOf, runCommandHere } from '../../support/command.ts';
import { type Engine, engines } from '../../support/databases.ts';
import { freshFor } from '../../support/for-test.ts';
import { knowingMigrations, nextMigration } from '../../support/next-migrations.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const [FIRST, SECOND] = [nextMigration(1), nextMigration(2)];

/** A copy that the first of two migrations was applied to. */
async function withFirst(test: TestContext, engine: Engine): Promise<Database> {
  const database = await freshFor(test, engine);
  await migrateDatabase(database, systemClock(), [...migrations, FIRST]);
  return database;
}

/** Runs commands in a data directory of their own. */
function commandsOn(test: TestContext, database: Database) {
  const environment = { LATCHKEY_DATA_DIR: temporaryFolder(test), ...environmentOf(database) };
  return (...args: string[]) => runCommandHere(args, environment);
}

for (const engine of engines)
  describe(`a migration that is rehearsed on a copy on ${engine}`, () => {
    it('leaves the database unchanged, and check reports its duration', async (test) => {
      const database = await freshFor(test, engine);
      const copy = await freshFor(test, engine);
      knowingMigrations(test, FIRST, SECOND);
      const latchkey = commandsOn(test, database);
      const advice = /To learn how long that takes, run latchkey migrate --rehearse-on with a copy of the database\./;
      const before = (await latchkey('check')).out;
      assert.match(before, new RegExp(`^The next start applies ${FIRST.name}, ${SECOND.name}\\. `, 'm'));
      assert.match(before, advice);

      const rehearsed = await latchkey('migrate', '--rehearse-on', nameOf(copy));
      assert.equal(rehearsed.code, 0, rehearsed.err);
      assert.match(rehearsed.out, new RegExp(`^Rehearsed ${FIRST.name}, ${SECOND.name} in \\d+\\.\\d s\\.\n$`));
      assert.equal((await listPendingMigrations(database)).length, 2);
      assert.equal((await listPendingMigrations(copy)).length, 0);

      const { out, err } = await latchkey('check');
      assert.match(out, / A rehearsal of \d{4}-\d\d-\d\dT\S+Z \((SQLite|PostgreSQL), .*\) took \d+\.\d s\.$/m, err);
      assert.doesNotMatch(out, advice);
      assert.doesNotMatch(out, /postgres:\/\//);
    });

    it('is no measure for further migrations', async (test) => {
      const database = await freshFor(test, engine);
      const copy = await withFirst(test, engine);
      knowingMigrations(test, FIRST, SECOND);
      const latchkey = commandsOn(test, database);
      assert.equal((await latchkey('migrate', '--rehearse-on', nameOf(copy))).code, 0);
      assert.match((await latchkey('check')).out, /run latchkey migrate --rehearse-on/);
    });

    it('is refused on the database itself, and does nothing on tables that are up to date', async (test) => {
      const database = await freshFor(test, engine);
      const copy = await freshFor(test, engine);
      knowingMigrations(test, FIRST);
      const latchkey = commandsOn(test, database);
      const { code, out, err } = await latchkey('migrate', '--rehearse-on', nameOf(database));
      assert.deepEqual([code, out], [1, '']);
      assert.match(err, /^--rehearse-on names the database of the service\. Name a copy of it\.$/m);
      assert.equal((await listPendingMigrations(database)).length, 1);
      await migrateDatabase(database, systemClock());
      await migrateDatabase(copy, systemClock());
      const again = await latchkey('migrate', '--rehearse-on', nameOf(copy));
      assert.deepEqual([again.code, again.out], [0, 'The tables are up to date.\n']);
    });
  });
