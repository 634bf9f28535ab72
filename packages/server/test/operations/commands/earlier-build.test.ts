/** A database of a build before 1.0.0 is refused in a sentence that names the way out, and stays as it is. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { Database } from '../../../src/storage/contract/database.ts';
import { allRows } from '../../support/all-rows.ts';
import { environmentOf, nameOf, runCommandHere, runProgram } from '../../support/command.ts';
import { type Engine, engines } from '../../support/databases.ts';
import { emptyFor, freshFor } from '../../support/for-test.ts';
import { execute } from '../../support/own-connection.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const REFUSED =
  /The tables are those of a build before Latchkey 1\.0\.0, .* with the command export of that build, .* with the command import of this one\.?$/m;

/** The records of the last build before 1.0.0, which had applied 49 migrations. */
async function ofEarlierBuild(test: TestContext, engine: Engine): Promise<Database> {
  const database = await freshFor(test, engine);
  await execute(
    database,
    `delete from schema_migration;
     insert into schema_migration (version, name, applied_at, older_nodes) values
       (1, '0001_licenses', '2026-01-31T09:30:00.000Z', 'must stop'),
       (101, '0101_lists_of_destinations', '2026-11-01T09:30:00.000Z', 'go on');`,
  );
  return database;
}

const named = (database: Database) => (database.engine === 'sqlite' ? `sqlite:${database.file}` : database.url);

for (const engine of engines)
  describe(`a database of a build before 1.0.0 on ${engine}`, () => {
    it('is refused by a start, and stays as it is', async (test) => {
      const database = await ofEarlierBuild(test, engine);
      const rows = await allRows(database, []);
      const { code, err } = await runProgram('src/main.ts', [], {
        LATCHKEY_DATA_DIR: temporaryFolder(test),
        ...environmentOf(database),
        HOST: '127.0.0.1',
        PORT: '0',
      });
      assert.notEqual(code, 0);
      assert.match(err, /build before Latchkey 1\.0\.0/);
      assert.match(err, /command export of that build/);
      assert.deepEqual(await allRows(database, []), rows);
    });

    it('is refused by the commands', async (test) => {
      const database = await ofEarlierBuild(test, engine);
      const rows = await allRows(database, []);
      const folder = temporaryFolder(test);
      const current = await freshFor(test, engine);
      for (const [args, configured] of [
        [['check'], database],
        [['migrate'], database],
        [['migrate', '--dry-run'], database],
        [['migrate', '--rehearse-on', nameOf(database)], current],
        [['list-token-keys'], database],
        [['export', join(folder, 'export.jsonl')], database],
        [['after-restore', '--keep-revoked-from', nameOf(database)], current],
        [['copy', '--from', named(database), '--to', named(await emptyFor(test, 'sqlite'))], current],
        [['copy', '--from', named(current), '--to', named(database)], current],
      ] as const) {
        const { code, err } = await runCommandHere(args, { LATCHKEY_DATA_DIR: folder, ...environmentOf(configured) });
        assert.equal(code, 1, args.join(' '));
        assert.match(err, REFUSED, args.join(' '));
      }
      assert.deepEqual(await allRows(database, []), rows);
    });
  });

describe('a backup of a build before 1.0.0', () => {
  it('is not restored', async (test) => {
    const earlier = await ofEarlierBuild(test, 'sqlite');
    const backup = join(temporaryFolder(test), 'backup.db');
    assert.equal((await runCommandHere(['backup', backup], environmentOf(earlier))).code, 0);
    const present = await freshFor(test, 'sqlite');
    const rows = await allRows(present, []);
    for (const args of [
      ['restore', backup],
      ['restore', backup, '--keep-revoked-from', nameOf(present)],
    ]) {
      const { code, err } = await runCommandHere(args, environmentOf(present));
      assert.equal(code, 1);
      assert.match(err, REFUSED);
    }
    assert.deepEqual(await allRows(present, []), rows);
  });
});
