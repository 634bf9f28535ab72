import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/ground/base/clock.ts';
import { assertRefused, inspect, revoke } from '../../support/answers.ts';
import { engines } from '../../support/databases.ts';
import { Machine } from '../../support/machine.ts';
import { startedApp } from '../../support/started-app.ts';

for (const engine of engines)
  describe(`/validate on ${engine}`, () => {
    const app = startedApp(engine);

    it('answers the state of the license, without a new token while the old one is young', async () => {
      const licenseKey = await app.license({ email: 'grace@example.com', variant: 'studio', productId: 'compiler' });
      const machine = new Machine(app, licenseKey, 'machine-1', 'compiler');
      const activated = await machine.activate();
      const { status, body } = await machine.validate();
      assert.equal(status, 200);
      assert.deepEqual(body, {
        valid: true,
        expiresAt: activated.body.expiresAt,
        status: 'active',
        email: 'grace@example.com',
        productId: 'compiler',
        variant: 'studio',
        licenseExpiresAt: null,
        daysRemaining: null,
        licenseType: 'per-machine',
      });
    });

    it('counts the days until the license expires, a begun day as a whole one', async () => {
      const licenseExpiresAt = app.clock.at(2 * DAY_MS);
      const machine = await new Machine(app, await app.license({ expiresAt: licenseExpiresAt })).activated();
      const daysAfter = async (moveMs: number) => {
        app.clock.move(moveMs);
        const { body } = await machine.validate();
        assert.equal(body.licenseExpiresAt, licenseExpiresAt);
        return body.daysRemaining;
      };
      assert.equal(await daysAfter(0), 2);
      assert.equal(await daysAfter(1), 2);
      assert.equal(await daysAfter(DAY_MS - 1), 1);
      assert.equal(await daysAfter(DAY_MS - 1), 1);
      app.clock.move(1);
      assertRefused(await machine.validate(), 403, 'License has expired', 'valid');
    });

    it('moves lastSeen and nothing else of the machine', async () => {
      const licenseKey = await app.license();
      const machine = await new Machine(app, licenseKey).activated();
      const stored = await inspect(app, licenseKey);
      app.clock.move(HOUR_MS);
      await machine.validate();
      const [activation] = stored.activations;
      assert.deepEqual(await inspect(app, licenseKey), {
        ...stored,
        activations: [{ ...activation, lastSeen: app.clock.at() }],
      });
    });

    it('takes the license key in any case, with blanks around it', async () => {
      const licenseKey = await app.license();
      const { token } = await new Machine(app, licenseKey).activated();
      const typed = new Machine(app, `  ${licenseKey.toLowerCase()} `);
      typed.token = token;
      assert.equal((await typed.validate()).status, 200);
    });

    it('takes no slot and counts as no attempt, however often it is called', async () => {
      const licenseKey = await app.license({ maxMachines: 1 });
      const machine = await new Machine(app, licenseKey).activated();
      for (let times = 0; times < 20; times += 1) assert.equal((await machine.validate()).status, 200);
      const { activationCount, violations } = await inspect(app, licenseKey);
      assert.deepEqual([activationCount, violations], [1, []]);
      assert.equal((await machine.activate()).status, 200);
    });

    it('does not ask for the product: a bundle is validated whichever of its products was activated', async () => {
      const machine = new Machine(app, await app.license({ unlockedProducts: ['paint'] }));
      machine.productId = 'paint';
      await machine.activated();
      assert.equal((await machine.validate()).body.productId, 'app');
    });

    for (const field of ['licenseKey', 'machineFingerprint', 'token'])
      it(`400 when ${field} is absent, null or empty`, async () => {
        const fields = { licenseKey: 'K', machineFingerprint: 'M', token: 'T' };
        for (const value of [undefined, null, '']) {
          const answer = await app.send('/validate', { ...fields, [field]: value });
          assertRefused(answer, 400, 'Missing required fields', 'valid');
        }
      });

    it('400 names a field that is no text', async () => {
      const fields = { licenseKey: 'K', machineFingerprint: 'M', token: ['T'] };
      const answer = await app.send('/validate', fields);
      assertRefused(answer, 400, 'token must be a string of at most 2048 characters', 'valid');
    });

    it('404 when nobody has the license key', async () => {
      const machine = new Machine(app, 'AAAAA-BBBBB-CCCCC-DDDDD-EEEEE');
      machine.token = 'whatever';
      assertRefused(await machine.validate(), 404, 'License not found', 'valid');
    });

    it('401 when the token is malformed', async () => {
      const machine = new Machine(app, await app.license());
      machine.token = 'whatever';
      assertRefused(await machine.validate(), 401, 'Invalid or expired token', 'valid');
    });

    it('403 when the license is revoked', async () => {
      const licenseKey = await app.license();
      const machine = await new Machine(app, licenseKey).activated();
      await revoke(app, licenseKey);
      assertRefused(await machine.validate(), 403, 'License has been revoked', 'valid');
    });

    it('403 when the machine was deactivated, and when the activations were reset', async () => {
      const licenseKey = await app.license();
      const machine = await new Machine(app, licenseKey).activated();
      await machine.deactivate();
      assertRefused(await machine.validate(), 403, 'Machine not activated', 'valid');
      await machine.activated();
      assert.equal((await app.admin('/resetActivations', { licenseKey })).status, 200);
      assertRefused(await machine.validate(), 403, 'Machine not activated', 'valid');
    });

    it('lets a refused machine leave no trace', async () => {
      const licenseKey = await app.license();
      const machine = await new Machine(app, licenseKey).activated();
      await revoke(app, licenseKey);
      const stored = await inspect(app, licenseKey);
      app.clock.move(MINUTE_MS);
      await machine.validate();
      assert.deepEqual(await inspect(app, licenseKey), stored);
    });
  });
