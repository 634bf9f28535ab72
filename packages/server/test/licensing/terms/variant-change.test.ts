import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS } from '../../../src/ground/base/clock.ts';
import { mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { startedApp } from '../../support/started-app.ts';
import { product, variant } from '../products/catalogue.ts';

for (const engine of engines)
  describe(`terms that change with the variant on ${engine}`, () => {
    const app = startedApp(engine);

    /** A license of `indie`, whose product has `studio` as well. */
    async function sold() {
      const productId = await product(app);
      await variant(app, { productId, name: 'indie', maxMachines: 2 });
      const studio = { maxMachines: 5, graceDays: 7, updatesDays: 100, unlockedProducts: ['reverb'] };
      await variant(app, { productId, name: 'studio', ...studio });
      const expiresAt = app.clock.at(30 * DAY_MS);
      const features = { beta: true };
      const licenseKey = await app.license({ productId, variant: 'indie', expiresAt, features });
      return { productId, licenseKey, expiresAt };
    }

    const changed = async (fields: Readonly<Record<string, unknown>>) =>
      (await mustSucceed(app.admin('/updateLicense', fields))).license;

    it('are those that a new license would get; the expiry and its own features stay', async () => {
      const { licenseKey, expiresAt } = await sold();
      assert.partialDeepStrictEqual(await changed({ licenseKey, variant: 'studio', terms: 'variant' }), {
        variant: 'studio',
        maxMachines: 5,
        graceDays: 7,
        updatesUntil: app.clock.at(100 * DAY_MS),
        unlockedProducts: ['reverb'],
        expiresAt,
        ownFeatures: { beta: true },
      });
    });

    it('are those of the present variant anew without `variant`, and fields of the request win', async () => {
      const { licenseKey } = await sold();
      await changed({ licenseKey, maxMachines: 9, graceDays: 3 });
      const license = await changed({ licenseKey, terms: 'variant', maxMachines: 4 });
      assert.deepEqual([license.variant, license.maxMachines, license.graceDays], ['indie', 4, undefined]);
    });

    it('stay without `terms`, as before', async () => {
      const { licenseKey } = await sold();
      const license = await changed({ licenseKey, variant: 'studio' });
      assert.deepEqual([license.variant, license.maxMachines], ['studio', 2]);
    });

    it('404 for a variant that the catalogue lacks: nothing changes', async () => {
      const { licenseKey } = await sold();
      const { status, body } = await app.admin('/updateLicense', { licenseKey, variant: 'studdio', terms: 'variant' });
      assert.deepEqual([status, body.error], [404, 'Variant not found']);
      assert.equal((await changed({ licenseKey })).variant, 'indie');
    });
  });
