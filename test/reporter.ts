/**
 * Reports a run in few lines: each file as it ends, each failure with its cause, the closing lines of node:test, and
 * the command that repeats a failed test. The first failures come again at the end, with their causes, because a log
 * of CI may be cut to its last lines. The full report is in the log of the run. Failures are written to
 * LATCHKEY_TEST_FAILURES for second-run.ts.
 */
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';
import { ROOT } from './files.ts';
import { type FailedTest, isTimeout } from './second-run.ts';

/** An error can be its own cause. */
const MAX_CAUSES = 5;
/** Property tests print whole counterexamples; the log has them in full. */
const MAX_CHARACTERS = 1_000;

/** Failures that come with their causes at the end; the others with their titles. */
const EXPLAINED_AT_END = 10;

interface Failure extends FailedTest {
  readonly name: string;
  readonly line: number | undefined;
  readonly cause: string;
}

/** A reporter of node:test. */
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const failures: Failure[] = [];
  for await (const event of events) {
    if (event.type === 'test:complete') {
      const { name, nesting, file, line, details } = event.data;
      if (!details.passed && isCause(details.error)) {
        const { error } = details;
        const cause = indent(describeError(error));
        const failure = { name, file: relative(ROOT, file ?? ROOT), line, isTimeout: isTimeout(error), cause };
        failures.push(failure);
        yield `✖ ${explanation(failure)}`;
      } else if (nesting === 0 && details.type === 'suite') {
        yield `${details.passed ? '✔' : '✖'} ${name} (${(details.duration_ms / 1000).toFixed(1)} s)\n`;
      }
    } else if (event.type === 'test:stderr') yield event.data.message;
    else if (event.type === 'test:diagnostic' && event.data.nesting === 0) yield `ℹ ${event.data.message}\n`;
  }
  if (failures.length === 0) return;
  const { LATCHKEY_TEST_FAILURES } = process.env;
  if (LATCHKEY_TEST_FAILURES !== undefined) writeFileSync(LATCHKEY_TEST_FAILURES, JSON.stringify(failures));
  yield `\n${failures.length === 1 ? 'This test' : `These ${failures.length} tests`} failed:\n`;
  for (const [index, failure] of failures.entries())
    yield `  ${index < EXPLAINED_AT_END ? explanation(failure) : `${title(failure)}\n`}`;
  yield `Run one file again: npm test -- ${failures.find(hasOwnPlace)?.file ?? failures[0]?.name}\n`;
  yield `The whole report:   ${process.env.LATCHKEY_TEST_LOG}\n`;
}

/** False for a file that a lane could not import: its suite is defined by the lane and bears the name of the file. */
function hasOwnPlace({ file }: Failure): boolean {
  return !file.endsWith('lane.ts');
}

function title(failure: Failure): string {
  return hasOwnPlace(failure) ? `${failure.file}:${failure.line} ${failure.name}` : failure.name;
}

function explanation(failure: Failure): string {
  return `${title(failure)}\n${failure.cause}\n`;
}

/** Whether an error is a test's own; a suite also fails by its tests. */
function isCause(error: unknown): boolean {
  return (error as { failureType?: string } | undefined)?.failureType !== 'subtestsFailed';
}

/** The stack of an error and of its causes: a property test wraps the failed assertion. */
function describeError(error: unknown): string {
  const { cause = error } = (error ?? {}) as { cause?: unknown };
  const texts: string[] = [];
  for (let each = cause; each !== undefined && texts.length < MAX_CAUSES; each = (each as { cause?: unknown }).cause) {
    texts.push(String((each as { stack?: string } | null)?.stack ?? each));
    if (typeof each !== 'object' || each === null) break;
  }
  return texts
    .join('\ncaused by ')
    .split('\n')
    .filter((line) => !line.includes('(node:internal/') && !/^ +at (async )?node:internal\//.test(line))
    .map((line) => (line.length > MAX_CHARACTERS ? `${line.slice(0, MAX_CHARACTERS)}…` : line))
    .join('\n');
}

function indent(text: string): string {
  return text.replace(/^/gm, '    ');
}
