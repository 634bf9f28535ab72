/** The error messages of a failed start, or of a command whose configuration is wrong. */
import { userInfo } from 'node:os';
import { ConfigError } from '../config/config.ts';
import type { Environment } from '../config/names.ts';
import { DEFAULTS, type Variable } from '../config/variables.ts';

/** The command-line option that set a variable: `--port` for PORT. */
export type SetByOptions = ReadonlyMap<Variable, string>;

/**
 * Returns every reason of an error. A reason that begins with a variable also names the source of its value.
 *
 * @param environment the source of the configuration
 * @param options the variables that the command line has set
 */
export function reasonsOf(error: unknown, environment: Environment, options: SetByOptions = new Map()): string[] {
  if (!(error instanceof ConfigError)) return [isFileError(error) ? sentenceOf(error) : messageOf(error)];
  return error.errors.map((reason) => {
    const [name = ''] = /^[A-Z_]+(?= )/.exec(reason) ?? [];
    return Object.hasOwn(DEFAULTS, name) ? `${reason} (${sourceOf(name as Variable, environment, options)})` : reason;
  });
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** An error of the file system that names the file. */
interface FileError extends NodeJS.ErrnoException {
  readonly path: string;
}

function isFileError(error: unknown): error is FileError {
  return error instanceof Error && typeof (error as Partial<FileError>).path === 'string';
}

/** Returns the meaning of the usual error codes for the person who named the file. */
function sentenceOf({ code, path, message }: FileError): string {
  switch (code) {
    case 'EEXIST':
      return `${path} already exists. Name another file, or move that one away.`;
    case 'ENOENT':
      return `${path} does not exist, or a folder above it does not.`;
    case 'EACCES':
    case 'EPERM':
      return `${whoRuns()} has no permission to use ${path} (${code}).`;
    case 'EISDIR':
      return `${path} is a folder. Name a file.`;
    case 'ENOTDIR':
      return `${path} has a file where a folder should be.`;
    case 'ENOSPC':
      return `The disk of ${path} is full.`;
    default:
      return `${path}: ${message}`;
  }
}

/** Returns the user of the process, which decides the files and ports that it may use. */
export function whoRuns(): string {
  try {
    const { username, uid } = userInfo();
    return uid < 0 ? username : `${username} (uid ${uid})`;
  } catch {
    // A container may run under a number that belongs to no user.
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}

function sourceOf(name: Variable, environment: Environment, options: SetByOptions): string {
  const option = options.get(name);
  if (option !== undefined) return `${name} is set by ${option}`;
  return environment[name] ? `${name} is set in the environment` : `${name} is not set; this is its default`;
}
