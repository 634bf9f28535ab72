import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { type Database, migrateDatabase, openStorage } from '../../src/storage/open.ts';
import { type Statement, statement } from '../../src/storage/storage.ts';
import { emptyDatabase, engines, type TestDatabase } from '../support/databases.ts';

const listVersions = statement(
  'test_schema_migration.list',
  'select version, name, applied_at from schema_migration order by version',
);

const listNotes = statement('test_note.list', 'select body from note order by body');

const JANUARY = Date.parse('2026-01-31T09:30:00.000Z');
const FEBRUARY = Date.parse('2026-02-01T00:00:00.000Z');

const makeNotes = `-- A comment; with a semicolon.
create table note (body text not null primary key);
insert into note (body) values ('from the first; migration');`;

const addNote = "insert into note (body) values ('from the second migration');";

async function rowsOf(database: Database, list: Statement): Promise<readonly object[]> {
  const storage = await openStorage(database);
  try {
    return await storage.read((sql) => sql.all<object>(list));
  } finally {
    await storage.close();
  }
}

for (const engine of engines) {
  describe(`migrating ${engine}`, () => {
    let test: TestDatabase;
    let root: string;
    let migrations: URL;
    beforeEach(async () => {
      test = await emptyDatabase(engine);
      root = await mkdtemp(join(tmpdir(), 'latchkey-migrations-'));
      await mkdir(join(root, engine));
      migrations = pathToFileURL(`${root}/`);
    });
    afterEach(async () => {
      await test.remove();
      await rm(root, { recursive: true, force: true });
    });

    const write = (file: string, text: string) => writeFile(join(root, engine, file), text);
    const migrateAt = (now: number) => migrateDatabase(test.database, now, migrations);

    it('applies each file once, in order, and records when', async () => {
      await write('0002_add_note.sql', addNote);
      await write('0001_make_notes.sql', makeNotes);
      await write('README.md', 'not a migration');
      assert.deepEqual(await migrateAt(JANUARY), ['0001_make_notes', '0002_add_note']);
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
      await write('0001_make_notes.sql', makeNotes);
      await migrateAt(JANUARY);
      assert.deepEqual(await migrateAt(FEBRUARY), []);
      assert.deepStrictEqual(await rowsOf(test.database, listVersions), [
        { version: 1, name: '0001_make_notes', applied_at: '2026-01-31T09:30:00.000Z' },
      ]);
    });

    it('goes on from where an older version stopped', async () => {
      await write('0001_make_notes.sql', makeNotes);
      await migrateAt(JANUARY);
      await write('0002_add_note.sql', addNote);
      assert.deepEqual(await migrateAt(FEBRUARY), ['0002_add_note']);
      assert.equal((await rowsOf(test.database, listNotes)).length, 2);
    });

    it('applies each file once when ten nodes start at once', async () => {
      await write('0001_make_notes.sql', makeNotes);
      await write('0002_add_note.sql', addNote);
      const node = new URL('./migrating-node.ts', import.meta.url);
      const loaded = new Int32Array(new SharedArrayBuffer(4));
      const workerData = { database: test.database, migrations: migrations.href, nodes: 10, loaded };
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
      await write('0007_make_notes.sql', makeNotes);
      await migrateAt(JANUARY);
      await rm(join(root, engine, '0007_make_notes.sql'));
      await write('0005_add_note.sql', addNote);
      await assert.rejects(migrateAt(FEBRUARY), {
        message: 'The database has schema version 7, this Latchkey knows 5. Start the newer version.',
      });
      assert.equal((await rowsOf(test.database, listVersions)).length, 1);
      assert.equal((await rowsOf(test.database, listNotes)).length, 1);
    });

    it('leaves nothing of a migration that fails, and keeps those before it', async () => {
      await write('0001_make_notes.sql', makeNotes);
      await write('0002_fails.sql', `${addNote} create table half (id integer); insert into nowhere (id) values (1);`);
      await assert.rejects(migrateAt(JANUARY), /^Error: Migration 0002_fails failed: .*nowhere/);
      assert.equal((await rowsOf(test.database, listVersions)).length, 1);
      assert.equal((await rowsOf(test.database, listNotes)).length, 1);
      await write('0002_fails.sql', `${addNote} create table half (id integer);`);
      assert.deepEqual(await migrateAt(FEBRUARY), ['0002_fails']);
    });

    it('refuses two files with one number', async () => {
      await write('0001_make_notes.sql', makeNotes);
      await write('0001_add_note.sql', addNote);
      await assert.rejects(migrateAt(JANUARY), /two migrations have the number 1/);
    });
  });
}

describe('migrating sqlite', () => {
  it('may rebuild a table that others refer to, and may not leave a reference that leads nowhere', async () => {
    const test = await emptyDatabase('sqlite');
    const root = await mkdtemp(join(tmpdir(), 'latchkey-migrations-'));
    try {
      const folder = join(root, 'sqlite');
      await mkdir(folder);
      const migrations = pathToFileURL(`${root}/`);
      await writeFile(
        join(folder, '0001_make.sql'),
        `create table shelf (id integer primary key);
         create table note (body text primary key, shelf_id integer references shelf (id) on delete cascade);
         insert into shelf values (1);
         insert into note values ('kept', 1);`,
      );
      await writeFile(
        join(folder, '0002_rebuild.sql'),
        `create table shelf_new (id integer primary key, label text);
         insert into shelf_new select id, null from shelf;
         drop table shelf;
         alter table shelf_new rename to shelf;`,
      );
      assert.equal((await migrateDatabase(test.database, JANUARY, migrations)).length, 2);
      assert.deepEqual(await rowsOf(test.database, listNotes), [{ body: 'kept' }]);
      await writeFile(join(folder, '0003_break.sql'), 'delete from shelf;');
      await assert.rejects(
        migrateDatabase(test.database, JANUARY, migrations),
        /a foreign key of the table note leads nowhere/,
      );
      assert.equal((await rowsOf(test.database, listVersions)).length, 2);
    } finally {
      await test.remove();
      await rm(root, { recursive: true, force: true });
    }
  });
});
