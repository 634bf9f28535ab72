import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startApp, type TestApp } from '../support/app.ts';
import { engines } from '../support/databases.ts';
import { Machine } from '../support/machine.ts';

for (const engine of engines)
  describe(`/deactivate on ${engine}`, () => {
    let app: TestApp;
    before(async () => {
      app = await startApp(engine);
    });
    after(() => app.stop());

    it('frees the slot at once', async () => {
      const licenseKey = await app.license({ maxMachines: 1 });
      const first = await new Machine(app, licenseKey, 'first').activated();
      const second = new Machine(app, licenseKey, 'second');
      assert.equal((await second.activate()).status, 403);
      const freed = await first.deactivate();
      assert.deepEqual(freed.body, { success: true, machinesUsed: 0, maxMachines: 1 });
      assert.equal((await second.activate()).status, 200);
    });

    it('400 names the three fields when one is absent', async () => {
      const answer = await app.send('/deactivate', { licenseKey: 'X', token: 'y' });
      assert.equal(answer.status, 400);
      assert.deepEqual(answer.body, {
        success: false,
        error: 'Missing required fields (licenseKey, machineFingerprint, token)',
      });
    });
  });
