/** Commands check before they act: help never acts, the database is named, and none is made by mistake. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { Database } from '../../../src/storage/contract/database.ts';
import { environmentOf, runCommandHere, runProgram } from '../../support/command.ts';
import { emptyDatabase, engines, freshDatabase } from '../../support/databases.ts';
import { knowingMigrations, nextMigration } from '../../support/next-migrations.ts';
import { rowOf } from '../../support/own-connection.ts';
import { openSqliteFile } from '../../support/sqlite-file.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** Every command with valid arguments. */
const COMMANDS = [
  ['check'],
  ['migrate'],
  ['backup', '/nowhere/copy.db'],
  ['restore', '/nowhere/copy.db'],
  ['export', '/nowhere/licenses.jsonl'],
  ['import', '/nowhere/licenses.jsonl'],
  ['list-token-keys'],
  ['rotate-token-keys'],
  ['drop-token-key', 'first'],
  ['lift-activation-limits'],
  ['list-destinations'],
  ['pause-destinations'],
  ['resume-destinations'],
] as const;
/** With the commands that take their databases as arguments. */
const ALL_COMMANDS = [...COMMANDS, ['copy', '--from', '/nowhere/one.db', '--to', '/nowhere/other.db']] as const;
/** Commands that work on the tables of an existing database; backups are tried in another file. */
const WORKING = COMMANDS.filter(([name]) => !['check', 'backup', 'restore'].includes(name));

describe('--help', () => {
  for (const args of [['--help'], ['-h']])
    it(`shows all commands and ends with 0: ${args}`, async () => {
      const { code, out, err } = await runCommandHere(args);
      assert.deepEqual([code, err], [0, '']);
      assert.match(out, /^Usage: latchkey <command>\n/);
      for (const [name] of ALL_COMMANDS) assert.match(out, new RegExp(`^ {2}${name} `, 'm'));
    });

  for (const args of ALL_COMMANDS)
    it(`of ${args[0]} shows its usage, ends with 0 and does nothing, with any other arguments`, async (test) => {
      const fresh = await freshDatabase('sqlite', test);
      const keys = 'select count(*) as keys from token_key';
      const before = await rowOf(fresh.database, keys);
      for (const said of [
        [...args, '--help'],
        [args[0], '-h'],
        [args[0], '--help', 'more', '--and-more'],
      ]) {
        const { code, out, err } = await runCommandHere(said, environmentOf(fresh.database));
        assert.deepEqual([code, err], [0, ''], said.join(' '));
        assert.match(out, new RegExp(`^Usage: latchkey ${args[0]}\\b`));
      }
      assert.deepEqual(await rowOf(fresh.database, keys), before);
    });

  it('beside a command that there is not ends with 2', async () => {
    const { code, out } = await runCommandHere(['rotate', '--help']);
    assert.deepEqual([code, out], [2, '']);
  });

  it('after -- is an argument like any other', async (test) => {
    const fresh = await freshDatabase('sqlite', test);
    const { code, err } = await runCommandHere(['drop-token-key', '--', '--help'], environmentOf(fresh.database));
    assert.equal(code, 1);
    assert.match(err, /There is no key --help\./);
  });

  it('of npm start shows its usage and starts nothing; any other argument is refused with 2', async (test) => {
    const directory = temporaryFolder(test);
    const environment = { LATCHKEY_DATA_DIR: join(directory, 'data'), PORT: '0' };
    const help = await runProgram('src/main.ts', ['--help'], environment);
    assert.deepEqual([help.code, help.err], [0, '']);
    assert.match(help.out, /^Usage: npm start\n/);
    for (const args of [['--port=1'], ['migrate'], ['--help', 'more']]) {
      const refused = await runProgram('src/main.ts', args, environment);
      assert.deepEqual([refused.code, refused.out], [2, ''], args.join(' '));
      assert.match(refused.err, /^Usage: npm start\n/);
    }
    assert.deepEqual(readdirSync(directory), []);
  });
});

describe('a command without a SQLite file', () => {
  for (const args of COMMANDS)
    it(`makes none: ${args.join(' ')}`, async (test) => {
      const directory = temporaryFolder(test);
      const missing = join(directory, 'data');
      for (const dataDirectory of [missing, directory]) {
        const { code, out, err } = await runCommandHere(args, { LATCHKEY_DATA_DIR: dataDirectory });
        assert.match(err, new RegExp(`^Database: SQLite, ${join(dataDirectory, 'latchkey.db')}$`, 'm'));
        if (args[0] === 'check') assert.equal(code, 0);
        else if (args[0] === 'restore') assert.match(err, /^There is no file \/nowhere\/copy\.db\.$/m);
        else {
          assert.deepEqual([code, out], [1, '']);
          assert.match(err, new RegExp(`^There is no database at ${join(dataDirectory, 'latchkey.db')}\\.`, 'm'));
        }
      }
      assert.deepEqual(readdirSync(directory), []);
    });
});

describe('the password of PostgreSQL', () => {
  for (const args of COMMANDS)
    it(`is not shown where the database is named: ${args.join(' ')}`, async () => {
      const url = 'postgres://ada:hunter2@127.0.0.1:1/shop?password=hunter3&application_name=hunter4';
      const { out, err } = await runCommandHere(args, { DATABASE_URL: url });
      assert.match(err, /^Database: PostgreSQL, database shop on 127\.0\.0\.1:1 as ada$/m);
      assert.doesNotMatch(out + err, /hunter/);
    });
});

/** A database whose tables claim to be of another version, after a change of their record. */
async function versionOf(test: TestContext, engine: (typeof engines)[number], change: string): Promise<Database> {
  const fresh = await freshDatabase(engine, test);
  await rowOf(fresh.database, change);
  return fresh.database;
}

for (const engine of engines)
  describe(`a command on ${engine}`, () => {
    it('names the database it works on, beside its result', async (test) => {
      const { database } = await freshDatabase(engine, test);
      const name =
        database.engine === 'sqlite'
          ? `SQLite, ${database.file}`
          : `PostgreSQL, database ${new URL(database.url).pathname.slice(1)} on ${new URL(database.url).hostname}:`;
      for (const args of [...COMMANDS.filter(([each]) => each !== 'drop-token-key'), ['drop-token-key', 'none']]) {
        const { out, err } = await runCommandHere(args, environmentOf(database));
        assert.ok(err.startsWith(`Database: ${name}`), `${args.join(' ')}: ${err}`);
        assert.doesNotMatch(out, /Database: /);
      }
    });

    it('fills an empty database with migrate, and leaves it empty with any other command', async (test) => {
      const { database } = await emptyDatabase(engine, test);
      const environment = environmentOf(database);
      if (database.engine === 'sqlite') openSqliteFile(database.file).close();
      for (const args of WORKING.filter(([name]) => name !== 'migrate')) {
        const { code, out, err } = await runCommandHere(args, environment);
        assert.deepEqual([code, out], [1, ''], args.join(' '));
        assert.match(err, /^This database has no tables of Latchkey\. The command migrate creates them\.$/m);
      }
      const tables =
        engine === 'sqlite'
          ? 'select count(*) as tables from sqlite_schema'
          : "select count(*)::int as tables from pg_tables where schemaname = 'public'";
      assert.deepEqual(await rowOf(database, tables), { tables: 0 });

      const { code, out } = await runCommandHere(['migrate'], environment);
      assert.equal(code, 0);
      assert.match(out, /^Applied 0001_baseline/);
      assert.equal((await runCommandHere(['list-token-keys'], environment)).code, 0);
    });

    it('leaves tables of another version alone, unless it is migrate', async (test) => {
      const { database: older } = await freshDatabase(engine, test);
      const newer = await versionOf(
        test,
        engine,
        "insert into schema_migration (version, name, applied_at) values (9999, 'later', '2030-01-01T00:00:00.000Z')",
      );
      knowingMigrations(test, nextMigration(1));
      for (const [database, reason] of [
        [older, /^The tables have version \d+, but this Latchkey needs \d+\. The command migrate updates them\.$/m],
        [
          newer,
          /^The tables have version 9999, but this Latchkey supports versions up to \d+\. Use the newer Latchkey\.$/m,
        ],
      ] as const) {
        const { code, out, err } = await runCommandHere(['rotate-token-keys'], environmentOf(database));
        assert.deepEqual([code, out], [1, '']);
        assert.match(err, reason);
        assert.deepEqual(await rowOf(database, 'select key_id from token_key limit 1'), null);
      }
    });
  });
