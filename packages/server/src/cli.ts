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
import { databaseName } from './storage/database-name.ts';

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
    const more = 'A command followed by --help says more of it, and does nothing.';
    return `Usage: npm run latchkey -- <command>\n\n${list.join('\n')}\n\n${more}\n`;
  }
  const { name, summary, positionals, options } = command;
  const line = [name, ...positionals, ...Object.keys(options).map((each) => `[--${each}]`)].join(' ');
  const list = Object.entries(options).map(([each, meaning]) => `\n  --${each}  ${meaning}`);
  return `Usage: npm run latchkey -- ${line}\n\n${summary}\n${list.join('')}${list.length > 0 ? '\n' : ''}`;
}

/** The positional arguments and options given to a command; null when they are not those that it takes. */
function readArguments(command: Command, given: readonly string[]) {
  const options = Object.fromEntries(Object.keys(command.options).map((each) => [each, { type: 'boolean' as const }]));
  try {
    const { values, positionals } = parseArgs({ args: [...given], options, allowPositionals: true });
    if (positionals.length !== command.positionals.length) return null;
    return { positionals, options: new Set(Object.keys(values)) };
  } catch {
    return null;
  }
}

const given = process.argv.slice(2);
const isHelp = (word: string) => word === '--help' || word === '-h';
const command = commands.find(({ name }) => name === given[0]);
const read = command === undefined ? null : readArguments(command, given.slice(1));
// What stands after `--` is a positional argument, whatever it looks like; everywhere else --help wins over all others.
const end = given.indexOf('--');
const asksForHelp = given.slice(0, end === -1 ? given.length : end).some(isHelp);
if (asksForHelp && (command !== undefined || given.every(isHelp))) {
  process.stdout.write(usageOf(command));
} else if (command === undefined || read === null) {
  process.stderr.write(usageOf(command));
  process.exitCode = 2;
} else {
  const print = (line: string) => void process.stdout.write(`${line}\n`);
  const warn = (line: string) => void process.stderr.write(`${line}\n`);
  try {
    const config = loadConfig(process.env);
    warn(`Database: ${databaseName(config.database)}`);
    await command.run({ config, ...read, print, warn });
  } catch (error) {
    warn(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  }
}
