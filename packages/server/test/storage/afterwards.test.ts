/** Changes that a transaction makes in memory are applied only once its outcome is known. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { engines } from '../support/databases.ts';
import { countOf, findCounter, insertCounter } from './tables.ts';
import { testStorageFor } from './test-storage.ts';

for (const engine of engines)
  describe(`effects of a transaction on ${engine}`, () => {
    it('hear once of each run how it ended, also when neighbours in the same commit fail', async (context) => {
      const test = await testStorageFor(context, engine);
      const reported: Record<string, boolean[]> = {};
      const runs: Record<string, number> = {};
      const add = (name: string, failure?: Error) =>
        test.storage.transaction(async (tx) => {
          runs[name] = (runs[name] ?? 0) + 1;
          await tx.run(insertCounter, name, 1);
          tx.afterwards((isCommitted) => {
            reported[name] = [...(reported[name] ?? []), isCommitted];
          });
          if (failure) throw failure;
        });
      const names = ['first', 'second', 'third'];
      const ended = await Promise.allSettled([
        add('first').then(() => assert.equal(reported.first?.at(-1), true, 'not told before the promise resolved')),
        add('failing', new Error('a bug')),
        add('second'),
        add('third'),
      ]);
      assert.deepEqual(
        ended.map(({ status }) => status),
        ['fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
      );
      for (const name of names) {
        // Runs that were rolled back received false.
        assert.deepEqual(reported[name], [...Array(runs[name]! - 1).fill(false), true]);
        assert.equal(await test.storage.read((sql) => countOf(sql, name)), 1);
      }
      assert.deepEqual(reported.failing, Array(runs.failing).fill(false));
    });

    it('hear of a transaction that only reads, and of one that cannot be committed', async (context) => {
      const test = await testStorageFor(context, engine);
      const reported: boolean[] = [];
      const note = (isCommitted: boolean) => reported.push(isCommitted);
      await test.storage.transaction(async (tx) => {
        tx.afterwards(note);
        await tx.first(findCounter, 'none');
      });
      // A server may roll a run back that would have committed; the last run decides.
      assert.equal(reported.pop(), true);
      assert.ok(reported.every((isCommitted) => !isCommitted));
      reported.length = 0;
      await assert.rejects(
        test.storage.transaction(async (tx) => {
          tx.afterwards(note);
          await tx.run(insertCounter, 'twice', 1);
          await tx.run(insertCounter, 'twice', 1).catch(() => {});
        }),
      );
      assert.ok(reported.length > 0 && reported.every((isCommitted) => !isCommitted));
    });
  });
