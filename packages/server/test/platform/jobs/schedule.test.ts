/** The jobs of a running service follow one schedule, on the clock of the process, in every thread. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { jobsOf } from '../../../src/app.ts';
import { DAY_MS, MINUTE_MS, systemClock } from '../../../src/ground/base/clock.ts';
import { believingEvery } from '../../../src/platform/believed-time/believed-time.ts';
import type { Job } from '../../../src/platform/jobs/job.ts';
import { startJobs } from '../../../src/platform/jobs/schedule.ts';
import { statement } from '../../../src/storage/contract/storage.ts';
import { openStorage } from '../../../src/storage/opening/open.ts';
import { startApp } from '../../support/app.ts';
import { jobContextOf } from '../../support/contexts.ts';
import { mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { freshStorage } from '../../support/storages.ts';

const findSearchPosition = statement(
  'test_schedule.find_search_position',
  'select kind as "kind" from expiry_notice_position',
);

for (const engine of engines)
  describe(`jobs of a service on ${engine}`, () => {
    it('follow the clock and the settings of the process', async (test) => {
      const settings = { LATCHKEY_EXPIRY_NOTICES: '3d', LATCHKEY_SECRETS_KEY: 'secrets-key-of-these-tests' };
      const app = await startApp(engine, { ...settings, LATCHKEY_DELIVERIES: 'off' }, undefined, {
        leasedJobIntervalMs: 20,
      });
      const storage = await openStorage(app.database);
      test.after(async () => {
        await storage.close();
        await app.stop();
      });
      const destination = { url: 'https://hooks.example.com/', types: ['license.expiring'] };
      await mustSucceed(app.admin('/createDestination', destination));
      const licenseKey = await app.license({ expiresAt: app.clock.at(4 * DAY_MS) });
      const types = async () => {
        const { events } = await mustSucceed(app.admin('/listEvents', { licenseKey }));
        return events.map(({ type }: { type: string }) => type);
      };
      await mustSucceed(app.admin('/addNote', { licenseKey, text: 'The machine of the studio.' }));
      assert.deepEqual(await types(), ['license.noted', 'license.created']);
      const position = () => storage.read((sql) => sql.first(findSearchPosition));
      while ((await position()) === undefined) await new Promise((resolve) => setTimeout(resolve, 10));
      app.clock.move(DAY_MS + 5 * MINUTE_MS);
      while ((await types()).length === 2) await new Promise((resolve) => setTimeout(resolve, 10));
      assert.deepEqual(await types(), ['license.expiring', 'license.noted', 'license.created']);
      app.clock.move(401 * DAY_MS);
      // Events are deleted after 400 days and notes never; only the clock of the test has moved.
      while ((await types()).length > 1) await new Promise((resolve) => setTimeout(resolve, 10));
      assert.deepEqual(await types(), ['license.noted']);
    });

    it('have names of their own, which their leases have as well', async (test) => {
      const { storage } = await freshStorage(engine, test);
      const jobs = jobsOf(jobContextOf(storage, { expiryNoticesMs: [DAY_MS] }));
      const names = jobs.map(({ name }) => name);
      assert.deepEqual(names, [...new Set(names)]);
    });

    it('that take turns never run at once, others run beside them, and all have ended when they are stopped', async (test) => {
      const { storage } = await freshStorage(engine, test);
      test.mock.timers.enable({ apis: ['setInterval'] });
      const events: string[] = [];
      const releases = new Map<string, () => void>();
      const job = (name: string, takesTurns: boolean): Job => ({
        name,
        every: MINUTE_MS,
        leased: false,
        takesTurns,
        async run({ signal }) {
          events.push(`${name} begins`);
          await new Promise<void>((resolve) => {
            releases.set(name, resolve);
            signal?.addEventListener('abort', () => resolve());
          });
          events.push(`${name} ends`);
        },
      });
      const time = believingEvery(systemClock);
      const jobs = [job('one', true), job('alone', false), job('two', true)];
      const stop = startJobs(jobs, { storage, clock: systemClock, time }, (error) => assert.fail(String(error)));
      test.mock.timers.tick(3 * MINUTE_MS);
      assert.deepEqual(events, ['one begins', 'alone begins']);
      releases.get('one')?.();
      while (!events.includes('two begins')) await new Promise((resolve) => setImmediate(resolve));
      await stop();
      assert.deepEqual(events.toSorted(), [
        'alone begins',
        'alone ends',
        'one begins',
        'one ends',
        'two begins',
        'two ends',
      ]);
    });
  });
