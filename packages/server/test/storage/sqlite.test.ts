import assert from 'node:assert/strict';
import { readdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { describe, it } from 'node:test';
import type { Topic } from '../../src/storage/contract/published.ts';
import { statement } from '../../src/storage/contract/storage.ts';
import { openStorage } from '../../src/storage/opening/open.ts';
import { countOf, insertChild, insertCounter, namesIn } from './tables.ts';
import { openedTestStorage, testStorageFor } from './test-storage.ts';

const showCacheSize = statement('test_pragma.cache_size', 'pragma cache_size');
const showTimeout = statement('test_pragma.busy_timeout', 'pragma busy_timeout');

const NAMES: Topic<string> = { name: 'names', isForEveryThread: false };

describe('group commit', () => {
  const test = openedTestStorage('sqlite');

  it('gathers the transactions of one turn of the event loop into one commit, in their order', async () => {
    const commits: (readonly string[])[] = [];
    test.storage.onCommitted((published) => commits.push(published.of(NAMES)));
    const names = Array.from({ length: 20 }, (_, index) => `gathered ${index}`);
    await Promise.all(
      names.map(async (name) => {
        // Callbacks of one turn of the event loop, like those of 20 connections with a new request.
        await new Promise(setImmediate);
        await test.storage.transaction(async (tx) => {
          tx.publish(NAMES, name);
          await tx.run(insertCounter, name, 1);
        });
      }),
    );
    assert.deepEqual(commits, [names]);
  });

  it('caches 16 MB of pages for writes, because a commit may scan all of them, and 64 MB for reads', async () => {
    const { storage } = test;
    const writing = await storage.transaction((tx) => tx.first(showCacheSize));
    const reading = await storage.read((sql) => sql.first(showCacheSize));
    assert.deepEqual([writing, reading], [{ cache_size: -16_384 }, { cache_size: -65_536 }]);
  });

  it('runs its transactions strictly one after the other', async () => {
    const steps: string[] = [];
    await Promise.all(
      ['a', 'b', 'c'].map((name) =>
        test.storage.transaction(async (tx) => {
          steps.push(`${name} starts`);
          await tx.run(insertCounter, name, 1);
          await tx.run(insertCounter, `${name} again`, 1);
          steps.push(`${name} ends`);
        }),
      ),
    );
    assert.deepEqual(steps, ['a starts', 'a ends', 'b starts', 'b ends', 'c starts', 'c ends']);
  });

  it('runs each transaction once, whichever of them fails', async () => {
    for (const failing of [['a'], ['b'], ['a', 'c'], ['a', 'b', 'c']]) {
      const runs: string[] = [];
      const names = ['a', 'b', 'c'];
      const ended = await Promise.allSettled(
        names.map((name) =>
          test.storage.transaction(async (tx) => {
            runs.push(name);
            await tx.run(insertCounter, `${failing.join()}: ${name}`, 1);
            if (failing.includes(name)) throw new Error('a bug');
          }),
        ),
      );
      assert.deepEqual(runs, names);
      for (const [index, name] of names.entries()) {
        assert.equal(ended[index]?.status, failing.includes(name) ? 'rejected' : 'fulfilled');
        const kept = await test.storage.read((sql) => countOf(sql, `${failing.join()}: ${name}`));
        assert.equal(kept, failing.includes(name) ? undefined : 1);
      }
    }
  });

  it('runs a transaction that fails alone only once, and passes its error on', async () => {
    let runs = 0;
    const ended = test.storage.transaction(async (tx) => {
      runs += 1;
      await tx.run(insertCounter, 'alone', 1);
      throw new Error('a bug');
    });
    await assert.rejects(ended, /a bug/);
    assert.equal(runs, 1);
    assert.equal(await test.storage.read((sql) => countOf(sql, 'alone')), undefined);
  });

  it('whose commit fails keeps nothing and fails all of it', async () => {
    const before = await namesIn(test.storage);
    const ended = await Promise.allSettled([
      test.storage.transaction((tx) => tx.run(insertCounter, 'beside a failed commit', 1)),
      test.storage.transaction((tx) => tx.run(insertChild, 1, 40_404_040)),
    ]);
    assert.deepEqual(
      ended.map((end) => end.status),
      ['rejected', 'rejected'],
    );
    assert.deepEqual(await namesIn(test.storage), before);
  });

  it('takes more transactions at once than fit into one group', async () => {
    const written = await Promise.all(
      Array.from({ length: 1200 }, (_, index) =>
        test.storage.transaction((tx) => tx.run(insertCounter, `many ${index}`, 1)),
      ),
    );
    assert.equal(written.length, 1200);
    assert.equal((await namesIn(test.storage)).filter((name) => name.startsWith('many ')).length, 1200);
  });
});

describe('the file of a SQLite database', () => {
  it('is readable by its owner alone, and is all that is left after closing', {
    skip: process.platform === 'win32' && 'Windows has no file modes',
  }, async (context) => {
    const test = await testStorageFor(context, 'sqlite');
    const { file } = test.database as { file: string };
    await test.storage.transaction((tx) => tx.run(insertCounter, 'secret', 1));
    for (const suffix of ['', '-wal', '-shm']) assert.equal((await stat(file + suffix)).mode & 0o777, 0o600);
    await test.storage.close();
    assert.deepEqual(await readdir(dirname(file)), ['latchkey.db']);
  });

  it("may be open twice: a reader sees the other's commits", async (context) => {
    const { storage, database } = await testStorageFor(context, 'sqlite');
    const reader = await openStorage(database);
    context.after(() => reader.close());
    await storage.transaction((tx) => tx.run(insertCounter, 'shared', 1));
    assert.equal(await reader.read((sql) => countOf(sql, 'shared')), 1);
  });

  it('is waited for up to five seconds while another process holds it, by writes and by reads', async (context) => {
    const { storage } = await testStorageFor(context, 'sqlite');
    const writing = await storage.transaction((tx) => tx.first(showTimeout));
    const reading = await storage.read((sql) => sql.first(showTimeout));
    assert.deepEqual([writing, reading], [{ timeout: 5_000 }, { timeout: 5_000 }]);
  });

  it('is refused when it is no database', async () => {
    await assert.rejects(openStorage({ engine: 'sqlite', file: import.meta.filename }), /not a database/);
  });
});
