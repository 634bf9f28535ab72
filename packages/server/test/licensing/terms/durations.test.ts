import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { DAY_MS, fromTimestamp } from '../../../src/ground/base/clock.ts';
import { timeAfter } from '../../../src/licensing/products/duration.ts';
import { makeProductWithVariant } from '../../commerce/storefront/storefront.ts';
import { mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { startedApp } from '../../support/started-app.ts';

const months = (from: string, count: number) => timeAfter(fromTimestamp(`${from}T10:30:00.000Z`), { months: count });

describe('months of the calendar', () => {
  it('lead to the same day, from a last day to a last day, and never beyond a month', () => {
    for (const [from, count, to] of [
      ['2027-01-15', 1, '2027-02-15'],
      ['2027-01-31', 1, '2027-02-28'],
      ['2028-01-31', 1, '2028-02-29'],
      ['2027-01-31', 2, '2027-03-31'],
      ['2027-02-28', 1, '2027-03-31'],
      ['2027-01-30', 1, '2027-02-28'],
      ['2027-04-30', 12, '2028-04-30'],
      ['2028-02-29', 12, '2029-02-28'],
      ['2027-02-28', 12, '2028-02-29'],
      ['2027-12-31', 1, '2028-01-31'],
      ['2027-11-05', 120, '2037-11-05'],
    ] as const)
      assert.equal(months(from, count), `${to}T10:30:00.000Z`, `${from} + ${count}`);
  });

  it('never give less than the same number of months from the day before, and never a day too many', () => {
    const day = fc.integer({ min: 0, max: 40_000 });
    fc.assert(
      fc.property(day, fc.integer({ min: 1, max: 120 }), (days, count) => {
        const [one, next] = [days, days + 1].map((each) => timeAfter(each * DAY_MS, { months: count }));
        assert.ok(one! <= next!, 'a later day leads to no earlier one');
        const [from, to] = [new Date(days * DAY_MS), new Date(one!)];
        const passed = (to.getUTCFullYear() - from.getUTCFullYear()) * 12 + to.getUTCMonth() - from.getUTCMonth();
        assert.equal(passed, count);
        const isLast = (date: Date) => new Date(date.getTime() + DAY_MS).getUTCDate() === 1;
        assert.ok(!isLast(from) || isLast(to), 'a last day leads to a last day');
        assert.ok(to.getUTCDate() === from.getUTCDate() || isLast(to));
      }),
    );
  });

  it('of a month each, twelve lead to the end of the year that one length leads to, from a last day', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1200 }), (month) => {
        const from = Date.UTC(1970, month + 1, 0, 8);
        let end = from;
        for (let count = 0; count < 12; count += 1) end = fromTimestamp(timeAfter(end, { months: 1 }));
        assert.equal(new Date(end).toISOString(), timeAfter(from, { months: 12 }));
      }),
    );
  });
});

for (const engine of engines)
  describe(`lengths of licenses on ${engine}`, () => {
    const app = startedApp(engine);

    it('are months of the variant with `duration`', async () => {
      const productId = await makeProductWithVariant(app, { durationMonths: 12 });
      const order = { email: 'ada@example.com', productId, duration: 'variant' };
      const { license } = await mustSucceed(app.admin('/createLicense', order));
      assert.equal(license.expiresAt, timeAfter(fromTimestamp(app.clock.at()), { months: 12 }));
    });

    it('are days or months: one takes the place of the other, and both at once are refused', async () => {
      const productId = await makeProductWithVariant(app, { durationDays: 30 });
      const variantId = `${productId}-indie`;
      const change = async (fields: object) =>
        (await mustSucceed(app.admin('/updateVariant', { variantId, ...fields }))).variant;
      const yearly = await change({ durationMonths: 12 });
      assert.deepEqual([yearly.durationDays, yearly.durationMonths], [null, 12]);
      const daily = await change({ durationDays: 7 });
      assert.deepEqual([daily.durationDays, daily.durationMonths], [7, undefined]);
      const both = { durationDays: 7, durationMonths: 1 };
      for (const [path, fields] of [
        ['/updateVariant', { variantId }],
        ['/createVariant', { productId, name: 'both' }],
      ] as const) {
        const { status, body } = await app.admin(path, { ...fields, ...both });
        assert.deepEqual([status, body.error], [400, 'durationMonths must not be given with durationDays']);
      }
    });
  });
