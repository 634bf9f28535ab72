/** Counters: their sums, and their maximum number. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HOUR_MS } from '../../../src/ground/base/clock.ts';
import { Counters, statisticsOf } from '../../../src/licensing/observed-calls/counters.ts';

const NOW = Date.UTC(2027, 0, 1, 12, 30);
const HOUR = Date.UTC(2027, 0, 1, 12);

describe('counters', () => {
  it('start from zero after they are read, and include those of others', () => {
    const counters = new Counters();
    counters.count('app', 'verify.ok', NOW);
    counters.count('app', 'verify.ok', NOW + 1);
    const taken = counters.take();
    assert.deepEqual(taken, [['app', 'verify.ok', HOUR, 2]]);
    assert.deepEqual(counters.take(), []);
    counters.add(taken);
    counters.count('app', 'verify.ok', NOW, 5);
    assert.deepEqual(counters.take(), [['app', 'verify.ok', HOUR, 7]]);
  });

  it('have a bounded number of products; further ones count for all products together', () => {
    const counters = new Counters(3);
    for (let index = 0; index < 10; index += 1) counters.count(`product ${index}`, 'verify.ok', NOW, index);
    counters.count('product 1', 'verify.ok', NOW);
    assert.deepEqual(counters.take(), [
      ['product 0', 'verify.ok', HOUR, 0],
      ['product 1', 'verify.ok', HOUR, 2],
      ['product 2', 'verify.ok', HOUR, 2],
      ['', 'verify.ok', HOUR, 42],
    ]);
  });

  it('have a bounded number of hours, with any clock', () => {
    const counters = new Counters();
    for (let hours = 0; hours < 1_000; hours += 1) counters.count('app', 'verify.ok', NOW + hours * HOUR_MS);
    counters.count('app', 'verify.ok', NOW);
    const taken = counters.take();
    assert.equal(taken.length, 48);
    assert.deepEqual(taken[0], ['app', 'verify.ok', HOUR, 2]);
  });

  it('become statistics of hours and days, of each product and of all, in the order of their keys', () => {
    const [at, day] = ['2027-01-01T12:00:00.000Z', '2027-01-01T00:00:00.000Z'];
    const counts = [
      ['b', 'verify.ok', HOUR, 1],
      ['a', 'verify.ok', HOUR, 2],
      ['', 'verify.ok', HOUR, 4],
      ['a', 'machines.DE', HOUR, 8],
    ] as const;
    assert.deepEqual(statisticsOf(counts), [
      { productId: '', step: 'day', metric: 'machines.DE', at: day, value: 8 },
      { productId: '', step: 'day', metric: 'verify.ok', at: day, value: 7 },
      { productId: '', step: 'hour', metric: 'verify.ok', at, value: 7 },
      { productId: 'a', step: 'day', metric: 'machines.DE', at: day, value: 8 },
      { productId: 'a', step: 'day', metric: 'verify.ok', at: day, value: 2 },
      { productId: 'a', step: 'hour', metric: 'verify.ok', at, value: 2 },
      { productId: 'b', step: 'day', metric: 'verify.ok', at: day, value: 1 },
      { productId: 'b', step: 'hour', metric: 'verify.ok', at, value: 1 },
    ]);
  });
});
