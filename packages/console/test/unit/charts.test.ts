/** The geometry of charts, and their texts. */
import '../support/browser-locale.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { areaPath, linePath } from '../../src/charts/paths.ts';
import { bandsOf, binAfterKey, countAxis, highestStack, labelledBins, layersOf } from '../../src/charts/scale.ts';
import { type Bin, barLabel, figureOf, type Series, shortCountText, summaryOf } from '../../src/charts/series.ts';

const bins: readonly Bin[] = ['Monday', 'Tuesday', 'Wednesday'].map((label) => ({ id: label, label, short: label }));
const series: readonly Series[] = [
  { id: 'full', label: 'No free machine', tone: 'warn', values: [3, 0, 1] },
  { id: 'revoked', label: 'Revoked', tone: 'danger', values: [1, 0, 9] },
];

describe('charts', () => {
  it('have an axis of whole numbers from 0 that reaches above the highest figure', () => {
    for (const highest of [0, 1, 2, 3, 7, 10, 99, 1234]) {
      const axis = countAxis(highest, 200);
      assert.equal(axis.ticks[0], 0);
      assert.ok(axis.ticks.length >= 2, `${highest}: ${axis.ticks}`);
      assert.ok(axis.ticks.every(Number.isInteger));
      assert.ok((axis.ticks.at(-1) ?? 0) >= highest, `${highest}: ${axis.ticks}`);
      assert.equal(axis.y(0), 200);
      assert.ok(axis.y(highest) >= 0);
    }
  });

  it('stack the kinds of one bar on each other and leave out those of which there is none', () => {
    assert.deepEqual(
      layersOf(series, 0).map(({ series: { id }, from, to }) => [id, from, to]),
      [
        ['full', 0, 3],
        ['revoked', 3, 4],
      ],
    );
    assert.deepEqual(layersOf(series, 1), []);
    assert.equal(highestStack(series, 3), 10);
    assert.equal(highestStack([], 3), 0);
  });

  it('give every bar at least a pixel and a gap, with any number of bars', () => {
    for (const [count, width] of [
      [24, 900],
      [90, 318],
      [365, 320],
    ] as const) {
      const { step, bar } = bandsOf(count, width);
      assert.ok(bar >= 1 || step < 2);
      assert.ok(Math.abs(step * count - width) < 1e-6);
    }
    assert.ok(bandsOf(7, 900).bar < bandsOf(7, 900).step);
  });

  it('label the newest place, and others so far apart that words do not touch', () => {
    const days = (count: number) => Array.from({ length: count }, (_, index) => `day ${index}`);
    assert.deepEqual(labelledBins([], 300, 72), []);
    assert.deepEqual(labelledBins(days(7), 700, 72), [0, 1, 2, 3, 4, 5, 6]);
    assert.deepEqual(labelledBins(['Mon', 'Mon', 'Tue', 'Tue'], 400, 72), [0, 2]);
    for (const width of [280, 700, 1100]) {
      const labelled = labelledBins(days(90), width, 72);
      assert.equal(labelled.at(-1), 89);
      const apart = (((labelled[1] ?? 0) - (labelled[0] ?? 0)) * width) / 90;
      assert.ok(apart >= 72, String(apart));
    }
  });

  it('draw a line from edge to edge, and its area down to the base', () => {
    const y = (count: number) => 100 - count;
    assert.equal(linePath([0, 50, 100], 200, y), 'M0 100L100 50L200 0');
    assert.equal(areaPath([0, 50, 100], 200, y, 100), 'M0 100L100 50L200 0L200 100L0 100Z');
    assert.equal(areaPath([], 200, y, 100), '');
    assert.equal(linePath([5], 200, y), 'M0 95');
  });

  it('are walked by arrows, which stop at the ends', () => {
    assert.equal(binAfterKey('ArrowRight', 1, 3), 2);
    assert.equal(binAfterKey('ArrowRight', 2, 3), 2);
    assert.equal(binAfterKey('ArrowLeft', 0, 3), 0);
    assert.equal(binAfterKey('Home', 2, 3), 0);
    assert.equal(binAfterKey('End', 0, 3), 2);
    assert.equal(binAfterKey('a', 1, 3), 1);
  });

  it('are read out: each bar with its value, the whole with its total and peak', () => {
    const [monday, tuesday] = bins;
    assert.equal(barLabel(monday!, series, 0), 'Monday: No free machine 3, Revoked 1');
    assert.equal(barLabel(tuesday!, series, 1), 'Tuesday: none');
    assert.equal(summaryOf(bins, series, 'refusals', 'sum'), '14 refusals. The most were 10: Wednesday.');
    assert.equal(
      summaryOf(bins, [{ ...series[0]!, values: [0, 0, 0] }], 'refusals', 'sum'),
      'No refusals in this time.',
    );
    assert.equal(figureOf(series[1]!, 'sum'), 10);
    const machines = [{ ...series[0]!, values: [3, 5, 4] }];
    assert.equal(summaryOf(bins, machines, 'machines', 'highest'), `The most machines were 5: ${bins[1]!.label}.`);
    assert.equal(figureOf(machines[0]!, 'highest'), 5);
    assert.match(shortCountText(12_345), /^12[.,]3/);
  });
});
