/** The terms of a license in its license files (rules 14.2, 14.3). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS } from '../../../src/ground/base/clock.ts';
import { update } from '../../support/answers.ts';
import { mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { Machine } from '../../support/machine.ts';
import { startedApp } from '../../support/started-app.ts';
import { expectedBy, fetchFile, readLicenseFile } from '../license-files/reading.ts';

for (const engine of engines)
  describe(`license files with terms on ${engine}`, () => {
    const app = startedApp(engine);

    async function claimsIn(machine: Machine, licenseFile: string) {
      const claims = readLicenseFile(licenseFile, await expectedBy(app, machine));
      assert.ok(claims !== null);
      return claims;
    }

    it('state the features at that moment with their ends, and the covered builds', async () => {
      await mustSucceed(app.admin('/createProduct', { name: 'Paint', slug: 'paint', creatorId: 'ada' }));
      const variant = { productId: 'paint', name: 'studio', features: { export: true, layers: 20 } };
      await mustSucceed(app.admin('/createVariant', variant));
      const variantId = 'paint-studio';
      const day = (days: number) => app.clock.at(days * DAY_MS);
      const features = {
        export: null,
        render: { value: 4, until: day(2) },
        layers: { value: 99, until: day(1) },
        old: { value: true, until: day(0) },
      };
      const updatesUntil = day(365);
      const terms = { features, updatesUntil, maxVersion: '2.3' };
      const licenseKey = await app.license({ productId: 'paint', variant: 'studio', ...terms });
      const machine = await new Machine(app, licenseKey, 'machine-1', 'paint').activated();
      const seconds = (time: string) => Math.floor(Date.parse(time) / 1000);
      const ends = { render: seconds(day(2)), layers: seconds(day(1)) };
      const fetched = await mustSucceed(fetchFile(machine));
      const claims = await claimsIn(machine, fetched.licenseFile);
      assert.deepEqual(claims.features, { layers: 99, render: 4 });
      assert.deepEqual(claims.featureEnds, ends);
      assert.deepEqual([claims.updatesUntil, claims.maxVersion], [seconds(updatesUntil), '2.3']);
      const made = await mustSucceed(app.admin('/createLicenseFile', { licenseKey, anyMachine: true, forever: true }));
      assert.deepEqual((await claimsIn(machine, made.licenseFile)).featureEnds, ends);

      const again = await mustSucceed(fetchFile(machine));
      assert.equal(again.fileId, fetched.fileId, 'the same file within a minute');
      await mustSucceed(app.admin('/updateVariant', { variantId, features: { batch: true } }));
      const changed = await mustSucceed(fetchFile(machine));
      assert.deepEqual((await claimsIn(machine, changed.licenseFile)).features, { layers: 99, render: 4, batch: true });
      app.clock.move(1.5 * DAY_MS);
      const later = await mustSucceed(fetchFile(machine));
      assert.deepEqual((await claimsIn(machine, later.licenseFile)).featureEnds, { render: ends.render });
      await update(app, licenseKey, { features: null, updatesUntil: null, maxVersion: null });
      await mustSucceed(app.admin('/updateVariant', { variantId, features: null }));
      const without = await mustSucceed(fetchFile(machine));
      const names = Object.keys(await claimsIn(machine, without.licenseFile));
      for (const name of ['features', 'featureEnds', 'updatesUntil', 'maxVersion']) assert.ok(!names.includes(name));
    });
  });
