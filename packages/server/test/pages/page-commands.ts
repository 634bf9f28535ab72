/** The commands in the shell blocks of the pages. */
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/** Every page with shell blocks, relative to the root. */
export const PAGES: readonly string[] = globSync('{*,docs/**/*,examples/*,bench/*,packages/*/*,ops/*}.md', {
  cwd: ROOT,
  exclude: (name) => name === 'node_modules' || name === 'CHANGELOG.md',
})
  .filter((page) => readFileSync(join(ROOT, page), 'utf8').includes('```sh\n'))
  .sort();

/** A command as a reader types it: a list joined by `&&` is several commands. */
export interface PageCommand {
  /** The heading of level 1 or 2 above it. */
  readonly section: string;
  /** Without a comment at its end. */
  readonly text: string;
}

/** The commands of a page, in order. @throws if a block ends within a command */
export function commandsOf(page: string): readonly PageCommand[] {
  const commands: PageCommand[] = [];
  let section = '';
  /** The indentation of the open block, and its unfinished command. */
  let block: { readonly indent: number; begun: string } | null = null;
  let isOtherCode = false;
  for (const line of readFileSync(join(ROOT, page), 'utf8').split('\n')) {
    const [, indent = '', language] = /^( *)```(\w*)/.exec(line) ?? [];
    if (block !== null && language === undefined) {
      block.begun += `${block.begun === '' ? '' : '\n'}${line.slice(block.indent)}`;
      if (/^\s*(?:#|$)/.test(block.begun)) block.begun = '';
      else if (!block.begun.endsWith('\\') && isComplete(block.begun)) {
        commands.push(...joined(block.begun).map((text) => ({ section, text })));
        block.begun = '';
      }
    } else if (language !== undefined) {
      if (block !== null && block.begun !== '') throw new Error(`${page} ends a block within ${block.begun}`);
      const isEnd: boolean = block !== null || isOtherCode;
      isOtherCode = !isEnd && language !== 'sh';
      block = !isEnd && language === 'sh' ? { indent: indent.length, begun: '' } : null;
    } else if (!isOtherCode && /^##? /.test(line)) section = line;
  }
  return commands;
}

function isComplete(text: string): boolean {
  return spawnSync('bash', ['-n', '-c', text], { stdio: 'ignore' }).status === 0;
}

/** The commands of a list that `&&` joins. */
function joined(line: string): readonly string[] {
  const text = line.replace(/\s+# .*$/, '');
  const parts = text.split(/ +&& +/);
  return parts.every(isComplete) ? parts : [text];
}
