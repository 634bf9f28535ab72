import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';
import type { Topic } from '../../src/storage/contract/published.ts';
import { UniquenessViolation } from '../../src/storage/contract/storage.ts';
import { withStorage } from '../../src/storage/opening/open.ts';
import { engines } from '../support/databases.ts';
import {
  countChildren,
  countOf,
  insertChild,
  insertCounter,
  listCounters,
  lockCounter,
  namesIn,
  updateCounter,
} from './tables.ts';
import { openedTestStorage, testStorageFor } from './test-storage.ts';

const NAMES: Topic<string> = { name: 'names', isForEveryThread: false };

for (const engine of engines) {
  describe(`a transaction on ${engine}`, () => {
    const test = openedTestStorage(engine);

    it('is kept once its promise has resolved, also for those who open the database later', async () => {
      const answer = await test.storage.transaction(async (tx) => {
        await tx.run(insertCounter, 'kept', 1);
        return 'done';
      });
      assert.equal(answer, 'done');
      assert.equal(await withStorage(test.database, {}, (another) => another.read((sql) => countOf(sql, 'kept'))), 1);
    });

    it('leaves nothing when its work throws, and passes the error on', async () => {
      const failure = new Error('a bug');
      const ended = test.storage.transaction(async (tx) => {
        await tx.run(insertCounter, 'thrown away', 1);
        throw failure;
      });
      await assert.rejects(ended, (error) => error === failure);
      assert.equal(await test.storage.read((sql) => countOf(sql, 'thrown away')), undefined);
    });

    it('reads its own writes', async () => {
      const count = await test.storage.transaction(async (tx) => {
        await tx.run(insertCounter, 'own', 7);
        return countOf(tx, 'own');
      });
      assert.equal(count, 7);
    });

    it('shows nothing to reads before it is committed', async () => {
      await test.storage.transaction((tx) => tx.run(insertCounter, 'seen', 1));
      const seenMeanwhile = await test.storage.transaction(async (tx) => {
        await tx.run(updateCounter, 'seen', 2);
        return test.storage.read((sql) => countOf(sql, 'seen'));
      });
      assert.equal(seenMeanwhile, 1);
      assert.equal(await test.storage.read((sql) => countOf(sql, 'seen')), 2);
    });

    it('is refused as a whole, with UniquenessViolation, when a row is there already', async () => {
      await test.storage.transaction((tx) => tx.run(insertCounter, 'unique', 1));
      const ended = test.storage.transaction(async (tx) => {
        await tx.run(insertCounter, 'written before the duplicate', 1);
        await tx.run(insertCounter, 'unique', 2);
      });
      await assert.rejects(
        ended,
        (error: Error) =>
          error instanceof UniquenessViolation &&
          error.message.startsWith('test_counter.insert: ') &&
          // PostgreSQL's detail would contain the key.
          !inspect(error, { depth: 9 }).includes('(unique)'),
      );
      assert.equal(await test.storage.read((sql) => countOf(sql, 'written before the duplicate')), undefined);
      assert.equal(await test.storage.read((sql) => countOf(sql, 'unique')), 1);
    });

    it('is refused even when its work makes light of a statement that failed', async () => {
      await test.storage.transaction((tx) => tx.run(insertCounter, 'twice', 1));
      const ended = test.storage.transaction(async (tx) => {
        await tx.run(insertCounter, 'written before the caught error', 1);
        await tx.run(insertCounter, 'twice', 2).catch(() => {});
        return 'all is well';
      });
      await assert.rejects(ended, UniquenessViolation);
      assert.equal(await test.storage.read((sql) => countOf(sql, 'written before the caught error')), undefined);
    });

    it('is refused even when nobody awaits the statement that failed', async () => {
      await test.storage.transaction((tx) => tx.run(insertCounter, 'thrice', 1));
      const ended = test.storage.transaction(async (tx) => {
        await tx.run(insertCounter, 'written before the lost error', 1);
        tx.run(insertCounter, 'thrice', 2).catch(() => {});
      });
      await assert.rejects(ended);
      assert.equal(await test.storage.read((sql) => countOf(sql, 'written before the lost error')), undefined);
    });

    it('is refused as a whole when its commit fails, and the next one is served', async () => {
      // COMMIT checks the reference.
      await assert.rejects(
        test.storage.transaction((tx) => tx.run(insertChild, 1, 40_404_040)),
        (error) => !inspect(error, { depth: 9 }).includes('40404040'),
        'the error shows a value',
      );
      assert.deepEqual(await test.storage.read((sql) => sql.all(countChildren)), [{ number: 0 }]);
      await test.storage.transaction((tx) => tx.run(insertCounter, 'after a failed commit', 1));
      assert.equal(await test.storage.read((sql) => countOf(sql, 'after a failed commit')), 1);
    });

    it('cannot be used after its end', async () => {
      const run = await test.storage.transaction(async (tx) => () => tx.run(insertCounter, 'late', 1));
      await assert.rejects(run(), /test_counter\.insert: its transaction is over/);
      assert.equal(await test.storage.read((sql) => countOf(sql, 'late')), undefined);
    });

    it('may start several statements at once', async () => {
      const names = ['at once 1', 'at once 2', 'at once 3'];
      const changed = await test.storage.transaction((tx) =>
        Promise.all(names.map((name) => tx.run(insertCounter, name, 5))),
      );
      assert.deepEqual(changed, [1, 1, 1]);
      assert.equal(await test.storage.read((sql) => countOf(sql, 'at once 3')), 5);
    });

    it('is kept with its last write, after which it takes no statement', async () => {
      await test.storage.transaction(async (tx) => {
        await tx.run(insertCounter, 'before the last', 1);
        assert.equal(await tx.runLast(insertCounter, 'last', 1), 1);
        await assert.rejects(tx.run(insertCounter, 'behind the last', 1), /its transaction is over/);
      });
      for (const [name, count] of [
        ['before the last', 1],
        ['last', 1],
        ['behind the last', undefined],
      ] as const)
        assert.equal(await test.storage.read((sql) => countOf(sql, name)), count, name);
    });

    it('leaves nothing when its last write fails, and the next one is served', async () => {
      await test.storage.transaction((tx) => tx.runLast(insertCounter, 'only once', 1));
      const ended = test.storage.transaction(async (tx) => {
        await tx.run(insertCounter, 'before a last write that fails', 1);
        await tx.runLast(insertCounter, 'only once', 2);
      });
      await assert.rejects(ended, UniquenessViolation);
      assert.equal(await test.storage.read((sql) => countOf(sql, 'before a last write that fails')), undefined);
      await test.storage.transaction((tx) => tx.runLast(updateCounter, 'only once', 3));
      assert.equal(await test.storage.read((sql) => countOf(sql, 'only once')), 3);
    });

    it('leaves nothing when the commit behind its last write fails', async () => {
      await assert.rejects(test.storage.transaction((tx) => tx.runLast(insertChild, 1, 40_404_040)));
      assert.deepEqual(await test.storage.read((sql) => sql.all(countChildren)), [{ number: 0 }]);
    });

    it('may do nothing at all', async () => {
      assert.equal(await test.storage.transaction(async () => 'nothing'), 'nothing');
    });
  });

  describe(`transactions at once on ${engine}`, () => {
    const test = openedTestStorage(engine);

    it('lose no update: 100 that lock, read and write a row each count', async () => {
      await test.storage.transaction((tx) => tx.run(insertCounter, 'clicks', 0));
      await Promise.all(
        Array.from({ length: 100 }, () =>
          test.storage.transaction(async (tx) => {
            const row = await tx.first<{ count: number }>(lockCounter, 'clicks');
            await tx.run(updateCounter, 'clicks', row!.count + 1);
          }),
        ),
      );
      assert.equal(await test.storage.read((sql) => countOf(sql, 'clicks')), 100);
    });

    it('are not harmed by a neighbour that fails, which leaves nothing', async () => {
      const ended = await Promise.allSettled(
        Array.from({ length: 40 }, (_, index) =>
          test.storage.transaction(async (tx) => {
            await tx.run(insertCounter, `neighbour ${index}`, 1);
            if (index % 10 === 3) throw new Error(`error ${index}`);
            if (index % 10 === 7) await tx.run(insertCounter, `neighbour ${index}`, 2);
            return index;
          }),
        ),
      );
      for (const [index, end] of ended.entries()) {
        const isFailing = index % 10 === 3 || index % 10 === 7;
        assert.equal(end.status, isFailing ? 'rejected' : 'fulfilled');
        if (end.status === 'fulfilled') assert.equal(end.value, index);
        else if (index % 10 === 3) assert.equal(end.reason.message, `error ${index}`);
        else assert.ok(end.reason instanceof UniquenessViolation);
        const count = await test.storage.read((sql) => countOf(sql, `neighbour ${index}`));
        assert.equal(count, isFailing ? undefined : 1);
      }
    });
  });

  describe(`commit listeners on ${engine}`, () => {
    it('hear after the commit and before the promise resolves, and never of a failure', async (context) => {
      const test = await testStorageFor(context, engine);
      const heard: string[] = [];
      const committedWhenHeard: Promise<number | undefined>[] = [];
      test.storage.onCommitted((published) => {
        for (const name of published.of(NAMES)) {
          heard.push(name);
          committedWhenHeard.push(test.storage.read((sql) => countOf(sql, name)));
        }
      });
      const publish = (name: string, failure?: Error) =>
        test.storage.transaction(async (tx) => {
          tx.publish(NAMES, name);
          await tx.run(insertCounter, name, 1);
          assert.ok(!heard.includes(name), 'heard before the commit');
          if (failure) throw failure;
        });
      const ended = await Promise.allSettled([
        publish('first').then(() => assert.ok(heard.includes('first'), 'not heard before the promise resolved')),
        publish('failing', new Error('a bug')),
        publish('second').then(() => assert.ok(heard.includes('second'), 'not heard before the promise resolved')),
        test.storage.transaction((tx) => tx.run(insertCounter, 'silent', 1)),
      ]);
      assert.deepEqual(
        ended.map((end) => end.status),
        ['fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
      );
      assert.deepEqual(heard.toSorted(), ['first', 'second']);
      assert.deepEqual(await Promise.all(committedWhenHeard), [1, 1]);
    });

    it('hear each message once, under its topic', async (context) => {
      const test = await testStorageFor(context, engine);
      const heard: string[] = [];
      const other: Topic<string> = { name: 'other names', isForEveryThread: true };
      test.storage.onCommitted((published) => {
        heard.push(...published.of(NAMES), ...published.of(other).map((name) => `other ${name}`));
      });
      const publish = (topic: Topic<string>, name: string, failure?: Error) =>
        test.storage.transaction(async (tx) => {
          tx.publish(topic, name);
          await tx.run(insertCounter, name, 1);
          if (failure) throw failure;
        });
      await Promise.allSettled([
        publish(NAMES, 'first'),
        publish(NAMES, 'failing', new Error('a bug')),
        publish(other, 'second'),
      ]);
      assert.deepEqual(heard.toSorted(), ['first', 'other second']);
    });
  });

  describe(`closing ${engine}`, () => {
    for (const kind of ['read', 'transaction'] as const)
      it(`waits for exactly one ${kind} that is under way`, async (context) => {
        const test = await testStorageFor(context, engine);
        const { promise: hasBegun, resolve: begin } = Promise.withResolvers<void>();
        const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
        const only = test.storage[kind](async (sql) => {
          begin();
          await mayEnd;
          return sql.all(listCounters);
        });
        await hasBegun;
        let isClosed = false;
        const closing = test.storage.close().then(() => (isClosed = true));
        await new Promise(setImmediate);
        assert.equal(isClosed, false);
        end();
        assert.deepEqual(await only, []);
        await closing;
      });

    it('lets calls under way finish and accepts no more', async (context) => {
      const test = await testStorageFor(context, engine);
      const underWay = Array.from({ length: 30 }, (_, index) =>
        test.storage.transaction((tx) => tx.run(insertCounter, `under way ${index}`, index)),
      );
      const reading = test.storage.read((sql) => sql.all(listCounters));
      const closing = Promise.all([test.storage.close(), test.storage.close()]);
      await assert.rejects(
        test.storage.transaction(async () => 'too late'),
        /the database is closed/,
      );
      await assert.rejects(
        test.storage.read(async () => 'too late'),
        /the database is closed/,
      );
      await closing;
      assert.deepEqual(await Promise.all(underWay), Array(30).fill(1));
      assert.ok(Array.isArray(await reading));
      assert.equal((await withStorage(test.database, {}, namesIn)).length, 30);
    });
  });
}
