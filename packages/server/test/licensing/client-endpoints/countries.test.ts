import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/ground/base/clock.ts';
import { inspect } from '../../support/answers.ts';
import { engines } from '../../support/databases.ts';
import { Machine } from '../../support/machine.ts';
import { startedApp } from '../../support/started-app.ts';

const COUNTRY_HEADER = 'x-test-country';
const from = (country: string) => ({ headers: { [COUNTRY_HEADER]: country } });

for (const engine of engines)
  describe(`countries of machines on ${engine}`, () => {
    const app = startedApp(engine, { LATCHKEY_COUNTRY_HEADER: COUNTRY_HEADER });

    const activationOf = async ({ licenseKey, fingerprint }: Machine) => {
      const { activations } = await inspect(app, licenseKey);
      const { countries, lastCountry } = activations.find(
        (each: { fingerprint: string }) => each.fingerprint === fingerprint,
      );
      return { countries, lastCountry };
    };
    const validateFrom = async (machine: Machine, ...countries: string[]) => {
      for (const country of countries) assert.equal((await machine.validate(from(country))).status, 200);
    };
    const spreadOf = async (licenseKey: string) => {
      const { violations } = await inspect(app, licenseKey);
      assert.ok(violations.length <= 1, JSON.stringify(violations));
      return violations[0];
    };

    it('are gathered in the order they were seen, each once, with the last one', async () => {
      const machine = new Machine(app, await app.license());
      await machine.activate(from('DE'));
      assert.deepEqual(await activationOf(machine), { countries: ['DE'], lastCountry: 'DE' });
      await validateFrom(machine, 'fr', 'DE', 'FR', 'de');
      assert.deepEqual(await activationOf(machine), { countries: ['DE', 'FR'], lastCountry: 'DE' });
      await machine.activate(from('FR'));
      assert.deepEqual(await activationOf(machine), { countries: ['DE', 'FR'], lastCountry: 'FR' });
    });

    it('stay as they are when a call comes from nowhere known', async () => {
      const machine = new Machine(app, await app.license());
      await machine.activate();
      assert.deepEqual(await activationOf(machine), { countries: [], lastCountry: null });
      await validateFrom(machine, 'DE', 'XX', 'T1', 'Germany', '');
      assert.equal((await machine.validate()).status, 200);
      assert.deepEqual(await activationOf(machine), { countries: ['DE'], lastCountry: 'DE' });
    });

    it('are forgotten with the activation', async () => {
      const machine = new Machine(app, await app.license());
      await machine.activate(from('DE'));
      await machine.deactivate();
      await machine.activate(from('FR'));
      assert.deepEqual(await activationOf(machine), { countries: ['FR'], lastCountry: 'FR' });
    });

    it('are not taken from calls that are refused', async () => {
      const licenseKey = await app.license({ maxMachines: 1 });
      const machine = new Machine(app, licenseKey);
      await machine.activate(from('DE'));
      for (const country of ['FR', 'ES', 'IT']) {
        assert.equal((await new Machine(app, licenseKey, 'other').activate(from(country))).status, 403);
        assert.equal((await new Machine(app, licenseKey).verify(from(country))).status, 200);
      }
      assert.deepEqual(await activationOf(machine), { countries: ['DE'], lastCountry: 'DE' });
      assert.equal((await spreadOf(licenseKey)).type, 'machine_limit');
    });

    it('country_spread: severity 2 from three countries in a day, 3 from five', async () => {
      const licenseKey = await app.license();
      const machine = new Machine(app, licenseKey);
      await machine.activate(from('DE'));
      await validateFrom(machine, 'FR', 'DE', 'FR');
      assert.equal(await spreadOf(licenseKey), undefined);
      const severities: number[] = [];
      for (const country of ['ES', 'IT', 'PT']) {
        app.clock.move(HOUR_MS);
        await validateFrom(machine, country);
        severities.push((await spreadOf(licenseKey)).severity);
      }
      assert.deepEqual(severities, [2, 2, 3]);
      const { id, firstSeen, ...violation } = await spreadOf(licenseKey);
      assert.deepEqual(violation, {
        type: 'country_spread',
        severity: 3,
        occurrences: 3,
        lastSeen: app.clock.at(),
        evidence: { countries: ['DE', 'ES', 'FR', 'IT', 'PT'], inOneDay: 5 },
        resolvedAt: null,
      });
      const { license } = await inspect(app, licenseKey);
      assert.deepEqual([license.threatLevel, license.status], [3, 'active']);
    });

    it('country_spread: the machines of a license count together', async () => {
      const licenseKey = await app.license({ maxMachines: -1 });
      await new Machine(app, licenseKey, 'one').activate(from('DE'));
      await new Machine(app, licenseKey, 'two').activate(from('FR'));
      assert.equal(await spreadOf(licenseKey), undefined);
      const floating = await new Machine(app, licenseKey, 'three').activate(from('ES'));
      assert.equal(floating.status, 200);
      assert.deepEqual((await spreadOf(licenseKey)).evidence.countries, ['DE', 'ES', 'FR']);
    });

    it('country_spread: not for countries that were seen on different days', async () => {
      const licenseKey = await app.license();
      const machine = new Machine(app, licenseKey);
      await machine.activate(from('DE'));
      for (const country of ['FR', 'ES', 'IT', 'PT', 'AT']) {
        app.clock.move(DAY_MS / 2 + MINUTE_MS);
        await validateFrom(machine, country);
      }
      assert.equal(await spreadOf(licenseKey), undefined);
    });

    it('country_spread: a country that is seen all day long stays in the day', async () => {
      const licenseKey = await app.license();
      const machine = new Machine(app, licenseKey);
      await machine.activate(from('DE'));
      for (let hours = 0; hours < 30; hours += 1) {
        app.clock.move(HOUR_MS);
        await validateFrom(machine, 'DE');
      }
      await validateFrom(machine, 'FR', 'ES');
      assert.deepEqual((await spreadOf(licenseKey)).evidence.countries, ['DE', 'ES', 'FR']);
    });

    it('country_spread: going to and fro between the same countries is reported once', async () => {
      const licenseKey = await app.license();
      const machine = new Machine(app, licenseKey);
      await machine.activate(from('DE'));
      for (let times = 0; times < 10; times += 1) {
        app.clock.move(2 * HOUR_MS);
        await validateFrom(machine, 'FR', 'ES', 'DE');
      }
      assert.equal((await spreadOf(licenseKey)).occurrences, 1);
    });
  });

for (const engine of engines)
  describe(`countries without a configured header on ${engine}`, () => {
    const app = startedApp(engine);

    it('stay unknown, with any headers of a client', async () => {
      const licenseKey = await app.license();
      await new Machine(app, licenseKey).activate({ headers: { [COUNTRY_HEADER]: 'DE', 'cf-ipcountry': 'DE' } });
      const [{ countries, lastCountry }] = (await inspect(app, licenseKey)).activations;
      assert.deepEqual([countries, lastCountry], [[], null]);
    });
  });
