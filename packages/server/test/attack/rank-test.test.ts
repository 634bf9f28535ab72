/** The comparison of times by which `npm run attack` judges whether a stranger learns who is a customer. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { medianOf, rankDifference } from './rank-test.ts';

const sample = (length: number, value: (number: number) => number) => Array.from({ length }, (_, at) => value(at));

describe('the comparison of two samples', () => {
  it('finds the value in the middle', () => {
    assert.equal(medianOf([3, 1, 2]), 2);
    assert.equal(medianOf([4, 1, 2, 3]), 2.5);
  });

  it('finds no difference between samples that are mixed evenly, and none between equal ones', () => {
    const even = sample(500, (at) => 2 * at);
    const odd = sample(500, (at) => 2 * at + 1);
    assert.ok(Math.abs(rankDifference(even, odd)) < 0.1);
    assert.equal(rankDifference([1, 1, 1], [1, 1]), 0);
  });

  it('finds samples of which one lies a little higher, in both directions', () => {
    const low = sample(1_000, (at) => at % 100);
    const high = low.map((value) => value + 5);
    assert.ok(rankDifference(high, low) > 2.576);
    assert.ok(rankDifference(low, high) < -2.576);
  });

  it('counts as the tables of the test do', () => {
    // Ranks 1, 2, 4 of 6: U = 1 of a mean of 4.5 and a variance of 5.25.
    assert.equal(rankDifference([1, 2, 4], [3, 5, 6]), (7 - 10.5) / Math.sqrt(5.25));
  });
});
