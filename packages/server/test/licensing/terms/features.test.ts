import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS, HOUR_MS } from '../../../src/ground/base/clock.ts';
import { inspect, update } from '../../support/answers.ts';
import { mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { Machine } from '../../support/machine.ts';
import { startedApp } from '../../support/started-app.ts';

for (const engine of engines)
  describe(`features on ${engine}`, () => {
    const app = startedApp(engine);
    let products = 0;

    /** A product with one variant, `studio`, of these terms. */
    async function productWith(terms: Readonly<Record<string, unknown>>): Promise<string> {
      const slug = `paint-${++products}`;
      await mustSucceed(app.admin('/createProduct', { name: 'Paint', slug, creatorId: 'ada' }));
      await mustSucceed(app.admin('/createVariant', { productId: slug, name: 'studio', ...terms }));
      return slug;
    }

    /** A license of a variant with these terms, and a machine for it. */
    async function sold(terms: Readonly<Record<string, unknown>>, order: Readonly<Record<string, unknown>> = {}) {
      const productId = await productWith(terms);
      const licenseKey = await app.license({ productId, variant: 'studio', ...order });
      return { productId, licenseKey, machine: new Machine(app, licenseKey, 'machine-1', productId) };
    }

    it('of the variant are in every answer about a license, and gained by all licenses at once', async () => {
      const { productId, machine } = await sold({ features: { export: true, layers: 20 } });
      assert.deepEqual((await machine.verify()).body.features, { export: true, layers: 20 });
      assert.deepEqual((await machine.activate()).body.features, { export: true, layers: 20 });
      await mustSucceed(
        app.admin('/updateVariant', { variantId: `${productId}-studio`, features: { export: true, support: 'gold' } }),
      );
      for (const answer of [await machine.verify(), await machine.validate(), await machine.heartbeat()])
        assert.deepEqual(answer.body.features, { export: true, support: 'gold' });
      await mustSucceed(app.admin('/updateVariant', { variantId: `${productId}-studio`, features: null }));
      for (const answer of [await machine.verify(), await machine.activate(), await machine.validate()])
        assert.ok(!('features' in answer.body));
    });

    it('that an edition loses are gone for all sessions at once, and the sessions go on', async () => {
      const { productId, licenseKey, machine } = await sold({
        ...{ licenseType: 'floating', maxMachines: -1, maxConcurrent: 5, features: { export: true, batch: true } },
      });
      const machines = ['m-1', 'm-2', 'm-3'].map((name) => new Machine(app, licenseKey, name, productId));
      for (const each of machines) assert.equal((await each.activated()).token.length > 0, true);
      const validating = (each: Machine) =>
        app.send('/validate', {
          ...{ licenseKey, machineFingerprint: each.fingerprint, token: each.token, features: ['batch'] },
        });
      for (const each of machines) assert.equal((await validating(each)).status, 200);
      await mustSucceed(app.admin('/updateVariant', { variantId: `${productId}-studio`, features: { export: true } }));
      for (const each of machines) {
        const refused = await validating(each);
        assert.deepEqual([refused.status, refused.body.missing], [403, ['batch']]);
        const { status, body } = await each.heartbeat();
        assert.deepEqual([status, body.features], [200, { export: true }]);
      }
      const { activations } = await inspect(app, licenseKey);
      assert.deepEqual(
        new Set(activations.map(({ sessionActive }: { sessionActive: boolean }) => sessionActive)),
        new Set([true]),
      );
      assert.equal(machine.token, '');
    });

    it('of the greatest number and length stand once in each answer, whatever the number of machines', async () => {
      const name = (index: number) => `${'f'.repeat(38)}${index + 10}`;
      const features = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [name(index), '漢'.repeat(200)]));
      const { productId, licenseKey, machine } = await sold({ maxMachines: -1 }, { features });
      const alone = await machine.activate();
      for (let index = 2; index <= 40; index++) {
        // An hour has 15 attempts.
        if (index % 12 === 0) app.clock.move(HOUR_MS);
        await new Machine(app, licenseKey, `machine-${index}`, productId).activated();
      }
      app.clock.move(HOUR_MS);
      for (const answer of [await machine.activate(), await machine.verify(), await machine.validate()]) {
        assert.deepEqual(answer.body.features, features);
        const { features: _, ...others } = answer.body;
        assert.ok(JSON.stringify(others).length < 2000);
      }
      const bytes = (answer: object) => Buffer.byteLength(JSON.stringify(answer));
      assert.ok(Math.abs(bytes((await machine.activate()).body) - bytes(alone.body)) < 20, 'machines add nothing');
      const { license, activations } = await mustSucceed(app.admin('/getLicense', { licenseKey, limit: 1000 }));
      assert.deepEqual([license.features, activations.length], [features, 40]);
      assert.ok(!JSON.stringify(activations).includes('漢'));
    });

    it('of the license overlay those of its variant, until they end', async () => {
      const until = app.clock.at(2 * DAY_MS);
      const features = { layers: 99, export: null, render: { value: true, until } };
      const { licenseKey, machine } = await sold({ features: { export: true, layers: 20 } }, { features });
      const effective = async () => (await machine.verify()).body.features;
      assert.deepEqual(await effective(), { layers: 99, render: true });
      assert.deepEqual(await effective(), { layers: 99, render: true }, 'a kept reply');
      const { license } = await inspect(app, licenseKey);
      assert.deepEqual([license.features, license.ownFeatures], [{ layers: 99, render: true }, features]);
      app.clock.move(2 * DAY_MS - 1);
      assert.deepEqual(await effective(), { layers: 99, render: true });
      app.clock.move(1);
      assert.deepEqual(await effective(), { layers: 99 });
      await update(app, licenseKey, { features: null });
      assert.deepEqual(await effective(), { layers: 20, export: true });
    });

    it('that a call asks for are checked last, and the missing ones are named', async () => {
      const terms = { features: { export: true, batch: false, seats: 0, tier: 'pro' } };
      const { productId, licenseKey, machine } = await sold(terms);
      const { token } = await machine.activated();
      const asks = (features: readonly string[]) => [
        app.send('/verify', { licenseKey, productId, features }),
        app.send('/validate', { licenseKey, machineFingerprint: 'machine-1', token, features }),
      ];
      for (const answer of await Promise.all(asks(['export', 'tier']))) assert.equal(answer.status, 200);
      for (const answer of await Promise.all(asks(['export', 'batch', 'seats', 'cloud', 'constructor']))) {
        assert.equal(answer.status, 403);
        assert.equal(answer.headers['latchkey-code'], 'feature_missing');
        assert.deepEqual(answer.body, {
          valid: false,
          error: 'License does not include this feature',
          missing: ['batch', 'seats', 'cloud', 'constructor'],
        });
      }
      await mustSucceed(app.admin('/revokeLicense', { licenseKey }));
      for (const answer of await Promise.all(asks(['cloud'])))
        assert.equal(answer.headers['latchkey-code'], 'license_revoked');
    });

    it('have names and values of one form; a fault names the feature', async () => {
      const productId = await productWith({});
      const given = async (features: unknown) => {
        const { status, body } = await app.admin('/createVariant', { productId, name: 'studio', features });
        return status === 200 ? 'ok' : body.error;
      };
      assert.equal(await given({ constructor: true, 'a.b_c-1': -5, ['x'.repeat(40)]: 'y'.repeat(200) }), 'ok');
      const valueForm = 'must be true, false, a whole number or a text of 1 to 200 characters';
      assert.equal(await given({ layers: 1.5 }), `features.layers ${valueForm}`);
      assert.equal(await given({ layers: '' }), `features.layers ${valueForm}`);
      assert.equal(await given({ layers: null }), `features.layers ${valueForm}`);
      assert.equal(await given({ layers: 'y'.repeat(201) }), `features.layers ${valueForm}`);
      const nameForm =
        'features must have names of another form: a name of 1 to 40 of a-z 0-9 _ . - that begins with a letter';
      for (const name of ['x'.repeat(41), 'Export', '1up', ' ', '__proto__'])
        assert.equal(await given(JSON.parse(`{${JSON.stringify(name)}:true}`)), nameForm);
      const many = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`f${index}`, true]));
      assert.equal(await given(many), 'features must be an object of at most 50 names');
      for (const features of [true, 'export', ['export']])
        assert.equal(await given(features), 'features must be an object of at most 50 names');
      const { body } = await app.admin('/createLicense', {
        email: 'ada@example.com',
        productId,
        features: { render: { value: true, until: 'soon' } },
      });
      assert.equal(body.error, 'features.render.until must be an ISO 8601 timestamp');
    });
  });
