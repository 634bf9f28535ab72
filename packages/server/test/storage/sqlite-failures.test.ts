/**
 * Failures of the SQLite file (a lock, a full disk, a deleted file or log): nothing is acknowledged that was not
 * stored.
 */
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rename, rm, stat, statfs, truncate, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { AvailabilityWatch } from '../../src/storage/contract/availability.ts';
import {
  type Availability,
  CommitUnknown,
  type Storage,
  StorageAway,
  statement,
} from '../../src/storage/contract/storage.ts';
import { migrateDatabase, openStorage } from '../../src/storage/opening/open.ts';
import { makeReserve, makeRoomToStart, releaseReserve } from '../../src/storage/sqlite/sqlite-reserve.ts';
import { SqliteWriter } from '../../src/storage/sqlite/sqlite-writer.ts';
import { emptyDatabase } from '../support/databases.ts';
import { LockHolder } from '../support/lock-holder.ts';
import { countOf, insertCounter, namesIn } from './tables.ts';
import { countersAndSamples } from './test-migrations.ts';

const showSynchronous = statement('test_pragma.synchronous', 'pragma synchronous');
const showJournal = statement('test_pragma.journal', 'pragma journal_mode');
const limitPages = statement('test_pragma.limit', 'pragma max_page_count = 30');
const unlimitPages = statement('test_pragma.unlimit', 'pragma max_page_count = 100000');
const renameCounter = statement('test_counter.rename', 'update counter set name = $2 where name = $1');
const checkIntegrity = statement('test_pragma.check', 'pragma integrity_check');

interface OpenFile {
  readonly storage: Storage;
  readonly file: string;
  /** States of the database that were reported, in order. */
  readonly heard: Availability['state'][];
}

const FULL = 2;

/** Opens a database with the test tables, in a directory that is removed after the test. */
async function openFile(test: TestContext, { lockTimeoutMs = 5_000, directory = '' } = {}): Promise<OpenFile> {
  const { database, remove } = await emptyDatabase('sqlite');
  assert.ok(database.engine === 'sqlite');
  const placed = directory === '' ? database : { ...database, file: join(directory, 'latchkey.db') };
  await migrateDatabase(placed, 0, countersAndSamples);
  const storage = await openStorage(placed, { lockTimeoutMs });
  const heard: Availability['state'][] = [];
  storage.onAvailability(({ state }) => heard.push(state));
  test.after(async () => {
    await storage.close();
    await remove();
  });
  return { storage, file: placed.file, heard };
}

const write = ({ storage }: OpenFile, name: string) => storage.transaction((tx) => tx.run(insertCounter, name, 1));

/** Fails unless all were refused with an error of this kind. */
async function allRefused(calls: readonly Promise<unknown>[], kind: abstract new (...all: never) => Error) {
  for (const end of await Promise.allSettled(calls))
    assert.ok(
      end.status === 'rejected' && end.reason instanceof kind,
      `${end.status} ${end.status === 'rejected' ? end.reason : ''}`,
    );
}

describe('the connection of SQLite that writes', () => {
  it('waits for the disk at every commit: synchronous is FULL, with a log', async (test) => {
    const { storage } = await openFile(test);
    const shown = await storage.transaction(async (tx) => [
      await tx.first(showSynchronous),
      await tx.first(showJournal),
    ]);
    assert.deepEqual(shown, [{ synchronous: FULL }, { journal_mode: 'wal' }]);
  });
});

describe('a lock that another process holds', () => {
  it('at opening: is waited for, and the tables are made once it is free', async (test) => {
    const { database } = await emptyDatabase('sqlite', test);
    assert.ok(database.engine === 'sqlite');
    const holder = await LockHolder.of(database.file, 300);
    const applied = await migrateDatabase(database, 0, countersAndSamples);
    assert.equal(applied.length, 1);
    await holder.release();
  });

  it('at opening: the first transaction is StorageAway when it stays locked, and the next one is served', async (test) => {
    const open = await openFile(test, { lockTimeoutMs: 50 });
    const holder = await LockHolder.of(open.file);
    await allRefused([write(open, 'refused')], StorageAway);
    await holder.release();
    await write(open, 'served');
    assert.deepEqual(await namesIn(open.storage), ['served']);
  });

  it('while writing: every transaction of a group is StorageAway, reads go on, and it is said once', async (test) => {
    const open = await openFile(test, { lockTimeoutMs: 50 });
    await write(open, 'before');
    const holder = await LockHolder.of(open.file);
    await allRefused([write(open, 'a'), write(open, 'b'), write(open, 'c')], StorageAway);
    await allRefused([write(open, 'd')], StorageAway);
    assert.equal(await open.storage.read((sql) => countOf(sql, 'before')), 1);
    assert.deepEqual(open.heard, ['unwritable']);
    await holder.release();
    await write(open, 'after');
    assert.deepEqual(open.heard, ['unwritable', 'available']);
    assert.deepEqual(await namesIn(open.storage), ['after', 'before']);
  });

  it('while writing: is waited for in full once, and then for a quarter of a second until it is free', async (test) => {
    const { file } = await openFile(test);
    const writer = await SqliteWriter.open({ file, lockTimeoutMs: 300 }, new AvailabilityWatch());
    test.after(() => writer.close());
    const commit = () => writer.commit([{ work: (tx) => tx.run(insertCounter, 'served', 1) }], []);
    const waitMs = () => writer.database.prepare('pragma busy_timeout').get()?.timeout;
    const holder = await LockHolder.of(file);
    assert.equal(waitMs(), 300);
    await assert.rejects(commit(), StorageAway);
    assert.equal(waitMs(), 250);
    await holder.release();
    await commit();
    assert.equal(waitMs(), 300);
  });

  it('while writing: a short one is waited for', async (test) => {
    const open = await openFile(test);
    await write(open, 'before');
    const holder = await LockHolder.of(open.file, 300);
    await write(open, 'after');
    assert.deepEqual(open.heard, []);
    await holder.release();
  });
});

describe('a full disk', () => {
  it('is prepared for by a reserve of 40 MiB beside the file, which is completed when it is too short', async (test) => {
    const { file } = await openFile(test);
    const mebibytes = async () => (await stat(`${file}-reserve`)).size / 1024 ** 2;
    await makeReserve(file);
    assert.equal(await mebibytes(), 40);
    await truncate(`${file}-reserve`, 39 * 1024 ** 2);
    await makeReserve(file);
    assert.equal(await mebibytes(), 40);
  });

  it('acknowledges nothing of a group in which one does not fit, keeps nothing of it, and serves the next', async (test) => {
    const open = await openFile(test);
    await open.storage.transaction((tx) => tx.first(limitPages));
    const large = 'x'.repeat(500_000);
    await allRefused([write(open, 'first'), write(open, large), write(open, 'third')], StorageAway);
    assert.deepEqual(await namesIn(open.storage), []);
    assert.deepEqual(open.heard, ['unwritable']);
    await open.storage.transaction((tx) => tx.first(unlimitPages));
    assert.deepEqual(open.heard, ['unwritable'], 'nothing was written yet');
    await Promise.all([write(open, 'first'), write(open, large), write(open, 'third')]);
    assert.deepEqual(open.heard, ['unwritable', 'available']);
    assert.deepEqual((await namesIn(open.storage)).toSorted(), ['first', 'third', large].toSorted());
  });

  it('counts a reserve that cannot be deleted as none', async (test) => {
    const { file } = await openFile(test);
    assert.equal(releaseReserve(file), false);
    await writeFile(`${file}-reserve`, 'room');
    assert.equal(releaseReserve(file), true);
    await mkdir(`${file}-reserve`);
    assert.equal(releaseReserve(file), false);
    await unlink(file);
    assert.equal(releaseReserve(file), false);
  });

  const canMount = process.platform === 'linux' && process.getuid?.() === 0;
  it('costs the reserve at a start with less than 8 MiB of space', {
    skip: !canMount && 'run as root on Linux, which may mount a small disk',
  }, async (test) => {
    const directory = await mkdtemp(join(tmpdir(), 'latchkey-disk-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=9m', 'tmpfs', directory]);
    test.after(async () => {
      execFileSync('umount', ['-l', directory]);
      await rm(directory, { recursive: true });
    });
    const file = join(directory, 'latchkey.db');
    await writeFile(file, '');
    await writeFile(`${file}-reserve`, 'room');
    const freeBytes = async () => {
      const { bavail, bsize } = await statfs(directory);
      return bavail * bsize;
    };
    await writeFile(join(directory, 'others'), Buffer.alloc((await freeBytes()) - 8 * 1024 ** 2));
    assert.equal(await freeBytes(), 8 * 1024 ** 2);
    makeRoomToStart(file);
    assert.ok(existsSync(`${file}-reserve`));
    await writeFile(join(directory, 'another'), 'one page');
    makeRoomToStart(file);
    assert.ok(!existsSync(`${file}-reserve`));
  });

  it('acknowledges nothing of a group whose commit does not fit, keeps nothing of it, and serves the next', {
    skip: !canMount && 'run as root on Linux, which may mount a small disk',
  }, async (test) => {
    const directory = await mkdtemp(join(tmpdir(), 'latchkey-disk-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', directory]);
    const open = await openFile(test, { directory });
    test.after(async () => {
      execFileSync('umount', ['-l', directory]);
      await rm(directory, { recursive: true });
    });
    const large = 'x'.repeat(1_000_000);
    await write(open, 'before');
    await allRefused([write(open, 'a'), write(open, `${large}1`), write(open, `${large}2`)], StorageAway);
    assert.deepEqual(await namesIn(open.storage), ['before']);
    assert.deepEqual(open.heard, ['unwritable']);
    await write(open, 'after');
    assert.deepEqual(await namesIn(open.storage), ['after', 'before']);
    // The log has taken all the space and frees it again, which is checked once a second.
    while (open.heard.length === 1) {
      await open.storage.transaction((tx) => tx.run(renameCounter, 'after', 'later'));
      await open.storage.transaction((tx) => tx.run(renameCounter, 'later', 'after'));
      await wait(20);
    }
    assert.deepEqual(open.heard, ['unwritable', 'available']);
    assert.deepEqual(await open.storage.read((sql) => sql.all(checkIntegrity)), [{ integrity_check: 'ok' }]);
    assert.deepEqual(await namesIn(open.storage), ['after', 'before']);
  });
});

describe('a moved database file', {
  skip: process.platform === 'win32' && 'Windows keeps it',
}, () => {
  it('after it was deleted: nothing is acknowledged any more, and it is said once', async (test) => {
    const open = await openFile(test);
    await write(open, 'kept');
    await unlink(open.file);
    await allRefused([write(open, 'lost 1'), write(open, 'lost 2')], CommitUnknown);
    await allRefused([write(open, 'lost 3')], StorageAway);
    assert.deepEqual(open.heard, ['gone']);
    assert.equal(await open.storage.read((sql) => countOf(sql, 'kept')), 1, 'reads go on');
  });

  it('after another was put in its place: likewise, also when it is put back', async (test) => {
    const open = await openFile(test);
    await write(open, 'kept');
    const aside = join(dirname(open.file), 'aside');
    await mkdir(aside);
    await rename(open.file, join(aside, 'latchkey.db'));
    await copyFile(join(aside, 'latchkey.db'), open.file);
    await allRefused([write(open, 'lost')], CommitUnknown);
    await rename(join(aside, 'latchkey.db'), open.file);
    await allRefused([write(open, 'not again')], StorageAway);
    assert.deepEqual(open.heard, ['gone']);
  });

  it('before the first transaction: that one is refused, and no new file is made', async (test) => {
    const open = await openFile(test);
    await unlink(open.file);
    await allRefused([write(open, 'refused')], StorageAway);
    await assert.rejects(unlink(open.file), { code: 'ENOENT' });
  });
});

describe('the log of a SQLite file', {
  skip: process.platform === 'win32' && 'Windows keeps it',
}, () => {
  it('is written back when it was deleted, and nothing is acknowledged any more', async (test) => {
    const open = await openFile(test);
    await write(open, 'kept');
    await unlink(`${open.file}-wal`);
    await assert.rejects(write(open, 'refused'), /-wal was deleted/);
    await allRefused([write(open, 'not again')], StorageAway);
    assert.deepEqual(open.heard, ['gone']);
    // A process of its own copies: closing the file here would release the locks that SQLite has on it.
    const copy = join(dirname(open.file), 'copy.db');
    execFileSync('cp', [open.file, copy]);
    const alone = await openStorage({ engine: 'sqlite', file: copy });
    assert.deepEqual(await namesIn(alone), ['kept']);
    await alone.close();
  });

  it('is never taken for deleted while others write, empty it, and copy the database', async (test) => {
    const open = await openFile(test);
    const beside = (...args: string[]) =>
      promisify(execFile)(process.execPath, [join(import.meta.dirname, 'beside-service.ts'), ...args]);
    let isOver = false;
    const others = (async () => {
      for (let number = 0; !isOver; number += 1) {
        await beside('backup', open.file, `${open.file}.backup-${number}`);
        await beside('write', open.file);
      }
    })();
    // 24 MB, which is more than SQLite lets the log grow before it writes it back by itself.
    for (let number = 0; number < 60; number += 1) {
      await write(open, `${number} ${'x'.repeat(400_000)}`);
      if (number % 15 === 0) await beside('checkpoint', open.file);
    }
    isOver = true;
    await others;
    assert.deepEqual(open.heard, []);
  });
});
