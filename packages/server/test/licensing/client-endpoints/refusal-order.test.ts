/**
 * The order of refusals for a call with several mistakes: each test corrects one mistake after the other (rules 1.2).
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS, HOUR_MS } from '../../../src/ground/base/clock.ts';
import { assertRefused, revoke, update } from '../../support/answers.ts';
import type { Answer } from '../../support/app.ts';
import { engines } from '../../support/databases.ts';
import { Machine } from '../../support/machine.ts';
import { startedApp } from '../../support/started-app.ts';

const UNKNOWN_KEY = 'AAAAA-BBBBB-CCCCC-DDDDD-EEEEE';

/** The endpoints that a session token opens, and the text of each refusal. */
const sessionEndpoints = [
  {
    path: '/validate',
    flag: 'valid',
    missing: 'Missing required fields',
    invalidToken: 'Invalid or expired token',
    tokenMismatch: 'Token mismatch',
    notActivated: 403,
    ask: (machine: Machine) => machine.validate(),
  },
  {
    path: '/deactivate',
    flag: 'success',
    missing: 'Missing required fields (licenseKey, machineFingerprint, token)',
    invalidToken: 'Invalid or expired token',
    tokenMismatch: 'Token mismatch',
    notActivated: 404,
    ask: (machine: Machine) => machine.deactivate(),
  },
  {
    path: '/heartbeat',
    flag: 'success',
    missing: 'Missing required fields',
    invalidToken: 'Invalid token',
    tokenMismatch: 'Invalid token',
    notActivated: 404,
    ask: (machine: Machine) => machine.heartbeat(),
  },
] as const;

for (const engine of engines)
  describe(`the order of refusals on ${engine}`, () => {
    const app = startedApp(engine);

    it('/activate: fields, license, rate, product, revocation, expiry, slots', async () => {
      const licenseKey = await app.license({ maxMachines: 1 });
      const bound = await new Machine(app, licenseKey, 'bound').activated();
      await update(app, licenseKey, { expiresAt: app.clock.at(-DAY_MS), status: 'revoked' });
      const machine = new Machine(app, licenseKey, 'further', 'another');
      for (let attempts = 1; attempts < 15; attempts += 1) await machine.activate();

      const noKey = { machineFingerprint: 'further', hostname: '', productId: 'another' };
      assertRefused(await app.send('/activate', { licenseKey, ...noKey }), 400, 'Missing required fields');
      assertRefused(await app.send('/activate', { licenseKey: UNKNOWN_KEY, ...noKey }), 400, 'Missing required fields');
      assertRefused(await new Machine(app, UNKNOWN_KEY).activate(), 404, 'License not found');
      assertRefused(await machine.activate(), 429, 'Too many activation attempts. Try again later.');
      app.clock.move(HOUR_MS);
      assertRefused(await machine.activate(), 403, 'License is for a different product');
      machine.productId = 'app';
      assertRefused(await machine.activate(), 403, 'License has been revoked');
      await app.admin('/reinstateLicense', { licenseKey });
      assertRefused(await machine.activate(), 403, 'License has expired');
      await update(app, licenseKey, { expiresAt: null });
      assertRefused(await machine.activate(), 403, 'Machine limit reached (1). Deactivate another machine first.');
      await bound.deactivate();
      assert.equal((await machine.activate()).status, 200);
    });

    it('/verify: fields, license, product, revocation, expiry', async () => {
      const licenseKey = await app.license({ expiresAt: app.clock.at(-DAY_MS) });
      await revoke(app, licenseKey);
      const machine = new Machine(app, licenseKey, 'machine-1', 'another');
      const missing = await app.send('/verify', { licenseKey: UNKNOWN_KEY });
      assertRefused(missing, 400, 'Missing licenseKey or productId', 'valid');
      assertRefused(await new Machine(app, UNKNOWN_KEY).verify(), 404, 'License not found', 'valid');
      assertRefused(await machine.verify(), 403, 'License is for a different product', 'valid');
      machine.productId = 'app';
      assertRefused(await machine.verify(), 403, 'License has been revoked', 'valid');
      await app.admin('/reinstateLicense', { licenseKey });
      assertRefused(await machine.verify(), 403, 'License has expired', 'valid');
      await update(app, licenseKey, { expiresAt: null });
      assert.equal((await machine.verify()).status, 200);
    });

    for (const { path, flag, missing, invalidToken, tokenMismatch, notActivated, ask } of sessionEndpoints)
      it(`${path}: fields, license, token, whose token, revocation, expiry, machine, which activation`, async () => {
        const licenseKey = await app.license();
        const machine = await new Machine(app, licenseKey, 'this').activated();
        const goodToken = machine.token;
        const otherLicense = await new Machine(app, await app.license(), 'this').activated();
        const otherMachine = await new Machine(app, licenseKey, 'that').activated();
        await machine.deactivate();
        await update(app, licenseKey, { expiresAt: app.clock.at(-DAY_MS), status: 'revoked' });
        const refused = (answer: Answer, status: number, error: string) => assertRefused(answer, status, error, flag);

        refused(await app.send(path, { licenseKey: UNKNOWN_KEY, token: 'garbage' }), 400, missing);
        const stranger = new Machine(app, UNKNOWN_KEY);
        stranger.token = 'garbage';
        refused(await ask(stranger), 404, 'License not found');
        machine.token = 'garbage';
        refused(await ask(machine), 401, invalidToken);
        for (const { token } of [otherLicense, otherMachine]) {
          machine.token = token;
          refused(await ask(machine), 401, tokenMismatch);
        }
        machine.token = goodToken;
        refused(await ask(machine), 403, 'License has been revoked');
        await app.admin('/reinstateLicense', { licenseKey });
        refused(await ask(machine), 403, 'License has expired');
        await update(app, licenseKey, { expiresAt: null });
        refused(await ask(machine), notActivated, 'Machine not activated');
        await machine.activated();
        const newToken = machine.token;
        machine.token = goodToken;
        refused(await ask(machine), 401, invalidToken);
        machine.token = newToken;
        assert.equal((await ask(machine)).status, 200);
      });

    it('401 for an expired token, before any other fault of the license or the machine', async () => {
      const licenseKey = await app.license();
      const machine = await new Machine(app, licenseKey).activated();
      app.clock.move(30 * DAY_MS);
      await revoke(app, licenseKey);
      for (const { ask, invalidToken, flag } of sessionEndpoints)
        assertRefused(await ask(machine), 401, invalidToken, flag);
    });
  });
