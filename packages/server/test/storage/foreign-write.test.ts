/** Somebody else writes into a SQLite file that is in use: nothing is acknowledged or read from the mixed file. */
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { AvailabilityWatch } from '../../src/storage/contract/availability.ts';
import {
  type Availability,
  CommitUnknown,
  type Storage,
  StorageAway,
  StorageOverwritten,
} from '../../src/storage/contract/storage.ts';
import { migrateDatabase, openStorage } from '../../src/storage/opening/open.ts';
import { refuseOverwrittenFile } from '../../src/storage/sqlite/foreign-write.ts';
import { type WatchedFile, watchFile } from '../../src/storage/sqlite/watched-file.ts';
import { emptyDatabase } from '../support/databases.ts';
import { countOf, insertCounter, namesIn } from './tables.ts';
import { countersAndSamples } from './test-migrations.ts';

interface Watched {
  readonly file: string;
  /** The storage that writes, and one that only reads, as those of two threads. */
  readonly writer: Storage;
  readonly reader: Storage;
  readonly heard: Availability['state'][];
  /** A copy that the command backup would make, from before anything was written. */
  readonly backup: string;
}

/** Opens a watched database with the test tables. */
async function watched(test: TestContext, given: Partial<WatchedFile> = {}): Promise<Watched> {
  const { database, remove } = await emptyDatabase('sqlite');
  assert.ok(database.engine === 'sqlite');
  const { file } = database;
  await migrateDatabase(database, 0, countersAndSamples);
  const watch = watchFile(file);
  assert.ok(watch.watched);
  const shared = { ...watch.watched, ...given };
  const heard: Availability['state'][] = [];
  const open = (isWriter: boolean) => {
    const availability = new AvailabilityWatch();
    availability.add(({ state }) => heard.push(state));
    return openStorage(database, { availability, watched: { file: shared, isWriter, report: assert.fail } });
  };
  const [writer, reader] = [await open(true), await open(false)];
  test.after(async () => {
    await reader.close();
    await writer.close();
    watch.close();
    await remove();
  });
  mkdirSync(join(dirname(file), 'elsewhere'));
  const backup = join(dirname(file), 'elsewhere', 'backup.db');
  copyOf(file, backup);
  return { file, writer, reader, heard, backup };
}

/** A copy as the command backup makes it. */
function copyOf(file: string, target: string): void {
  const other = new DatabaseSync(file, { timeout: 5_000 });
  other.prepare('vacuum into ?').run(target);
  other.close();
}

const write = (storage: Storage, name: string) => storage.transaction((tx) => tx.run(insertCounter, name, 1));
const isThere = (storage: Storage, name: string) =>
  storage.read(async (sql) => (await countOf(sql, name)) !== undefined);

/**
 * Copies a file over another, which keeps its inode. Files that are in use are opened by other processes only: when
 * this one closes one, it loses the locks that SQLite has on it.
 */
const copyOver = (from: string, to: string) => execFileSync('cp', [from, to]);

/** Overwrites a file from its beginning; it keeps its size where the bytes are fewer. */
function overwrite(file: string, bytes: Uint8Array): void {
  const source = join(dirname(file), 'elsewhere', 'bytes');
  writeFileSync(source, bytes);
  execFileSync('dd', [`if=${source}`, `of=${file}`, 'conv=notrunc', 'status=none']);
}

/** The bytes of a file that is in use. */
function bytesOf(file: string): Buffer {
  const copy = join(dirname(file), 'elsewhere', 'read');
  execFileSync('cp', [file, copy]);
  return readFileSync(copy);
}

/** Copies the log into the file, as any process may. */
function checkpoint(file: string, how: 'passive' | 'truncate' = 'passive'): void {
  const other = new DatabaseSync(file, { timeout: 5_000 });
  other.exec(`pragma wal_checkpoint(${how})`);
  other.close();
}

const savedBy = ({ file }: Watched) =>
  readdirSync(dirname(file))
    .filter((name) => name.startsWith(`${basename(file)}.foreign-write-`))
    .map((name) => join(dirname(file), name));

const isWindows = process.platform === 'win32' && 'Windows lets nobody write over what SQLite has locked';

describe('a SQLite file over which another was copied', { skip: isWindows }, () => {
  it('takes no write any more, nothing is read from it, and both say so once', async (test) => {
    const open = await watched(test);
    await write(open.writer, 'kept');
    assert.ok(await isThere(open.reader, 'kept'));
    copyOver(open.backup, open.file);
    await assert.rejects(write(open.writer, 'lost'), StorageOverwritten);
    await assert.rejects(isThere(open.reader, 'kept'), StorageAway);
    await assert.rejects(write(open.writer, 'lost too'), StorageAway);
    await assert.rejects(isThere(open.writer, 'kept'), StorageAway);
    assert.deepEqual(open.heard, ['overwritten', 'overwritten']);
  });

  it('is found by what only reads, before it answers', async (test) => {
    const open = await watched(test);
    await write(open.writer, 'kept');
    copyOver(open.backup, open.file);
    await assert.rejects(isThere(open.reader, 'kept'), StorageOverwritten);
  });

  it('ends work under way with an error when another read finds it first', async (test) => {
    const open = await watched(test);
    await write(open.writer, 'kept');
    const findFirst = async (storage: Storage) => {
      copyOver(open.backup, open.file);
      await assert.rejects(isThere(storage, 'kept'), StorageOverwritten);
    };
    const changing = open.writer.transaction(async (tx) => {
      await tx.run(insertCounter, 'mixed', 1);
      await findFirst(open.writer);
    });
    await assert.rejects(changing, CommitUnknown);
    const reading = open.reader.read(async (sql) => {
      await findFirst(open.reader);
      return countOf(sql, 'kept');
    });
    await assert.rejects(reading, StorageAway);
  });

  it('is found by its header where its size and the time of its change are as before', async (test) => {
    for (const hasExactTimes of [true, false]) {
      const open = await watched(test, { hasExactTimes });
      await write(open.writer, 'kept');
      checkpoint(open.file);
      await write(open.writer, 'kept, too');
      const before = statSync(open.file);
      overwrite(open.file, readFileSync(open.backup));
      execFileSync('truncate', ['--size', String(before.size), open.file]);
      utimesSync(open.file, before.atime, before.mtime);
      assert.equal(statSync(open.file).size, before.size);
      await assert.rejects(write(open.writer, 'lost'), /its header changed|the time of its last change/);
    }
  });

  for (const [sign, offset, bytes] of [
    ['the size of its pages', 16, [0x20, 0x00]],
    ['an earlier change', 24, [0, 0, 0, 0]],
  ] as const)
    it(`is found by ${sign} in its header, although its own log was written back meanwhile`, async (test) => {
      const open = await watched(test);
      await write(open.writer, 'kept');
      checkpoint(open.file);
      const header = bytesOf(open.file).subarray(0, 100);
      assert.notDeepEqual([...header.subarray(offset, offset + bytes.length)], bytes);
      header.set(bytes, offset);
      overwrite(open.file, header);
      await assert.rejects(write(open.writer, 'lost'), /its header changed to that of another database/);
    });

  it('is found by the time of its change where header and size are as before', async (test) => {
    const open = await watched(test);
    await write(open.writer, 'kept');
    const bytes = bytesOf(open.file);
    overwrite(open.file, bytes.fill(0xa5, 4_096));
    utimesSync(open.file, new Date(), new Date(Date.now() + 60_000));
    await assert.rejects(write(open.writer, 'lost'), /the time of its last change/);
  });

  it('is left as it was copied when the service stops, and what there was of the earlier one is beside it', async (test) => {
    const open = await watched(test);
    for (let number = 0; number < 50; number += 1)
      await write(open.writer, `written back ${number} ${'-'.repeat(2_000)}`);
    checkpoint(open.file);
    await write(open.writer, 'in the log');
    const log = bytesOf(`${open.file}-wal`);
    copyOver(open.backup, open.file);
    await assert.rejects(write(open.writer, 'lost'), StorageOverwritten);
    await open.reader.close();
    await open.writer.close();
    assert.deepEqual(bytesOf(open.file), readFileSync(open.backup));
    const [saved, ...more] = savedBy(open);
    assert.ok(saved !== undefined && more.length === 0);
    assert.deepEqual(readFileSync(join(saved, 'latchkey.db-wal')), log);
    assert.match(
      readFileSync(join(saved, 'README.txt'), 'utf8'),
      /not in the log, one after the other.* Number of pages: [1-9]\d*\./s,
    );
    const { numbers, pageBytes } = JSON.parse(readFileSync(join(saved, 'pages.json'), 'utf8'));
    const pages = readFileSync(join(saved, 'pages.bin'));
    assert.equal(pages.length, numbers.length * pageBytes);
    assert.ok(pages.includes('written back 7 ---'), 'pages that were written back were in memory');
    assert.ok(Math.max(...numbers) * pageBytes > statSync(open.backup).size, 'pages after the end of the copy, too');
    assert.equal(statSync(saved).mode & 0o777, 0o700);
    if (existsSync(`${open.file}-wal`)) assert.equal(statSync(`${open.file}-wal`).size, 0);
  });

  it('leaves beside it the pages in memory that are neither in the file nor in the log', async (test) => {
    const open = await watched(test);
    for (let number = 0; number < 50; number += 1) await write(open.writer, `written back ${number}`);
    checkpoint(open.file);
    await write(open.writer, 'in the log');
    overwrite(open.file, bytesOf(open.file).subarray(0, 100).fill(0, 24, 28));
    await assert.rejects(write(open.writer, 'lost'), StorageOverwritten);
    const [saved = ''] = savedBy(open);
    assert.ok(readFileSync(join(saved, 'latchkey.db-wal')).includes('in the log'));
    assert.deepEqual(JSON.parse(readFileSync(join(saved, 'pages.json'), 'utf8')).numbers, [1]);
  });
});

describe('the log of a SQLite file', { skip: isWindows }, () => {
  it('is found overwritten before the next write', async (test) => {
    const open = await watched(test);
    await write(open.writer, 'kept');
    overwrite(`${open.file}-wal`, Buffer.alloc(100, 0xa5));
    await assert.rejects(write(open.writer, 'lost'), /its log \(-wal\) was overwritten/);
    assert.deepEqual(open.heard, ['overwritten']);
  });

  it('is found overwritten after a command beside the service has emptied it, too', async (test) => {
    const open = await watched(test);
    // A connection that has begun a log keeps the salts that the command chooses for the next one.
    for (const how of ['passive', 'truncate'] as const) {
      await write(open.writer, `written back by ${how}`);
      checkpoint(open.file, how);
    }
    await write(open.writer, 'kept');
    await write(open.writer, 'kept, too');
    overwrite(`${open.file}-wal`, Buffer.alloc(100, 0xa5));
    await assert.rejects(write(open.writer, 'lost'), /its log \(-wal\) was overwritten/);
  });

  it('is written back when somebody deleted it, and nothing is written any more until a start', async (test) => {
    const open = await watched(test);
    await write(open.writer, 'kept');
    unlinkSync(`${open.file}-wal`);
    await assert.rejects(write(open.writer, 'refused'), /-wal was deleted/);
    assert.deepEqual(open.heard, ['gone']);
    const copy = join(dirname(open.file), 'elsewhere', 'copy.db');
    copyOver(open.file, copy);
    const alone = await openStorage({ engine: 'sqlite', file: copy });
    assert.deepEqual(await namesIn(alone), ['kept']);
    await alone.close();
  });
});

describe('a SQLite file that a killed service left with its log', { skip: isWindows }, () => {
  /** The file, a backup of it from before the last write, and a copy with the time of the last change. */
  async function left(test: TestContext, ...times: readonly 'inexact'[]) {
    const { database } = await emptyDatabase('sqlite', test);
    assert.ok(database.engine === 'sqlite');
    const { file } = database;
    await migrateDatabase(database, 0, countersAndSamples);
    const elsewhere = join(dirname(file), 'elsewhere');
    mkdirSync(elsewhere);
    const [backup, copy] = [join(elsewhere, 'backup.db'), join(elsewhere, 'copy.db')];
    copyOf(file, backup);
    await assert.rejects(inOwnProcess('killed-service.ts', file, ...times), { signal: 'SIGKILL' });
    execFileSync('cp', ['-p', file, copy]);
    return { file, backup, copy };
  }

  it('is refused by its header where its size and the time of its change are as before', async (test) => {
    for (const times of [[], ['inexact']] as const) {
      const { file, backup, copy } = await left(test, ...times);
      await refuseOverwrittenFile(file);
      const { size, mtimeMs } = statSync(file);
      overwrite(file, readFileSync(backup));
      truncateSync(file, size);
      execFileSync('touch', ['-r', copy, file]);
      assert.deepEqual([statSync(file).size, statSync(file).mtimeMs], [size, mtimeMs]);
      await assert.rejects(refuseOverwrittenFile(file), /its header is that of another database/);
    }
  });

  it('is refused where header and size are as before, and its pages do not agree with the log', async (test) => {
    const { file } = await left(test);
    overwrite(file, readFileSync(file).fill(0xa5, 4_096));
    utimesSync(file, new Date(), new Date(Date.now() + 60_000));
    await assert.rejects(refuseOverwrittenFile(file), /it was changed, and does not agree with its log: /);
  });
});

describe('a SQLite file that nobody else writes', { skip: isWindows }, () => {
  it('has its last state stored for the next start, and only the thread that writes stores it', async (test) => {
    const open = await watched(test);
    const seen = `${open.file}-seen`;
    await write(open.writer, 'first');
    rmSync(seen, { force: true });
    checkpoint(open.file);
    assert.ok(await isThere(open.reader, 'first'));
    assert.ok(!existsSync(seen), 'after a read');
    await write(open.writer, 'second');
    assert.ok(existsSync(seen), 'after a write');
  });

  it('is never taken for one, however often it is written back, by whom, read or copied', async (test) => {
    const open = await watched(test);
    const large = 'x'.repeat(400_000);
    let isOver = false;
    const reading = (async () => {
      for (let number = 0; !isOver; number += 1) {
        await isThere(open.reader, `small ${number}`);
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    const backups = (async () => {
      for (let number = 0; !isOver; number += 1)
        await inOwnProcess('beside-service.ts', 'backup', open.file, `${open.backup}-${number}`);
    })();
    const others = (async () => {
      while (!isOver) await inOwnProcess('beside-service.ts', 'write', open.file);
    })();
    // 48 MB, which is more than the log is let grow before SQLite writes it back by itself.
    for (let number = 0; number < 120; number += 1) {
      await write(open.writer, `${number} ${large}`);
      if (number % 10 === 0) await write(open.writer, `small ${number}`);
      if (number % 30 === 0) checkpoint(open.file, number % 60 === 0 ? 'passive' : 'truncate');
    }
    isOver = true;
    await Promise.all([reading, backups, others]);
    assert.deepEqual(open.heard, []);
    assert.deepEqual(savedBy(open), []);
  });
});

/** Runs a program of this folder. */
async function inOwnProcess(program: string, ...args: string[]): Promise<void> {
  await promisify(execFile)(process.execPath, ['--expose-gc', join(import.meta.dirname, program), ...args]);
}
