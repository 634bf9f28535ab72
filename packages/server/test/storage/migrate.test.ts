import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { Worker } from 'node:worker_threads';
import type { Database } from '../../src/storage/contract/database.ts';
import { type Statement, statement } from '../../src/storage/contract/storage.ts';
import { type Migration, migration } from '../../src/storage/migrations/migration.ts';
import { migrations as ownMigrations } from '../../src/storage/migrations/migrations.ts';
import { migrateDatabase, withStorage } from '../../src/storage/opening/open.ts';
import { postgresSchemaDialect } from '../../src/storage/postgres/postgres-differences.ts';
import { sqliteSchemaDialect } from '../../src/storage/sqlite/sqlite-differences.ts';
import { emptyDatabase, engines } from '../support/databases.ts';
import { emptyFor } from '../support/for-test.ts';
import type { TestDatabase } from '../support/test-database.ts';
import { addNoteAs, makeNotesAs } from './test-migrations.ts';

const listVersions = statement(
  'test_schema_migration.list',
  'select version, name, applied_at from schema_migration order by version',
);

const listNotes = statement('test_note.list', 'select body from note order by body');

const JANUARY = Date.parse('2026-01-31T09:30:00.000Z');
const FEBRUARY = Date.parse('2026-02-01T00:00:00.000Z');

/**
 * Migrations that databases in the field have applied, with a digest of their text on both engines, without comments
 * and spaces. A database that recorded one never applies it again, so none of them may change; a new one joins at its
 * release.
 */
const RELEASED = {
  '0001_baseline': 'e3f2f998d4ad6e43',
};

/** Short digest of a migration's text on both engines, without comments. */
function digestOf({ script }: Migration): string {
  const texts = [sqliteSchemaDialect, postgresSchemaDialect].map((dialect) =>
    script(dialect).replace(/--.*$/gm, '').replace(/\s+/g, ' ').trim(),
  );
  return hash('sha256', texts.join('\n')).slice(0, 16);
}

/** A migration with given statements. */
const saying = (version: number, title: string, text: string) => migration(version, title, () => text);

const rowsOf = (database: Database, list: Statement): Promise<readonly object[]> =>
  withStorage(database, {}, (storage) => storage.read((sql) => sql.all<object>(list)));

for (const engine of engines) {
  describe(`migrating ${engine}`, () => {
    let test: TestDatabase;
    beforeEach(async () => {
      test = await emptyDatabase(engine);
    });
    afterEach(() => test.remove());

    const migrateAt = (now: number, ...migrations: Migration[]) => migrateDatabase(test.database, now, migrations);

    it('applies each migration once, in order, and records when', async () => {
      assert.deepEqual(await migrateAt(JANUARY, makeNotesAs(1), addNoteAs(2)), ['0001_make_notes', '0002_add_note']);
      assert.deepStrictEqual(await rowsOf(test.database, listVersions), [
        { version: 1, name: '0001_make_notes', applied_at: '2026-01-31T09:30:00.000Z' },
        { version: 2, name: '0002_add_note', applied_at: '2026-01-31T09:30:00.000Z' },
      ]);
      assert.deepEqual(await rowsOf(test.database, listNotes), [
        { body: 'from the first; migration' },
        { body: 'from the second migration' },
      ]);
    });

    it('does nothing the second time', async () => {
      await migrateAt(JANUARY, makeNotesAs(1));
      assert.deepEqual(await migrateAt(FEBRUARY, makeNotesAs(1)), []);
      assert.deepStrictEqual(await rowsOf(test.database, listVersions), [
        { version: 1, name: '0001_make_notes', applied_at: '2026-01-31T09:30:00.000Z' },
      ]);
    });

    it('goes on from where an older version stopped', async () => {
      await migrateAt(JANUARY, makeNotesAs(1));
      assert.deepEqual(await migrateAt(FEBRUARY, makeNotesAs(1), addNoteAs(2)), ['0002_add_note']);
      assert.equal((await rowsOf(test.database, listNotes)).length, 2);
    });

    it('applies each migration once when ten nodes start at once', async () => {
      const node = new URL('./migrating-node.ts', import.meta.url);
      const loaded = new Int32Array(new SharedArrayBuffer(4));
      const workerData = { database: test.database, nodes: 10, loaded };
      const applied = await Promise.all(
        Array.from(
          { length: 10 },
          async () => (await once(new Worker(node, { workerData }), 'message'))[0] as string[],
        ),
      );
      assert.deepEqual(applied.flat().toSorted(), ['0001_make_notes', '0002_add_note']);
      assert.equal((await rowsOf(test.database, listVersions)).length, 2);
      assert.equal((await rowsOf(test.database, listNotes)).length, 2);
    });

    it('refuses a database with a newer schema, and changes nothing', async () => {
      await migrateAt(JANUARY, makeNotesAs(7));
      await assert.rejects(migrateAt(FEBRUARY, addNoteAs(5)), {
        message: 'The tables have version 7, but this Latchkey supports versions up to 5. Use the newer Latchkey.',
      });
      assert.equal((await rowsOf(test.database, listVersions)).length, 1);
      assert.equal((await rowsOf(test.database, listNotes)).length, 1);
    });

    it('leaves nothing of a migration that fails, and keeps those before it', async () => {
      const half = "insert into note (body) values ('half'); create table half (id integer);";
      const failing = saying(2, 'fails', `${half} insert into nowhere (id) values (1);`);
      await assert.rejects(
        migrateAt(JANUARY, makeNotesAs(1), failing),
        /^Error: Migration 0002_fails failed: .*nowhere/,
      );
      assert.equal((await rowsOf(test.database, listVersions)).length, 1);
      assert.equal((await rowsOf(test.database, listNotes)).length, 1);
      assert.deepEqual(await migrateAt(FEBRUARY, makeNotesAs(1), saying(2, 'fails', half)), ['0002_fails']);
      assert.equal((await rowsOf(test.database, listNotes)).length, 2);
    });

    it('ends between two statements of a migration on a signal, and applies all of it the next time', async () => {
      const stop = new AbortController();
      const reason = new Error('told to stop');
      const statements = Array.from({ length: 100 }, (_, index) => `insert into note (body) values ('note ${index}');`);
      const long = migration(2, 'long', () => {
        setImmediate(() => setImmediate(() => stop.abort(reason)));
        return statements.join('\n');
      });
      const migrations = [makeNotesAs(1), long];
      const stopped = migrateDatabase(test.database, JANUARY, migrations, undefined, stop.signal);
      await assert.rejects(stopped, (error) => error === reason);
      assert.equal((await rowsOf(test.database, listVersions)).length, 1);
      assert.ok((await rowsOf(test.database, listNotes)).length < 101);
      assert.deepEqual(await migrateAt(FEBRUARY, ...migrations), ['0002_long']);
      assert.equal((await rowsOf(test.database, listNotes)).length, 101);
    });

    it('says every ten seconds that a migration is under way, until it is done', async (context) => {
      context.mock.timers.enable({ apis: ['setInterval'] });
      let said = 0;
      const listener = { started() {}, underWay: () => (said += 1), done() {} };
      const saidAfter: number[] = [];
      const pass = (milliseconds: number) => {
        context.mock.timers.tick(milliseconds);
        saidAfter.push(said);
      };
      const long = migration(1, 'long', () => {
        for (const milliseconds of [9_999, 1, 10_000]) pass(milliseconds);
        return 'create table note (body text not null primary key);';
      });
      await migrateDatabase(test.database, JANUARY, [long], listener);
      pass(10_000);
      assert.deepEqual(saidAfter, [0, 1, 2, 2]);
    });

    it('refuses two migrations with one number, and one that is out of order', async () => {
      await assert.rejects(migrateAt(JANUARY, makeNotesAs(1), addNoteAs(1)), /numbers must rise/);
      await assert.rejects(migrateAt(JANUARY, makeNotesAs(2), addNoteAs(1)), /numbers must rise/);
    });
  });
}

describe('migrating sqlite', () => {
  it('may rebuild a table that others refer to, and may not leave a reference that leads nowhere', async (test) => {
    const database = await emptyFor(test, 'sqlite');
    const make = saying(
      1,
      'make',
      `create table shelf (id integer primary key);
       create table note (body text primary key, shelf_id integer references shelf (id) on delete cascade);
       insert into shelf values (1);
       insert into note values ('kept', 1);`,
    );
    const rebuild = saying(
      2,
      'rebuild',
      `create table shelf_new (id integer primary key, label text);
       insert into shelf_new select id, null from shelf;
       drop table shelf;
       alter table shelf_new rename to shelf;`,
    );
    const clear = saying(3, 'clear', 'delete from shelf;');
    assert.equal((await migrateDatabase(database, JANUARY, [make, rebuild])).length, 2);
    assert.deepEqual(await rowsOf(database, listNotes), [{ body: 'kept' }]);
    await assert.rejects(
      migrateDatabase(database, JANUARY, [make, rebuild, clear]),
      /the table note has a broken foreign key/,
    );
    assert.equal((await rowsOf(database, listVersions)).length, 2);
  });
});

describe('the migrations of the service', () => {
  it('have the numbers, names and statements that databases in the field have applied', () => {
    const released = ownMigrations.filter(({ name }) => name in RELEASED);
    assert.deepEqual(Object.fromEntries(released.map((each) => [each.name, digestOf(each)])), RELEASED);
  });
});
