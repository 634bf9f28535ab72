/** The command lines of all scripts: help, and mistakes. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { runProgram } from './support/command.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** The programs that commands of npm run in these folders, by their paths below the root. */
const programs = ['packages/server/scripts', 'packages/client/scripts', 'bench/src'].flatMap((folder) => {
  const workspace = join(folder, '..');
  const { scripts } = JSON.parse(readFileSync(join(ROOT, workspace, 'package.json'), 'utf8'));
  const paths = Object.values<string>(scripts).map((command) =>
    join(workspace, command.replace(/^node (\S+).*$/, '$1')),
  );
  return [...new Set(paths.filter((path) => path.startsWith(`${folder}/`)))];
});

const run = (program: string, ...words: readonly string[]) => runProgram(join('../..', program), words);

describe('the command line of each script', () => {
  it('is tested', () => {
    for (const name of ['attack', 'deliver', 'crash-test', 'dump', 'build-package'])
      assert.ok(programs.includes(`packages/server/scripts/${name}.ts`), programs.join(' '));
    assert.ok(programs.includes('bench/src/soak.ts') && programs.includes('packages/client/scripts/outage.ts'));
  });

  for (const program of programs) {
    it(`${program} prints its usage for --help, and ends with 0`, async () => {
      const { code, out, err } = await run(program, '--help');
      assert.deepEqual([code, err], [0, '']);
      assert.match(out, /npm run /);
    });

    it(`${program} refuses an unknown option in one line`, async () => {
      const { code, out, err } = await run(program, '--no-such-option');
      assert.ok(code === 1 || code === 2, String(code));
      assert.equal(out, '');
      const [line = '', ...others] = err.trimEnd().split('\n');
      assert.match(line, /Unknown option '--no-such-option'/);
      // Programs of the bench print their usage below.
      if (!program.startsWith('bench/')) assert.deepEqual(others, []);
      assert.doesNotMatch(err, /^ +at /m);
    });
  }

  it('refuses a missing value, and one word too many', async () => {
    for (const [words, mistake] of [
      [['--seconds'], "attack: Option '--seconds <value>' argument missing. --help lists the options.\n"],
      [['now'], "attack: Unexpected argument 'now'. --help lists the options.\n"],
    ] as const)
      assert.deepEqual(await run('packages/server/scripts/attack.ts', ...words), { code: 2, out: '', err: mistake });
  });
});
