/** Tabs of the console beside a measurement: what a real browser sends, repeated by a process of the bench. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { findBrowser, NO_BROWSER } from '../../packages/server/test/support/browser.ts';
import { type RecordedCall, type Round, recordRound } from '../src/tab-round.ts';
import { type TabFigures, Tabs } from '../src/tabs.ts';
import { callsBetween } from '../src/visit-schedule.ts';
import { type Bench, benchOn } from './support/bench.ts';

const callAt = (atMs: number): RecordedCall => ({ atMs, path: `/${atMs}`, body: '{}' });
const ROUND: Round = { lengthMs: 120_000, headers: {}, calls: [0, 0, 500, 15_000, 119_999].map(callAt) };

/** The calls of three tabs in consecutive spans of time. */
function callsIn(spanMs: number, untilMs: number) {
  const spans: ReturnType<typeof callsBetween>[] = [];
  for (let fromMs = 0; fromMs < untilMs; fromMs += spanMs)
    spans.push(callsBetween(3, ROUND, fromMs, Math.min(fromMs + spanMs, untilMs)));
  return spans;
}

describe('the schedule of tabs', () => {
  it('has each call of the round once for each tab in the time of a round', () => {
    for (const spanMs of [20, 137, 40_000]) {
      const calls = callsIn(spanMs, 2 * ROUND.lengthMs).flat();
      assert.equal(calls.length, 2 * 3 * ROUND.calls.length);
      for (const tab of [0, 1, 2])
        for (const call of ROUND.calls)
          assert.equal(calls.filter((each) => each.tab === tab && each.call === call).length, 2);
    }
  });

  it('has every call of the round in each third of its time, from one of three tabs', () => {
    for (const calls of callsIn(40_000, 2 * ROUND.lengthMs))
      assert.deepEqual(
        calls.map(({ call }) => call.atMs).toSorted((a, b) => a - b),
        [0, 0, 500, 15_000, 119_999],
      );
  });
});

/** How often a round has each call. A new call belongs here, and in a new round of figures. */
const CALLS: Readonly<Record<string, number>> = {
  '/getConsoleSession': 1,
  '/getOverview': 3,
  '/getStatistics': 3,
  '/listProducts': 8,
  '/getCountries': 2,
  '/listDestinations': 1,
  '/listViolations': 4,
  '/listLicenses': 3,
  '/getLicense': 9,
  '/explainLicense': 6,
  '/searchEverything': 1,
  '/listEvents': 2,
  '/listRefusals': 1,
  '/listLiveSessions': 2,
};

const program = await findBrowser();

describe('tabs of the console', { skip: program === null && NO_BROWSER }, () => {
  let bench: Bench;
  let round: Round;
  before(async () => {
    bench = await benchOn({ licenses: 2_000, withShop: true, withHistory: true }, { tls: true });
    const { latchkey, seeded } = bench;
    round = await recordRound(latchkey, seeded.catalogue);
  });
  after(() => bench?.[Symbol.asyncDispose]());

  it('send what the console sends while a person is at work', () => {
    const paths = Object.groupBy(round.calls, ({ path }) => path);
    assert.deepEqual(Object.fromEntries(Object.entries(paths).map(([path, calls]) => [path, calls?.length])), CALLS);
    assert.equal(round.lengthMs, 120_000);
    assert.ok(round.calls.every(({ atMs }) => atMs >= 0 && atMs < round.lengthMs));
  });

  it('are answered as the browser was', async () => {
    const figures = await replay(round, 3 * round.calls.length);
    for (const { calls, meanMs, slowestMs, errors } of figures) {
      assert.deepEqual(errors, { count: 0, reported: [] });
      assert.ok(calls === 0 ? meanMs === null : meanMs! <= slowestMs!);
    }
  });

  it('report an answer that is no success', async () => {
    const figures = await replay({ ...round, headers: { 'content-type': 'application/json' } }, 3);
    for (const { calls, errors } of figures) assert.equal(errors.count, calls);
    const [reported] = figures.flatMap(({ errors }) => errors.reported);
    assert.match(reported!, /^\/\w+ was answered 401 to a tab of the console$/);
  });

  /** Has three tabs repeat a round within a second, until there are so many calls. */
  async function replay({ calls, lengthMs, headers }: Round, enough: number): Promise<readonly TabFigures[]> {
    await using running = new AsyncDisposableStack();
    const tabs = new Tabs(3, running);
    const shortened = calls.map((call) => ({ ...call, atMs: (call.atMs / lengthMs) * 1000 }));
    await tabs.open([bench.latchkey.address], { lengthMs: 1000, headers, calls: shortened });
    const figures: TabFigures[] = [];
    while (figures.reduce((sum, each) => sum + each.calls, 0) < enough) {
      await tabs.begin();
      await sleep(200);
      await tabs.end();
      figures.push(tabs.take());
    }
    return figures;
  }
});
