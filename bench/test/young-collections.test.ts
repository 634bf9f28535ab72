import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { temporaryFolder } from '../../packages/server/test/support/temporary-folder.ts';
import { collectionsOf, countCollections, meanBetween } from '../src/young-collections.ts';

it('a process that starts later counts its collections of young objects', async (test) => {
  const { BENCH_COLLECTIONS, NODE_OPTIONS } = process.env;
  countCollections(temporaryFolder(test));
  const program = 'setInterval(() => { for (let n = 0; n < 1e5; n++) globalThis.last = [n]; }, 1)';
  const child = spawn(process.execPath, ['--eval', program], { stdio: 'ignore' });
  test.after(() => {
    child.kill('SIGKILL');
    for (const [name, value] of Object.entries({ BENCH_COLLECTIONS, NODE_OPTIONS }))
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
  });
  const countedAfter = async (count: number) => {
    for (;;) {
      const found = collectionsOf(child.pid);
      if (found.count > count) return found;
      await wait(10);
    }
  };
  const first = await countedAfter(0);
  const second = await countedAfter(first.count);
  assert.ok(meanBetween(first, second)! > 0);
});

it('a process that counts none has no mean', () => {
  const none = collectionsOf(undefined);
  assert.deepEqual([none.count, meanBetween(none, none)], [0, null]);
});
