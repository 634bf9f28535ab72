/** Countries of machines. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { DAY_MS, MINUTE_MS } from '../../../src/ground/base/clock.ts';
import { openStorage } from '../../../src/storage/opening/open.ts';
import { startApp } from '../../support/app.ts';
import { Creator, mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { startedWithStorage } from '../../support/started-app.ts';
import { fill } from './fill.ts';

for (const engine of engines)
  describe(`/getCountries on ${engine}`, () => {
    const { app, storage } = startedWithStorage(engine);
    let creator: Creator;
    let products: string[];
    let foreign: string;
    before(async () => {
      creator = await Creator.of(app);
      products = [await creator.product(), await creator.product()];
      foreign = await (await Creator.of(app)).product();
      const [first = '', second = ''] = products;
      await fill(storage, [
        ['', 'day', 'machines.BR', day(-3), 50],
        ['', 'day', 'activations.BR', day(-3), 5],
        [first, 'day', 'machines.DE', day(-1), 6],
        [first, 'day', 'machines.DE', day(-2), 4],
        [second, 'day', 'machines.DE', day(-2), 5],
        [first, 'day', 'activations.DE', day(-1), 2],
        [second, 'day', 'activations.DE', day(-2), 1],
        [second, 'day', 'machines.NZ', day(-2), 20],
        [second, 'day', 'activations.US', day(0), 3],
        [first, 'day', 'machines.FR', day(-40), 70],
        [foreign, 'day', 'machines.DE', day(-2), 900],
        // Not a figure of a country, though its name begins alike.
        [first, 'day', 'activations.reset', day(-1), 99],
      ]);
    });

    const day = (days: number) => app.clock.at(days * DAY_MS - (app.clock.now() % DAY_MS));

    it('answers the most machines of a day and all activations, the country with most machines first', async () => {
      const body = await mustSucceed(app.admin('/getCountries', { productId: products[0] }));
      assert.deepEqual(body, {
        success: true,
        countries: [{ code: 'DE', machines: 6, activations: 2 }],
        completeTo: app.clock.at(-MINUTE_MS),
      });
    });

    it('adds up the products of an API key day by day, and shows nothing of others', async () => {
      const { countries } = await mustSucceed(creator.send('/getCountries'));
      assert.deepEqual(countries, [
        { code: 'NZ', machines: 20, activations: 0 },
        { code: 'DE', machines: 9, activations: 3 },
        { code: 'US', machines: 0, activations: 3 },
      ]);
    });

    it('shows first the country with more activations among those with as many machines, then by code', async () => {
      const [productId = ''] = products;
      await fill(storage, [
        [productId, 'day', 'machines.AT', day(-50), 4],
        [productId, 'day', 'activations.AT', day(-50), 1],
        [productId, 'day', 'machines.CH', day(-50), 4],
        [productId, 'day', 'activations.CH', day(-50), 2],
        [productId, 'day', 'machines.BE', day(-50), 4],
        [productId, 'day', 'activations.BE', day(-50), 1],
      ]);
      const period = { productId, from: day(-50), to: day(-49) };
      const { countries } = await mustSucceed(app.admin('/getCountries', period));
      assert.deepEqual(countries, [
        { code: 'CH', machines: 4, activations: 2 },
        { code: 'AT', machines: 4, activations: 1 },
        { code: 'BE', machines: 4, activations: 1 },
      ]);
    });

    it('answers the operator the counts of all products together', async () => {
      const { countries } = await mustSucceed(app.admin('/getCountries'));
      assert.deepEqual(countries, [{ code: 'BR', machines: 50, activations: 5 }]);
    });

    it('answers an API key the same for a product of others and for one that does not exist', async () => {
      for (const productId of [foreign, 'absent'])
        assert.deepEqual((await mustSucceed(creator.send('/getCountries', { productId }))).countries, []);
    });

    it('begins with the day that from is in and ends before to', async () => {
      const ask = async (from: string, to: string) =>
        (await mustSucceed(creator.send('/getCountries', { productId: products[0], from, to }))).countries;
      assert.deepEqual(await ask(day(-2), day(-1)), [{ code: 'DE', machines: 4, activations: 0 }]);
      assert.deepEqual(await ask(app.clock.at(-40 * DAY_MS), day(-39)), [{ code: 'FR', machines: 70, activations: 0 }]);
    });

    it('400 for more than 366 days, or 1100 of all products together', async () => {
      const from = (days: number) => ({ from: day(-days), to: day(0) });
      await mustSucceed(app.admin('/getCountries', from(366)));
      assert.equal((await app.admin('/getCountries', from(367))).body.error, 'from must be at most 366 days before to');
      const owner = await Creator.of(app);
      for (let index = 0; index < 11; index += 1) await owner.product();
      await mustSucceed(owner.send('/getCountries', from(100)));
      assert.equal(
        (await owner.send('/getCountries', from(101))).body.error,
        'from must be at most 100 days before to',
      );
      for (let index = 11; index < 30; index += 1) await owner.product();
      await mustSucceed(owner.send('/getCountries'));
      assert.equal((await owner.send('/getCountries', from(37))).body.error, 'from must be at most 36 days before to');
    });

    it('begins 30 days before to, if from is not named', async () => {
      const firstDay = async (fields: object) =>
        (await mustSucceed(creator.send('/getCountries', { overTime: true, ...fields }))).days[0];
      assert.equal(await firstDay({}), day(-30));
      assert.equal(await firstDay({ to: day(-2) }), day(-32));
    });

    it('400 when from is not before to', async () => {
      const { status, body } = await app.admin('/getCountries', { from: day(-1), to: day(-1) });
      assert.deepEqual([status, body.error], [400, 'from must be before to']);
    });

    it('answers one country, by a code in any case', async () => {
      const { countries } = await mustSucceed(creator.send('/getCountries', { country: 'de' }));
      assert.deepEqual(countries, [{ code: 'DE', machines: 9, activations: 3 }]);
      assert.deepEqual((await mustSucceed(creator.send('/getCountries', { country: 'BR' }))).countries, []);
      const { status, body } = await creator.send('/getCountries', { country: 'QQ' });
      assert.deepEqual([status, body.error], [400, 'country must be the two-letter code of a country, for example DE']);
    });

    it('shows the products of an API key over time: all of their days, and no product of others', async () => {
      const [first, second] = products;
      const period = { from: day(-2), to: day(0) };
      const body = await mustSucceed(creator.send('/getCountries', { ...period, overTime: true }));
      assert.deepEqual(body.days, [day(-2), day(-1)]);
      const both = [
        { productId: first, machines: [4, 6], activations: [0, 2] },
        { productId: second, machines: [25, 0], activations: [1, 0] },
      ].sort((one, other) => (one.productId! < other.productId! ? -1 : 1));
      assert.deepEqual(body.products, both);
      const ofGermany = await mustSucceed(
        creator.send('/getCountries', { ...period, overTime: true, country: 'DE', productId: second }),
      );
      assert.deepEqual(ofGermany.products, [{ productId: second, machines: [5, 0], activations: [1, 0] }]);
      for (const productId of [foreign, 'absent']) {
        const { products: none } = await mustSucceed(creator.send('/getCountries', { productId, overTime: true }));
        assert.deepEqual(none, []);
      }
      assert.equal('products' in (await mustSucceed(creator.send('/getCountries', period))), false);
    });

    it('shows the operator the newest 30 products over time, and for so many at most 36 days', async () => {
      const own = await startApp(engine);
      const ownStorage = await openStorage(own.database);
      try {
        const owner = await Creator.of(own);
        const made: string[] = [];
        for (let number = 0; number < 31; number += 1) {
          made.push(await owner.product());
          own.clock.move(1);
        }
        await fill(
          ownStorage,
          made.map((productId) => [productId, 'day', 'machines.DE', day(-1), 1]),
        );
        const { products: shown } = await mustSucceed(own.admin('/getCountries', { overTime: true }));
        assert.deepEqual(
          shown.map(({ productId }: { productId: string }) => productId),
          made.slice(1).sort(),
        );
        const refused = await own.admin('/getCountries', { overTime: true, from: day(-37), to: day(0) });
        assert.equal(refused.body.error, 'from must be at most 36 days before to');
        const named = { productId: made[0], overTime: true, from: day(-366), to: day(0) };
        const { products: oldest, days } = await mustSucceed(own.admin('/getCountries', named));
        assert.deepEqual([oldest.length, days.length], [1, 366]);
      } finally {
        await ownStorage.close();
        await own.stop();
      }
    });

    it('takes its fields from the query of a GET', async () => {
      const query = `apiKey=${creator.apiKey}&productId=${products[1]}&from=${day(0)}`;
      const answer = app.send(`/getCountries?${query}`, undefined, { method: 'GET' });
      assert.deepEqual((await mustSucceed(answer)).countries, [{ code: 'US', machines: 0, activations: 3 }]);
    });
  });
