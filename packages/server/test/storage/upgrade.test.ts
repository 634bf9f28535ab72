/** Data that an older version stored is correct after its database was migrated. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MINUTE_MS, systemClock } from '../../src/ground/base/clock.ts';
import { migrateDatabase } from '../../src/storage/opening/open.ts';
import { engines } from '../support/databases.ts';
import { freshFor, served } from '../support/for-test.ts';
import { Machine } from '../support/machine.ts';
import { execute } from '../support/own-connection.ts';

const TIMEOUT_MS = 15 * MINUTE_MS;

/** Before sessions had a due time, lapsed ones were found by their deadlines. */
const BEFORE_SESSION_DUE = `
  drop table trial_rate;
  drop index activation_by_due;
  alter table activation drop column session_due;
  create index activation_by_deadline on activation (license_key, session_deadline) where session_deadline is not null;
  delete from schema_migration where version = 9;
`;

for (const engine of engines)
  describe(`a database of an older version on ${engine}`, () => {
    it('has floating sessions that lapse in time', async (test) => {
      const database = await freshFor(test, engine);
      const [licenseKey, token] = await served(database, async (app) => {
        const key = await app.license({ licenseType: 'floating', maxConcurrent: 1 });
        return [key, (await new Machine(app, key, 'old').activated()).token] as const;
      });
      await execute(database, BEFORE_SESSION_DUE);
      assert.notDeepEqual(await migrateDatabase(database, systemClock()), []);

      await served(database, async (app) => {
        const old = new Machine(app, licenseKey, 'old');
        old.token = token;
        const next = new Machine(app, licenseKey, 'next');
        assert.equal((await old.verify()).body.machinesUsed, 1);
        assert.equal((await next.activate()).status, 403);
        app.clock.move(TIMEOUT_MS);
        assert.equal((await old.verify()).body.machinesUsed, 0);
        assert.equal((await next.activate()).status, 200);
        assert.equal((await old.heartbeat()).status, 404);
      });
    });
  });
