/** One server process per SQLite file: its data in memory stays correct because nobody else writes. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { describe, it, type TestContext } from 'node:test';
import { lockSqliteFile } from '../../src/storage/sqlite/sqlite-file-lock.ts';
import { ADMIN_SECRET } from '../support/app.ts';
import { freshFor } from '../support/for-test.ts';
import { startServerProcess } from '../support/server-process.ts';
import { openSqliteFile } from '../support/sqlite-file.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const isWindows = process.platform === 'win32' && 'Windows lets nobody make such names without rights';
const hasFlock = process.platform === 'linux' && spawnSync('flock', ['--version']).error === undefined;
const canMount = process.platform === 'linux' && process.getuid?.() === 0;

/** A file in a new directory. */
function fileOf(test: TestContext): string {
  const file = join(temporaryFolder(test), 'latchkey.db');
  writeFileSync(file, '', { mode: 0o600 });
  return file;
}

/** Fails unless locking a file by one name locks it by the other, too, in either order. */
function assertOneLock(one: string, other: string): void {
  for (const [first, second] of [
    [one, other],
    [other, one],
  ] as const) {
    const fileLock = lockSqliteFile(first);
    try {
      assert.throws(() => lockSqliteFile(second), /another Latchkey server is using/);
    } finally {
      fileLock.release();
    }
    lockSqliteFile(second).release();
  }
}

/**
 * Holds the lock of a name as older builds did, which locked names only.
 *
 * @returns undefined when another process has it
 */
function lockAsBefore(file: string): DatabaseSync | undefined {
  const lock = openSqliteFile(`${file}-server`, { timeout: 0 });
  try {
    lock.exec('pragma journal_mode = memory; begin exclusive');
    return lock;
  } catch {
    lock.close();
    return undefined;
  }
}

describe('the lock of a SQLite file', () => {
  it('lets no second server start, and a next one when the first was killed', async (test) => {
    const database = await freshFor(test, 'sqlite');
    const environment = { LATCHKEY_DATA_DIR: dirname(database.file) };
    const order = { adminSecret: ADMIN_SECRET, email: 'ada@example.com', productId: 'app' };

    const first = await startServerProcess(database, environment);
    await assert.rejects(startServerProcess(database, environment), {
      message: new RegExp(`another Latchkey server is using ${RegExp.escape(database.file)}; stop it, or`),
    });
    const issued = await first.send('/createLicense', order);
    assert.equal(issued.status, 200, 'the first goes on');
    await first.kill();

    const next = await startServerProcess(database, environment);
    test.after(() => next.stop());
    const { status } = await next.send('/verify', { licenseKey: issued.body.licenseKey, productId: 'app' });
    assert.equal(status, 200);
  });

  it('ends when it is released', async (test) => {
    const database = await freshFor(test, 'sqlite');
    const { file } = database;
    const fileLock = lockSqliteFile(file);
    assert.throws(() => lockSqliteFile(file), /another Latchkey server/);
    fileLock.release();
    lockSqliteFile(file).release();
  });

  it('names the fault if its place is missing, and blames no other server', async (test) => {
    const database = await freshFor(test, 'sqlite');
    const file = join(dirname(database.file), 'nowhere', 'latchkey.db');
    assert.throws(() => lockSqliteFile(file), {
      message: new RegExp(`^${RegExp.escape(file)}-server: unable to open database file`),
    });
  });

  it('meets a symbolic link to the file, to its directory, and one that leads there in two steps', {
    skip: isWindows,
  }, (test) => {
    const file = fileOf(test);
    const directory = temporaryFolder(test);
    const link = join(directory, 'latchkey.db');
    symlinkSync(file, link);
    assertOneLock(file, link);
    const second = join(directory, 'second.db');
    symlinkSync('latchkey.db', second);
    assertOneLock(file, second);
    symlinkSync(dirname(file), join(directory, 'place'));
    assertOneLock(file, join(directory, 'place', basename(file)));
  });

  it('meets a symbolic link to a file that is not there yet', { skip: isWindows }, (test) => {
    const file = join(temporaryFolder(test), 'latchkey.db');
    const link = join(temporaryFolder(test), 'latchkey.db');
    symlinkSync(file, link);
    assertOneLock(file, link);
  });

  it('meets a hard link to the file', { skip: !hasFlock && 'only the program flock locks by inode' }, (test) => {
    const file = fileOf(test);
    const link = join(temporaryFolder(test), 'latchkey.db');
    linkSync(file, link);
    assertOneLock(file, link);
  });

  it('meets the file where it alone, or its directory, is mounted at another path', {
    skip: !(canMount && hasFlock) && 'run as root on Linux, which may mount',
  }, (test) => {
    const file = fileOf(test);
    const elsewhere = temporaryFolder(test);
    const [path, directory] = [join(elsewhere, 'latchkey.db'), join(elsewhere, 'directory')];
    writeFileSync(path, '');
    mkdirSync(directory);
    const mounted: string[] = [];
    try {
      for (const [source, target] of [
        [file, path],
        [dirname(file), directory],
      ] as const) {
        execFileSync('mount', ['--bind', source, target]);
        mounted.push(target);
      }
      assertOneLock(file, path);
      assertOneLock(file, join(directory, basename(file)));
    } finally {
      for (const target of mounted) execFileSync('umount', ['-l', target]);
    }
  });

  it('lets no second service in through a hard link, and leaves the file to the first', {
    skip: !hasFlock && 'only the program flock locks by inode',
  }, async (test) => {
    const database = await freshFor(test, 'sqlite');
    const first = await startServerProcess(database, { LATCHKEY_DATA_DIR: dirname(database.file) });
    test.after(() => first.stop());
    const other = temporaryFolder(test);
    linkSync(database.file, join(other, 'latchkey.db'));
    const second = startServerProcess(database, { LATCHKEY_DATA_DIR: other });
    test.after(() => second.then((server) => server.stop()).catch(() => undefined));
    await assert.rejects(second, { message: /another Latchkey server is using .*latchkey\.db/ });
    const order = { adminSecret: ADMIN_SECRET, email: 'ada@example.com', productId: 'app' };
    assert.equal((await first.send('/createLicense', order)).status, 200);
  });

  it('still meets the lock of an older build, which locked the name that it was given', { skip: isWindows }, (test) => {
    const file = fileOf(test);
    const link = join(temporaryFolder(test), 'latchkey.db');
    symlinkSync(file, link);
    for (const name of [file, link]) {
      const older = lockAsBefore(name);
      assert.ok(older);
      assert.throws(() => lockSqliteFile(name), /another Latchkey server is using/);
      older.close();
      const newer = lockSqliteFile(name);
      assert.equal(lockAsBefore(name), undefined);
      newer.release();
    }
  });

  it('leaves nothing locked when it was not had', {
    skip: !hasFlock && 'only the program flock locks by inode',
  }, (test) => {
    const file = fileOf(test);
    const link = join(temporaryFolder(test), 'latchkey.db');
    linkSync(file, link);
    const fileLock = lockSqliteFile(file);
    assert.throws(() => lockSqliteFile(link), /another Latchkey server/);
    const older = lockAsBefore(link);
    assert.ok(older, 'the lock of the name is free');
    older.close();
    fileLock.release();
    lockSqliteFile(link).release();
  });
});
