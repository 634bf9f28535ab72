/** The reply after an unexpected failure: 500, and nothing about the reason (rules 7.2). */
import assert from 'node:assert/strict';
import { Agent } from 'node:https';
import { after, before, describe, it } from 'node:test';
import { type Statement, statement } from '../../../src/storage/contract/storage.ts';
import { openStorage } from '../../../src/storage/opening/open.ts';
import { ADMIN_SECRET, sendRequest, startApp, type TestApp } from '../../support/app.ts';
import { engines } from '../../support/databases.ts';

const hideLicenses = statement('test_license.hide', 'alter table license rename to hidden');
const showLicenses = statement('test_license.show', 'alter table hidden rename to license');

for (const engine of engines)
  describe(`an unexpected failure on ${engine}`, () => {
    let app: TestApp;
    let agent: Agent;
    before(async () => {
      app = await startApp(engine, { LATCHKEY_LOG_LEVEL: 'fatal' });
      agent = new Agent({ rejectUnauthorized: false });
    });
    after(async () => {
      agent.destroy();
      await app.stop();
    });

    /** Changes the tables under the running service. */
    async function change(table: Statement): Promise<void> {
      const storage = await openStorage(app.database);
      await storage.transaction((tx) => tx.run(table));
      await storage.close();
    }

    it('is a 500 without details, and the service goes on', async () => {
      const licenseKey = await app.license();
      const unknown = 'AAAAA-BBBBB-CCCCC-DDDDD-EEEEE';
      const admin = { adminSecret: ADMIN_SECRET };
      await change(hideLicenses);
      try {
        for (const [path, body, flag] of [
          ['/verify', { licenseKey: unknown, productId: 'app' }, 'valid'],
          ['/validate', { licenseKey, machineFingerprint: 'machine', token: 'token' }, 'valid'],
          ['/activate', { licenseKey, machineFingerprint: 'machine', hostname: 'host', productId: 'app' }, 'success'],
          ['/getLicense', { ...admin, licenseKey }, 'success'],
          ['/createLicense', { ...admin, email: 'ada@example.com', productId: 'app' }, 'success'],
        ] as const) {
          const answer = await sendRequest(agent, app.port, path, body, {});
          assert.equal(answer.status, 500, path);
          assert.deepEqual(answer.body, { [flag]: false, error: 'Unexpected server failure' });
        }
      } finally {
        await change(showLicenses);
      }
      assert.equal((await app.send('/verify', { licenseKey, productId: 'app' })).status, 200);
      await app.license();
    });
  });
