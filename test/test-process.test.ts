/** A process that runs test files until the first failure. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, it } from 'node:test';
import { temporaryFolder } from '../packages/server/test/support/temporary-folder.ts';
import { ROOT } from './files.ts';
import { failureOf } from './test-process.ts';

describe('a process of tests', () => {
  const folder = temporaryFolder();
  const { signal } = new AbortController();
  const fileWith = (name: string, body: string) => {
    const file = join(folder, `${name}.test.ts`);
    writeFileSync(file, `import { it } from 'node:test';\nit('${name}', async () => {\n${body}\n});\n`);
    return relative(ROOT, file);
  };
  const passing = fileWith('passes', '');
  const failing = fileWith('fails', "throw new Error('no');");
  const endless = fileWith('waits', 'await new Promise(() => setInterval(() => {}, 1_000));');

  it('has no failure if all tests pass', async () => {
    assert.equal(await failureOf([passing, passing], { root: ROOT, signal }), null);
  });

  it('ends at the first failure, and names it', async () => {
    assert.match((await failureOf([passing, failing, endless], { root: ROOT, signal })) ?? '', /fails$/);
  });

  it('ends when it is interrupted', async () => {
    const interrupted = new AbortController();
    const running = failureOf([endless], { root: ROOT, signal: interrupted.signal });
    interrupted.abort();
    assert.notEqual(await running, null);
  });
});
