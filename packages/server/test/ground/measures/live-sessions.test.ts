/** The metric of live sessions: counted at a bounded cost. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MINUTE_MS } from '../../../src/ground/base/clock.ts';
import { countLiveSessions } from '../../../src/licensing/machines/session-count-store.ts';
import { engines } from '../../support/databases.ts';
import { startedWithStorage } from '../../support/started-app.ts';
import { scrapedValue, scrapeUntil } from './scrape.ts';

for (const engine of engines)
  describe(`live sessions on ${engine}`, { timeout: 60_000 }, () => {
    const { app, storage } = startedWithStorage(engine, { LATCHKEY_METRICS_PORT: '0' });

    const count = (most?: number) => storage.read((sql) => countLiveSessions(sql, app.clock.now(), most));

    it('are counted over all licenses, until they have lapsed or were given back', async () => {
      assert.deepEqual(await count(), { live: 0, isComplete: true });
      const licenseKeys: string[] = [];
      for (const maxConcurrent of [3, 2]) {
        const licenseKey = await app.license({ licenseType: 'floating', maxMachines: -1, maxConcurrent });
        licenseKeys.push(licenseKey);
        for (let machine = 0; machine < maxConcurrent; machine += 1) await activate(licenseKey, `machine ${machine}`);
      }
      // A license of another type has no sessions.
      await activate(await app.license({ maxMachines: 2 }), 'machine');
      assert.deepEqual(await count(), { live: 5, isComplete: true });
      app.clock.move(10 * MINUTE_MS);
      const sign = { ...machineOf(licenseKeys[0]!, 'machine 0'), token: tokens.get('machine 0') };
      assert.equal((await app.send('/heartbeat', sign)).status, 200);
      app.clock.move(10 * MINUTE_MS);
      assert.deepEqual(await count(), { live: 1, isComplete: true });
    });

    it('are read up to a bound, which the answer states', async () => {
      const licenseKey = await app.license({ licenseType: 'floating', maxMachines: -1, maxConcurrent: 9 });
      for (let machine = 0; machine < 9; machine += 1) await activate(licenseKey, `another ${machine}`);
      const counted = await count(4);
      assert.equal(counted.isComplete, false);
      assert.ok(counted.live <= 4);
      assert.equal((await count()).live, 10);
    });

    it('are reported by the metrics', async () => {
      const samples = await scrapeUntil(app, (each) => scrapedValue(each, 'latchkey_live_sessions') !== undefined);
      assert.equal(scrapedValue(samples, 'latchkey_live_sessions_complete'), 1);
    });

    const tokens = new Map<string, string>();
    const machineOf = (licenseKey: string, machineFingerprint: string) => ({
      ...{ licenseKey, machineFingerprint, hostname: 'host', productId: 'app' },
    });

    async function activate(licenseKey: string, fingerprint: string): Promise<void> {
      const { status, body } = await app.send('/activate', machineOf(licenseKey, fingerprint));
      assert.equal(status, 200, JSON.stringify(body));
      if (!tokens.has(fingerprint)) tokens.set(fingerprint, body.token);
    }
  });
