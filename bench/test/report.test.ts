import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Comparison, ServerFigures } from '../src/comparison.ts';
import { withSideLoads } from '../src/comparison.ts';
import { acrossStarts, table } from '../src/report.ts';

const comparison = (title: string, ratio: number, cpuRatio: number | null, youngCollectionMs: number | null = null) =>
  ({
    ...{ title, ratio, cpuRatio },
    ...{ subject: { name: 'latchkey', youngCollectionMs }, control: { name: 'control', youngCollectionMs: null } },
  }) as unknown as Comparison;

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

  it('shows the mean collection of young objects in each start', () => {
    const measured = [3.14, 28].map((mean) => comparison('verify', 1, null, mean));
    assert.equal(acrossStarts(measured).split('\n')[1], '  latchkey: young collections of 3.1, 28.0 ms');
  });
});

describe('the report of side loads', () => {
  const server: ServerFigures = {
    ...{ name: 'server', requestsPerSecond: 1, requests: 1, othersCpuPerSecond: null },
    ...{ latencyMs: { p50: 1, p95: 1, p99: 1, p999: 1 }, cpuPerSecond: {}, cpuMicrosecondsPerRequest: {} },
    memoryBytes: {},
    youngCollectionMs: null,
  };
  const measured: Comparison = {
    ...{ title: 'verify', ratios: [1], ratio: 1, totalRatio: 1, cpuRatio: 1, control: server, subject: server },
    errors: { count: 1, reported: ['own'] },
  };
  const errors = (count: number, ...reported: string[]) => ({ count, reported });
  const rows = (of: Comparison) =>
    table(of)
      .split('\n')
      .filter((line) => /^ {2}(customers|tabs):/.test(line));

  it('has a line for customers and one for tabs, and their errors fail the run', () => {
    const both = withSideLoads(measured, {
      customers: { pages: 40, signIns: 2, medianMs: 3.14, slowestMs: 9, errors: errors(2, 'a page') },
      tabs: { calls: 12, meanMs: 2.25, slowestMs: 8, errors: errors(4, 'a call') },
    });
    assert.deepEqual(rows(both), [
      '  customers: 40 pages (3.1 ms median, 9.0 ms at most), sign-ins: 2',
      '  tabs: 12 calls (2.3 ms mean, 8.0 ms at most)',
    ]);
    assert.deepEqual(both.errors, { count: 7, reported: ['own', 'a page', 'a call'] });
  });

  it('has no line for those that were not there', () => {
    const none = withSideLoads(measured, { customers: null, tabs: null });
    assert.deepEqual(rows(none), []);
    assert.deepEqual(none.errors, measured.errors);
  });
});
