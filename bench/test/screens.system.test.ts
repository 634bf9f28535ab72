/**
 * The measured calls of the console: a real browser opens its screens on a database of the bench, and a process of the
 * bench repeats what a tab sends.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { findBrowser, NO_BROWSER } from '../../packages/server/test/support/browser.ts';
import { Client } from '../src/client.ts';
import type { Read } from '../src/reads.ts';
import { screenReadsOn } from '../src/screens.ts';
import { type Round, recordRound } from '../src/tab-round.ts';
import { type TabFigures, Tabs } from '../src/tabs.ts';
import { type Bench, benchOn } from './support/bench.ts';

/** Enough for a full page in every list and data on every screen. */
const LICENSES = 2_000;
const PAGE = 50;
/** One more than a screen's calls need: they must be the same for each license. */
const THINGS_OPENED = 2;

/** Each call of a screen, under the first screen that makes it. A new call belongs here and in the figures. */
const CALLS: Readonly<Record<string, readonly string[]>> = {
  overview: ['/getConsoleSession', '/getOverview', '/listProducts', '/getCountries', '/getStatistics'],
  licenses: ['/listLicenses'],
  license: ['/getLicense', '/explainLicense', '/listProducts'],
  timeline: ['/getLicense', '/listMails', '/listShopEvents'],
  customers: ['/listCustomers'],
  violations: ['/listViolations'],
  seats: ['/listLiveSessions'],
  activity: ['/listEvents'],
  refusals: ['/listRefusals'],
  sales: ['/getSales'],
  products: ['/listProducts'],
  product: ['/listProducts', '/getOverview', '/getStatistics', '/listVariants', '/listDiscountCodes'],
  codes: ['/listDiscountCodes'],
  code: ['/listDiscountCodes', '/listRedemptions'],
  orders: ['/searchStudioOrders'],
  order: ['/getStudioOrder'],
  // Nobody has a key, and the line that makes one names the certificate.
  keys: ['/listApiKeys', '/getSystem'],
  'operator keys': ['/listOperatorKeys'],
  system: ['/listConsoleSessions', '/listOperatorKeys'],
  navigation: ['/listViolations'],
};

/** How often a round has each call. A new call belongs here, and in a new round of figures. */
const CALLS_OF_ROUND: Readonly<Record<string, number>> = {
  '/getConsoleSession': 1,
  '/getOverview': 3,
  '/getStatistics': 4,
  '/listProducts': 8,
  '/getCountries': 2,
  '/listDestinations': 4,
  '/listViolations': 5,
  '/listLicenses': 3,
  '/getLicense': 9,
  '/explainLicense': 6,
  '/searchEverything': 1,
  '/listEvents': 2,
  '/listRefusals': 1,
  '/listLiveSessions': 2,
  '/listMails': 2,
  '/listShopEvents': 2,
};

const program = await findBrowser();

describe('the console on a database of the bench', { skip: program === null && NO_BROWSER }, () => {
  // Shared, because filling the database takes seconds. The screens only read.
  let bench: Bench;
  before(async () => {
    bench = await benchOn({ licenses: LICENSES, withShop: true, withHistory: true }, { tls: true });
  });
  after(() => bench?.[Symbol.asyncDispose]());

  describe('the calls of the screens', () => {
    let reads: readonly Read[];
    before(async () => {
      const { seeded, latchkey } = bench;
      const server = { name: 'latchkey', addresses: [latchkey.address], fixedAnswer: null, processes: {} };
      reads = await screenReadsOn({ server, seeded, secrets: latchkey.secrets }, THINGS_OPENED);
    });

    it('are measured, all of them', () => {
      const expected = Object.entries(CALLS).flatMap(([screen, paths]) => paths.map((path) => `${screen}: ${path}`));
      assert.deepEqual(reads.map(({ title }) => title).toSorted(), expected.toSorted());
    });

    it('are answered to the bench as they were to the browser', async () => {
      for (const { title, source } of reads) await assert.doesNotReject(bench.expectAll(source), title);
    });

    it('list refusals and changes, a full page of each', async () => {
      const client = await Client.connect(bench.latchkey.address);
      const adminSecret = bench.latchkey.secrets.admin;
      for (const path of ['/listRefusals', '/listEvents']) {
        const { source } = reads.find(({ source: each }) => each.path === path)!;
        const [asked] = source.requests;
        const { body } = await client.ask(path, { ...(asked!.body as object), adminSecret });
        assert.equal(body.count, PAGE, path);
      }
      client.close();
    });
  });

  describe('tabs of the console', () => {
    let round: Round;
    before(async () => {
      const { latchkey, seeded } = bench;
      round = await recordRound(latchkey, seeded.catalogue);
    });

    it('send what the console sends while a person is at work', () => {
      const paths = Object.groupBy(round.calls, ({ path }) => path);
      assert.deepEqual(
        Object.fromEntries(Object.entries(paths).map(([path, calls]) => [path, calls?.length])),
        CALLS_OF_ROUND,
      );
      assert.equal(round.lengthMs, 120_000);
    });

    it('are answered as the browser was', async () => {
      const figures = await replay(round, 3 * round.calls.length);
      for (const { calls, meanMs, slowestMs, errors } of figures) {
        assert.deepEqual(errors, { count: 0, reported: [] });
        assert.ok(calls === 0 ? meanMs === null : meanMs! <= slowestMs!);
      }
    });

    it('report an answer that is no success', async () => {
      const signedOut = { ...round, headers: { 'content-type': 'application/json' } };
      await assert.rejects(replay(signedOut, 3), /\/\w+ was answered 401 to a tab of the console$/);
    });

    /** Has three tabs repeat a round within a second, until there are so many calls. */
    async function replay(recorded: Round, enough: number): Promise<readonly TabFigures[]> {
      await using running = new AsyncDisposableStack();
      const tabs = new Tabs(3, running);
      await tabs.open([bench.latchkey.address], { ...recorded, lengthMs: 1000 });
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
});
