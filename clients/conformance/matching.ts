/** Compares values with the expectations of scenarios. */
import assert from 'node:assert/strict';
import { millisecondsOf } from './durations.ts';

/** The service sends times in whole seconds, and a moment passes between two readings. */
const TOLERANCE_MS = 2000;

/** A time counted from now. */
export interface In {
  readonly in: string;
}

/** Whether an expected value is a time counted from now. */
export function isIn(value: unknown): value is In {
  return typeof value === 'object' && value !== null && Object.keys(value).join() === 'in';
}

/**
 * Throws an AssertionError if a value is not as expected. `*` stands for any value but null.
 *
 * @param now the correct time, milliseconds since 1970
 */
export function mustMatch(value: unknown, expected: unknown, now: number, way = 'value'): void {
  if (expected === '*') {
    assert.ok(value !== null && value !== undefined, `${way} is absent`);
    return;
  }
  if (isIn(expected)) {
    const time = typeof value === 'string' ? Date.parse(value) : value;
    const awaited = now + millisecondsOf(expected.in);
    const isClose = typeof time === 'number' && Math.abs(time - awaited) <= TOLERANCE_MS;
    assert.ok(isClose, `${way} is ${JSON.stringify(value)}, not ${new Date(awaited).toISOString()} (${expected.in})`);
    return;
  }
  if (typeof expected === 'object' && expected !== null && !Array.isArray(expected)) {
    assert.ok(typeof value === 'object' && value !== null, `${way} is ${JSON.stringify(value)}`);
    for (const [name, part] of Object.entries(expected))
      mustMatch((value as Readonly<Record<string, unknown>>)[name], part, now, `${way}.${name}`);
    return;
  }
  assert.deepEqual(value, expected, `${way} is ${JSON.stringify(value)}, not ${JSON.stringify(expected)}`);
}
