import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS, MINUTE_MS } from '../../../src/ground/base/clock.ts';
import { assertRefused, inspect, revoke, update } from '../../support/answers.ts';
import { engines } from '../../support/databases.ts';
import { Machine } from '../../support/machine.ts';
import { startedApp } from '../../support/started-app.ts';

for (const engine of engines)
  describe(`/verify on ${engine}`, () => {
    const app = startedApp(engine);

    it('answers the state of the license', async () => {
      const licenseKey = await app.license({ email: 'grace@example.com', variant: 'studio', maxMachines: 4 });
      const createdAt = app.clock.at();
      const machine = new Machine(app, licenseKey);
      app.clock.move(MINUTE_MS);
      const { status, body } = await machine.verify();
      assert.equal(status, 200);
      assert.deepEqual(body, {
        valid: true,
        email: 'grace@example.com',
        productId: 'app',
        variant: 'studio',
        licenseType: 'per-machine',
        status: 'active',
        machinesUsed: 0,
        maxMachines: 4,
        createdAt,
        purchasedAt: createdAt,
        licenseExpiresAt: null,
        daysRemaining: null,
      });
    });

    it('counts the days until the license expires, a begun day as a whole one', async () => {
      const licenseExpiresAt = app.clock.at(2 * DAY_MS);
      const machine = new Machine(app, await app.license({ expiresAt: licenseExpiresAt }));
      const days = async () => {
        const { body } = await machine.verify();
        assert.equal(body.licenseExpiresAt, licenseExpiresAt);
        return body.daysRemaining;
      };
      assert.equal(await days(), 2);
      app.clock.move(DAY_MS - 1);
      assert.equal(await days(), 2);
      app.clock.move(1);
      assert.equal(await days(), 1);
      app.clock.move(DAY_MS - 1);
      assert.equal(await days(), 1);
      app.clock.move(-DAY_MS);
      assert.equal(await days(), 2, 'a clock that was set back got the days of before');
    });

    it('refuses a license from its last moment on, however often it was accepted before', async () => {
      const machine = new Machine(app, await app.license({ expiresAt: app.clock.at(MINUTE_MS) }));
      for (let times = 0; times < 3; times += 1) assert.equal((await machine.verify()).status, 200);
      app.clock.move(MINUTE_MS - 1);
      assert.equal((await machine.verify()).status, 200);
      app.clock.move(1);
      assertRefused(await machine.verify(), 403, 'License has expired', 'valid');
    });

    it('binds nothing, counts as no attempt and changes nothing', async () => {
      const licenseKey = await app.license({ maxMachines: 1 });
      const stored = await inspect(app, licenseKey);
      const machine = new Machine(app, licenseKey);
      for (let times = 0; times < 20; times += 1) assert.equal((await machine.verify()).status, 200);
      assert.deepEqual(await inspect(app, licenseKey), stored);
      assert.equal((await machine.activate()).status, 200);
    });

    it('takes the license key in any case, with blanks around it', async () => {
      const licenseKey = await app.license();
      assert.equal((await new Machine(app, `  ${licenseKey.toLowerCase()}\n`).verify()).status, 200);
    });

    it('answers for every product that a bundle unlocks, under the product that was asked for', async () => {
      const machine = new Machine(app, await app.license({ bundleId: 'suite', unlockedProducts: ['paint', 'print'] }));
      for (const productId of ['app', 'paint', 'print', 'print', 'app']) {
        machine.productId = productId;
        const { status, body } = await machine.verify();
        assert.deepEqual([status, body.productId], [200, productId]);
      }
      machine.productId = 'suite';
      assertRefused(await machine.verify(), 403, 'License is for a different product', 'valid');
    });

    it('shows slots as /activate does: machines, machines without limit, live sessions', async () => {
      const orders = [
        { order: { licenseType: 'per-machine', maxMachines: 3 }, limit: 3 },
        { order: { licenseType: 'site', maxMachines: -1 }, limit: -1 },
        { order: { licenseType: 'floating', maxMachines: 9, maxConcurrent: 5 }, limit: 5 },
        { order: { licenseType: 'floating', maxMachines: 9 }, limit: 9 },
      ];
      for (const { order, limit } of orders) {
        const machine = await new Machine(app, await app.license(order)).activated();
        const { body } = await machine.verify();
        assert.deepEqual([body.licenseType, body.machinesUsed, body.maxMachines], [order.licenseType, 1, limit]);
      }
    });

    for (const field of ['licenseKey', 'productId'])
      it(`400 when ${field} is absent, null or empty`, async () => {
        const fields = { licenseKey: 'K', productId: 'P' };
        for (const value of [undefined, null, '']) {
          const answer = await app.send('/verify', { ...fields, [field]: value });
          assertRefused(answer, 400, 'Missing licenseKey or productId', 'valid');
        }
      });

    it('404 when nobody has the license key, also right after it was asked for', async () => {
      const machine = new Machine(app, 'AAAAA-BBBBB-CCCCC-DDDDD-EEEEE');
      assertRefused(await machine.verify(), 404, 'License not found', 'valid');
      assertRefused(await machine.verify(), 404, 'License not found', 'valid');
    });

    it('405 for anything but POST: a license key does not belong in an address', async () => {
      const licenseKey = await app.license();
      const path = `/verify?licenseKey=${licenseKey}&productId=app`;
      assertRefused(await app.send(path, undefined, { method: 'GET' }), 405, 'Method not allowed', 'valid');
    });
  });

/**
 * Where one process is the only writer, /verify replies from memory. Each test calls it twice before a change, so that
 * the license is cached, and then right after it.
 */
for (const engine of engines)
  describe(`/verify tells the truth on ${engine} right after`, () => {
    const app = startedApp(engine);

    const remembered = async (machine: Machine) => {
      await machine.verify();
      return (await machine.verify()).body;
    };
    const used = async (machine: Machine) => (await machine.verify()).body.machinesUsed;

    it('an activation, a second one, a deactivation and a reset', async () => {
      const licenseKey = await app.license();
      const machine = new Machine(app, licenseKey, 'first');
      assert.equal((await remembered(machine)).machinesUsed, 0);
      await machine.activated();
      assert.equal(await used(machine), 1);
      await remembered(machine);
      await new Machine(app, licenseKey, 'second').activated();
      assert.equal(await used(machine), 2);
      await remembered(machine);
      await machine.deactivate();
      assert.equal(await used(machine), 1);
      await remembered(machine);
      await app.admin('/resetActivations', { licenseKey });
      assert.equal(await used(machine), 0);
    });

    it('a revocation, a reinstatement, and one by way of resolved violations', async () => {
      const licenseKey = await app.license();
      const machine = new Machine(app, licenseKey);
      const refused = async () => {
        assertRefused(await machine.verify(), 403, 'License has been revoked', 'valid');
        assertRefused(await machine.verify(), 403, 'License has been revoked', 'valid');
      };
      await remembered(machine);
      await revoke(app, licenseKey);
      await refused();
      await app.admin('/reinstateLicense', { licenseKey });
      assert.equal((await remembered(machine)).valid, true);
      await app.admin('/revokeLicense', { licenseKey, reason: 'refund' });
      await refused();
      const [violation] = (await inspect(app, licenseKey)).violations;
      await app.admin('/resolveLicense', { licenseKey, violationIds: [violation.id] });
      assert.equal((await machine.verify()).body.valid, true);
    });

    it('an update of each field that it shows', async () => {
      const licenseKey = await app.license();
      const machine = new Machine(app, licenseKey);
      const expiresAt = app.clock.at(DAY_MS);
      const changes: [Record<string, unknown>, Record<string, unknown>][] = [
        [{ variant: 'studio' }, { variant: 'studio' }],
        [{ maxMachines: 7 }, { maxMachines: 7 }],
        [{ expiresAt }, { licenseExpiresAt: expiresAt, daysRemaining: 1 }],
        [
          { licenseType: 'floating', maxConcurrent: 3 },
          { licenseType: 'floating', maxMachines: 3 },
        ],
      ];
      for (const [change, shown] of changes) {
        const before = await remembered(machine);
        await update(app, licenseKey, change);
        assert.deepEqual((await machine.verify()).body, { ...before, ...shown });
      }
      await update(app, licenseKey, { status: 'revoked' });
      assertRefused(await machine.verify(), 403, 'License has been revoked', 'valid');
    });

    it('its expiry, which is no write', async () => {
      const machine = new Machine(app, await app.license({ expiresAt: app.clock.at(MINUTE_MS) }));
      await remembered(machine);
      app.clock.move(MINUTE_MS);
      assertRefused(await machine.verify(), 403, 'License has expired', 'valid');
    });

    it('a floating session began, lapsed, resumed and ended', async () => {
      const machine = new Machine(app, await app.license({ licenseType: 'floating', maxConcurrent: 2 }));
      assert.equal((await remembered(machine)).machinesUsed, 0);
      await machine.activated();
      assert.equal((await remembered(machine)).machinesUsed, 1);
      app.clock.move(15 * MINUTE_MS);
      assert.equal((await remembered(machine)).machinesUsed, 0);
      await machine.heartbeat();
      assert.equal((await remembered(machine)).machinesUsed, 1);
      await machine.deactivate();
      assert.equal(await used(machine), 0);
    });

    it('a call that carried an Idempotency-Key, which goes the same way as any other', async () => {
      const licenseKey = await app.license();
      const machine = new Machine(app, licenseKey);
      await remembered(machine);
      await machine.activate({ headers: { 'idempotency-key': 'once' } });
      assert.equal(await used(machine), 1);
      const verified = await machine.verify({ headers: { 'idempotency-key': 'twice' } });
      assert.equal(verified.body.machinesUsed, 1);
    });
  });
