/** The command line of `latchkey`: the service itself and the operators' commands. All read the same environment. */
import { parseArgs } from 'node:util';
import type { Environment } from '../../runtime/config/names.ts';
import { loadConfig } from '../../runtime/config/read-config.ts';
import { DEFAULTS, type Variable } from '../../runtime/config/variables.ts';
import { packageVersion } from '../../runtime/service/package-version.ts';
import { reasonsOf, whoRuns } from '../../runtime/service/start-failure.ts';
import { databaseName } from '../../storage/postgres/database-name.ts';
import { afterRestore } from './after-restore.ts';
import { backup } from './backup.ts';
import { believeClock } from './believe-clock.ts';
import { check } from './check.ts';
import type { Command } from './command.ts';
import { copy } from './copy.ts';
import { customerLink } from './customer-link.ts';
import { dropTokenKey } from './drop-token-key.ts';
import { exportCommand } from './export.ts';
import { importCommand } from './import.ts';
import { licenseFile } from './license-file.ts';
import { liftActivationLimits } from './lift-activation-limits.ts';
import { listDestinations } from './list-destinations.ts';
import { listSigningKeys } from './list-signing-keys.ts';
import { listTokenKeys } from './list-token-keys.ts';
import { migrate } from './migrate.ts';
import { pauseDestinations } from './pause-destinations.ts';
import { restore } from './restore.ts';
import { resumeDestinations } from './resume-destinations.ts';
import { rotateSigningKey } from './rotate-signing-key.ts';
import { rotateTokenKeys } from './rotate-token-keys.ts';
import { sendTestEvent } from './send-test-event.ts';
import { sendTestMail } from './send-test-mail.ts';
import { serve } from './serve.ts';
import { shops } from './shops.ts';
import { shopsReplay } from './shops-replay.ts';
import { signInLink } from './sign-in-link.ts';

const commands: readonly Command[] = [
  serve,
  check,
  believeClock,
  migrate,
  backup,
  restore,
  afterRestore,
  copy,
  exportCommand,
  importCommand,
  listTokenKeys,
  rotateTokenKeys,
  dropTokenKey,
  liftActivationLimits,
  licenseFile,
  customerLink,
  listSigningKeys,
  rotateSigningKey,
  signInLink,
  sendTestEvent,
  sendTestMail,
  listDestinations,
  pauseDestinations,
  resumeDestinations,
  shops,
  shopsReplay,
];

/** The name of this program in usage texts: the package's command, or the npm script in the repository. */
const PROGRAM = process.env.npm_lifecycle_event === 'latchkey' ? 'npm run latchkey --' : 'latchkey';

/** The words of a command's name. */
const wordsOf = ({ name }: Command): readonly string[] => name.split(' ');

/** The command that a command line begins with: of `shops` and `shops replay` the longer one. */
function commandNamed(given: readonly string[]): Command | undefined {
  return commands
    .filter((each) => wordsOf(each).every((word, index) => word === given[index]))
    .toSorted((one, other) => wordsOf(other).length - wordsOf(one).length)[0];
}

/** The usage text of one command or of all commands. */
function usageOf(command: Command | undefined): string {
  if (command === undefined) {
    const list = commands.map(({ name, summary }) => `  ${name.padEnd(24)}${summary}`);
    const help = 'Add --help to a command for its details; it then does nothing else. --version prints the version.';
    return `Usage: ${PROGRAM} <command>\n\n${list.join('\n')}\n\n${help}\n`;
  }
  const { name, summary, positionals = [], options = {}, example, more } = command;
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
    ...(more === undefined ? [] : [`\n${more.join('\n')}\n`]),
    `\nExample: ${PROGRAM} ${example}\n`,
  ].join('');
}

/** Reads the positional arguments and options of a command. @throws UsageError when the command does not take them */
function readArguments(command: Command, given: readonly string[]) {
  const { name, positionals: wanted = [], options: known = {} } = command;
  const taken = Object.entries(known);
  const options = Object.fromEntries(
    taken.map(([option, { value }]) => [option, { type: value === undefined ? 'boolean' : 'string' } as const]),
  );
  const { tokens } = parseArgs({ args: [...given], options, allowPositionals: true, strict: false, tokens: true });
  const positionals: string[] = [];
  const said = new Map<string, string>();
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind !== 'option') continue;
    const option = Object.hasOwn(known, token.name) ? known[token.name] : undefined;
    if (option === undefined) throw new UsageError(`${name} has no option ${token.rawName}${variableFor(token.name)}`);
    if (option.value === undefined && token.value !== undefined)
      throw new UsageError(`${token.rawName} takes no value`);
    if (option.value !== undefined && !token.value)
      throw new UsageError(`${token.rawName} needs a value: ${token.rawName} ${option.value}`);
    said.set(token.name, token.value ?? '');
  }
  const missing = wanted[positionals.length];
  if (missing !== undefined) throw new UsageError(`${missing} is missing`);
  const extra = positionals[wanted.length];
  if (extra !== undefined) throw new UsageError(`${name} takes no argument ${JSON.stringify(extra)}`);
  for (const [option, { isRequired }] of taken)
    if (isRequired && !said.has(option)) throw new UsageError(`--${option} is missing`);
  return { positionals, options: said };
}

/** The command line is wrong. The message gives the reason. */
class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The variable that an option probably refers to: `--log-level` is LATCHKEY_LOG_LEVEL. */
function variableFor(option: string): string {
  const name = option.toUpperCase().replaceAll('-', '_');
  const variable = [name, `LATCHKEY_${name}`].find((each) => Object.hasOwn(DEFAULTS, each));
  return variable === undefined ? '' : `; set the variable ${variable}`;
}

/** Returns the environment with the variables that options set, and the names of those variables. */
function withOptions(command: Command, options: ReadonlyMap<string, string>, environment: Environment) {
  const setBy = new Map<Variable, string>();
  const changed: Record<string, string | undefined> = { ...environment };
  for (const [option, { sets }] of Object.entries(command.options ?? {})) {
    const value = options.get(option);
    if (sets === undefined || value === undefined) continue;
    changed[sets] = value;
    setBy.set(sets, `--${option}`);
  }
  return { environment: changed, setBy };
}

/** The outputs of a command: one for its result, one for messages beside it. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/**
 * Runs a command line.
 *
 * @param given the words after the name of the program
 * @returns the exit status: 0 for success, 1 for a failure, 2 for a command line that is wrong
 */
export async function runCommandLine(
  given: readonly string[],
  environment: Environment,
  { out, err }: Terminal,
): Promise<0 | 1 | 2> {
  const isHelp = (word: string) => word === '--help' || word === '-h';
  const command = commandNamed(given);
  // Everything after `--` is a positional argument; everywhere else --help takes precedence over all other options.
  const end = given.indexOf('--');
  const asksForHelp = given.slice(0, end === -1 ? given.length : end).some(isHelp);
  if (asksForHelp && (command !== undefined || given.every(isHelp))) {
    out(usageOf(command));
    return 0;
  }
  if (given.length === 1 && given[0] === '--version') {
    out(`latchkey ${packageVersion()} on Node.js ${process.versions.node}\n`);
    return 0;
  }
  if (command === undefined) {
    err(
      given[0] === undefined
        ? usageOf(undefined)
        : `Unknown command ${JSON.stringify(given[0])}.\n\n${usageOf(undefined)}`,
    );
    return 2;
  }
  let read: ReturnType<typeof readArguments>;
  try {
    read = readArguments(command, given.slice(wordsOf(command).length));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    err(`${error.message}.\n\n${usageOf(command)}`);
    return 2;
  }
  const print = (line: string) => out(`${line}\n`);
  const warn = (line: string) => err(`${line}\n`);
  const configured = withOptions(command, read.options, environment);
  try {
    const config = loadConfig(configured.environment);
    if (command.isOnDatabase !== false && command !== serve) warn(`Database: ${databaseName(config.database)}`);
    await command.run({ config, ...read, print, warn });
    return 0;
  } catch (error) {
    for (const reason of reasonsOf(error, configured.environment, configured.setBy)) warn(reason);
    if (command === serve)
      warn(`Latchkey ran as ${whoRuns()}. ${PROGRAM} check lists every fault that prevents a start.`);
    return 1;
  }
}
