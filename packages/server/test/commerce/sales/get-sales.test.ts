/** What sells, by product and variant over time. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { addSaleCounts, type SaleCount } from '../../../src/commerce/sales/sale-count-store.ts';
import type { SaleMetric } from '../../../src/commerce/sales/sale-metric.ts';
import { salesPeriodOf } from '../../../src/commerce/sales/sales-period.ts';
import { DAY_MS, fromTimestamp, MINUTE_MS } from '../../../src/ground/base/clock.ts';
import { mintUuid } from '../../../src/ground/base/random.ts';
import { Creator, mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { startedWithStorage } from '../../support/started-app.ts';
import { standingAt, tidy, tidyingJobs } from '../../support/tidy.ts';
import { notZero } from './shop.ts';

/** A Wednesday. */
const NOW = fromTimestamp('2027-03-10T09:30:00.000Z');
const day = (date: string) => `${date}T00:00:00.000Z`;

for (const engine of engines)
  describe(`/getSales on ${engine}`, () => {
    const { app, storage } = startedWithStorage(engine);
    before(() => app.clock.move(NOW - app.clock.now()));

    /** Stores figures as the job does, and returns their product. */
    async function sold(
      figures: readonly (readonly [date: string, variant: string, metric: SaleMetric, value: number])[],
      productId = `paint-${mintUuid()}`,
    ): Promise<string> {
      const counts = figures.map(
        ([date, variant, metric, value]): SaleCount => ({ productId, day: day(date), variant, metric, value }),
      );
      await storage.transaction((tx) => addSaleCounts(tx, counts));
      return productId;
    }
    const ask = (fields: Readonly<Record<string, unknown>>) => mustSucceed(app.admin('/getSales', fields));

    it('answers totals and points by variant, the one with the most purchases first', async () => {
      const productId = await sold([
        ['2027-03-10', 'indie', 'purchased', 2],
        ['2027-03-08', 'indie', 'purchased', 1],
        ['2027-03-09', 'pro', 'purchased', 7],
        ['2027-03-09', 'try', 'trialsStarted', 4],
      ]);
      const { variants, totals, points, steps, others, completeTo } = await ask({ productId, from: day('2027-03-08') });
      assert.deepEqual(steps, [day('2027-03-08'), day('2027-03-09'), day('2027-03-10')]);
      assert.deepEqual(
        variants.map((each: (typeof variants)[0]) => [each.productId, each.variant, notZero(each.totals), each.points]),
        [
          [productId, 'pro', { purchased: 7 }, { purchased: [0, 7, 0] }],
          [productId, 'indie', { purchased: 3 }, { purchased: [1, 0, 2] }],
          [productId, 'try', { trialsStarted: 4 }, { trialsStarted: [0, 4, 0] }],
        ],
      );
      assert.deepEqual(notZero(totals), { purchased: 10, trialsStarted: 4 });
      assert.deepEqual(points, { purchased: [1, 7, 2], trialsStarted: [0, 4, 0] });
      assert.deepEqual([others, completeTo], [null, app.clock.at()]);
    });

    it('adds the totals of as many days before', async () => {
      const productId = await sold([
        ['2027-03-09', 'indie', 'purchased', 5],
        ['2027-03-08', 'indie', 'purchased', 3],
        ['2027-03-07', 'indie', 'purchased', 1],
        ['2027-03-06', 'old', 'refunded', 9],
        ['2027-03-05', 'indie', 'purchased', 100],
      ]);
      const { totals, before, variants } = await ask({ productId, from: day('2027-03-08'), to: day('2027-03-10') });
      assert.deepEqual([notZero(totals), notZero(before)], [{ purchased: 8 }, { purchased: 1, refunded: 9 }]);
      assert.deepEqual(
        variants.map((each: (typeof variants)[0]) => [each.variant, notZero(each.before), each.points]),
        [
          ['indie', { purchased: 1 }, { purchased: [3, 5] }],
          ['old', { refunded: 9 }, {}],
        ],
      );
    });

    it('adds up days to weeks from Monday on and to months, UTC', async () => {
      const productId = await sold([
        ['2027-03-10', 'indie', 'renewed', 1],
        ['2027-03-08', 'indie', 'renewed', 2],
        ['2027-03-07', 'indie', 'renewed', 4],
        ['2027-03-01', 'indie', 'renewed', 8],
        ['2027-02-28', 'indie', 'renewed', 16],
        ['2027-02-05', 'indie', 'renewed', 32],
        ['2027-01-31', 'indie', 'renewed', 64],
      ]);
      const weeks = await ask({ productId, step: 'week', from: day('2027-02-24') });
      assert.deepEqual(weeks.steps, [day('2027-02-22'), day('2027-03-01'), day('2027-03-08')]);
      assert.deepEqual(weeks.points, { renewed: [16, 12, 3] });
      assert.deepEqual(weeks.variants[0].points, weeks.points);
      assert.deepEqual(notZero(weeks.before), { renewed: 32 }, '17 days');
      const months = await ask({ productId, step: 'month', from: day('2027-02-24') });
      assert.deepEqual(months.steps, [day('2027-02-01'), day('2027-03-01')]);
      assert.deepEqual(months.points, { renewed: [48, 15] });
      assert.deepEqual(months.variants[0].points, months.points);
      assert.deepEqual(notZero(months.before), { renewed: 64 }, '38 days');
    });

    it('answers 30 days, 13 weeks or 12 months by default', async () => {
      for (const [step, first, length] of [
        ['day', '2027-02-09', 30],
        ['week', '2026-12-14', 13],
        ['month', '2026-04-01', 12],
      ] as const) {
        const { steps } = await ask({ step });
        assert.deepEqual([steps[0], steps.length], [day(first), length], step);
      }
    });

    it('leaves out days that have not begun', async () => {
      const productId = await sold([['2027-03-12', 'indie', 'purchased', 1]]);
      const ahead = await ask({ productId, from: day('2027-03-09'), to: day('2027-03-20') });
      assert.deepEqual([ahead.steps, ahead.variants], [[day('2027-03-09'), day('2027-03-10')], []]);
      const later = await ask({ productId, from: day('2027-03-11'), to: day('2027-03-20') });
      assert.deepEqual([later.steps, later.variants], [[], []]);
    });

    it('shows 50 variants with the most purchases, and the sums of the others', async () => {
      const figures = Array.from(
        { length: 53 },
        (_, index) => ['2027-03-09', `variant-${index}`, 'purchased', index + 1] as const,
      );
      const productId = await sold([...figures, ['2027-03-08', 'variant-0', 'renewed', 6]]);
      const { variants, others, totals } = await ask({ productId, from: day('2027-03-08') });
      assert.deepEqual([variants.length, variants[0].variant], [50, 'variant-52']);
      assert.deepEqual(
        [others.variants, notZero(others.totals), others.points],
        [3, { purchased: 1 + 2 + 3, renewed: 6 }, { purchased: [0, 6, 0], renewed: [6, 0, 0] }],
      );
      assert.deepEqual(notZero(totals), { purchased: (53 * 54) / 2, renewed: 6 });
    });

    it('answers an API key about the products of its creator alone', async () => {
      const [creator, other] = [await Creator.of(app), await Creator.of(app)];
      const [one, two, foreign] = [await creator.product(), await creator.product(), await other.product()];
      for (const [productId, value] of [
        [one, 1],
        [two, 2],
        [foreign, 4],
      ] as const)
        await sold([['2027-03-09', 'indie', 'purchased', value]], productId);
      const totalsOf = async (fields = {}) => notZero((await mustSucceed(creator.send('/getSales', fields))).totals);
      assert.deepEqual(await totalsOf(), { purchased: 3 });
      assert.equal((await mustSucceed(creator.send('/getSales'))).completeTo, app.clock.at(-MINUTE_MS));
      assert.deepEqual(await totalsOf({ productId: one }), { purchased: 1 });
      const [ofForeign, ofAbsent] = [foreign, 'absent'].map((productId) => creator.send('/getSales', { productId }));
      assert.deepEqual(await mustSucceed(ofForeign!), await mustSucceed(ofAbsent!));
      assert.ok((await ask({})).totals.purchased >= 7, 'the operator gets all products');
    });

    it('takes its fields from the query of a GET', async () => {
      const productId = await sold([['2027-03-09', 'indie', 'purchased', 1]]);
      const asked = await app.send(`/getSales?productId=${productId}&step=month`, undefined, {
        method: 'GET',
        headers: { 'x-admin-secret': 'admin-secret-of-the-tests' },
      });
      assert.deepEqual([asked.status, notZero(asked.body.totals)], [200, { purchased: 1 }]);
    });

    it('400 that names the field', async () => {
      for (const [fields, error] of [
        [{ step: 'hour' }, 'step must be one of day, week, month'],
        [{ from: day('2027-03-09'), to: day('2027-03-09') }, 'from must be before to'],
        [{ from: day('2026-12-08') }, 'from must be at most 92 days before to'],
        [{ step: 'week', from: day('2026-02-22') }, 'from must be at most 54 weeks before to'],
        [{ step: 'month', from: day('2024-03-31') }, 'from must be at most 36 months before to'],
        [{ step: 'month', from: '0001-01-01' }, 'from must be at most 36 months before to'],
        [{ productId: 7 }, 'productId must be a string of at most 255 characters'],
      ] as const) {
        const { status, body } = await app.admin('/getSales', fields);
        assert.deepEqual([status, body.error], [400, error], JSON.stringify(fields));
      }
      assert.equal((await ask({ from: day('2026-12-09') })).steps.length, 92);
      assert.equal((await ask({ step: 'week', from: day('2026-03-02') })).steps.length, 54);
      assert.equal((await ask({ step: 'month', from: day('2024-04-30') })).steps.length, 36);
      assert.deepEqual((await ask({ to: '0000-02-10' })).steps.length, 30);
    });

    it('401 without a credential', async () => {
      assert.equal((await app.send('/getSales', {})).status, 401);
    });

    it('keeps days for three years', async () => {
      const old = new Date(NOW - 1_097 * DAY_MS).toISOString().slice(0, 10);
      const young = new Date(NOW - 1_095 * DAY_MS).toISOString().slice(0, 10);
      const productId = await sold([
        [old, 'indie', 'purchased', 1],
        [young, 'indie', 'purchased', 2],
      ]);
      const jobs = tidyingJobs(storage).filter(({ name }) => name === 'delete old figures of sales');
      assert.equal(await tidy(storage, standingAt(NOW), { jobs }), 1);
      const { totals } = await ask({ productId, step: 'month', from: day(old), to: day('2024-12-01') });
      assert.deepEqual(notZero(totals), { purchased: 2 });
    });
  });

describe('the period of sales', () => {
  it('has months of any year, and none of the calendar before the year 0', () => {
    const period = salesPeriodOf('month', undefined, '0000-01-15T00:00:00.000Z', NOW);
    assert.deepEqual(period, {
      step: 'month',
      before: '0000-01-01T00:00:00.000Z',
      from: '0000-01-01T00:00:00.000Z',
      to: '0000-01-15T00:00:00.000Z',
      steps: ['0000-01-01T00:00:00.000Z'],
    });
  });
});
