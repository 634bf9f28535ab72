/** A test file that never ends fails the run, for any reason. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { temporaryFolder } from '../packages/server/test/support/temporary-folder.ts';

const TIME_LIMIT = new URL('./time-limit.ts', import.meta.url).href;
const folder = temporaryFolder();

/** Runs a file of tests with a limit in milliseconds. */
function runFile(name: string, code: string, limitMs: number): Promise<{ code: number | null; output: string }> {
  const file = join(folder, `${name}.test.mjs`);
  writeFileSync(file, `import { it } from 'node:test';\n${code}\n`);
  const env = { PATH: process.env.PATH, LATCHKEY_TEST_FILE_LIMIT_MS: String(limitMs) };
  const args = ['--test', '--test-reporter=spec', `--import=${TIME_LIMIT}`, file];
  return new Promise((resolve) => {
    const child = execFile(process.execPath, args, { env }, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode, output: `${stdout}${stderr}` }),
    );
  });
}

describe('a test file', { timeout: 60_000 }, () => {
  const hangs = {
    'has a test that waits for ever': "it('waits', () => new Promise((resolve) => setTimeout(resolve, 1e9)));",
    'waits outside of its tests': 'await new Promise((resolve) => setTimeout(resolve, 1e9));',
    'leaves something open': "it('listens', () => { setInterval(() => {}, 1000); });",
    'counts to infinity': "it('counts', () => { for (;;); });",
  };
  for (const [what, code] of Object.entries(hangs))
    it(`that ${what} is stopped and fails`, async () => {
      const name = what.replaceAll(' ', '-');
      const { code: exitCode, output } = await runFile(name, code, 500);
      assert.equal(exitCode, 1);
      assert.match(output, new RegExp(`${name}\\.test\\.mjs was ended: it took longer than 0\\.5 seconds`));
    });

  it('that ends in time is left alone and does not wait for its limit', async () => {
    const { code, output } = await runFile('quick', "it('is quick', () => {});", 1e9);
    assert.equal(code, 0, output);
  });
});
