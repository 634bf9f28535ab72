/** Counts of events, by hour and by day. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/ground/base/clock.ts';
import { COUNTED_METRICS } from '../../../src/insight/statistics/counted-metrics.ts';
import type { Answer } from '../../support/app.ts';
import { Creator, mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { startedWithStorage } from '../../support/started-app.ts';
import { fill } from './fill.ts';

for (const engine of engines)
  describe(`/getStatistics on ${engine}`, () => {
    const { app, storage } = startedWithStorage(engine);
    let creator: Creator;
    let other: Creator;
    let products: string[];
    let foreign: string;
    before(async () => {
      app.clock.move(DAY_MS - (app.clock.now() % DAY_MS) + 9 * HOUR_MS + 30 * MINUTE_MS);
      [creator, other] = [await Creator.of(app), await Creator.of(app)];
      products = [await creator.product(), await creator.product()];
      foreign = await other.product();
      const [first = '', second = ''] = products;
      await fill(storage, [
        ['', 'hour', 'activate.ok', hour(0), 100],
        [first, 'hour', 'activate.ok', hour(0), 3],
        [first, 'hour', 'activate.ok', hour(-2), 4],
        [second, 'hour', 'activate.ok', hour(-2), 5],
        [foreign, 'hour', 'activate.ok', hour(-2), 1000],
        [first, 'hour', 'activate.machine_limit', hour(-2), 7],
        ['', 'day', 'license.created', day(0), 40],
        [first, 'day', 'license.created', day(0), 11],
        [first, 'day', 'license.created', day(-29), 12],
        [first, 'day', 'license.created', day(-30), 13],
        [first, 'day', 'license.created', day(-1000), 14],
      ]);
    });

    /** Beginning of an hour, this many hours from now; the present one is half over. */
    const hour = (hours: number) => app.clock.at(hours * HOUR_MS - 30 * MINUTE_MS);
    const day = (days: number) => app.clock.at(days * DAY_MS - 9 * HOUR_MS - 30 * MINUTE_MS);

    /** The points of each series that are not 0, by metric and time; checks that the steps follow each other. */
    async function figures(answer: Promise<Answer>, stepMs: number): Promise<Record<string, number>> {
      const { series } = await mustSucceed(answer);
      const found: Record<string, number> = {};
      for (const { metric, points } of series)
        points.forEach(({ at, value }: { at: string; value: number }, index: number) => {
          if (index > 0) assert.equal(Date.parse(at) - Date.parse(points[index - 1].at), stepMs);
          if (value !== 0) found[`${metric} ${at}`] = value;
        });
      return found;
    }

    it('answers a series for each metric in the requested order, by default with each hour of the last day', async () => {
      const metrics = ['activate.machine_limit', 'activate.ok'];
      const { series, completeTo } = await mustSucceed(app.admin('/getStatistics', { metrics, step: 'hour' }));
      assert.deepEqual(
        series.map(({ metric }: { metric: string }) => metric),
        metrics,
      );
      for (const { points } of series) {
        assert.equal(points.length, 25);
        assert.equal(points[0].at, hour(-24));
        assert.equal(points.at(-1).at, hour(0));
      }
      assert.deepEqual(series[1].points.at(-1), { at: hour(0), value: 100 });
      assert.equal(completeTo, app.clock.at(-MINUTE_MS));
    });

    it('answers each of the last thirty days by default', async () => {
      const request = { metrics: ['license.created'], productId: products[0] };
      const { series } = await mustSucceed(app.admin('/getStatistics', request));
      assert.equal(series[0].points.length, 31);
      assert.deepEqual(await figures(app.admin('/getStatistics', request), DAY_MS), {
        [`license.created ${day(0)}`]: 11,
        [`license.created ${day(-29)}`]: 12,
        [`license.created ${day(-30)}`]: 13,
      });
    });

    it('fills steps in which nothing happened with 0', async () => {
      const { series } = await mustSucceed(
        app.admin('/getStatistics', { metrics: ['verify.ok'], step: 'hour', from: hour(-2), to: hour(0) }),
      );
      assert.deepEqual(series[0].points, [
        { at: hour(-2), value: 0 },
        { at: hour(-1), value: 0 },
      ]);
    });

    it('begins with the step that from is in and ends before to, which need not be a whole step', async () => {
      const period = { step: 'hour', from: app.clock.at(-2 * HOUR_MS), to: hour(0) };
      const { series } = await mustSucceed(
        app.admin('/getStatistics', { metrics: ['activate.ok'], productId: products[0], ...period }),
      );
      assert.deepEqual(series[0].points, [
        { at: hour(-2), value: 4 },
        { at: hour(-1), value: 0 },
      ]);
    });

    it('leaves out steps that have not begun', async () => {
      const period = { step: 'hour', from: hour(-1), to: app.clock.at(5 * HOUR_MS) };
      const { series } = await mustSucceed(app.admin('/getStatistics', { metrics: ['activate.ok'], ...period }));
      assert.deepEqual(
        series[0].points.map(({ at }: { at: string }) => at),
        [hour(-1), hour(0)],
      );
      const later = { step: 'hour', from: app.clock.at(HOUR_MS), to: app.clock.at(5 * HOUR_MS) };
      const future = await mustSucceed(app.admin('/getStatistics', { metrics: ['activate.ok'], ...later }));
      assert.deepEqual(future.series, [{ metric: 'activate.ok', points: [] }]);
    });

    it('adds up the products of an API key, and shows nothing of others', async () => {
      const request = { metrics: ['activate.ok', 'activate.machine_limit'], step: 'hour' };
      assert.deepEqual(await figures(creator.send('/getStatistics', request), HOUR_MS), {
        [`activate.ok ${hour(-2)}`]: 9,
        [`activate.ok ${hour(0)}`]: 3,
        [`activate.machine_limit ${hour(-2)}`]: 7,
      });
    });

    it('answers an API key the same for a product of others and for one that does not exist', async () => {
      const request = { metrics: ['activate.ok'], step: 'hour' };
      const foreignBody = await mustSucceed(creator.send('/getStatistics', { ...request, productId: foreign }));
      const absentBody = await mustSucceed(creator.send('/getStatistics', { ...request, productId: 'absent' }));
      assert.deepEqual(foreignBody, absentBody);
      const own = await figures(other.send('/getStatistics', { ...request, productId: foreign }), HOUR_MS);
      assert.deepEqual(own, { [`activate.ok ${hour(-2)}`]: 1000 });
    });

    it('wants a productId from an API key whose creator owns more than 30 products', async () => {
      const owner = await Creator.of(app);
      const owned: string[] = [];
      for (let index = 0; index < 31; index += 1) owned.push(await owner.product());
      for (const [path, fields] of [
        ['/getStatistics', { metrics: ['activate.ok'] }],
        ['/getCountries', {}],
        ['/getSales', {}],
        ['/getOverview', {}],
      ] as const) {
        const { status, body } = await owner.send(path, fields);
        assert.equal(status, 400);
        assert.equal(body.error, 'You own more than 30 products: provide a productId');
        await mustSucceed(owner.send(path, { ...fields, productId: owned[30] }));
      }
    });

    it('takes its fields from the query of a GET', async () => {
      const query = `metrics=activate.ok,activate.machine_limit&step=hour&from=${hour(-2)}&productId=${products[0]}`;
      const answer = app.send(`/getStatistics?${query}&apiKey=${creator.apiKey}`, undefined, { method: 'GET' });
      assert.deepEqual(await figures(answer, HOUR_MS), {
        [`activate.ok ${hour(-2)}`]: 4,
        [`activate.ok ${hour(0)}`]: 3,
        [`activate.machine_limit ${hour(-2)}`]: 7,
      });
    });

    it('answers every metric of the list, and 400 names any other', async () => {
      for (let first = 0; first < COUNTED_METRICS.length; first += 20)
        await mustSucceed(app.admin('/getStatistics', { metrics: COUNTED_METRICS.slice(first, first + 20) }));
      for (const metric of ['validate.token_mismatch', 'violation.opened.token_replay', 'deactivate.ok'])
        assert.ok(COUNTED_METRICS.includes(metric), metric);
      const metrics = ['verify.machine_limit', 'machines.DE', 'activate', ''];
      for (const metric of metrics) {
        const { status, body } = await app.admin('/getStatistics', { metrics: [metric] });
        assert.equal(status, 400);
        assert.match(body.error, /^metrics must be a list of 1 to 20 metrics/);
      }
    });

    it('400 for no metrics, or more than 20', async () => {
      assert.equal((await app.admin('/getStatistics')).body.error, 'Missing metrics');
      for (const metrics of [[], COUNTED_METRICS.slice(0, 21), 'activate.ok'])
        assert.match((await app.admin('/getStatistics', { metrics })).body.error, /^metrics must be a list/);
    });

    it('400 when from is not before to', async () => {
      for (const to of [day(-1), day(-2)]) {
        const { status, body } = await app.admin('/getStatistics', { metrics: ['activate.ok'], from: day(-1), to });
        assert.deepEqual([status, body.error], [400, 'from must be before to']);
      }
    });

    it('answers only steps that have a timestamp, with any end', async () => {
      const metrics = ['activate.ok'];
      assert.equal((await app.admin('/getStatistics', { metrics, to: '0000-01-01' })).status, 400);
      const { body } = await app.admin('/getStatistics', { metrics, to: '0000-01-02T00:00:00Z' });
      assert.deepEqual(body.series[0].points, [{ at: '0000-01-01T00:00:00.000Z', value: 0 }]);
      const last = await app.admin('/getStatistics', { metrics, to: '9999-12-31T23:59:59.999Z' });
      assert.deepEqual(last.body.series[0].points, []);
    });

    it('400 for more than 1100 steps of a series, or 5000 of all', async () => {
      const ask = (count: number, days: number) =>
        app.admin('/getStatistics', { metrics: COUNTED_METRICS.slice(0, count), from: day(-days), to: day(0) });
      for (const [count, most] of [
        [1, 1100],
        [5, 1000],
        [20, 250],
      ] as const) {
        const { series } = await mustSucceed(ask(count, most));
        assert.deepEqual(
          series.map(({ points }: { points: unknown[] }) => points.length),
          Array.from({ length: count }, () => most),
        );
        const { status, body } = await ask(count, most + 1);
        assert.deepEqual([status, body.error], [400, `from must be at most ${most} days before to`]);
      }
    });

    it('401 without a credential', async () => {
      for (const path of ['/getStatistics', '/getCountries', '/getOverview'])
        assert.equal((await app.send(path, { metrics: ['activate.ok'] })).status, 401);
    });
  });
