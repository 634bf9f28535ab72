/** The countries that a license was used from are written apart from its calls, each once. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS } from '../../../src/ground/base/clock.ts';
import { CountrySightings } from '../../../src/licensing/observed-calls/country-sightings.ts';
import { ObservedCalls } from '../../../src/licensing/observed-calls/observed-calls.ts';
import { ObservedWriter } from '../../../src/licensing/observed-calls/write-observed.ts';
import { StorageAway } from '../../../src/storage/contract/storage.ts';
import { openStorage } from '../../../src/storage/opening/open.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { mustSucceed } from '../../support/creator.ts';
import { engines, freshDatabase } from '../../support/databases.ts';
import { Machine } from '../../support/machine.ts';
import { execute } from '../../support/own-connection.ts';
import type { TestDatabase } from '../../support/test-database.ts';
import { answered, WRITTEN_AT_THE_END, withApp } from './observed-rows.ts';

const KNOWN = { LATCHKEY_COUNTRY_HEADER: 'x-test-country' };
const from = (country: string) => ({ headers: { 'x-test-country': country } });

describe('sightings of countries in memory', () => {
  it('have a maximum number, and each is kept once', () => {
    const sightings = new CountrySightings(2);
    for (const key of ['A', 'B', 'A', 'C']) sightings.note('DE', key);
    assert.deepEqual(sightings.take(1), [{ country: 'DE', licenseKey: 'A' }]);
    sightings.note('NZ', 'B');
    sightings.add([{ country: 'DE', licenseKey: 'A' }]);
    assert.deepEqual(sightings.take(), [
      { country: 'DE', licenseKey: 'B' },
      { country: 'NZ', licenseKey: 'B' },
    ]);
    assert.ok(sightings.isEmpty);
  });

  it('cross threads with the other observations', () => {
    const [here, there] = [new ObservedCalls([]), new ObservedCalls([])];
    here.sightings.note('DE', 'A');
    there.add(here.take()!);
    assert.equal(here.take(), null);
    assert.deepEqual(there.sightings.take(), [{ country: 'DE', licenseKey: 'A' }]);
  });
});

for (const engine of engines)
  describe(`countries of licenses on ${engine}`, () => {
    const listed = async (app: TestApp, country: string): Promise<string[]> =>
      (await mustSucceed(app.admin('/listLicenses', { country }))).licenses.map(({ key }: { key: string }) => key);
    const countriesOf = async (app: TestApp, licenseKey: string) =>
      (await mustSucceed(app.admin('/getLicense', { licenseKey, countries: true }))).countries;
    const run = <Result>(database: TestDatabase, act: (app: TestApp) => Promise<Result>) =>
      withApp(engine, database, act, WRITTEN_AT_THE_END, KNOWN);

    it('are those of all its machines, with every kind of call, and none of refused calls', async (test) => {
      const database = await freshDatabase(engine, test);
      const [shared, alone, nowhere] = await run(database, async (app) => {
        const shared = await app.license({ maxMachines: 2 });
        const [one, two] = [new Machine(app, shared, 'one'), new Machine(app, shared, 'two')];
        await answered(200, one.activate(from('DE')));
        await answered(200, two.activate(from('nz')));
        await answered(200, two.validate(from('FR')));
        await answered(200, two.validate(from('NZ')));
        await answered(403, new Machine(app, shared, 'three').activate(from('IT')));
        const alone = await app.license();
        await answered(200, new Machine(app, alone).activate(from('DE')));
        const nowhere = await app.license();
        await answered(200, new Machine(app, nowhere).activate());
        assert.deepEqual(await listed(app, 'DE'), [], 'they are written later');
        return [shared, alone, nowhere];
      });
      await run(database, async (app) => {
        assert.deepEqual((await listed(app, 'DE')).toSorted(), [shared, alone].toSorted());
        for (const country of ['NZ', 'FR']) assert.deepEqual(await listed(app, country), [shared]);
        assert.deepEqual(await listed(app, 'IT'), []);
        assert.deepEqual(await countriesOf(app, shared!), [
          { code: 'DE', machines: 1, machinesBefore: 0 },
          { code: 'NZ', machines: 1, machinesBefore: 0 },
          { code: 'FR', machines: 0, machinesBefore: 1 },
        ]);
        assert.deepEqual(await countriesOf(app, nowhere!), []);
        assert.equal('countries' in (await mustSucceed(app.admin('/getLicense', { licenseKey: shared }))), false);
        // A country stays when its machine goes.
        await mustSucceed(app.admin('/resetActivations', { licenseKey: shared }));
        assert.deepEqual(await listed(app, 'NZ'), [shared]);
        assert.deepEqual(
          await countriesOf(app, shared!),
          ['DE', 'FR', 'NZ'].map((code) => ({ code, machines: 0, machinesBefore: 0 })),
        );
        assert.ok(!(await listed(app, 'DE')).includes(nowhere!));
      });
    });

    it('that a crash lost return with the first call of a machine on a later day', async (test) => {
      const database = await freshDatabase(engine, test);
      const app = await startApp(engine, KNOWN, database, { memory: { countIntervalMs: 20 } });
      test.after(() => app.stop());
      const licenseKey = await app.license();
      const machine = new Machine(app, licenseKey);
      const isListed = async () => {
        while ((await listed(app, 'DE')).length === 0);
      };
      await answered(200, machine.activate(from('DE')));
      await isListed();
      await execute(database.database, 'delete from license_country;');
      app.clock.move(DAY_MS);
      await answered(200, machine.validate(from('DE')));
      await isListed();
    });

    it('wait while the database is away', async (test) => {
      const database = await freshDatabase(engine, test);
      const licenseKey = await withApp(engine, database, (app) => app.license());
      const storage = await openStorage(database.database);
      test.after(() => storage.close());
      let isAway = true;
      const unsteady: typeof storage = Object.create(storage, {
        transaction: {
          value: (work: Parameters<typeof storage.transaction>[0]) => {
            if (isAway) throw new StorageAway('the database is away');
            return storage.transaction(work);
          },
        },
      });
      const observed = new ObservedCalls([]);
      const writer = new ObservedWriter(unsteady, observed, (error) => assert.fail(String(error)));
      for (const key of [licenseKey, 'unknown']) observed.sightings.note('DE', key);
      await writer.writeCountries();
      isAway = false;
      await writer.writeCountries();
      assert.ok(observed.sightings.isEmpty);
      await run(database, async (app) => assert.deepEqual(await listed(app, 'DE'), [licenseKey]));
    });
  });
