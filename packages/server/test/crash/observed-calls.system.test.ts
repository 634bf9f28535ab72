/** Observed calls that a server process has written survive a power cut; it writes the rest when it is stopped. */
import assert from 'node:assert/strict';
import { dirname } from 'node:path';
import { describe, it } from 'node:test';
import { openRows } from '../licensing/observed-calls/observed-rows.ts';
import { ADMIN_SECRET } from '../support/app.ts';
import { engines } from '../support/databases.ts';
import { startServerProcess } from '../support/server-process.ts';

const CALLS = 40;

for (const engine of engines)
  describe(`a server process on ${engine}`, () => {
    it('loses at most its unwritten rows when killed, and never a part of a row', async (test) => {
      const { database, rows } = await openRows(test, engine);
      const place = database.database;
      const environment: Record<string, string> =
        place.engine === 'sqlite' ? { LATCHKEY_DATA_DIR: dirname(place.file) } : {};
      let server = await startServerProcess(place, environment);
      const issued = await server.send('/createLicense', {
        ...{ adminSecret: ADMIN_SECRET, email: 'ada@example.com', productId: 'app' },
      });
      const { licenseKey } = issued.body;
      const refuse = (times: number) =>
        Promise.all(Array.from({ length: times }, () => server.send('/verify', { licenseKey, productId: 'another' })));
      const count = async () => (await rows.refusals(licenseKey)).reduce((sum, row) => sum + row.count, 0);

      await refuse(CALLS);
      while ((await count()) < CALLS) await new Promise((resolve) => setImmediate(resolve));
      await refuse(CALLS);
      await server.kill();
      const kept = await count();
      assert.ok(kept >= CALLS && kept <= 2 * CALLS, String(kept));
      for (const row of await rows.refusals(licenseKey)) {
        assert.deepEqual([row.code, row.details], ['wrong_product', { productId: 'another' }]);
        assert.ok(row.count > 0 && row.firstAt <= row.lastAt);
      }

      server = await startServerProcess(place, environment);
      await refuse(CALLS);
      assert.equal(await server.stop(), 0);
      assert.equal(await count(), kept + CALLS);
      // The killed process lost its counts of the first minute.
      assert.deepEqual(await rows.totals('app', 'day'), { 'verify.wrong_product': CALLS });
    });
  });
