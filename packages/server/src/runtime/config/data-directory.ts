/** The data directory: the SQLite database, and the secrets and the certificate that the service makes for itself. */
import {
  accessSync,
  constants,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { mintId } from '../../ground/base/random.ts';
import { ConfigError } from './config.ts';

/** The name of the certificate that the service makes for itself. */
export const CERTIFICATE_FILE = 'tls-cert.pem';

/** Modes that give access to the owner alone. */
const OWNER_DIRECTORY = 0o700;
const OWNER_FILE = 0o600;

/**
 * Makes the directory, readable by its owner alone, if it does not exist. An existing directory is not changed.
 *
 * @returns warnings for the operator about a directory that is open to other users
 * @throws ConfigError when the directory cannot be made
 */
export function makeDataDirectory(directory: string): string[] {
  try {
    // One by one: `recursive` retries for ever if the parent exists and accepts no directory, as /proc does.
    for (const each of missingDirectories(directory)) makeDirectory(each);
    return accessWarnings(directory);
  } catch (error) {
    throw new ConfigError([cannotBeMade(directory, error)]);
  }
}

/**
 * Returns the files in the data directory that do not belong to its database file: secrets, certificate. Absolute
 * paths.
 */
export function filesBeside(databaseFile: string): readonly string[] {
  const directory = dirname(databaseFile);
  return readdirSync(directory)
    .filter((name) => !name.startsWith(basename(databaseFile)))
    .map((name) => join(directory, name))
    .filter((file) => statSync(file).isFile());
}

/**
 * Returns the error that {@link makeDataDirectory} would throw, or the reason why the existing directory accepts no
 * files; null if there is no fault. The check creates a directory next to its location and removes it again.
 */
export function dataDirectoryFault(directory: string): string | null {
  try {
    const [first] = missingDirectories(directory);
    if (first !== undefined) rmdirSync(mkdtempSync(join(dirname(first), '.latchkey-check-')));
  } catch (error) {
    return cannotBeMade(directory, error);
  }
  try {
    if (statSync(directory, { throwIfNoEntry: false }) !== undefined)
      accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    return `LATCHKEY_DATA_DIR names ${directory}, in which no files can be created (${codeOf(error)})`;
  }
}

/** Returns the missing directories of a path, the topmost first. */
function missingDirectories(directory: string): string[] {
  const missing: string[] = [];
  for (let at = directory; statSync(at, { throwIfNoEntry: false }) === undefined; at = dirname(at)) missing.unshift(at);
  return missing;
}

/** Makes one directory. Another process may make it at the same time. */
function makeDirectory(directory: string): void {
  try {
    mkdirSync(directory, { mode: OWNER_DIRECTORY });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

function cannotBeMade(directory: string, error: unknown): string {
  return `LATCHKEY_DATA_DIR names ${directory}, which cannot be created (${codeOf(error)})`;
}

/**
 * Creates a file with its first contents. An existing file stays unchanged, even if another process made it. If several
 * processes do this at the same time, one succeeds and all return its contents.
 *
 * @param contents called only if the file does not exist
 * @returns the contents of the file
 */
export function createOnce(file: string, contents: () => string): string {
  const existing = readIfThere(file);
  if (existing !== undefined) return existing;
  const draft = writeDraft(file, contents());
  try {
    // A link appears complete or not at all and never replaces a file, so no process ever reads half a secret.
    linkSync(draft, file);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
  return readFileSync(file, 'utf8');
}

/** Replaces the contents of a file atomically: a reader sees the old contents or the new ones. */
export function replaceFile(file: string, contents: string): void {
  renameSync(writeDraft(file, contents), file);
}

/** Returns the contents of a file, or undefined if it does not exist. */
export function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** The numeric user and groups of a process. */
export interface ProcessUser {
  readonly user: number;
  readonly groups: readonly number[];
}

const thisUser = (): ProcessUser => ({
  user: process.geteuid?.() ?? -1,
  groups: [process.getegid?.() ?? -1, ...(process.getgroups?.() ?? [])],
});

/**
 * Returns a warning when other users of the machine have access to a file or directory; Windows has no such mode. If
 * another user owns the file, read access of a group of this process causes no warning, because this process reads the
 * file through that group.
 */
export function accessWarnings(fileOrDirectory: string, { user, groups }: ProcessUser = thisUser()): string[] {
  const { mode: fullMode, uid, gid } = statSync(fileOrDirectory);
  const mode = fullMode & 0o777;
  const isByGroup = uid !== user && groups.includes(gid);
  if ((mode & (isByGroup ? 0o027 : 0o077)) === 0 || process.platform === 'win32') return [];
  const shown = mode.toString(8).padStart(4, '0');
  return [`${fileOrDirectory} is open to other users of this machine (mode ${shown}); close it with chmod go= on it`];
}

function writeDraft(file: string, contents: string): string {
  const draft = `${file}.${mintId()}.tmp`;
  writeFileSync(draft, contents, { mode: OWNER_FILE, flag: 'wx', flush: true });
  return draft;
}

/** The code of an error of node:fs, all of which have one. */
function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
