/** Numbers that are added up in memory, and their form in Prometheus's text. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isLoopback } from '../../../src/ground/base/network-address.ts';
import { exposition } from '../../../src/ground/measures/exposition.ts';
import { Distribution, Measures } from '../../../src/ground/measures/measures.ts';
import { NODE_METRICS } from '../../../src/ground/measures/node-metrics.ts';
import { QueuedWork } from '../../../src/runtime/dispatch/queued-work.ts';
import { samplesIn, scrapedValue } from './scrape.ts';

describe('a histogram', () => {
  it('counts a value in the first range whose bound is not below it, and what is beyond all in the last', () => {
    const distribution = new Distribution([1, 2, 4]);
    for (const value of [0, 1, 1.5, 2, 3, 4, 4.1, 100]) distribution.observe(value);
    assert.deepEqual(distribution.value, { counts: [2, 2, 2, 2], sum: 115.6 });
  });

  it('is exported with buckets that add up to its count', async () => {
    const measures = new Measures();
    const sizes = measures.histogram(NODE_METRICS.latchkey_batch_calls, { batch: 'machine' });
    for (const calls of [1, 3, 3, 900]) sizes.observe(calls);
    const samples = samplesIn(await exposition(measures.samples(), Object.values(NODE_METRICS)));
    const bucket = (le: string) => scrapedValue(samples, 'latchkey_batch_calls_bucket', { batch: 'machine', le });
    assert.deepEqual(['1', '2', '4', '512', '+Inf'].map(bucket), [1, 1, 3, 3, 4]);
    assert.equal(scrapedValue(samples, 'latchkey_batch_calls_count', { batch: 'machine' }), 4);
    assert.equal(scrapedValue(samples, 'latchkey_batch_calls_sum', { batch: 'machine' }), 907);
  });
});

describe('measures', () => {
  it('give the same counter to all who ask for it with the same labels', () => {
    const measures = new Measures();
    measures.counter(NODE_METRICS.latchkey_shed_calls_total, { queue: 'writer' }).value += 1;
    measures.counter(NODE_METRICS.latchkey_shed_calls_total, { queue: 'writer' }).value += 1;
    measures.counter(NODE_METRICS.latchkey_shed_calls_total, { queue: 'reader' }).value += 1;
    const values = measures.samples().map(({ labels, value }) => [labels.queue, value]);
    assert.deepEqual(values, [
      ['writer', 2],
      ['reader', 1],
    ]);
  });

  it('read values on demand when samples are taken, and add those of other threads', () => {
    const measures = new Measures();
    const other = new Measures();
    let size = 1;
    measures.beforeSamples(() => measures.set(NODE_METRICS.latchkey_licenses_in_memory, {}, size));
    other.set(NODE_METRICS.latchkey_database_bytes, {}, 17);
    measures.addSource(() => other.samples());
    size = 5;
    assert.deepEqual(
      measures.samples().map(({ name, value }) => [name, value]),
      [
        ['latchkey_licenses_in_memory', 5],
        ['latchkey_database_bytes', 17],
      ],
    );
  });
});

describe('a queue of other work', () => {
  it('measures waiting time, waiting work and refused work', () => {
    const measures = new Measures();
    let now = 0;
    const bounds = { atOnce: 1, maxWaiting: 1, longestWaitMs: null };
    const work = new QueuedWork(bounds, () => now, { measures, queue: 'writer' });
    const ends: (() => void)[] = [];
    let refused = 0;
    for (let call = 0; call < 3; call += 1)
      work.enter(
        'write',
        { name: 'operator', goesAhead: true },
        (end) => ends.push(end),
        () => (refused += 1),
      );
    const samples = () => measures.samples().map(({ name, labels, value }) => [name, labels.state, value] as const);
    assert.ok(samples().some((sample) => sample.join() === 'latchkey_queue_calls,waiting,1'));
    assert.ok(samples().some((sample) => sample.join() === 'latchkey_queue_calls,in progress,1'));
    now = 3_000;
    ends[0]?.();
    const { sum, counts } = measures.histogram(NODE_METRICS.latchkey_queue_wait_seconds, { queue: 'writer' }).value;
    assert.equal(sum, 3);
    assert.equal(counts[0], 1, 'the first waited for nothing');
    assert.equal(refused, 1);
    assert.equal(measures.counter(NODE_METRICS.latchkey_shed_calls_total, { queue: 'writer' }).value, 1);
  });
});

describe('a host to listen on', () => {
  it('is of this machine only for localhost or a loopback address in any spelling', () => {
    for (const host of [
      'localhost',
      'LocalHost',
      '127.0.0.1',
      '127.9.9.9',
      '::1',
      '0:0:0:0:0:0:0:1',
      '::ffff:127.0.0.1',
    ])
      assert.equal(isLoopback(host), true, host);
    for (const host of ['0.0.0.0', '::', '10.0.0.1', 'fe80::1', 'localhost.example', 'node-1'])
      assert.equal(isLoopback(host), false, host);
  });
});
