/** The figures of the overview. */
import '../support/browser-locale.ts';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { certificateFileFor } from '../../src/api/certificate.ts';
import type { Metric } from '../../src/api/contract.ts';
import { productSeries } from '../../src/overview/product-series.ts';
import { barPeaks, barsOf, barValues, beginningOf, binsOf, daily, RANGES, rangeOf } from '../../src/overview/range.ts';
import { REFUSAL_GROUPS, REFUSAL_METRICS, refusalSeries, refusalsAddress } from '../../src/overview/refusal-groups.ts';
import { AT_ONCE, METRICS } from '../../src/overview/traffic.ts';
import {
  areUnused,
  compareWithWeek,
  endedCountText,
  mayBeNew,
  namesOverview,
  refusalsOf,
  severitiesOf,
} from '../../src/overview/words.ts';
import { clientLines, curlCheck, secondsAgo } from '../../src/start/first-check.ts';

const NOW = Date.parse('2027-03-10T12:34:56.789Z');
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const contract = readFileSync(fileURLToPath(new URL('../../../server/contract.d.ts', import.meta.url)), 'utf8');

describe('the time of a chart', () => {
  it('is 30 days unless the address names another', () => {
    assert.equal(rangeOf('').days, 30);
    assert.equal(rangeOf('7').days, 7);
    assert.equal(rangeOf('5000').days, 30);
  });

  for (const range of RANGES)
    it(`of ${range.title} ends with the step that is under way, and has bars without a gap between them`, () => {
      const from = beginningOf(range, NOW);
      const bars = barsOf(range, from);
      const step = range.step === 'hour' ? HOUR_MS : DAY_MS;
      assert.equal(bars.length, Math.ceil(range.steps / range.join));
      assert.equal(bars[0]?.from, Date.parse(from));
      assert.ok(bars.at(-1)!.until > NOW && bars.at(-1)!.until <= NOW + step);
      bars.slice(1).forEach((bar, index) => {
        assert.equal(bar.from, bars[index]?.until);
      });
      assert.ok(Math.abs(range.steps * step - range.days * DAY_MS) <= DAY_MS);
    });

  it('begins at the same moment for as long as its newest step lasts', () => {
    const day = rangeOf('30');
    assert.equal(beginningOf(day, NOW), '2027-02-09T00:00:00.000Z');
    assert.equal(beginningOf(day, NOW + 11 * HOUR_MS), beginningOf(day, NOW));
    assert.notEqual(beginningOf(day, NOW + 12 * HOUR_MS), beginningOf(day, NOW));
  });

  it('adds steps up to bars, and loses none', () => {
    const week = rangeOf('7');
    const values = Array.from({ length: week.steps }, (_, index) => index);
    const bars = barValues(week, values);
    assert.equal(bars.length, 28);
    assert.equal(bars[0], 0 + 1 + 2 + 3 + 4 + 5);
    const sum = (all: readonly number[]) => all.reduce((one, other) => one + other, 0);
    assert.equal(sum(bars), sum(values));
    assert.deepEqual(barValues({ ...week, steps: 3, join: 2 }, [5]), [5, 0]);
  });

  it('takes the highest step of a bar for things that every step counts anew, and counts them by day', () => {
    assert.deepEqual(barPeaks({ ...rangeOf('365'), steps: 9, join: 7 }, [4, 9, 1, 0, 0, 0, 3, 2, 1]), [9, 3]);
    assert.deepEqual([daily(rangeOf('7')).step, daily(rangeOf('7')).steps], ['day', 7]);
    assert.equal(daily(rangeOf('365')), rangeOf('365'));
  });

  it('has a line for each of the largest products, and one for all others', () => {
    const range = { ...rangeOf('30'), steps: 2 };
    const of = (productId: string, machines: readonly number[]) => ({ productId, machines, activations: [] });
    const some = [of('a', [1, 2]), of('b', [9, 0]), of('none', [0, 0]), of('c', [3, 3]), of('d', [4, 4])];
    assert.deepEqual(
      productSeries(range, some).map(({ label, values, href }) => [label, values, href]),
      [
        ['b', [9, 0], '#/products/b'],
        ['d', [4, 4], '#/products/d'],
        ['c', [3, 3], '#/products/c'],
        ['a', [1, 2], '#/products/a'],
      ],
    );
    const lines = productSeries(range, [...some, of('e', [1, 1])]);
    assert.deepEqual([lines.length, lines[3]?.label, lines[3]?.values], [4, '2 other products', [2, 3]]);
    assert.equal(new Set(lines.map(({ tone }) => tone)).size, 4);
  });

  it('is said in words, with the list behind each bar', () => {
    const from = beginningOf(rangeOf('30'), NOW);
    const bins = binsOf(rangeOf('30'), from, (since, until) => `${since}/${until}`);
    assert.deepEqual(bins.at(-1), {
      id: '2027-03-10T00:00:00.000Z',
      label: 'Wednesday 10 March (UTC), so far',
      short: '10 Mar',
      href: '2027-03-10T00:00:00.000Z/2027-03-11T00:00:00.000Z',
      isOpen: true,
    });
    assert.deepEqual(
      bins.filter(({ isOpen }) => isOpen),
      bins.slice(-1),
    );
    const weeks = binsOf(rangeOf('365'), beginningOf(rangeOf('365'), NOW));
    assert.equal(weeks.at(-1)?.label.replaceAll(/\s/g, ' '), '4 – 10 Mar (UTC), so far');
    assert.equal(weeks.length, 52);
    assert.equal(weeks.at(-1)?.href, undefined);
  });
});

describe('refusals in a chart', () => {
  it('are all that endpoints of apps can refuse with, each in one group', () => {
    const [, listed = ''] = /export type Metric = ([^;]*);/.exec(contract) ?? [];
    const metrics = [...listed.matchAll(/'((?:verify|activate|validate|heartbeat|deactivate|consume)\.(\w+))'/g)]
      .filter(([, , code]) => code !== 'ok')
      .map(([, metric]) => metric);
    assert.ok(metrics.length > 20);
    assert.deepEqual([...REFUSAL_METRICS].sort(), metrics.sort());
    const codes = REFUSAL_GROUPS.flatMap((group) => group.codes);
    assert.equal(new Set(codes).size, codes.length);
    for (const metric of REFUSAL_METRICS) assert.ok(codes.includes(metric.split('.')[1] ?? ''), metric);
  });

  it('are read in four calls, each with fewer points than a reply may hold', () => {
    assert.ok(METRICS.length <= 4 * AT_ONCE && AT_ONCE * 364 <= 5_000, String(METRICS.length));
  });

  it('are added up over all endpoints, and groups without any are left out', () => {
    const values: Partial<Record<Metric, readonly number[]>> = {
      'activate.license_revoked': [1, 0],
      'verify.license_revoked': [2, 5],
      'activate.machine_limit': [0, 3],
    };
    const series = refusalSeries(2, (metric) => values[metric] ?? [0, 0]);
    assert.deepEqual(
      series.map(({ id, values: own }) => [id, own]),
      [
        ['full', [0, 3]],
        ['revoked', [3, 5]],
      ],
    );
    assert.deepEqual(
      series.map(({ href }) => href),
      [undefined, undefined],
    );
  });

  it('lead to the list of those with their codes, of the same period and product', () => {
    const since = '2027-03-10T00:00:00.000Z';
    const ones = (codes: readonly string[]) => refusalsAddress({ codes, product: 'modula', since });
    const hrefs = refusalSeries(1, () => [1], ones).map(({ id, href = '' }) => [
      id,
      Object.fromEntries(new URLSearchParams(href.replace('#/activity?', ''))),
    ]);
    const filters = { show: 'refusals', product: 'modula', days: `${since}..` };
    assert.deepEqual(Object.fromEntries(hrefs).machine, {
      ...filters,
      code: 'invalid_token,token_mismatch,machine_not_activated',
    });
    // Calls with unknown keys belong to no license.
    assert.deepEqual(Object.fromEntries(hrefs).key, { ...filters, code: 'wrong_product' });
    assert.equal(refusalsAddress({ product: '', since: '1', until: '2' }), '#/activity?show=refusals&days=1..2');
  });
});

const NOTHING: Parameters<typeof mayBeNew>[0] = {
  success: true,
  totals: { active: 0, revoked: 0, expired: 0, asOf: '2027-03-10T12:00:00.000Z' },
  liveSessions: null,
  expiringSoon: { count: 0, isAtLeast: false },
  openViolations: { severities: [], isAtLeast: false },
  fullestPools: [],
  refusalsByCode: [],
  newestEvents: [],
};

describe('the words of the overview', () => {
  it('list open violations by severity, the most severe first', () => {
    const openViolations = {
      severities: [
        { severity: 1, count: 7 },
        { severity: 4, count: 2 },
      ],
      isAtLeast: false,
    };
    assert.deepEqual(
      severitiesOf({ openViolations }).map(({ text }) => text),
      ['2 severe', '7 low'],
    );
    assert.match(endedCountText(1000, true), /^1\D?000\+$/);
  });

  it('compare a day with its week, and call only outliers more than usual', () => {
    assert.deepEqual(compareWithWeek(0, 0), { text: 'None this week.', isUnusual: false });
    assert.deepEqual(compareWithWeek(3, 3), { text: 'Less than one a day this week.', isUnusual: false });
    assert.deepEqual(compareWithWeek(12, 70), { text: '10 a day this week.', isUnusual: false });
    assert.equal(compareWithWeek(16, 70).isUnusual, true);
    assert.equal(compareWithWeek(9, 14).isUnusual, false);
    assert.equal(
      refusalsOf({
        refusalsByCode: [
          { code: 'a', count: 2 },
          { code: 'b', count: 3 },
        ],
      }),
      5,
    );
  });

  it('call an installation new while it has few licenses and no sign of an app', () => {
    const counted = (active: number) => ({ ...NOTHING, totals: { ...NOTHING.totals!, active } });
    assert.equal(mayBeNew(NOTHING), true);
    assert.equal(mayBeNew({ ...NOTHING, totals: null }), true);
    assert.equal(mayBeNew(counted(3)), true);
    assert.equal(mayBeNew(counted(4)), false);
    const openViolations = { severities: [{ severity: 1, count: 1 }], isAtLeast: false };
    assert.equal(mayBeNew({ ...NOTHING, openViolations }), false);
    const license = { key: 'K', email: 'a@example.com', productId: 'p', variant: '', status: 'active' } as const;
    const unused = { ...license, maxMachines: 2, createdAt: '2027-03-10T12:00:00.000Z', machinesUsed: 0 };
    assert.equal(areUnused([], true), true);
    assert.equal(areUnused([unused, unused, unused], true), true);
    assert.equal(areUnused([unused, unused, unused, unused], true), false);
    assert.equal(areUnused([unused, { ...unused, machinesUsed: 1 }], true), false);
    // A creator begins in an installation that others use.
    assert.equal(areUnused([], false), true);
    assert.equal(areUnused([unused], false), false);
  });
});

const ASKED = {
  origin: 'https://localhost:8443',
  productId: 'my-app',
  licenseKey: 'K7QWM-AAAAA-BBBBB-CCCCC-DDDDD',
  certificateFile: null,
};

describe('the lines for the first check', () => {
  it('are at most ten of JavaScript, and trust the certificate that the service has signed itself', () => {
    const lines = clientLines({ ...ASKED, certificateFile: '/srv/data/tls-cert.pem' }).split('\n');
    assert.equal(lines.filter((line) => line !== '').length, 9);
    assert.ok(lines.includes("const ca = readFileSync('/srv/data/tls-cert.pem', 'utf8');"));
    assert.match(
      lines.join('\n'),
      /createLatchkey\(\{ server: 'https:\/\/localhost:8443', productId: 'my-app', ca \}\)/,
    );
    assert.doesNotMatch(clientLines(ASKED), /readFileSync|\bca\b/);
  });

  it('quote what a path or a name may hold', () => {
    const certificateFile = "C:\\Ada's data\\tls-cert.pem";
    assert.match(
      clientLines({ ...ASKED, certificateFile }),
      /readFileSync\("C:\\\\Ada's data\\\\tls-cert\.pem", 'utf8'\)/,
    );
    assert.match(curlCheck({ ...ASKED, certificateFile: "/srv/Ada's/c.pem" }), /--cacert '\/srv\/Ada'\\''s\/c\.pem'/);
    assert.doesNotMatch(curlCheck(ASKED), /--cacert/);
  });

  it('name the file of the service on its own machine, and the saved one elsewhere', () => {
    const trust = { file: '/srv/data/tls-cert.pem', pem: '' };
    for (const here of ['localhost', '127.0.0.1', '[::1]'])
      assert.equal(certificateFileFor(trust, here), '/srv/data/tls-cert.pem');
    for (const elsewhere of ['licenses.example.com', '192.0.2.7', '127.example.com'])
      assert.equal(certificateFileFor(trust, elsewhere), 'latchkey-cert.pem');
    assert.equal(certificateFileFor(null, 'localhost'), null);
  });

  it('state the age of the check by the second within the first minute', () => {
    const at = '2027-03-10T12:00:00.000Z';
    assert.equal(secondsAgo(at, Date.parse(at) + 3_900), '3 s ago');
    assert.equal(secondsAgo(at, Date.parse(at) - 500), '0 s ago');
    assert.equal(secondsAgo(at, Date.parse(at) + 60_000), null);
  });

  it('wait for nobody who is on the way to another screen', () => {
    for (const hash of ['', '#', '#/', '#/?days=7']) assert.ok(namesOverview(hash), hash);
    for (const hash of ['#/mails', '#/licenses?status=active', '#/start']) assert.ok(!namesOverview(hash), hash);
  });
});
