/**
 * The second run of journeys that waited in vain. A busy machine may take longer than a wait lasts, so a browser test
 * whose only failures are such waits runs once more by itself. A failed assertion is final: a limit that let one
 * machine too many through, or a lost write, is a fault even once in a hundred runs.
 */
import { existsSync, readFileSync } from 'node:fs';

/** A failure of a test, as the reporter writes it. */
export interface FailedTest {
  /** Path below the root. */
  readonly file: string;
  /** Whether a wait ran out, as opposed to a failed assertion. */
  readonly isTimeout: boolean;
}

/** More failures than this have a cause other than a moment of load. */
const MAX_FILES = 3;
/** Journeys alone: each test of the other packages waits for conditions without a limit of its own. */
const JOURNEYS = 'packages/console/test/browser/';

/** Whether an error of node:test says that a wait in a browser ran out. */
export function isTimeout(error: unknown): boolean {
  const { cause } = (error ?? {}) as { cause?: { message?: unknown } };
  return /: Timeout \d+ms exceeded\./.test(String(cause?.message));
}

/** The files to run once more; none if the second run cannot change the verdict. */
export function filesToRepeat(failures: readonly FailedTest[]): readonly string[] {
  const files = [...new Set(failures.map(({ file }) => file))];
  const isWorthIt = failures.every(({ file, isTimeout: isWait }) => isWait && file.startsWith(JOURNEYS));
  return isWorthIt && files.length <= MAX_FILES ? files : [];
}

/** The failures that the reporter wrote; none if it wrote no file, as after a crash of the runner. */
export function readFailures(path: string): readonly FailedTest[] {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : [];
}
