/** What the command `latchkey` can be told: the service itself, and what operators do beside it. All read the same environment. */
import { parseArgs } from 'node:util';
import { backup } from './commands/backup.ts';
import { check } from './commands/check.ts';
import type { Command } from './commands/command.ts';
import { copy } from './commands/copy.ts';
import { dropTokenKey } from './commands/drop-token-key.ts';
import { exportCommand } from './commands/export.ts';
import { importCommand } from './commands/import.ts';
import { licenseFile } from './commands/license-file.ts';
import { liftActivationLimits } from './commands/lift-activation-limits.ts';
import { listSigningKeys } from './commands/list-signing-keys.ts';
import { listTokenKeys } from './commands/list-token-keys.ts';
import { migrate } from './commands/migrate.ts';
import { restore } from './commands/restore.ts';
import { rotateSigningKey } from './commands/rotate-signing-key.ts';
import { rotateTokenKeys } from './commands/rotate-token-keys.ts';
import { serve } from './commands/serve.ts';
import { signInLink } from './commands/sign-in-link.ts';
import { type Environment, loadConfig } from './config.ts';
import { databaseName } from './storage/database-name.ts';

const commands: readonly Command[] = [
  serve,
  check,
  migrate,
  backup,
  restore,
  copy,
  exportCommand,
  importCommand,
  listTokenKeys,
  rotateTokenKeys,
  dropTokenKey,
  liftActivationLimits,
  licenseFile,
  listSigningKeys,
  rotateSigningKey,
  signInLink,
];

/** How whoever reads a usage text calls this program: the package's command, or npm in the repository. */
const PROGRAM = process.env.npm_lifecycle_event === 'latchkey' ? 'npm run latchkey --' : 'latchkey';

/** What may be said, of one command or of all. */
function usageOf(command: Command | undefined): string {
  if (command === undefined) {
    const list = commands.map(({ name, summary }) => `  ${name.padEnd(24)}${summary}`);
    const more = 'A command followed by --help says more of it, and does nothing.';
    return `Usage: ${PROGRAM} <command>\n\n${list.join('\n')}\n\n${more}\n`;
  }
  const { name, summary, positionals, options, example } = command;
  const said = Object.entries(options).map(([option, { meaning, value, isRequired }]) => {
    const text = value === undefined ? `--${option}` : `--${option} ${value}`;
    return { inLine: isRequired ? text : `[${text}]`, text, meaning };
  });
  const width = Math.max(0, ...said.map(({ text }) => text.length));
  const line = [name, ...positionals, ...said.map(({ inLine }) => inLine)].join(' ');
  const list = said.map(({ text, meaning }) => `\n  ${text.padEnd(width)}  ${meaning}`);
  return [
    `Usage: ${PROGRAM} ${line}\n\n${summary}\n`,
    ...(list.length > 0 ? [`${list.join('')}\n`] : []),
    `\nExample: ${PROGRAM} ${example}\n`,
  ].join('');
}

/** The positional arguments and options given to a command; null when they are not those that it takes. */
function readArguments(command: Command, given: readonly string[]) {
  const taken = Object.entries(command.options);
  const options = Object.fromEntries(
    taken.map(([option, { value }]) => [option, { type: value === undefined ? 'boolean' : 'string' } as const]),
  );
  try {
    const { values, positionals } = parseArgs({ args: [...given], options, allowPositionals: true });
    if (positionals.length !== command.positionals.length) return null;
    if (taken.some(([option, { isRequired }]) => isRequired && !values[option])) return null;
    const said = Object.entries(values).map(
      ([option, value]) => [option, value === true ? '' : String(value)] as const,
    );
    return { positionals, options: new Map(said) };
  } catch {
    return null;
  }
}

/** Where a command writes: the result to one place, what is said beside it to another. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/**
 * Does what a command line says.
 *
 * @param given the words after the name of the program
 * @returns how it ended: 0 when it was done, 1 when it failed, 2 when nothing like that can be told
 */
export async function runCommandLine(
  given: readonly string[],
  environment: Environment,
  { out, err }: Terminal,
): Promise<0 | 1 | 2> {
  const isHelp = (word: string) => word === '--help' || word === '-h';
  const command = commands.find(({ name }) => name === given[0]);
  const read = command === undefined ? null : readArguments(command, given.slice(1));
  // What stands after `--` is a positional argument, whatever it looks like; everywhere else --help wins over all others.
  const end = given.indexOf('--');
  const asksForHelp = given.slice(0, end === -1 ? given.length : end).some(isHelp);
  if (asksForHelp && (command !== undefined || given.every(isHelp))) {
    out(usageOf(command));
    return 0;
  }
  if (command === undefined || read === null) {
    err(usageOf(command));
    return 2;
  }
  const print = (line: string) => out(`${line}\n`);
  const warn = (line: string) => err(`${line}\n`);
  try {
    const config = loadConfig(environment);
    if (command.isOnDatabase !== false) warn(`Database: ${databaseName(config.database)}`);
    await command.run({ config, ...read, print, warn });
    return 0;
  } catch (error) {
    warn(error instanceof Error ? error.message : String(error));
    return 1;
  }
}
