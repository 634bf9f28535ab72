/** The directory where the service keeps what it makes for itself: the SQLite database, secrets, a certificate. */
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
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
    mkdirSync(directory, { recursive: true, mode: OWNER_DIRECTORY });
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? error.code : 'unknown reason';
    throw new ConfigError([`LATCHKEY_DATA_DIR names ${directory}, which cannot be made (${reason})`]);
  }
  return accessWarnings(directory);
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

/** A warning when other users of the machine have access to a file or directory; Windows keeps no such mode. */
export function accessWarnings(fileOrDirectory: string): string[] {
  const mode = statSync(fileOrDirectory).mode & 0o777;
  if ((mode & 0o077) === 0 || process.platform === 'win32') return [];
  const shown = mode.toString(8).padStart(4, '0');
  return [`${fileOrDirectory} is open to other users of this machine (mode ${shown}); close it with chmod go= on it`];
}

function writeDraft(file: string, contents: string): string {
  const draft = `${file}.${mintId()}.tmp`;
  writeFileSync(draft, contents, { mode: OWNER_FILE, flag: 'wx', flush: true });
  return draft;
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
