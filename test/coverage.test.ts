/** The calls that V8 counts while a test file runs. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { temporaryFolder } from '../packages/server/test/support/temporary-folder.ts';
import { readCalls } from './coverage.ts';

const root = temporaryFolder();

it('counts the calls of a place, also in the threads of a process', () => {
  const file = 'packages/server/src/rule.ts';
  const source = `
    import { isMainThread, Worker } from 'node:worker_threads';
    export function rule(count: number) { return count > 5 ? 'many' : 'few'; }
    function unused() { return 0; }
    for (const count of [1, 7, 9]) rule(count);
    if (isMainThread) new Worker(import.meta.filename);`;
  mkdirSync(join(root, 'packages/server/src'), { recursive: true });
  writeFileSync(join(root, file), source);
  const folder = join(root, 'counted');
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  execFileSync(process.execPath, [join(root, file)], { env: { ...env, NODE_V8_COVERAGE: folder } });
  const places = ['count > 5', "'many'", "'few'", 'return 0'].map((part) => ({ file, start: source.indexOf(part) }));
  assert.deepEqual(readCalls(folder, root, places), { ofPlaces: [6, 4, 2, 0], total: 8 });
});
