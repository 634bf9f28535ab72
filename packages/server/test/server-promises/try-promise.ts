/** Runs the tests of one promise, and says how they ended. */
import type { AssertionError } from 'node:assert/strict';
import { join, relative } from 'node:path';
import { run } from 'node:test';
import { inspect } from 'node:util';
import type { Promised } from './promises.ts';

const TESTS = join(import.meta.dirname, '..');

/** A test file that takes longer hangs, however far away the server is. */
const FILE_TIMEOUT_MS = 20 * 60_000;

const LONGEST_REASON = 300;

/** How a promise was found. It is kept when tests have passed and none has failed. */
export interface Finding {
  readonly passed: number;
  readonly failures: readonly Failure[];
}

/** A test that failed. */
export interface Failure {
  /** Below `test/`. */
  readonly file: string;
  readonly test: string;
  /** What was wrong, in one line. */
  readonly reason: string;
}

/** Whether the finding says that the promise is kept; one whose tests did not run is not. */
export const isKept = ({ passed, failures }: Finding): boolean => passed > 0 && failures.length === 0;

/** Runs the tests of a promise one after the other, each file in a process of its own; those on SQLite are left out. */
export async function tryPromise({ files }: Promised, signal: AbortSignal): Promise<Finding> {
  let passed = 0;
  const failures: Failure[] = [];
  const events = run({
    files: files.map((file) => join(TESTS, file)),
    concurrency: false,
    timeout: FILE_TIMEOUT_MS,
    testSkipPatterns: [/sqlite/i],
    signal,
  });
  for await (const { type, data } of events) {
    if (type === 'test:pass' && data.details.type !== 'suite' && data.skip === undefined) passed += 1;
    if (type !== 'test:fail') continue;
    const { error } = data.details;
    // The test that failed within says so itself.
    if ((error as { failureType?: string }).failureType === 'subtestsFailed') continue;
    failures.push({ file: relative(TESTS, data.file ?? ''), test: data.name, reason: reasonOf(error.cause ?? error) });
  }
  return { passed, failures };
}

const shown = (value: unknown) => inspect(value, { breakLength: Number.POSITIVE_INFINITY, depth: 4 });

/** The first line of an error, with what it compared; cut where it is long. */
function reasonOf(error: unknown): string {
  const [said = ''] = (error instanceof Error ? error.message : String(error)).split('\n', 1);
  const { actual, expected, generatedMessage: isComparison = false } = error as Partial<AssertionError>;
  const compared = !isComparison ? '' : ` ${shown(actual)} instead of ${shown(expected)}`;
  return `${said}${compared}`.replace(/\s+/g, ' ').slice(0, LONGEST_REASON);
}
