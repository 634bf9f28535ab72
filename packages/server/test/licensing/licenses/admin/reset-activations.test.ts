import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspect } from '../../../support/answers.ts';
import { mustSucceed } from '../../../support/creator.ts';
import { engines } from '../../../support/databases.ts';
import { Machine } from '../../../support/machine.ts';
import { startedApp } from '../../../support/started-app.ts';

for (const engine of engines)
  describe(`/resetActivations on ${engine}`, () => {
    const app = startedApp(engine);

    const read = (licenseKey: string) => inspect(app, licenseKey);

    it('removes every activation and changes nothing else', async () => {
      const licenseKey = await app.license({ maxMachines: 3 });
      for (const fingerprint of ['a', 'b', 'c']) await new Machine(app, licenseKey, fingerprint).activated();
      const before = await read(licenseKey);
      assert.equal(before.activationCount, 3);
      const answer = await mustSucceed(app.admin('/resetActivations', { licenseKey }));
      assert.deepEqual(answer, { success: true, license: before.license });
      assert.deepEqual(await read(licenseKey), { ...before, activations: [], activationCount: 0 });
    });

    it('frees the slots at once', async () => {
      const licenseKey = await app.license({ maxMachines: 1 });
      await new Machine(app, licenseKey, 'old').activated();
      const next = new Machine(app, licenseKey, 'next');
      assert.equal((await next.activate()).status, 403);
      await mustSucceed(app.admin('/resetActivations', { licenseKey }));
      assert.equal((await next.verify()).body.machinesUsed, 0);
      assert.deepEqual((await next.activate()).body.machinesUsed, 1);
    });

    it('frees the sessions of a floating license', async () => {
      const licenseKey = await app.license({ licenseType: 'floating', maxConcurrent: 1 });
      await new Machine(app, licenseKey, 'old').activated();
      await mustSucceed(app.admin('/resetActivations', { licenseKey }));
      const next = new Machine(app, licenseKey, 'next');
      assert.equal((await next.verify()).body.machinesUsed, 0);
      assert.equal((await next.activate()).status, 200);
    });

    it('leaves the machines unactivated, and their old tokens invalid after they activate again', async () => {
      const machine = await new Machine(app, await app.license()).activated();
      const oldToken = machine.token;
      await mustSucceed(app.admin('/resetActivations', { licenseKey: machine.licenseKey }));
      assert.deepEqual((await machine.validate()).body, { valid: false, error: 'Machine not activated' });
      await machine.activated();
      assert.equal((await machine.validate()).status, 200);
      machine.token = oldToken;
      assert.deepEqual((await machine.validate()).body, { valid: false, error: 'Invalid or expired token' });
    });

    it('touches no other license', async () => {
      const other = await new Machine(app, await app.license()).activated();
      const { licenseKey } = await new Machine(app, await app.license()).activated();
      await mustSucceed(app.admin('/resetActivations', { licenseKey }));
      assert.equal((await other.validate()).status, 200);
    });

    it('works for a revoked license, too, and leaves it revoked', async () => {
      const { licenseKey } = await new Machine(app, await app.license()).activated();
      await mustSucceed(app.admin('/revokeLicense', { licenseKey }));
      const { license } = await mustSucceed(app.admin('/resetActivations', { licenseKey }));
      assert.equal(license.status, 'revoked');
      assert.equal((await read(licenseKey)).activationCount, 0);
    });

    it('does nothing to a license without machines', async () => {
      const licenseKey = await app.license();
      const before = await read(licenseKey);
      await mustSucceed(app.admin('/resetActivations', { licenseKey }));
      assert.deepEqual(await read(licenseKey), before);
    });
  });
