/** The directory where the service keeps what it makes for itself: the SQLite database, secrets, a certificate. */
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
import { ConfigError } from './config.ts';
import { mintId } from './random.ts';

/** Access for the owner alone, to a directory and to a file. */
const OWNER_DIRECTORY = 0o700;
const OWNER_FILE = 0o600;

/**
 * Makes the directory, readable by its owner alone, where there is none. One that exists is left as it is.
 *
 * @returns warnings for the operator about a directory that is open to other users
 * @throws ConfigError when it cannot be made
 */
export function makeDataDirectory(directory: string): string[] {
  try {
    // One by one: `recursive` tries for ever where the parent is there and takes no directory, as /proc does.
    for (const each of missingDirectories(directory)) makeDirectory(each);
    return accessWarnings(directory);
  } catch (error) {
    throw new ConfigError([cannotBeMade(directory, error)]);
  }
}

/** The files in the directory that are not those of a database file in it: secrets, certificate. Absolute paths. */
export function filesBeside(databaseFile: string): readonly string[] {
  const directory = dirname(databaseFile);
  return readdirSync(directory)
    .filter((name) => !name.startsWith(basename(databaseFile)))
    .map((name) => join(directory, name))
    .filter((file) => statSync(file).isFile());
}

/**
 * What {@link makeDataDirectory} would find wrong, or why files could not be made in the directory that exists; null when
 * nothing is. Nothing stays of the directory that is made, beside where this one would be, to find that out.
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
    return `LATCHKEY_DATA_DIR names ${directory}, in which no files can be made (${codeOf(error)})`;
  }
}

/** The directory and those above it that are not there, the topmost first. */
function missingDirectories(directory: string): string[] {
  const missing: string[] = [];
  for (let at = directory; statSync(at, { throwIfNoEntry: false }) === undefined; at = dirname(at)) missing.unshift(at);
  return missing;
}

/** Makes one directory; another process may have made it in the meantime. */
function makeDirectory(directory: string): void {
  try {
    mkdirSync(directory, { mode: OWNER_DIRECTORY });
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
}

function cannotBeMade(directory: string, error: unknown): string {
  return `LATCHKEY_DATA_DIR names ${directory}, which cannot be made (${codeOf(error)})`;
}

/**
 * Gives a file its first contents: where it exists already, whoever made it, it stays as it is. Of several processes
 * that do this at the same moment one succeeds and all get what that one wrote.
 *
 * @param contents called only where there is no file yet
 * @returns what the file holds now
 */
export function createOnce(file: string, contents: () => string): string {
  const existing = readIfThere(file);
  if (existing !== undefined) return existing;
  const draft = writeDraft(file, contents());
  try {
    // A link appears whole or not at all and never replaces a file, so nobody ever reads half a secret.
    linkSync(draft, file);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  } finally {
    rmSync(draft);
  }
  return readFileSync(file, 'utf8');
}

/** Gives a file new contents, at one stroke: a reader sees the old ones or the new ones. */
export function replaceFile(file: string, contents: string): void {
  renameSync(writeDraft(file, contents), file);
}

/** What a file holds, or undefined where there is none. */
export function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** The user of a process, by numbers. */
export interface ProcessUser {
  readonly user: number;
  readonly groups: readonly number[];
}

const thisUser = (): ProcessUser => ({
  user: process.geteuid?.() ?? -1,
  groups: [process.getegid?.() ?? -1, ...(process.getgroups?.() ?? [])],
});

/**
 * A warning when other users of the machine have access to a file or directory; Windows keeps no such mode. A file of
 * another user that lets a group of this process read is not open: that is how this process gets at it.
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

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
