/** The command lines of the pages are understood: each command takes its options, each script and each file exists. */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runCommandLine } from '../../../src/operations/commands/command-line.ts';

const ROOT = fileURLToPath(new URL('../../../../../', import.meta.url));
const PAGES = globSync('{*,docs/*/*,examples/*,bench/*,packages/*/*}.md', { cwd: ROOT }).sort();

/** A command in a block of shell code. */
interface Line {
  readonly page: string;
  readonly words: readonly string[];
}

/** The commands of a page, without comments, variables and nested commands. */
function linesOf(page: string): Line[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  return [...text.matchAll(/```sh\n([\s\S]*?)```/g)]
    .flatMap(([, block = '']) => block.replaceAll(/\\\n\s*/g, ' ').split('\n'))
    .flatMap((line) =>
      line
        .replace(/(?:^|\s)#.*$/, '')
        .replaceAll(/\$\([^)]*\)/g, 'VALUE')
        .split(/&&|\|\||[|;]/),
    )
    .map((command) => ({
      page,
      words: command
        .trim()
        .replace(/^(?:\w+=\S+\s+)+/, '')
        .split(/\s+/),
    }));
}

const lines = PAGES.flatMap(linesOf);
/** The commands that begin so, each with the words after its beginning. */
const after = (beginning: RegExp) =>
  lines.flatMap((line) => {
    const command = line.words.join(' ');
    const [start] = beginning.exec(command) ?? [];
    return start === undefined ? [] : [{ ...line, command, words: command.slice(start.length).trim().split(' ') }];
  });

describe('the command lines of the pages', () => {
  it('give the commands of latchkey the arguments that they take', async () => {
    const called = after(/^(?:npm run latchkey --|(?:\/\S*\/)?latchkey(?:-run)?)(?= [a-z-])/);
    assert.ok(called.length > 40, `${called.length} lines`);
    for (const { page, command, words } of called) {
      let complaint = '';
      // The configuration is wrong, so no command begins its work.
      const status = await runCommandLine(words, { PORT: 'none' }, { out() {}, err: (text) => (complaint += text) });
      assert.notEqual(status, 2, `${page}: ${command}: ${complaint}`);
    }
  });

  it('name scripts that exist', () => {
    const run = after(/^npm run(?= )/);
    assert.ok(run.length > 30, `${run.length} lines`);
    for (const { page, command, words } of run) {
      const [, workspace = '.'] = /(?:-w|--workspace) (\S+)/.exec(command) ?? [];
      const { scripts } = JSON.parse(readFileSync(join(ROOT, workspace, 'package.json'), 'utf8'));
      assert.ok(Object.hasOwn(scripts, words[0] ?? ''), `${page}: ${command}`);
    }
  });

  it('name files of the repository that exist', () => {
    const files = [...after(/^npm test --/), ...after(/^node(?= \w+\/)/), ...after(/^cp(?= ops\/)/)];
    assert.ok(files.length > 3, `${files.length} lines`);
    for (const { page, command, words } of files)
      for (const word of words.filter((each) => /^\w[\w-]*\//.test(each)))
        assert.ok(existsSync(join(ROOT, word)) || globSync(word, { cwd: ROOT }).length > 0, `${page}: ${command}`);
  });
});
