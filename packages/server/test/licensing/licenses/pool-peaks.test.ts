/** The peaks of pools: the most live sessions of a floating license on a day (rules 4.2.17). */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/ground/base/clock.ts';
import { mintUuid } from '../../../src/ground/base/random.ts';
import { peakJob } from '../../../src/licensing/licenses/pool-peaks.ts';
import { runJob } from '../../../src/platform/jobs/schedule.ts';
import { mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { Machine } from '../../support/machine.ts';
import { startedWithStorage } from '../../support/started-app.ts';
import { standingAt, tidy, tidyingJobs } from '../../support/tidy.ts';

for (const engine of engines)
  describe(`peaks of pools on ${engine}`, () => {
    const { app, storage } = startedWithStorage(engine);
    before(() => app.clock.move(DAY_MS - (app.clock.now() % DAY_MS) + 9 * HOUR_MS));

    const pool = (maxConcurrent = 5) =>
      app.license({ productId: 'app', licenseType: 'floating', maxConcurrent, maxMachines: 10 });
    const machineOf = (licenseKey: string, name: string) => new Machine(app, licenseKey, name);
    /** Looks a minute later, when no other run holds the lease. */
    async function look(): Promise<void> {
      app.clock.move(MINUTE_MS);
      const time = standingAt(app.clock.now());
      await runJob(peakJob, { storage, clock: app.clock.now, time });
    }
    async function peakOf(licenseKey: string): Promise<number | undefined> {
      return (await mustSucceed(app.admin('/listLiveSessions', { licenseKey }))).pools[0]?.peak;
    }

    it('are the most sessions that a look found, or those of now', async () => {
      const licenseKey = await pool();
      const [one, two, three] = ['one', 'two', 'three'].map((name) => machineOf(licenseKey, name));
      for (const machine of [one, two, three]) await machine!.activated();
      await look();
      for (const machine of [one, two]) await mustSucceed(machine!.deactivate());
      await look();
      assert.equal(await peakOf(licenseKey), 3);
      for (const name of ['four', 'five', 'six']) await machineOf(licenseKey, name).activated();
      assert.equal(await peakOf(licenseKey), 4, 'before the next look');
    });

    it('are shown for 30 days', async () => {
      const licenseKey = await pool();
      const [one, two] = [machineOf(licenseKey, 'one'), machineOf(licenseKey, 'two')];
      for (const machine of [one, two]) await machine.activated();
      await look();
      app.clock.move(30 * DAY_MS);
      await one.activated();
      assert.equal(await peakOf(licenseKey), 2);
      app.clock.move(DAY_MS);
      await one.activated();
      assert.equal(await peakOf(licenseKey), 1);
    });

    it('count no session that has lapsed', async () => {
      const licenseKey = await pool();
      for (const name of ['one', 'two']) await machineOf(licenseKey, name).activated();
      app.clock.move(HOUR_MS);
      await machineOf(licenseKey, 'three').activated();
      await look();
      assert.equal(await peakOf(licenseKey), 1);
    });

    it('go over to another key of the license', async () => {
      const licenseKey = await pool();
      const [one, two] = [machineOf(licenseKey, 'one'), machineOf(licenseKey, 'two')];
      for (const machine of [one, two]) await machine.activated();
      await look();
      await mustSucceed(one.deactivate());
      const replaced = await mustSucceed(app.admin('/replaceLicense', { licenseKey }));
      assert.equal(await peakOf(replaced.licenseKey), 2);
    });

    it('are noted of all pools, however many there are, and deleted after three years', async () => {
      // The sessions of other tests have lapsed.
      app.clock.move(DAY_MS);
      const products = Array.from({ length: 101 }, () => `pool-${mintUuid()}`);
      const keys = await Promise.all(
        products.map((productId) => app.license({ productId, licenseType: 'floating', maxConcurrent: 2 })),
      );
      const machines = keys.map((licenseKey, at) => new Machine(app, licenseKey, 'one', products[at]));
      await Promise.all(machines.map((machine) => machine.activated()));
      await look();
      const jobs = tidyingJobs(storage).filter(({ name }) => name === 'delete old peaks of pools');
      assert.equal(jobs.length, 1);
      const deletedAt = (days: number) => tidy(storage, standingAt(app.clock.now() + days * DAY_MS), { jobs });
      await deletedAt(1_095);
      assert.equal(await deletedAt(1_097), keys.length);
    });
  });
