/** Statistics equal the calls and changes made, by product, hour and day, and in total. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/ground/base/clock.ts';
import { listStatistics } from '../../../src/insight/statistics/store.ts';
import { openStorage } from '../../../src/storage/opening/open.ts';
import { answered, openRows, WRITTEN_AT_THE_END, withApp } from '../../licensing/observed-calls/observed-rows.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { Machine } from '../../support/machine.ts';

/** Moves the clock to the next beginning of a UTC day. */
const toNextDay = (app: TestApp) => app.clock.move(DAY_MS - (app.clock.now() % DAY_MS));

const from = (country: string) => ({ headers: { 'cf-ipcountry': country } });
const COUNTRIES = { LATCHKEY_COUNTRY_HEADER: 'cf-ipcountry' };

for (const engine of engines)
  describe(`statistics on ${engine}`, () => {
    it('count every call of a client endpoint once, by its outcome', async (test) => {
      const { database, rows } = await openRows(test, engine);
      await withApp(engine, database, async (app) => {
        const licenseKey = await app.license({ licenseType: 'floating', maxConcurrent: 2 });
        const one = await new Machine(app, licenseKey, 'one').activated();
        const two = await new Machine(app, licenseKey, 'two').activated();
        for (const machine of ['three', 'four', 'five', 'six', 'seven'])
          await answered(403, new Machine(app, licenseKey, machine).activate());
        // With SQLite the cache serves all but the first.
        await Promise.all(Array.from({ length: 40 }, () => answered(200, one.verify())));
        for (let times = 0; times < 7; times += 1) await answered(200, one.verify());
        await Promise.all(Array.from({ length: 30 }, () => answered(200, one.heartbeat())));
        await answered(200, two.validate());
        await answered(200, two.deactivate());
        await answered(404, two.deactivate());
        await mustSucceed(app.admin('/revokeLicense', { licenseKey }));
        for (let times = 0; times < 3; times += 1) await answered(403, one.verify());
        await answered(403, one.validate());
        await answered(400, app.send('/verify', { licenseKey }));
        const elsewhere = await app.license({ productId: 'another' });
        await answered(403, new Machine(app, elsewhere, 'one').activate());
      });
      const calls = {
        'activate.machine_limit': 5,
        'activate.ok': 2,
        'deactivate.machine_not_activated': 1,
        'deactivate.ok': 1,
        'heartbeat.ok': 30,
        'validate.license_revoked': 1,
        'validate.ok': 1,
        'verify.license_revoked': 3,
        'verify.ok': 47,
      };
      const changes = {
        'activation.created': 2,
        'activation.deleted': 1,
        'license.created': 1,
        'license.revoked': 1,
        'violation.opened': 1,
        'violation.opened.machine_limit': 1,
      };
      const another = { 'activate.wrong_product': 1, 'license.created': 1 };
      for (const step of ['hour', 'day'] as const) {
        assert.deepEqual(await rows.totals('app', step), { ...calls, ...changes });
        assert.deepEqual(await rows.totals('another', step), another);
        assert.deepEqual(await rows.totals('', step), { ...calls, ...changes, ...another, 'license.created': 2 });
      }
    });

    it('have the UTC hour and day of the call', async (test) => {
      const { database, rows } = await openRows(test, engine);
      const midnight = await withApp(engine, database, async (app) => {
        const machine = new Machine(app, await app.license());
        toNextDay(app);
        for (const minutes of [0, 59, 1, 22 * 60 + 59, 1]) {
          app.clock.move(minutes * MINUTE_MS);
          await answered(200, machine.verify());
        }
        return app.clock.now() - DAY_MS;
      });
      const found = (await rows.statistics())
        .filter(({ productId, metric }) => productId === 'app' && metric === 'verify.ok')
        .map(({ step, at, value }) => [step, (Date.parse(at) - midnight) / HOUR_MS, value]);
      assert.deepEqual(found, [
        ['day', 0, 4],
        ['day', 24, 1],
        ['hour', 0, 2],
        ['hour', 1, 1],
        ['hour', 23, 1],
        ['hour', 24, 1],
      ]);
    });

    it('add up over restarts', async (test) => {
      const { database, rows } = await openRows(test, engine);
      const licenseKey = await withApp(engine, database, (app) => app.license());
      for (let times = 0; times < 3; times += 1)
        await withApp(engine, database, (app) => answered(200, new Machine(app, licenseKey).verify()));
      assert.deepEqual(await rows.totals('app', 'day'), { 'license.created': 1, 'verify.ok': 3 });
    });

    it('are written while the service runs, at the given interval', async (test) => {
      const { database, rows } = await openRows(test, engine);
      await withApp(
        engine,
        database,
        async (app) => {
          const machine = new Machine(app, await app.license());
          const counted = async () => (await rows.totals('app'))['verify.ok'];
          for (let calls = 1; calls <= 3; calls += 1) {
            await answered(200, machine.verify());
            while ((await counted()) !== calls) await new Promise((resolve) => setImmediate(resolve));
          }
        },
        { refusalIntervalMs: 10, countIntervalMs: 10 },
      );
    });

    it('count machines by country and day: those newly bound, and each once a day when it is seen', async (test) => {
      const { database, rows } = await openRows(test, engine);
      await withApp(
        engine,
        database,
        async (app) => {
          toNextDay(app);
          const licenseKey = await app.license({ maxMachines: 5 });
          const one = new Machine(app, licenseKey, 'one');
          await answered(200, one.activate(from('DE')));
          await answered(200, one.activate(from('DE')));
          await answered(200, one.validate(from('FR')));
          const two = new Machine(app, licenseKey, 'two');
          await answered(200, two.activate(from('DE')));
          await answered(200, new Machine(app, licenseKey, 'three').activate());
          await answered(200, two.deactivate());
          await answered(200, two.activate(from('DE')));
          app.clock.move(DAY_MS);
          await Promise.all(Array.from({ length: 5 }, () => answered(200, one.validate(from('FR')))));
        },
        WRITTEN_AT_THE_END,
        COUNTRIES,
      );
      const byCountry = (totals: Readonly<Record<string, number>>) =>
        Object.fromEntries(Object.entries(totals).filter(([metric]) => /\.[A-Z]{2}$/.test(metric)));
      // Deactivation deletes the machine, so its second activation counts as that of a new one.
      const counted = { 'activations.DE': 3, 'machines.DE': 3, 'machines.FR': 1 };
      for (const productId of ['app', '']) {
        assert.deepEqual(byCountry(await rows.totals(productId, 'day')), counted);
        assert.deepEqual(byCountry(await rows.totals(productId, 'hour')), {});
      }
    });

    it('are listed for products together, by metric and time, from one moment to before another', async (test) => {
      const { database } = await openRows(test, engine);
      const start = await withApp(engine, database, async (app) => {
        toNextDay(app);
        const start = app.clock.now();
        const machines = await Promise.all(
          ['app', 'another', 'third'].map(async (productId) =>
            Object.assign(new Machine(app, await app.license({ productId })), { productId }),
          ),
        );
        for (let hours = 0; hours < 3; hours += 1) {
          for (const machine of machines) await answered(200, machine.verify());
          app.clock.move(HOUR_MS);
        }
        return start;
      });
      const storage = await openStorage(database.database);
      test.after(() => storage.close());
      const at = (hours: number) => new Date(start + hours * HOUR_MS).toISOString();
      const query = { metrics: ['verify.ok', 'license.created'], from: at(0), to: at(2) };
      const list = (productIds: readonly string[], step: 'hour' | 'day') =>
        storage.read((sql) => listStatistics(sql, { ...query, productIds, step }));
      assert.deepEqual(await list(['app', 'another'], 'hour'), [
        { metric: 'license.created', at: at(0), value: 2 },
        { metric: 'verify.ok', at: at(0), value: 2 },
        { metric: 'verify.ok', at: at(1), value: 2 },
      ]);
      assert.deepEqual(await list([''], 'day'), [
        { metric: 'license.created', at: at(0), value: 3 },
        { metric: 'verify.ok', at: at(0), value: 9 },
      ]);
      assert.deepEqual(await list([], 'day'), []);
    });
  });

describe('statistics of two servers', () => {
  it('add up, however they write at once', async (test) => {
    const { database, rows } = await openRows(test, 'postgres');
    const bounds = { memory: { refusalIntervalMs: 3, countIntervalMs: 3 } };
    const nodes = await Promise.all([1, 2].map(() => startApp('postgres', {}, database, bounds)));
    const [one] = nodes as [TestApp, TestApp];
    const products = Array.from({ length: 10 }, (_, index) => `product ${index}`);
    const keys = await Promise.all(products.map((productId) => one.license({ productId })));
    for (let round = 0; round < 10; round += 1)
      await Promise.all(nodes.flatMap((node) => keys.map((licenseKey) => new Machine(node, licenseKey).verify())));
    await Promise.all(nodes.map((node) => node.stop()));
    assert.deepEqual(await rows.totals(''), { 'license.created': 10, 'verify.wrong_product': 200 });
    for (const product of products)
      assert.deepEqual(await rows.totals(product), { 'license.created': 1, 'verify.wrong_product': 20 });
  });
});
