/** A backup taken while the service works is complete, and a restore loses neither the backup nor the previous data. */
import assert from 'node:assert/strict';
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { ADMIN_SECRET } from '../../support/app.ts';
import { type Ended, runCommandHere } from '../../support/command.ts';
import { freshFor } from '../../support/for-test.ts';
import { type ServerProcess, startServerProcess } from '../../support/server-process.ts';
import { openSqliteFile } from '../../support/sqlite-file.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const fileIn = (data: string) => join(data, 'latchkey.db');
const run = (data: string, ...args: string[]): Promise<Ended> => runCommandHere(args, { LATCHKEY_DATA_DIR: data });

async function serve(test: TestContext, data: string): Promise<ServerProcess> {
  const server = await startServerProcess({ engine: 'sqlite', file: fileIn(data) }, { LATCHKEY_DATA_DIR: data });
  test.after(() => server.kill());
  return server;
}

async function issue(server: ServerProcess): Promise<string> {
  const answer = await server.send('/createLicense', {
    adminSecret: ADMIN_SECRET,
    email: 'ada@example.com',
    productId: 'app',
  });
  assert.equal(answer.status, 200);
  return answer.body.licenseKey;
}

/** A data directory with a database of this many licenses, and their keys. */
async function filled(test: TestContext, licenses: number): Promise<{ data: string; keys: string[] }> {
  const data = temporaryFolder(test);
  const server = await serve(test, data);
  const keys: string[] = [];
  for (let made = 0; made < licenses; made++) keys.push(await issue(server));
  await server.stop();
  return { data, keys };
}

/** The same, and a backup of it. */
async function backedUp(test: TestContext, licenses: number) {
  const made = await filled(test, licenses);
  const copy = join(temporaryFolder(test), 'copy.db');
  assert.equal((await run(made.data, 'backup', copy)).code, 0);
  return { ...made, copy };
}

/** The files that a restore makes beside a database. */
const madeBeside = (data: string) => readdirSync(data).filter((name) => /partial|before/.test(name));

const keysIn = (file: string): string[] => {
  const database = openSqliteFile(file, { readOnly: true });
  const rows = database.prepare('select license_key as key from license order by license_key').all();
  database.close();
  return rows.map(({ key }) => String(key));
};

describe('backup', () => {
  it('has every license that was acknowledged before it, while more are issued', async (test) => {
    const data = temporaryFolder(test);
    const server = await serve(test, data);
    const acknowledged: string[] = [];
    let isOver = false;
    const issuing = Array.from({ length: 16 }, async () => {
      while (!isOver) acknowledged.push(await issue(server));
    });
    while (acknowledged.length < 50) await new Promise((resolve) => setImmediate(resolve));
    const before = [...acknowledged];
    const target = join(temporaryFolder(test), 'copy.db');
    const { code, out, err } = await run(data, 'backup', target);
    isOver = true;
    await Promise.all(issuing);
    assert.equal(code, 0, err);
    const kept = new Set(keysIn(target));
    assert.deepEqual(
      before.filter((key) => !kept.has(key)),
      [],
    );
    assert.ok(kept.size <= acknowledged.length);
    assert.match(out, new RegExp(`^${target}: \\d+ bytes, ${kept.size} licenses, tables of version \\d+\\.$`, 'm'));
    assert.equal(statSync(target).mode & 0o777, 0o600);
  });

  it('names the files beside the database that it leaves out', async (test) => {
    const { data } = await filled(test, 1);
    writeFileSync(join(data, 'admin-secret'), 'a-secret-of-the-administrator', { mode: 0o600 });
    const { out } = await run(data, 'backup', join(temporaryFolder(test), 'copy.db'));
    assert.match(out, new RegExp(`^Not included; back up separately: .*${join(data, 'admin-secret')}`, 'm'));
    assert.doesNotMatch(out, /a-secret-of/);
    for (const name of readdirSync(data)) if (!name.startsWith('latchkey.db')) rmSync(join(data, name));
    const alone = await run(data, 'backup', join(temporaryFolder(test), 'alone.db'));
    assert.deepEqual([alone.code, alone.out.includes('Not included')], [0, false], alone.out);
  });

  it('replaces no file, and leaves none behind when it fails', async (test) => {
    const { data } = await filled(test, 1);
    const place = temporaryFolder(test);
    const target = join(place, 'copy.db');
    writeFileSync(target, 'precious');
    const refused = await run(data, 'backup', target);
    assert.deepEqual([refused.code, refused.out], [1, '']);
    assert.match(refused.err, /already exists; a backup never replaces a file\.$/m);
    assert.equal(readFileSync(target, 'utf8'), 'precious');
    const nowhere = await run(data, 'backup', join(place, 'none', 'copy.db'));
    assert.equal(nowhere.code, 1);
    assert.deepEqual(readdirSync(place), ['copy.db']);
  });

  it('of PostgreSQL is made by PostgreSQL', async () => {
    for (const name of ['backup', 'restore']) {
      const { code, err } = await runCommandHere([name, 'copy.db'], {
        DATABASE_URL: 'postgres://127.0.0.1:1/latchkey',
      });
      assert.equal(code, 1);
      assert.match(err, /PostgreSQL (makes|restores) its own backups/);
    }
  });
});

describe('restore', () => {
  it('puts the backup in place, and keeps the database that was there', async (test) => {
    const { data, keys, copy } = await backedUp(test, 3);
    const again = await serve(test, data);
    const later = await issue(again);
    // A power cut leaves the last changes in the log.
    await again.kill();
    assert.ok(existsSync(`${fileIn(data)}-wal`));
    const { code, out, err } = await run(data, 'restore', copy);
    assert.equal(code, 0, err);
    for (const beside of ['-wal', '-shm']) assert.equal(existsSync(fileIn(data) + beside), false);
    assert.deepEqual(keysIn(fileIn(data)), keys.toSorted());
    assert.equal(statSync(fileIn(data)).mode & 0o777, 0o600);
    const [, kept = ''] = /^Previous database kept as (.*)$/m.exec(out) ?? [];
    assert.deepEqual(keysIn(kept), [...keys, later].toSorted());
    const server = await serve(test, data);
    const verified = await server.send('/verify', { licenseKey: keys[0], productId: 'app' });
    assert.equal(verified.body.valid, true);
    assert.equal((await server.send('/verify', { licenseKey: later, productId: 'app' })).status, 404);
    await issue(server);
  });

  it('works without a database', async (test) => {
    const { keys, copy } = await backedUp(test, 2);
    const empty = join(temporaryFolder(test), 'new', 'data');
    const { code, err } = await run(empty, 'restore', copy);
    assert.equal(code, 0, err);
    assert.deepEqual(keysIn(fileIn(empty)), keys.toSorted());
  });

  it('is refused while a server uses the database', async (test) => {
    const { data, copy } = await backedUp(test, 1);
    const server = await serve(test, data);
    const key = await issue(server);
    const { code, err } = await run(data, 'restore', copy);
    assert.equal(code, 1);
    assert.match(err, /another Latchkey server is using/);
    assert.equal((await server.send('/verify', { licenseKey: key, productId: 'app' })).body.valid, true);
  });

  it('is refused while another program reads the database, whose log could not be kept', async (test) => {
    const { data, copy } = await backedUp(test, 1);
    const server = await serve(test, data);
    await issue(server);
    // A power cut leaves the last changes in the log.
    await server.kill();
    const reader = openSqliteFile(fileIn(data), { readOnly: true });
    test.after(() => reader.close());
    reader.exec('begin');
    reader.prepare('select count(*) from license').get();
    const { code, err } = await run(data, 'restore', copy);
    assert.equal(code, 1);
    assert.match(err, /cannot be moved aside: another program is reading it\. Nothing was changed\.$/m);
    reader.exec('rollback');
    assert.equal(keysIn(fileIn(data)).length, 2);
    assert.deepEqual(madeBeside(data), []);
  });

  const DAMAGES: readonly [string, (copy: string) => void][] = [
    ['is cut off', (copy) => truncateSync(copy, 20_000)],
    [
      'has pages of something else',
      (copy) => {
        const bytes = readFileSync(copy);
        bytes.fill(7, 8_192, 40_000);
        writeFileSync(copy, bytes);
      },
    ],
    ['is no database', (copy) => writeFileSync(copy, 'nothing of the kind, but long enough to look at '.repeat(100))],
    [
      'is a database of something else',
      (copy) => {
        rmSync(copy);
        const other = openSqliteFile(copy);
        other.exec('create table note (text text)');
        other.close();
      },
    ],
    [
      'was made by a later version',
      (copy) => {
        const database = openSqliteFile(copy);
        database.exec(
          "insert into schema_migration (version, name, applied_at) values (9999, 'later', '2030-01-01T00:00:00.000Z')",
        );
        database.close();
      },
    ],
    ['is not there', (copy) => rmSync(copy)],
    ['is a database in use', (copy) => copyFileSync(copy, `${copy}-wal`)],
  ];
  for (const [what, damage] of DAMAGES)
    it(`leaves everything as it is when the backup ${what}`, async (test) => {
      const data = dirname((await freshFor(test, 'sqlite')).file);
      const copy = join(temporaryFolder(test), 'copy.db');
      assert.equal((await run(data, 'backup', copy)).code, 0);
      damage(copy);
      const before = readFileSync(fileIn(data));
      const { code, out } = await run(data, 'restore', copy);
      assert.deepEqual([code, out], [1, '']);
      assert.ok(readFileSync(fileIn(data)).equals(before));
      assert.deepEqual(madeBeside(data), []);
    });
});
