/**
 * Reads texts of the operating system, and distinguishes an absent text from one that cannot be read. Only an absent
 * one may lead to another identity of the machine: a second identity takes a second slot, and looks like a copied
 * token.
 */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const PROGRAM_LIMIT_MS = 5000;
const TRIES = 3;
const PAUSE_MS = 100;

/** Errors of a file that is absent, or that the app may not read: they recur at each start. */
const LASTING = new Set(['ENOENT', 'ENOTDIR', 'EISDIR', 'EACCES', 'EPERM']);
/** Higher statuses, as on Windows, are those of crashes. */
const HIGHEST_STATUS = 255;

type Failure = Error & { readonly code?: string | number | null; readonly killed?: boolean };

/** The text of a file; null if the system has none for this app. Rejects if it could not be read now. */
export function textOfFile(file: string): Promise<string | null> {
  return tried(
    () => readFile(file, 'utf8'),
    ({ code }) => typeof code === 'string' && LASTING.has(code),
  );
}

/**
 * The output of a program; null if it does not exist or ended with an error. Rejects if it could not be started, was
 * killed, or took too long.
 */
export function textOfProgram(
  program: string,
  args: readonly string[],
  limitMs = PROGRAM_LIMIT_MS,
): Promise<string | null> {
  return tried(
    async () => (await run(program, args, { timeout: limitMs, windowsHide: true })).stdout,
    ({ code, killed }) => code === 'ENOENT' || (killed !== true && typeof code === 'number' && code <= HIGHEST_STATUS),
  );
}

async function tried(read: () => Promise<string>, isAbsent: (failure: Failure) => boolean): Promise<string | null> {
  for (let tries = 1; ; tries++)
    try {
      return await read();
    } catch (error) {
      const failure = error as Failure;
      if (isAbsent(failure)) return null;
      // A program that took too long takes as long again, and the app is waiting.
      if (tries === TRIES || failure.killed === true) throw error;
      await wait(PAUSE_MS);
    }
}
