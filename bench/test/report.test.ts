import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Comparison } from '../src/comparison.ts';
import { acrossStarts } from '../src/report.ts';

const comparison = (title: string, ratio: number, cpuRatio: number | null) =>
  ({ title, ratio, cpuRatio }) as unknown as Comparison;

describe('the report of several starts', () => {
  it('shows the median of each endpoint and the figure of each start', () => {
    const measured = [0.9, 1.1, 1].flatMap((ratio) => [
      comparison('verify', ratio, ratio / 2),
      comparison('validate', ratio + 1, null),
    ]);
    assert.deepEqual(acrossStarts(measured).split('\n'), [
      'verify, median of 3 starts: 1.00 (0.90, 1.10, 1.00); 0.50 (0.45, 0.55, 0.50) by CPU per request',
      'validate, median of 3 starts: 2.00 (1.90, 2.10, 2.00)',
      '',
    ]);
  });
});
