/** Commands for operators, beside the service itself. They read the same environment as the service. */
import { parseArgs } from 'node:util';
import { checkConfig } from './commands/check-config.ts';
import type { Command } from './commands/command.ts';
import { dropTokenKey } from './commands/drop-token-key.ts';
import { liftActivationLimits } from './commands/lift-activation-limits.ts';
import { listTokenKeys } from './commands/list-token-keys.ts';
import { migrate } from './commands/migrate.ts';
import { rotateTokenKeys } from './commands/rotate-token-keys.ts';
import { loadConfig } from './config.ts';

const commands: readonly Command[] = [
  checkConfig,
  migrate,
  listTokenKeys,
  rotateTokenKeys,
  dropTokenKey,
  liftActivationLimits,
];

/** What may be said, of one command or of all. */
function usageOf(command: Command | undefined): string {
  if (command === undefined) {
    const list = commands.map(({ name, summary }) => `  ${name.padEnd(24)}${summary}`);
    return `Usage: npm run latchkey -- <command>\n\n${list.join('\n')}\n`;
  }
  const { name, summary, words, options } = command;
  const line = [name, ...words, ...Object.keys(options).map((each) => `[--${each}]`)].join(' ');
  const list = Object.entries(options).map(([each, meaning]) => `\n  --${each}  ${meaning}`);
  return `Usage: npm run latchkey -- ${line}\n\n${summary}\n${list.join('')}${list.length > 0 ? '\n' : ''}`;
}

/** The words and options given to a command; null when they are not those that it takes. */
function readArguments(command: Command, given: readonly string[]) {
  const options = Object.fromEntries(Object.keys(command.options).map((each) => [each, { type: 'boolean' as const }]));
  try {
    const { values, positionals } = parseArgs({ args: [...given], options, allowPositionals: true });
    if (positionals.length !== command.words.length) return null;
    return { words: positionals, options: new Set(Object.keys(values)) };
  } catch {
    return null;
  }
}

const [name, ...given] = process.argv.slice(2);
const command = commands.find((each) => each.name === name);
const read = command === undefined ? null : readArguments(command, given);
if (command === undefined || read === null) {
  process.stderr.write(usageOf(command));
  process.exitCode = 2;
} else {
  try {
    const print = (line: string) => process.stdout.write(`${line}\n`);
    await command.run({ config: loadConfig(process.env), ...read, print });
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
