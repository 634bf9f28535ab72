/** Data that an older version stored is correct after its database was migrated. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { MINUTE_MS, systemClock } from '../../src/base/clock.ts';
import { migrateDatabase } from '../../src/storage/open.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { engines, freshDatabase, type TestDatabase } from '../support/databases.ts';
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
    let database: TestDatabase;
    let app: TestApp | undefined;
    before(async () => {
      database = await freshDatabase(engine);
    });
    after(async () => {
      await app?.stop();
      await database.remove();
    });

    it('has floating sessions that lapse in time', async () => {
      app = await startApp(engine, {}, database);
      const licenseKey = await app.license({ licenseType: 'floating', maxConcurrent: 1 });
      const { token } = await new Machine(app, licenseKey, 'old').activated();
      await app.stop();
      await execute(database.database, BEFORE_SESSION_DUE);
      assert.notDeepEqual(await migrateDatabase(database.database, systemClock()), []);

      app = await startApp(engine, {}, database);
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
