/** Calls that are decided together: each gets one reply, even if its batch fails. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Batch, type BatchResult, CallFailure } from '../../../src/platform/endpoint/endpoint.ts';
import { BatchQueue } from '../../../src/runtime/dispatch/batch-queue.ts';
import { CommitUnknown, StorageAway } from '../../../src/storage/contract/storage.ts';
import { openTestStorage, type TestStorage } from '../../storage/test-storage.ts';
import { ruleContextOf } from '../../support/contexts.ts';
import { engines } from '../../support/databases.ts';

const ruleContext = ruleContextOf();
const CALLS = 300;

for (const engine of engines)
  describe(`a batch queue on ${engine}`, () => {
    let test: TestStorage;
    before(async () => {
      test = await openTestStorage(engine);
    });
    after(() => test.remove());

    /** Pushes 300 calls at once; returns the reply to each, and the sizes of the batches that ran. */
    async function push(
      mode: Batch['mode'],
      fail: (indexes: readonly unknown[]) => void,
      batchesAtOnce = 1,
      resultOf: (index: unknown) => BatchResult = (index) => ({ index }),
    ) {
      const batches: number[] = [];
      const run = async (_sql: unknown, indexes: readonly unknown[]) => {
        batches.push(indexes.length);
        fail(indexes);
        return indexes.map(resultOf);
      };
      const batch: Batch =
        mode === 'write' ? { name: 'test', mode, run } : { name: 'test', mode, run, recall: () => undefined };
      const queue = new BatchQueue(batch, test.storage, ruleContext, batchesAtOnce);
      const reported: unknown[][] = Array.from({ length: CALLS }, () => []);
      await Promise.all(
        reported.map(
          (answers, index) =>
            new Promise<void>((resolve) => {
              queue.push(index, (result, error) => {
                answers.push(error ?? result);
                resolve();
              });
            }),
        ),
      );
      return { reported, batches };
    }

    for (const mode of ['read', 'write'] as const)
      for (const batchesAtOnce of [1, 2])
        it(`answers all of 300 calls at once (${mode}, ${batchesAtOnce} at once)`, async () => {
          const { reported, batches } = await push(mode, () => {}, batchesAtOnce);
          assert.deepEqual(
            reported,
            Array.from({ length: CALLS }, (_, index) => [{ index }]),
          );
          assert.ok(batches.length > 1, 'they fit into one batch');
        });

    it('decides each call alone after a failure, and only the failing one gets an error', async () => {
      const failure = new Error('a bug');
      const { reported } = await push('write', (indexes) => {
        if (indexes.includes(7)) throw failure;
      });
      for (const [index, answers] of reported.entries()) assert.deepEqual(answers, [index === 7 ? failure : { index }]);
    });

    it("reports a call's own failure to it, and decides nothing again", async () => {
      const failure = new Error('a damaged row');
      const { reported, batches } = await push(
        'write',
        () => {},
        1,
        (index) => (index === 7 ? new CallFailure(failure) : { index }),
      );
      for (const [index, answers] of reported.entries()) assert.deepEqual(answers, [index === 7 ? failure : { index }]);
      assert.equal(
        batches.reduce((sum, size) => sum + size),
        CALLS,
      );
    });

    for (const error of [new CommitUnknown('unknown'), new StorageAway('away')])
      it(`reports ${error.name} to all calls of a batch, and does nothing again`, async () => {
        const { reported, batches } = await push('write', () => {
          throw error;
        });
        for (const answers of reported) assert.deepEqual(answers, [error]);
        assert.equal(
          batches.reduce((sum, size) => sum + size),
          CALLS,
        );
      });
  });
