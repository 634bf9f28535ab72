import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS, MINUTE_MS } from '../../../src/ground/base/clock.ts';
import { assertRefused, inspect, revoke, update } from '../../support/answers.ts';
import { engines } from '../../support/databases.ts';
import { Machine } from '../../support/machine.ts';
import { startedApp } from '../../support/started-app.ts';

for (const engine of engines)
  describe(`/activate on ${engine}`, () => {
    const app = startedApp(engine);

    it('answers a token of 30 days and the state of the license', async () => {
      const licenseKey = await app.license({ variant: 'studio', maxMachines: 3 });
      const { status, body } = await new Machine(app, licenseKey).activate();
      assert.equal(status, 200);
      const { token, expiresAt, ...rest } = body;
      assert.equal(typeof token, 'string');
      const lifetimeMs = Date.parse(expiresAt) - app.clock.now();
      // A token's times are whole seconds, rounded down.
      assert.ok(lifetimeMs <= 30 * DAY_MS && lifetimeMs > 30 * DAY_MS - 1000, expiresAt);
      assert.deepEqual(rest, {
        success: true,
        machinesUsed: 1,
        maxMachines: 3,
        status: 'active',
        variant: 'studio',
        message: 'License activated',
        licenseExpiresAt: null,
        licenseType: 'per-machine',
      });
    });

    it('answers the expiry of the license, not of the token', async () => {
      const licenseExpiresAt = app.clock.at(DAY_MS);
      const licenseKey = await app.license({ expiresAt: licenseExpiresAt });
      const { body } = await new Machine(app, licenseKey).activate();
      assert.equal(body.licenseExpiresAt, licenseExpiresAt);
      assert.ok(body.expiresAt > licenseExpiresAt);
    });

    it('binds the machine: the support desk sees it', async () => {
      const licenseKey = await app.license();
      const { body } = await new Machine(app, licenseKey, 'the-laptop').activate();
      const { activations } = await inspect(app, licenseKey);
      assert.deepEqual(activations, [
        {
          fingerprint: 'the-laptop',
          hostname: 'host of the-laptop',
          firstSeen: app.clock.at(),
          lastSeen: app.clock.at(),
          tokenExpiry: body.expiresAt,
          sessionStarted: null,
          sessionActive: false,
          countries: [],
          lastCountry: null,
        },
      ]);
    });

    it('takes the license key in any case, with blanks around it', async () => {
      const licenseKey = await app.license();
      const { status } = await new Machine(app, ` \t${licenseKey.toLowerCase()} \n`, 'first').activate();
      assert.equal(status, 200);
      const { body } = await new Machine(app, licenseKey, 'second').activate();
      assert.equal(body.machinesUsed, 2);
    });

    it('again on a bound machine takes no slot, and updates hostname and lastSeen', async () => {
      const licenseKey = await app.license({ maxMachines: 1 });
      const machine = await new Machine(app, licenseKey, 'known').activated();
      const firstSeen = app.clock.at();
      const firstToken = machine.token;
      app.clock.move(5 * MINUTE_MS);
      const { status, body } = await app.send('/activate', {
        licenseKey,
        machineFingerprint: 'known',
        hostname: 'renamed',
        productId: 'app',
      });
      assert.equal(status, 200);
      assert.equal(body.machinesUsed, 1);
      assert.equal(body.message, 'Machine was already activated');
      assert.notEqual(body.token, firstToken);
      const { activations, activationCount } = await inspect(app, licenseKey);
      assert.equal(activationCount, 1);
      assert.equal(activations.length, 1);
      assert.equal(activations[0].hostname, 'renamed');
      assert.equal(activations[0].firstSeen, firstSeen);
      assert.equal(activations[0].lastSeen, app.clock.at());
      assert.equal(activations[0].tokenExpiry, body.expiresAt);
      // The reply may have been lost: the machine may continue with its token.
      assert.equal((await machine.validate()).status, 200);
    });

    it('distinguishes fingerprints that differ only in case or blanks', async () => {
      const licenseKey = await app.license({ maxMachines: 3 });
      for (const fingerprint of ['ab', 'AB', ' ab']) await new Machine(app, licenseKey, fingerprint).activated();
      assert.equal((await inspect(app, licenseKey)).activationCount, 3);
    });

    for (const field of ['licenseKey', 'machineFingerprint', 'hostname', 'productId'])
      it(`400 when ${field} is absent, null or empty`, async () => {
        const fields = { licenseKey: 'K', machineFingerprint: 'M', hostname: 'H', productId: 'P' };
        for (const value of [undefined, null, ''])
          assertRefused(await app.send('/activate', { ...fields, [field]: value }), 400, 'Missing required fields');
      });

    it('400 names a field that is no text or too long', async () => {
      const fields = { licenseKey: 'K', machineFingerprint: 'M', hostname: 'H', productId: 'P' };
      assertRefused(
        await app.send('/activate', { ...fields, machineFingerprint: 7 }),
        400,
        'machineFingerprint must be a string of at most 512 characters',
      );
      // A name serves people: it is cut, not refused.
      assertRefused(await app.send('/activate', { ...fields, hostname: 'h'.repeat(256) }), 404, 'License not found');
    });

    it('404 when nobody has the license key', async () => {
      const answer = await new Machine(app, 'AAAAA-BBBBB-CCCCC-DDDDD-EEEEE').activate();
      assertRefused(answer, 404, 'License not found');
    });

    it('403 for another product', async () => {
      const machine = new Machine(app, await app.license(), 'machine-1', 'another');
      assertRefused(await machine.activate(), 403, 'License is for a different product');
    });

    it('opens every product that a bundle unlocks, and no other', async () => {
      const licenseKey = await app.license({ bundleId: 'suite', unlockedProducts: ['paint', 'print'] });
      const machine = new Machine(app, licenseKey);
      for (const productId of ['app', 'paint', 'print']) {
        machine.productId = productId;
        assert.equal((await machine.activate()).body.machinesUsed, 1);
      }
      machine.productId = 'suite';
      assertRefused(await machine.activate(), 403, 'License is for a different product');
    });

    it('403 when the license is revoked', async () => {
      const licenseKey = await app.license();
      await revoke(app, licenseKey);
      assertRefused(await new Machine(app, licenseKey).activate(), 403, 'License has been revoked');
    });

    it('403 from the moment of expiry on, and not before', async () => {
      const licenseKey = await app.license({ expiresAt: app.clock.at(1000) });
      const machine = new Machine(app, licenseKey);
      app.clock.move(999);
      assert.equal((await machine.activate()).status, 200);
      app.clock.move(1);
      assertRefused(await machine.activate(), 403, 'License has expired');
    });

    it('works again when an expired license is extended', async () => {
      const licenseKey = await app.license({ expiresAt: app.clock.at(-DAY_MS) });
      const machine = new Machine(app, licenseKey);
      assertRefused(await machine.activate(), 403, 'License has expired');
      await update(app, licenseKey, { expiresAt: app.clock.at(DAY_MS) });
      assert.equal((await machine.activate()).status, 200);
    });

    it('403 when every machine slot is taken, with the number of slots; two unless the license says otherwise', async () => {
      const licenseKey = await app.license();
      await new Machine(app, licenseKey, 'first').activated();
      await new Machine(app, licenseKey, 'second').activated();
      assertRefused(
        await new Machine(app, licenseKey, 'third').activate(),
        403,
        'Machine limit reached (2). Deactivate another machine first.',
      );
      assert.equal((await inspect(app, licenseKey)).activationCount, 2);
    });

    it('lets machines that are bound go on when the limit is lowered, but no further one in', async () => {
      const licenseKey = await app.license({ maxMachines: 3 });
      const bound = await Promise.all(['a', 'b', 'c'].map((name) => new Machine(app, licenseKey, name).activated()));
      await update(app, licenseKey, { maxMachines: 1 });
      assert.deepEqual((await bound[0]!.activate()).body.machinesUsed, 3);
      const refusal = 'Machine limit reached (1). Deactivate another machine first.';
      await bound[1]!.deactivate();
      await bound[2]!.deactivate();
      assertRefused(await bound[1]!.activate(), 403, refusal);
      await bound[0]!.deactivate();
      assert.equal((await bound[1]!.activate()).status, 200);
    });

    it('lets any number of machines use a site license without a limit', async () => {
      const licenseKey = await app.license({ licenseType: 'site', maxMachines: -1 });
      for (let machines = 1; machines <= 6; machines += 1) {
        const { body } = await new Machine(app, licenseKey, `desk ${machines}`).activate();
        assert.deepEqual([body.machinesUsed, body.maxMachines], [machines, -1]);
      }
    });

    it('counts machines of a site license that has a limit', async () => {
      const licenseKey = await app.license({ licenseType: 'site', maxMachines: 1 });
      await new Machine(app, licenseKey, 'first').activated();
      assertRefused(
        await new Machine(app, licenseKey, 'second').activate(),
        403,
        'Machine limit reached (1). Deactivate another machine first.',
      );
    });

    it('lets any number of machines use a per-machine license without a limit', async () => {
      const licenseKey = await app.license({ maxMachines: -1 });
      for (const name of ['a', 'b', 'c']) await new Machine(app, licenseKey, name).activated();
      assert.equal((await inspect(app, licenseKey)).activationCount, 3);
    });

    it('counts live sessions of a floating license against maxConcurrent, not maxMachines', async () => {
      const licenseKey = await app.license({ licenseType: 'floating', maxMachines: 9, maxConcurrent: 2 });
      const first = await new Machine(app, licenseKey, 'first').activate();
      assert.deepEqual([first.body.machinesUsed, first.body.maxMachines], [1, 2]);
      const second = await new Machine(app, licenseKey, 'second').activate();
      assert.deepEqual([second.body.machinesUsed, second.body.maxMachines], [2, 2]);
      assertRefused(
        await new Machine(app, licenseKey, 'third').activate(),
        403,
        'Machine limit reached (2). Deactivate another machine first.',
      );
    });

    it('counts live sessions of a floating license without maxConcurrent against maxMachines', async () => {
      const licenseKey = await app.license({ licenseType: 'floating', maxMachines: 1 });
      const { body } = await new Machine(app, licenseKey, 'first').activate();
      assert.deepEqual([body.machinesUsed, body.maxMachines], [1, 1]);
      assertRefused(
        await new Machine(app, licenseKey, 'second').activate(),
        403,
        'Machine limit reached (1). Deactivate another machine first.',
      );
    });

    it('405 for anything but POST', async () => {
      const answer = await app.send('/activate', undefined, { method: 'GET' });
      assertRefused(answer, 405, 'Method not allowed');
      assert.equal(answer.headers.allow, 'POST');
    });
  });
