/** Runs the tests of one promise, and reports their result. */
import type { AssertionError } from 'node:assert/strict';
import { join, relative } from 'node:path';
import { run } from 'node:test';
import { inspect } from 'node:util';
import type { Promised } from './promises.ts';

const TESTS = join(import.meta.dirname, '..');

/** A test file that takes longer hangs, even with a distant server. */
const FILE_TIMEOUT_MS = 20 * 60_000;

const LONGEST_REASON = 300;

/** The result of a promise's tests. It is kept when tests have passed and none has failed. */
export interface Finding {
  readonly passed: number;
  readonly failures: readonly Failure[];
}

/** A test that failed. */
export interface Failure {
  /** Below `test/`. */
  readonly file: string;
  readonly test: string;
  /** The failure, in one line. */
  readonly reason: string;
}

/** Whether the promise is kept; without tests that ran it is not. */
export const isKept = ({ passed, failures }: Finding): boolean => passed > 0 && failures.length === 0;

/** Runs the tests of a promise in order, each file in its own process, without the tests on SQLite. */
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
    // The failed subtest reports itself.
    if ((error as { failureType?: string }).failureType === 'subtestsFailed') continue;
    failures.push({ file: relative(TESTS, data.file ?? ''), test: data.name, reason: reasonOf(error.cause ?? error) });
  }
  return { passed, failures };
}

const shown = (value: unknown) => inspect(value, { breakLength: Number.POSITIVE_INFINITY, depth: 4 });

/** The first line of an error, with the compared values; truncated if long. */
function reasonOf(error: unknown): string {
  const [said = ''] = (error instanceof Error ? error.message : String(error)).split('\n', 1);
  const { actual, expected, generatedMessage: isComparison = false } = error as Partial<AssertionError>;
  const compared = !isComparison ? '' : ` ${shown(actual)} instead of ${shown(expected)}`;
  return `${said}${compared}`.replace(/\s+/g, ' ').slice(0, LONGEST_REASON);
}
