/** A copy holds everything, in both directions, or the service refuses it. */
import assert from 'node:assert/strict';
import { existsSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import fc from 'fast-check';
import pg from 'pg';
import { copiedTables, tables } from '../../../src/app.ts';
import { systemClock } from '../../../src/ground/base/clock.ts';
import type { Database } from '../../../src/storage/contract/database.ts';
import { copyDatabase } from '../../../src/storage/copy/copy-database.ts';
import { claimPostgresSource } from '../../../src/storage/copy/postgres-claim.ts';
import { migrateDatabase } from '../../../src/storage/opening/open.ts';
import { lockSqliteFile } from '../../../src/storage/sqlite/sqlite-file-lock.ts';
import { allRows, anyRows, putRows } from '../../support/all-rows.ts';
import { type Ended, environmentOf, runCommandHere } from '../../support/command.ts';
import { type Engine, engines } from '../../support/databases.ts';
import { emptyTables } from '../../support/empty-tables.ts';
import { emptyFor, freshFor, served } from '../../support/for-test.ts';
import { knowingMigrations, nextMigration } from '../../support/next-migrations.ts';
import { execute, rowOf } from '../../support/own-connection.ts';
import { startServerProcess } from '../../support/server-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** Tables that are about the database itself. */
const OWN = tables.map(({ name }) => name).filter((name) => !copiedTables.includes(name));

const QUIET = { stage() {}, rows() {}, compared() {}, goesOn() {} };

/** A database as an operator names it. */
const named = (database: Database) => (database.engine === 'sqlite' ? `sqlite:${database.file}` : database.url);

const runCopy = (from: Database, to: Database): Promise<Ended> =>
  runCommandHere(['copy', '--from', named(from), '--to', named(to)]);

/** The path of a migrated SQLite file, from which rows are drawn. */
async function schemaFile(test: TestContext): Promise<string> {
  return (await freshFor(test, 'sqlite')).file;
}

/** A database with some rows in every table. */
async function filled(test: TestContext, engine: Engine): Promise<Database> {
  const database = await freshFor(test, engine);
  const arbitrary = anyRows(await schemaFile(test), OWN, { least: 1, most: 5 });
  await putRows(database, fc.sample(arbitrary, { numRuns: 1, seed: 7 })[0]!);
  // No feed is so long: the place after it is no number that the service can read.
  await execute(database, `delete from event_feed where place >= ${Number.MAX_SAFE_INTEGER}`);
  return database;
}

for (const from of engines)
  for (const to of engines)
    describe(`a copy from ${from} to ${to}`, () => {
      it('has every row of every table, with any values', async (test) => {
        const source = await freshFor(test, from);
        const target = await freshFor(test, to);
        await fc.assert(
          fc.asyncProperty(anyRows(await schemaFile(test), OWN, { most: 12 }), async (rows) => {
            await emptyTables(source);
            await emptyTables(target);
            await putRows(source, rows);
            const { rows: copied } = await copyDatabase(source, target, copiedTables, systemClock, QUIET);
            assert.equal(
              copied,
              Object.values(rows).reduce((sum, { length }) => sum + length, 0),
            );
            assert.deepEqual(await allRows(target, OWN), await allRows(source, OWN));
          }),
          { numRuns: 8, endOnFailure: true },
        );
      });

      it('keeps no address of a customer in its record once it is complete', async (test) => {
        const target = await emptyFor(test, to);
        const { code, err } = await runCopy(await filled(test, from), target);
        assert.equal(code, 0, err);
        const record = await rowOf(target, 'select progress, completed_at from database_copy');
        const progress = Object.values(JSON.parse(String(record!.progress))) as { last: unknown }[];
        assert.ok(progress.length > 0 && record!.completed_at !== null);
        assert.deepEqual(new Set(progress.map(({ last }) => last)), new Set([null]));
      });

      it('makes the tables of an empty database, prints its comparison, and can be served and changed', async (test) => {
        const source = await freshFor(test, from);
        const key = await served(source, (app) => app.license());
        const target = await emptyFor(test, to);
        const { code, out, err } = await runCopy(source, target);
        assert.equal(code, 0, err);
        assert.match(err, /^Copying \d+ rows\.$/m);
        assert.match(err, /^Comparing\.$/m);
        assert.match(out, /^license: 1 row, sha256 [0-9a-f]{64}, equal$/m);
        assert.match(out, /Source and target are equal\.$/m);
        if (target.engine === 'sqlite') assert.equal(statSync(target.file).mode & 0o777, 0o600);
        await served(target, async (app) => {
          const verified = await app.send('/verify', { licenseKey: key, productId: 'app' });
          assert.equal(verified.body.valid, true);
          await app.license();
        });
        const again = await runCopy(source, target);
        assert.equal(again.code, 1);
        assert.match(again.err, /was completed at .*Name an empty database\.$/m);
      });
    });

describe('a copy', () => {
  it('is longer than a page without a row missing or doubled', async (test) => {
    const source = await freshFor(test, 'sqlite');
    const rows = Array.from({ length: 5_003 }, (_, index) => [`k${index}`, `${index}`.repeat(50), '2027']);
    await putRows(source, { rate: rows });
    const target = await emptyFor(test, 'postgres');
    const { rows: copied } = await copyDatabase(source, target, copiedTables, systemClock, QUIET);
    assert.equal(copied, 5_003);
    assert.deepEqual(await allRows(target, OWN), await allRows(source, OWN));
  });

  for (const engine of engines)
    it(`into a ${engine} database that holds something is refused and changes nothing`, async (test) => {
      const source = await filled(test, 'sqlite');
      const target = await freshFor(test, engine);
      await putRows(target, { rate: [['192.0.2.1', '[]', '2027']] });
      const before = await allRows(target, []);
      const { code, out, err } = await runCopy(source, target);
      assert.deepEqual([code, out], [1, '']);
      assert.match(err, /The target is not empty: its table rate has rows\. Name an empty database\.$/m);
      assert.deepEqual(await allRows(target, []), before);
    });

  it('of a missing source is refused and creates nothing', async (test) => {
    const directory = temporaryFolder(test);
    const file = join(directory, 'none.db');
    const target = { engine: 'sqlite', file: join(directory, 'target.db') } as const;
    const { code, err } = await runCopy({ engine: 'sqlite', file }, target);
    assert.equal(code, 1);
    assert.match(err, /There is no database at .*none\.db\.$/m);
    assert.deepEqual([existsSync(file), existsSync(target.file)], [false, false]);
  });

  it('of a database to itself is refused', async (test) => {
    const source = await filled(test, 'sqlite');
    const { code, err } = await runCopy(source, source);
    assert.equal(code, 1);
    assert.match(err, /Source and target are the same database\.$/m);
  });

  it('is made of tables of this version only', async (test) => {
    const older = await filled(test, 'sqlite');
    const target = await emptyFor(test, 'postgres');
    knowingMigrations(test, nextMigration(1));
    const from = await runCopy(older, target);
    assert.equal(from.code, 1);
    assert.match(from.err, /The source has tables of version \d+, .*Update it with the command migrate first\.$/m);
    const newer = await emptyFor(test, 'sqlite');
    await migrateDatabase(newer, systemClock());
    const to = await runCopy(newer, older);
    assert.equal(to.code, 1);
    assert.match(to.err, /The target has tables of version \d+, .*Name an empty database\.$/m);
  });

  for (const text of ['mysql://host/name', 'sqlite:', 'postgres:nonsense', tmpdir()])
    it(`refuses to guess the meaning of ${text === tmpdir() ? 'a directory' : text}`, async () => {
      const { code, err } = await runCommandHere(['copy', '--from', text, '--to', '/nowhere/target.db']);
      assert.equal(code, 1);
      assert.match(err, /--from (takes|is not a URL)|is a directory/);
    });

  it('shows no password, wherever it fails', async (test) => {
    const secret = 'postgres://ada:hunter2@127.0.0.1:1/latchkey';
    const source = await filled(test, 'sqlite');
    for (const args of [
      ['copy', '--from', named(source), '--to', secret],
      ['copy', '--from', secret, '--to', '/nowhere/target.db'],
    ]) {
      const { code, out, err } = await runCommandHere(args);
      assert.equal(code, 1);
      assert.match(err, /PostgreSQL cannot be reached/);
      assert.doesNotMatch(out + err, /hunter2/);
    }
  });
});

describe('while a server uses it', () => {
  it('a SQLite file is neither copied nor copied to', async (test) => {
    const used = await freshFor(test, 'sqlite');
    const other = await filled(test, 'postgres');
    const lock = lockSqliteFile(used.file);
    test.after(() => lock.release());
    for (const [from, to] of [
      [used, await emptyFor(test, 'postgres')],
      [other, used],
    ] as const) {
      const { code, err } = await runCopy(from, to);
      assert.equal(code, 1);
      assert.match(err, /another Latchkey server is using/);
    }
  });

  it('a PostgreSQL database is neither copied nor copied to', async (test) => {
    const used = await freshFor(test, 'postgres');
    const server = await startServerProcess(used);
    test.after(() => server.kill());
    await server.send('/verify', { licenseKey: 'A', productId: 'app' });
    for (const [from, to, which] of [
      [used, await emptyFor(test, 'sqlite'), 'source'],
      [await filled(test, 'sqlite'), used, 'target'],
    ] as const) {
      const { code, err } = await runCopy(from, to);
      assert.equal(code, 1);
      assert.match(err, new RegExp(`The ${which} is in use\\. .*Stop them first\\.$`, 'm'));
    }
  });

  it('a PostgreSQL source refuses writes and starts of servers until it is released', async (test) => {
    const source = await freshFor(test, 'postgres');
    const claim = await claimPostgresSource(source.url, copiedTables);
    const client = new pg.Client(`${source.url}?application_name=another`);
    // The database is removed while the connection is open.
    client.on('error', () => {});
    await client.connect();
    test.after(() => client.end());
    await client.query('set lock_timeout = 100');
    const write = "insert into rate values ('192.0.2.1', '[]', '2027')";
    await assert.rejects(client.query(write), /lock timeout/);
    const { rows } = await client.query('select count(*) from license');
    assert.equal(rows[0].count, '0');
    await assert.rejects(claimPostgresSource(source.url, copiedTables), /another copy is running/);
    let hasStarted = false;
    const starting = startServerProcess(source).then((server) => {
      hasStarted = true;
      return server;
    });
    // The command has reached the lock once it waits for it.
    for (let waiting = 0; waiting === 0; )
      waiting = (await client.query("select 1 from pg_locks where locktype = 'advisory' and not granted")).rows.length;
    assert.equal(hasStarted, false);
    await claim.release();
    const server = await starting;
    await server.kill();
    await client.query(write);
  });
});

for (const engine of engines)
  describe(`a copy to ${engine} that was interrupted`, () => {
    /** A target with one copied table, left by a process that ended. */
    async function interrupted(test: TestContext): Promise<{ source: Database; target: Database }> {
      const source = await filled(test, 'sqlite');
      const target = await freshFor(test, engine);
      let stopped = 0;
      const stopping = {
        ...QUIET,
        rows() {
          stopped += 1;
          if (stopped === 3) throw new Error('the power is gone');
        },
      };
      await assert.rejects(copyDatabase(source, target, copiedTables, systemClock, stopping), /the power is gone/);
      return { source, target };
    }

    it('is not served, and no command works on it', async (test) => {
      const { target } = await interrupted(test);
      const sentence = /is an incomplete copy of .*\. Run the command copy again to resume it\./;
      await assert.rejects(startServerProcess(target, environmentOf(target)), sentence);
      for (const command of ['check', 'list-token-keys']) {
        const { code, err } = await runCommandHere([command], environmentOf(target));
        assert.equal(code, 1, command);
        assert.match(err, sentence);
      }
    });

    it('continues at its place, to the end', async (test) => {
      const { source, target } = await interrupted(test);
      let copied = 0;
      let before = -1;
      await copyDatabase(source, target, copiedTables, systemClock, {
        ...QUIET,
        stage(name, _rows, done) {
          if (name === 'copying') before = done;
        },
        rows: (_table, rows) => {
          copied += rows;
        },
      });
      assert.ok(before > 0);
      assert.deepEqual(await allRows(target, OWN), await allRows(source, OWN));
      assert.ok(copied > 0);
    });

    it('goes on with the same source only', async (test) => {
      const { target } = await interrupted(test);
      const { code, err } = await runCopy(await filled(test, 'sqlite'), target);
      assert.equal(code, 1);
      assert.match(err, /is an interrupted copy of another database .*Name an empty database\.$/m);
    });

    it('is found out at the end when the source was changed meanwhile', async (test) => {
      const { source, target } = await interrupted(test);
      await putRows(source, {
        activation: [['', ' ', '', '', '', '', '', ...Array(2).fill(null), '', ...Array(6).fill(null)]],
      });
      const { code, out, err } = await runCopy(source, target);
      assert.equal(code, 1);
      assert.doesNotMatch(out, /are equal/);
      assert.match(err, /The table activation differs\. .*start again with an empty database\.$/m);
      const { open } = (await rowOf(target, 'select count(*) as open from database_copy where completed_at is null'))!;
      assert.equal(Number(open), 1);
    });
  });
