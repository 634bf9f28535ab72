/** Progress is shown with its rate and the remaining time. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Progress, progressText } from '../../../src/operations/commands/progress.ts';

function shown(
  isTTY: boolean,
  work: { total: number; before?: number },
  steps: readonly (readonly [number, number])[],
) {
  const written: string[] = [];
  let at = 0;
  const output = { isTTY, columns: 120, write: (text: string) => written.push(text) };
  const progress = new Progress(output, () => at, { name: 'copying', ...work });
  for (const [elapsedMs, amount] of steps) {
    at += elapsedMs;
    progress.add(amount, 'license');
  }
  return written;
}

describe('progress', () => {
  it('shows the progress, the rate and the time left', () => {
    const copying = (total: number, before = 0) => ({ name: 'copying', total, before });
    assert.equal(
      progressText(copying(1_000_000, 50_000), 'license', 250_000, 10_000),
      'copying license: 250,000 of 1,000,000 rows (25%), 20,000 a second, 38s left',
    );
    assert.match(progressText(copying(100_000), 'a', 1, 1_000), /, 1 a second, 27h 46m left$/);
    assert.match(progressText(copying(1_000), 'a', 10, 1_000), /, 10 a second, 1m 39s left$/);
  });

  it('leaves earlier work out of the rate', () => {
    const [line = ''] = shown(false, { total: 1_000, before: 900 }, [[10_000, 50]]);
    assert.equal(line, 'copying license: 950 of 1,000 rows (95%), 5 a second, 10s left\n');
  });

  it('is a bar in one place on a terminal', () => {
    const written = shown(true, { total: 100 }, [
      [200, 25],
      [10, 25],
      [200, 25],
    ]);
    assert.equal(written.length, 2, 'not more often than a person can see');
    assert.ok(written[0]!.startsWith('\r\u001b[K['), 'the line is taken away first');
    assert.match(written[0]!, /\[#{6}-{18}\] copying license: 25 of 100 rows/);
    assert.match(written[1]!, /\[#{18}-{6}\]/);
    assert.doesNotMatch(written.join(''), /\n/);
  });

  it('is removed from a terminal before a line, and from nowhere else', () => {
    const cleared = (isTTY?: boolean) => {
      const written: string[] = [];
      const output = { ...(isTTY === undefined ? {} : { isTTY }), write: (text: string) => written.push(text) };
      new Progress(output, () => 0, { name: 'copying', total: 100 }).clear();
      return written;
    };
    assert.deepEqual(cleared(true), ['\r\u001b[K']);
    assert.deepEqual([...cleared(false), ...cleared()], []);
  });

  it('is a line now and then anywhere else', () => {
    const written = shown(
      false,
      { total: 100 },
      Array.from({ length: 30 }, () => [1_000, 1] as const),
    );
    assert.equal(written.length, 3);
    for (const line of written) assert.match(line, /^copying license: \d+ of 100 rows .*\n$/);
  });

  it('of an unknown amount shows the amount and the rate', () => {
    assert.equal(shown(false, { total: 0 }, [[10_000, 500]])[0], 'copying license: 500 rows, 50 a second\n');
  });
});
