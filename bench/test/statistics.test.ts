import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LatencyHistogram, median } from '../src/statistics.ts';

describe('the latency histogram', () => {
  it('computes quantiles of small values to the microsecond', () => {
    const histogram = new LatencyHistogram();
    for (let value = 1; value <= 100; value += 1) histogram.record(value);
    assert.equal(histogram.quantile(0.5), 50);
    assert.equal(histogram.quantile(0.99), 99);
    assert.equal(histogram.quantile(1), 100);
  });

  it('never understates a value and overstates it by at most 0.8 %', () => {
    for (let value = 1; value < 2 ** 31; value = Math.ceil(value * 1.37)) {
      const histogram = new LatencyHistogram();
      histogram.record(value);
      const reported = histogram.quantile(0.5);
      assert.ok(reported >= value && reported <= value * 1.008, `${value} is reported as ${reported}`);
    }
  });

  it('counts values out of its range at its ends', () => {
    const histogram = new LatencyHistogram();
    histogram.record(-5);
    histogram.record(1e12);
    assert.equal(histogram.quantile(0.5), 0);
    assert.equal(histogram.quantile(1), 2 ** 31 - 1);
  });

  it('survives the way through JSON and adds up', () => {
    const one = new LatencyHistogram();
    one.record(10);
    const other = new LatencyHistogram();
    other.record(70_000);
    one.add(new LatencyHistogram(JSON.parse(JSON.stringify(other.counts()))));
    assert.equal(one.total, 2);
    assert.equal(one.quantile(0.5), 10);
    assert.equal(one.quantile(1), other.quantile(1));
  });

  it('knows no quantile of nothing', () => {
    assert.equal(new LatencyHistogram().quantile(0.5), Number.NaN);
  });
});

describe('the median', () => {
  it('is the middle of an odd number of values', () => assert.equal(median([9, 1, 5]), 5));
  it('is between the two in the middle of an even number', () => assert.equal(median([4, 1, 2, 9]), 3));
  it('is NaN of nothing', () => assert.equal(median([]), Number.NaN));
});
