import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/ground/base/clock.ts';
import { assertRefused, inspect, revoke } from '../../support/answers.ts';
import { mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { Machine } from '../../support/machine.ts';
import { startedApp } from '../../support/started-app.ts';

const COUNTRY_HEADER = 'x-test-country';

for (const engine of engines)
  describe(`/heartbeat on ${engine}`, () => {
    const app = startedApp(engine, { LATCHKEY_COUNTRY_HEADER: COUNTRY_HEADER });

    for (const licenseType of ['per-machine', 'site'])
      it(`succeeds on a ${licenseType} license and changes nothing at all`, async () => {
        const licenseKey = await app.license({ licenseType });
        const machine = new Machine(app, licenseKey);
        const activated = await machine.activate({ headers: { [COUNTRY_HEADER]: 'DE' } });
        const stored = await inspect(app, licenseKey);
        app.clock.move(HOUR_MS);
        const body = await mustSucceed(machine.heartbeat({ headers: { [COUNTRY_HEADER]: 'FR' } }));
        assert.deepEqual(body, { success: true, expiresAt: activated.body.expiresAt });
        assert.deepEqual(await inspect(app, licenseKey), stored);
      });

    it('keeps a floating session alive and says until when', async () => {
      const licenseKey = await app.license({ licenseType: 'floating' });
      const machine = new Machine(app, licenseKey);
      const activated = await machine.activate();
      const sessionStarted = app.clock.at();
      app.clock.move(14 * MINUTE_MS);
      const body = await mustSucceed(machine.heartbeat({ headers: { [COUNTRY_HEADER]: 'FR' } }));
      assert.deepEqual(body, {
        success: true,
        expiresAt: activated.body.expiresAt,
        sessionExpiresAt: app.clock.at(15 * MINUTE_MS),
        heartbeatAfterSeconds: 300,
      });
      const [activation] = (await inspect(app, licenseKey)).activations;
      assert.equal(activation.sessionActive, true);
      assert.equal(activation.sessionStarted, sessionStarted);
      assert.equal(activation.lastSeen, app.clock.at());
      assert.equal(activation.lastCountry, 'FR');
    });

    it('never gives a new token, however old the present one is', async () => {
      const machine = await new Machine(app, await app.license({ licenseType: 'floating' })).activated();
      app.clock.move(29 * DAY_MS);
      const body = await mustSucceed(machine.heartbeat());
      assert.deepEqual(Object.keys(body), ['success', 'expiresAt', 'sessionExpiresAt', 'heartbeatAfterSeconds']);
    });

    for (const licenseType of ['per-machine', 'floating'])
      it(`404 on a ${licenseType} license when the machine was deactivated`, async () => {
        const machine = await new Machine(app, await app.license({ licenseType })).activated();
        await machine.deactivate();
        assertRefused(await machine.heartbeat(), 404, 'Machine not activated');
      });

    it('401 when the token is malformed, expired, of another machine or of another license', async () => {
      const machine = await new Machine(app, await app.license(), 'this').activated();
      const ownToken = machine.token;
      const others = [
        new Machine(app, machine.licenseKey, 'another machine'),
        new Machine(app, await app.license(), 'this'),
      ];
      for (const other of others) {
        machine.token = (await other.activated()).token;
        assertRefused(await machine.heartbeat(), 401, 'Invalid token');
      }
      machine.token = 'whatever';
      assertRefused(await machine.heartbeat(), 401, 'Invalid token');
      machine.token = ownToken;
      app.clock.move(30 * DAY_MS);
      assertRefused(await machine.heartbeat(), 401, 'Invalid token');
    });

    it('403 when the license is revoked or expired', async () => {
      const licenseKey = await app.license({ licenseType: 'floating', expiresAt: app.clock.at(DAY_MS) });
      const machine = await new Machine(app, licenseKey).activated();
      app.clock.move(DAY_MS);
      assertRefused(await machine.heartbeat(), 403, 'License has expired');
      await revoke(app, licenseKey);
      assertRefused(await machine.heartbeat(), 403, 'License has been revoked');
    });

    it('404 when nobody has the license key', async () => {
      const machine = new Machine(app, 'AAAAA-BBBBB-CCCCC-DDDDD-EEEEE');
      machine.token = 'whatever';
      assertRefused(await machine.heartbeat(), 404, 'License not found');
    });

    for (const field of ['licenseKey', 'machineFingerprint', 'token'])
      it(`400 when ${field} is absent, null or empty`, async () => {
        const fields = { licenseKey: 'K', machineFingerprint: 'M', token: 'T' };
        for (const value of [undefined, null, ''])
          assertRefused(await app.send('/heartbeat', { ...fields, [field]: value }), 400, 'Missing required fields');
      });
  });
