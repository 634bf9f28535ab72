/** The test files that are most likely to notice a break, by their calls of the broken code. */
import { basename } from 'node:path';
import type { Calls } from './coverage.ts';

/** A test file, its calls, and the seconds that it takes. */
export interface MeasuredTest {
  /** Below the root. */
  readonly file: string;
  readonly calls: Calls;
  readonly seconds: number;
}

/**
 * The test files that run the broken code and are most likely to notice a break: as many as fit into a time, and three
 * in any case. A quick test comes before a slow one that is as likely.
 *
 * The most likely are those named like the broken file. Then two kinds of tests take turns: those that call little
 * else, and those that call it most.
 *
 * @param file the broken file
 * @param places indexes of the places that run the broken code
 * @param seconds the time for all of them
 */
export function nearestTests(
  tests: readonly MeasuredTest[],
  file: string,
  places: readonly number[],
  seconds: number,
): readonly string[] {
  const callsOf = ({ calls }: MeasuredTest) => places.reduce((sum, index) => sum + calls.ofPlaces[index]!, 0);
  const running = tests.filter((test) => callsOf(test) > 0);
  const shareOf = (test: MeasuredTest) => callsOf(test) / test.calls.total;
  const special = running.toSorted((one, other) => shareOf(other) - shareOf(one));
  const busy = running.toSorted((one, other) => callsOf(other) - callsOf(one));
  const likely = new Set([
    ...running.filter((test) => nameOf(test.file) === nameOf(file)),
    ...special.flatMap((test, index) => [test, busy[index]!]),
  ]);
  let left = seconds;
  const chosen = [...likely].filter((test, rank) => {
    if (rank >= AT_LEAST && test.seconds > left) return false;
    left -= test.seconds;
    return true;
  });
  const cost = new Map(chosen.map((test, rank) => [test, (rank + AS_LIKELY) * test.seconds]));
  return chosen.toSorted((one, other) => cost.get(one)! - cost.get(other)!).map((test) => test.file);
}

const AT_LEAST = 3;
/** So many of the first tests are about as likely to notice the break. */
const AS_LIKELY = 3;

function nameOf(file: string): string {
  return basename(file).replace(/(\.test)?\.tsx?$/, '');
}
