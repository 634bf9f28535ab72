import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS } from '../../../src/ground/base/clock.ts';
import { assertRefused, inspect, revoke } from '../../support/answers.ts';
import { engines } from '../../support/databases.ts';
import { Machine } from '../../support/machine.ts';
import { startedApp } from '../../support/started-app.ts';

const MISSING = 'Missing required fields (licenseKey, machineFingerprint, token)';

for (const engine of engines)
  describe(`/deactivate on ${engine}`, () => {
    const app = startedApp(engine);

    it('frees the slot at once', async () => {
      const licenseKey = await app.license({ maxMachines: 1 });
      const first = await new Machine(app, licenseKey, 'first').activated();
      const second = new Machine(app, licenseKey, 'second');
      assert.equal((await second.activate()).status, 403);
      const freed = await first.deactivate();
      assert.deepEqual(freed.body, { success: true, machinesUsed: 0, maxMachines: 1 });
      assert.equal((await second.activate()).status, 200);
    });

    it('removes the activation and leaves those of other machines', async () => {
      const licenseKey = await app.license({ licenseType: 'site', maxMachines: -1 });
      const machine = await new Machine(app, licenseKey, 'leaves').activated();
      await new Machine(app, licenseKey, 'stays').activated();
      assert.deepEqual((await machine.deactivate()).body, { success: true, machinesUsed: 1, maxMachines: -1 });
      const { activations, activationCount } = await inspect(app, licenseKey);
      assert.equal(activationCount, 1);
      assert.equal(activations.length, 1);
      assert.equal(activations[0].fingerprint, 'stays');
    });

    it('takes the license key in any case, with blanks around it', async () => {
      const licenseKey = await app.license();
      const { token } = await new Machine(app, licenseKey).activated();
      const typed = new Machine(app, ` ${licenseKey.toLowerCase()} `);
      typed.token = token;
      assert.equal((await typed.deactivate()).body.machinesUsed, 0);
    });

    it('404 the second time', async () => {
      const licenseKey = await app.license();
      const machine = await new Machine(app, licenseKey).activated();
      assert.equal((await machine.deactivate()).status, 200);
      assertRefused(await machine.deactivate(), 404, 'Machine not activated');
      assert.equal((await inspect(app, licenseKey)).activationCount, 0);
    });

    it('404 after the activations were reset', async () => {
      const licenseKey = await app.license();
      const machine = await new Machine(app, licenseKey).activated();
      await app.admin('/resetActivations', { licenseKey });
      assertRefused(await machine.deactivate(), 404, 'Machine not activated');
    });

    it('401 for the slot of another machine: its own token is needed', async () => {
      const licenseKey = await app.license();
      const victim = await new Machine(app, licenseKey, 'victim').activated();
      const thief = await new Machine(app, licenseKey, 'thief').activated();
      const attempt = new Machine(app, licenseKey, 'victim');
      attempt.token = thief.token;
      assertRefused(await attempt.deactivate(), 401, 'Token mismatch');
      assert.equal((await victim.validate()).status, 200);
    });

    it('401 when the token is malformed, and when it has expired', async () => {
      const machine = await new Machine(app, await app.license()).activated();
      app.clock.move(30 * DAY_MS);
      assertRefused(await machine.deactivate(), 401, 'Invalid or expired token');
      machine.token = 'whatever';
      assertRefused(await machine.deactivate(), 401, 'Invalid or expired token');
    });

    it('403 when the license is revoked or expired: the machine stays bound', async () => {
      const licenseKey = await app.license({ expiresAt: app.clock.at(DAY_MS) });
      const machine = await new Machine(app, licenseKey).activated();
      app.clock.move(DAY_MS);
      assertRefused(await machine.deactivate(), 403, 'License has expired');
      await revoke(app, licenseKey);
      assertRefused(await machine.deactivate(), 403, 'License has been revoked');
      assert.equal((await inspect(app, licenseKey)).activationCount, 1);
    });

    it('404 when nobody has the license key', async () => {
      const machine = new Machine(app, 'AAAAA-BBBBB-CCCCC-DDDDD-EEEEE');
      machine.token = 'whatever';
      assertRefused(await machine.deactivate(), 404, 'License not found');
    });

    for (const field of ['licenseKey', 'machineFingerprint', 'token'])
      it(`400 when ${field} is absent, null or empty`, async () => {
        const fields = { licenseKey: 'K', machineFingerprint: 'M', token: 'T' };
        for (const value of [undefined, null, ''])
          assertRefused(await app.send('/deactivate', { ...fields, [field]: value }), 400, MISSING);
      });
  });
