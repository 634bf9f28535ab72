/** Compares the answers of apps with the expectations of a scenario. */
import assert from 'node:assert/strict';
import type { DriverAnswer } from './driver-process.ts';
import { millisecondsOf } from './durations.ts';
import type { Call } from './front.ts';
import { mustMatch } from './matching.ts';
import type { Names } from './names.ts';
import type { Expectations } from './scenario.ts';

/** The status in an answer; null before there is a client. */
export function statusIn({ state }: DriverAnswer): unknown {
  return state?.status ?? null;
}

/** An app whose status has changed was told so. */
export function mustTell(answer: DriverAnswer, before: DriverAnswer): void {
  const status = statusIn(answer);
  const was = statusIn(before);
  if (status === was || was === null) return;
  assert.equal(answer.notices.at(-1), status, `the last notice is ${answer.notices.at(-1)}, the state ${status}`);
}

/** Only a step that expects an error may fail. */
export function mustSucceed({ error, state }: DriverAnswer, expected: Expectations['error']): void {
  assert.equal(error === undefined, expected === undefined, `the error: ${JSON.stringify(error ?? state)}`);
}

/**
 * Throws an AssertionError if an answer, or the calls before it, are not as expected.
 *
 * @param now the correct time, milliseconds since 1970
 */
export function mustBeAs(
  { expect, error, value, next, calls: paths, sent }: Expectations,
  answer: DriverAnswer,
  calls: readonly Call[],
  names: Names,
  now: number,
): void {
  if (error !== undefined) mustMatch(answer.error, names.named(error), now, 'error');
  if (expect !== undefined) mustMatch(answer.state, names.named(expect), now, 'state');
  if (value !== undefined) mustMatch(answer.value, names.named(value), now);
  if (next !== undefined)
    assert.equal(answer.next, next === null ? null : millisecondsOf(next), `next: ${answer.next}`);
  if (paths !== undefined)
    assert.deepEqual(
      calls.map(({ path }) => path),
      paths,
    );
  if (sent !== undefined) mustMatch(calls.at(-1)?.body, names.named(sent), now, 'sent');
}
