/** The measured calls of the console: a real browser opens its screens on a database of the bench. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { findBrowser, NO_BROWSER } from '../../packages/server/test/support/browser.ts';
import { Client } from '../src/client.ts';
import type { Read } from '../src/reads.ts';
import { screenReadsOn } from '../src/screens.ts';
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
  timeline: ['/getLicense'],
  violations: ['/listViolations'],
  seats: ['/listLiveSessions'],
  activity: ['/listEvents'],
  refusals: ['/listRefusals'],
  products: ['/listProducts'],
  product: ['/listProducts', '/getOverview', '/getStatistics', '/listVariants', '/listDiscountCodes'],
  codes: ['/listDiscountCodes'],
  code: ['/listDiscountCodes', '/listRedemptions'],
  orders: ['/searchStudioOrders'],
  order: ['/getStudioOrder'],
  // Nobody has a key, and the line that makes one names the certificate.
  keys: ['/listApiKeys', '/getSystem'],
  'operator keys': ['/listOperatorKeys'],
  system: ['/listConsoleSessions'],
  navigation: ['/listViolations'],
};

const program = await findBrowser();

describe('the calls of the screens', { skip: program === null && NO_BROWSER }, () => {
  let bench: Bench;
  let reads: readonly Read[];
  before(async () => {
    bench = await benchOn({ licenses: LICENSES, withShop: true, withHistory: true }, { tls: true });
    const { seeded, latchkey } = bench;
    const server = { name: 'latchkey', addresses: [latchkey.address], fixedAnswer: null, processes: {} };
    reads = await screenReadsOn({ server, seeded, secrets: latchkey.secrets }, THINGS_OPENED);
  });
  after(() => bench?.[Symbol.asyncDispose]());

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
