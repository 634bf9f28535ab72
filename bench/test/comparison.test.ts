/** Tests the comparison of two servers with a fake driver that reports the windows of each test. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { compare, type Driver, type Extent, type Server } from '../src/comparison.ts';
import type { DriverOrder, DriverReport } from '../src/messages.ts';
import { LatencyHistogram } from '../src/statistics.ts';
import type { WindowFigures } from '../src/window.ts';

const EXTENT: Extent = { windows: 2, windowSeconds: 1, connections: 1, warmUpSeconds: 1 };

const serverNamed = (name: string): Server => ({
  name,
  addresses: [],
  fixedAnswer: null,
  processes: { [name]: process.pid },
});

/** A window of one second with this number of responses. */
function windowOf(requests: number, more: Partial<WindowFigures> = {}): WindowFigures {
  const latency = new LatencyHistogram();
  for (let answer = 0; answer < requests; answer += 1) latency.record(1_000);
  const errors = { count: 0, reported: [] };
  return { requests, seconds: 1, latencyCounts: [...latency.counts()], isUsedUp: false, errors, ...more };
}

/** A window without a response. */
const silent = (reported: readonly string[] = []) => windowOf(0, { errors: { count: reported.length, reported } });

/**
 * Compares with a driver that reports these windows of each server in order, and then repeats the last one. The first
 * window of each is its warm-up.
 */
async function compareBy(windows: Readonly<Record<'control' | 'subject', readonly WindowFigures[]>>) {
  const asked: string[] = [];
  const left = { control: [...windows.control], subject: [...windows.subject] };
  const driver = {
    pid: process.pid,
    async ask(order: DriverOrder, _kind: 'window', onOther: (report: DriverReport) => void) {
      assert.ok(order.kind === 'window');
      asked.push(order.server);
      const ofServer = left[order.server as keyof typeof left];
      onOther({ kind: 'edge', edge: 'begin' });
      onOther({ kind: 'edge', edge: 'end' });
      return { kind: 'window', figures: ofServer.length > 1 ? ofServer.shift()! : ofServer[0]! };
    },
  };
  const shown: (readonly [number, number])[] = [];
  const comparison = await compare(
    driver as unknown as Driver,
    'reading',
    serverNamed('control'),
    {
      ...serverNamed('subject'),
      sideLoads: [{ begin: async () => void asked.push('(begin'), end: async () => void asked.push('end)') }],
    },
    EXTENT,
    (done, total) => shown.push([done, total]),
  );
  const isOfDriver = (each: string) => !/[()]/.test(each);
  return { comparison, asked: asked.filter(isOfDriver), inOrder: asked.join(' '), shown };
}

describe('a comparison', () => {
  it('measures a window again that passed without an answer, and counts it once', async () => {
    const { comparison, asked, shown } = await compareBy({
      control: [windowOf(100)],
      subject: [windowOf(100), silent(), silent(), silent(), windowOf(200)],
    });
    assert.deepEqual(comparison.ratios, [2, 2]);
    assert.deepEqual([comparison.control.requests, comparison.subject.requests], [200, 400]);
    assert.deepEqual(asked.slice(2), ['control', 'subject', 'subject', 'subject', 'subject', 'subject', 'control']);
    assert.deepEqual(shown.at(-1), [6, 6], 'windows that were measured again were counted as done');
  });

  it('has the side load of a server in each of its windows, repeated ones included, and in no other', async () => {
    const { inOrder } = await compareBy({
      control: [windowOf(100)],
      subject: [windowOf(100), silent(), windowOf(200)],
    });
    const ofSubject = '(begin subject end)';
    const pairs = ['control', ofSubject, ofSubject, ofSubject, 'control'];
    assert.equal(inOrder, ['control', ofSubject, ...pairs].join(' '));
  });

  it('reports the fault of a window that was measured again', async () => {
    const { comparison } = await compareBy({
      control: [windowOf(100), silent(['connection reset']), windowOf(100)],
      subject: [windowOf(100)],
    });
    assert.deepEqual(comparison.errors, { count: 1, reported: ['connection reset'] });
  });

  it('gives up a server that answers nothing in four windows in a row, and says why', async () => {
    const dead = { control: [windowOf(100)], subject: [windowOf(100), silent(['connection refused'])] };
    await assert.rejects(compareBy(dead), /^Error: subject answered nothing in a window: connection refused$/);
    const mute = { control: [windowOf(100)], subject: [windowOf(100), silent()] };
    await assert.rejects(compareBy(mute), /it was silent/);
  });

  it('does not measure a window again whose requests were used up', async () => {
    const none = windowOf(0, { isUsedUp: true });
    const { comparison, asked } = await compareBy({
      control: [windowOf(100)],
      subject: [windowOf(100), windowOf(100), none],
    });
    assert.deepEqual(comparison.ratios, [1]);
    assert.equal(asked.length, 6);
    await assert.rejects(
      compareBy({ control: [windowOf(100)], subject: [windowOf(100), none] }),
      /^Error: reading: all requests that may be sent were sent/,
    );
  });

  it('lets only the server run that it measures, if they are to be paused', {
    skip: process.platform !== 'linux',
  }, async () => {
    const sleepers = { control: spawn('sleep', ['60']), subject: spawn('sleep', ['60']) };
    const isPaused = (name: keyof typeof sleepers) =>
      readFileSync(`/proc/${sleepers[name].pid}/stat`, 'utf8').includes(') T ');
    const server = (name: keyof typeof sleepers): Server => ({
      ...serverNamed(name),
      processes: { [name]: sleepers[name].pid! },
      isPausedBetween: true,
    });
    const seen: string[] = [];
    const OTHER = { control: 'subject', subject: 'control' } as const;
    const driver = {
      pid: process.pid,
      async ask(
        { server: name }: { server: 'control' | 'subject' },
        _: 'window',
        onOther: (report: DriverReport) => void,
      ) {
        onOther({ kind: 'edge', edge: 'begin' });
        onOther({ kind: 'edge', edge: 'end' });
        // A busy machine stops and resumes a process a moment after its signal.
        for (const endsAt = Date.now() + 10_000; isPaused(name) || !isPaused(OTHER[name]); await wait(5))
          if (Date.now() > endsAt) break;
        seen.push(`${name}: ${isPaused('control')} ${isPaused('subject')}`);
        return { kind: 'window', figures: windowOf(100) };
      },
    } as unknown as Driver;
    try {
      await compare(driver, 'reading', server('control'), server('subject'), EXTENT, () => {});
      assert.deepEqual([...new Set(seen)], ['control: false true', 'subject: true false']);
      assert.deepEqual([isPaused('control'), isPaused('subject')], [false, false]);
    } finally {
      for (const sleeper of Object.values(sleepers)) sleeper.kill('SIGKILL');
    }
  });
});
