import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { memoryTable, type Sample, verdictOn, verdictText } from '../src/memory-watch.ts';

const MEBIBYTE = 1024 * 1024;

/** A sample every two seconds. */
function samplesOf(memory: readonly number[]): Sample[] {
  return memory.map((megabytes, index) => ({
    seconds: (index + 1) * 2,
    requests: (index + 1) * 2000,
    memoryBytes: megabytes * MEBIBYTE,
  }));
}

/** Forty samples: ten of each number. */
function quarters(...megabytes: number[]): Sample[] {
  return samplesOf(megabytes.flatMap((each) => Array.from({ length: 10 }, () => each)));
}

describe('the verdict on memory', () => {
  it('is flat when it grows only while the server warms up', () => {
    const verdict = verdictOn(quarters(50, 100, 105, 109));
    assert.equal(verdict.isFlat, true);
    assert.equal(verdict.growth.toFixed(2), '0.09');
  });

  it('is not flat when the last quarter is a tenth above the second', () => {
    assert.equal(verdictOn(quarters(100, 100, 105, 110)).isFlat, false);
  });

  it('is not flat when it grows all the time', () => {
    const rising = Array.from({ length: 300 }, (_, index) => 100 + index / 4);
    assert.equal(verdictOn(samplesOf(rising)).isFlat, false);
  });

  it('does not mind single peaks', () => {
    const samples = quarters(100, 100, 100, 100);
    const peak = { ...samples[38]!, memoryBytes: 900 * MEBIBYTE };
    assert.equal(verdictOn(samples.with(38, peak)).isFlat, true);
  });

  it('is flat when memory shrinks', () => {
    const verdict = verdictOn(quarters(100, 100, 90, 80));
    assert.equal(verdict.isFlat, true);
    assert.match(verdictText(verdict), /^flat: 100 MB in the second quarter, 80 MB in the last \(-20\.0 %/);
  });

  it('is not given on too few samples', () => {
    assert.throws(() => verdictOn(samplesOf([100, 100])), /too few samples/);
    assert.throws(() => verdictOn([]), /too few samples/);
  });
});

describe('the table of memory', () => {
  it('has ten lines at most below its head, each with the pace of its stretch', () => {
    const lines = memoryTable(samplesOf(Array.from({ length: 95 }, () => 100))).split('\n');
    assert.equal(lines.length, 11);
    for (const line of lines.slice(1)) assert.match(line, / 100 +1,000$/);
  });
});
