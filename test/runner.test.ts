/** The test runner: processes, and output. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { before, describe, it } from 'node:test';
import { temporaryFolder } from '../packages/server/test/support/temporary-folder.ts';
import { ROOT, testFiles } from './files.ts';
import { filesToRepeat, isTimeout } from './second-run.ts';

const LANE = new URL('./lane.ts', import.meta.url).href;
const REPORTER = new URL('./reporter.ts', import.meta.url).href;

/**
 * Files that a lane takes from its queue: one whose hooks must not reach the next, a failing one, one with errors that
 * nobody catches, one that cannot be imported.
 */
const FILES = {
  'with-hooks': `
    import assert from 'node:assert/strict';
    import { beforeEach, describe, it } from 'node:test';
    beforeEach(() => { globalThis.hooked = (globalThis.hooked ?? 0) + 1; });
    describe('first', () => it('is hooked', () => assert.ok(globalThis.hooked > 0)));`,
  failing: `
    import assert from 'node:assert/strict';
    import { before, describe, it } from 'node:test';
    let hookedBefore;
    before(() => { hookedBefore = globalThis.hooked; });
    describe('second', () => {
      it('has no hook of the file before', () => assert.equal(globalThis.hooked, hookedBefore));
      it('says that one is two', () => assert.equal(1, 2));
      it('fails for a reason', () => { throw new Error('a property failed', { cause: new Error('the reason') }); });
    });`,
  uncaught: `
    import { it } from 'node:test';
    import { setImmediate as turn } from 'node:timers/promises';
    it('leaves an error in a timer', async () => {
      await turn();
      await new Promise((resolve) => setTimeout(() => {
        setImmediate(resolve);
        throw new Error('thrown in a timer');
      }));
    });
    it('leaves a rejection', async () => {
      await turn();
      Promise.reject(new Error('awaited by nobody'));
      await turn();
    });
    it('leaves nothing', () => turn());`,
  broken: "throw new Error('this file cannot be imported');",
};

describe('the files of a run', () => {
  const choose = (isSystem: boolean, paths: readonly string[]) =>
    testFiles({ paths, isSystem }).map((file) => relative(ROOT, file).replaceAll('\\', '/'));
  const chosen = (...paths: readonly string[]) => choose(false, paths);

  it('are those at the paths and below the folders, once each', () => {
    assert.deepEqual(chosen('test/runner.test.ts', 'test/runner.test.ts'), ['test/runner.test.ts']);
    assert.ok(chosen('test').includes('test/runner.test.ts'));
  });

  it('are those of the command in a folder, and of either kind by name', () => {
    const system = 'packages/server/test/crash/crash.system.test.ts';
    assert.ok(!chosen('packages/server').includes(system));
    assert.ok(choose(true, ['packages/server']).every((file) => file.endsWith('.system.test.ts')));
    assert.deepEqual(chosen(system), [system]);
    assert.deepEqual(choose(true, ['test/runner.test.ts']), ['test/runner.test.ts']);
  });

  it('are refused with a folder that has some of the other command only, which the refusal names', () => {
    assert.throws(() => chosen('packages/server/test/crash'), {
      message:
        'no test file matches packages/server/test/crash, but npm run test:system -- packages/server/test/crash has some',
    });
    assert.throws(() => choose(true, ['test']), {
      message: 'no test file matches test, but npm test -- test has some',
    });
  });

  it('are refused with a path that has none, also beside one that has some', () => {
    assert.throws(() => chosen('test/runner.test.ts', 'test/absent.test.ts'), {
      message: 'no test file matches test/absent.test.ts',
    });
  });
});

describe('a run', () => {
  const folder = temporaryFolder();
  const failures = join(folder, 'failures.json');
  let run: { code: number | null; output: string };

  before(async () => {
    const files = Object.entries(FILES).map(([name, code]) => {
      const file = join(folder, `${name}.test.mjs`);
      writeFileSync(file, code);
      return file;
    });
    writeFileSync(join(folder, 'queue.json'), JSON.stringify(files));
    const lanes = [1, 2].map((number) => {
      const lane = join(folder, `lane-${number}.mjs`);
      writeFileSync(lane, `import { runLane } from '${LANE}';\nawait runLane();\n`);
      return lane;
    });
    run = await new Promise((resolve) => {
      const env = {
        PATH: process.env.PATH,
        LATCHKEY_TEST_QUEUE: folder,
        LATCHKEY_TEST_LOG: '/somewhere/test.log',
        LATCHKEY_TEST_FAILURES: failures,
      };
      const options = ['--test', '--test-concurrency=1', `--test-reporter=${REPORTER}`];
      const child = execFile(process.execPath, [...options, ...lanes], { env }, (_error, stdout, stderr) =>
        resolve({ code: child.exitCode, output: `${stdout}${stderr}` }),
      );
    });
  });

  it('runs each file of the queue in one lane only, and goes on after a file that fails', () => {
    for (const name of Object.keys(FILES))
      assert.equal(
        run.output.match(new RegExp(`^[✔✖] \\S*${name}\\.test\\.mjs \\(`, 'gm'))?.length ?? 0,
        1,
        run.output,
      );
  });

  it('keeps the hooks of a file from the files after it', () => {
    assert.doesNotMatch(run.output, /^✖.* has no hook of the file before/m);
    // The lane that found the queue empty counts as one that passed.
    assert.match(run.output, /^ℹ tests 9$.*?^ℹ pass 4$.*?^ℹ fail 5$/ms);
  });

  it('fails when a test fails or a file cannot be imported', () => {
    assert.equal(run.code, 1);
    assert.match(run.output, /this file cannot be imported/);
  });

  it('fails the test that runs when nobody catches an error', () => {
    assert.match(run.output, /^✖ \S*uncaught\.test\.mjs:\d+ leaves an error in a timer\n[^✖]*thrown in a timer\n/m);
    assert.match(run.output, /^✖ \S*uncaught\.test\.mjs:\d+ leaves a rejection\n[^✖]*awaited by nobody\n/m);
    assert.doesNotMatch(run.output, /^✖.* leaves nothing/m);
  });

  it('shows the error of a failed test and the errors that caused it', () => {
    assert.match(run.output, /Error: a property failed\n[^✖]*caused by Error: the reason\n/);
  });

  it('ends with the names of failed tests, the command for one file, and the place of the whole report', () => {
    const closing = run.output.slice(run.output.indexOf('These 5 tests failed:'));
    assert.match(closing, /failing\.test\.mjs:\d+ says that one is two\n/);
    assert.match(closing, /broken\.test\.mjs\n/);
    assert.match(closing, /Run one file again: npm test -- \S*failing\.test\.mjs\n/);
    assert.match(closing, /The whole report: {3}\S+test\.log\n/);
  });

  it('writes its failures for the second run', () => {
    const written: { readonly name: string; readonly isTimeout: boolean }[] = JSON.parse(
      readFileSync(failures, 'utf8'),
    );
    assert.ok(written.some(({ name, isTimeout }) => name === 'says that one is two' && !isTimeout));
    assert.equal(written.length, 5);
  });
});

describe('a second run', () => {
  const journey = (name: string, isWait = true) => ({
    file: `packages/console/test/browser/${name}.test.ts`,
    isTimeout: isWait,
  });

  it('is for journeys that waited in vain', () => {
    assert.deepEqual(filesToRepeat([journey('keys'), journey('keys'), journey('system')]), [
      'packages/console/test/browser/keys.test.ts',
      'packages/console/test/browser/system.test.ts',
    ]);
  });

  it('does not follow a failed assertion, a failure elsewhere, or many failures', () => {
    assert.deepEqual(filesToRepeat([journey('keys'), journey('system', false)]), []);
    assert.deepEqual(filesToRepeat([{ file: 'packages/server/test/races.test.ts', isTimeout: true }]), []);
    assert.deepEqual(filesToRepeat(['a', 'b', 'c', 'd'].map((name) => journey(name))), []);
    assert.deepEqual(filesToRepeat([]), []);
  });

  it('distinguishes an expired wait from other errors by its message', () => {
    const failed = (message: string) => ({ failureType: 'testCodeFailure', cause: new Error(message) });
    assert.ok(isTimeout(failed('locator.waitFor: Timeout 10000ms exceeded.\nCall log:')));
    assert.ok(!isTimeout(failed('Expected values to be strictly equal')));
    assert.ok(!isTimeout(undefined));
  });
});
