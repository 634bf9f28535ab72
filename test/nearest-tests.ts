/** The test files that are most likely to notice a break, by their calls of the broken code. */
import { basename } from 'node:path';
import type { Calls } from './coverage.ts';

/** The number of tests that run even if they take too long. */
const AT_LEAST = 3;
/** Number of the first tests that are about equally likely to notice the break. */
const AS_LIKELY = 3;

/** A test file, its calls, and the seconds that it takes. */
export interface MeasuredTest {
  /** Below the root. */
  readonly file: string;
  readonly calls: Calls;
  readonly seconds: number;
}

/** A broken part of the code. */
export interface BrokenPart {
  /** The broken file, below the root. */
  readonly file: string;
  /** Indexes of the places that run it. */
  readonly places: readonly number[];
  /** The likeness of a test and the part by their words. */
  readonly likeness: (test: string) => number;
}

/**
 * The test files that run the broken code and are most likely to notice a break: as many as fit into a time, and three
 * in any case. A quick test comes before a slow one that is as likely.
 *
 * The most likely are those named like the broken file. Then three kinds of tests take turns: those that call little
 * else, those that share most words with the code, and those that call it most.
 *
 * @param seconds the time for all of them
 */
export function nearestTests(
  tests: readonly MeasuredTest[],
  { file, places, likeness }: BrokenPart,
  seconds: number,
): readonly string[] {
  const callsOf = ({ calls }: MeasuredTest) => places.reduce((sum, index) => sum + calls.ofPlaces[index]!, 0);
  const running = tests.filter((test) => callsOf(test) > 0);
  const orders = [
    running.filter((test) => nameOf(test.file) === nameOf(file)),
    byValue(running, (test) => callsOf(test) / test.calls.total),
    byValue(running, (test) => likeness(test.file)),
    byValue(running, callsOf),
  ];
  const likely = new Set(running.flatMap((_, index) => orders.flatMap((order) => order[index] ?? [])));
  let left = seconds;
  const chosen = [...likely].filter((test, rank) => {
    if (rank >= AT_LEAST && test.seconds > left) return false;
    left -= test.seconds;
    return true;
  });
  const cost = new Map(chosen.map((test, rank) => [test, (rank + AS_LIKELY) * test.seconds]));
  return chosen.toSorted((one, other) => cost.get(one)! - cost.get(other)!).map((test) => test.file);
}

/** The tests with the highest value first. */
function byValue(tests: readonly MeasuredTest[], value: (test: MeasuredTest) => number): readonly MeasuredTest[] {
  const values = new Map(tests.map((test) => [test, value(test)]));
  return tests.toSorted((one, other) => values.get(other)! - values.get(one)!);
}

function nameOf(file: string): string {
  return basename(file).replace(/(\.test)?\.tsx?$/, '');
}
