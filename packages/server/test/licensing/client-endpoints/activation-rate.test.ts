import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HOUR_MS, MINUTE_MS } from '../../../src/ground/base/clock.ts';
import { assertRefused, inspect, revoke } from '../../support/answers.ts';
import { startApp } from '../../support/app.ts';
import { engines, freshDatabase } from '../../support/databases.ts';
import { Machine } from '../../support/machine.ts';
import { startedApp } from '../../support/started-app.ts';

const TOO_MANY = 'Too many activation attempts. Try again later.';

/** Activates the same machine this many times; each call must succeed. */
async function attempt(machine: Machine, times: number): Promise<void> {
  for (let done = 0; done < times; done += 1) await machine.activated();
}

for (const engine of engines)
  describe(`the hourly limit of activation attempts on ${engine}`, () => {
    const app = startedApp(engine);

    const assertTooMany = async (machine: Machine, retryAfterSeconds: number) => {
      const answer = await machine.activate();
      assertRefused(answer, 429, TOO_MANY);
      assert.equal(answer.headers['retry-after'], String(retryAfterSeconds));
    };

    it('lets 15 through and refuses the sixteenth for an hour', async () => {
      const machine = new Machine(app, await app.license());
      await attempt(machine, 15);
      await assertTooMany(machine, 3600);
      app.clock.move(HOUR_MS);
      await attempt(machine, 1);
    });

    it('looks back over a sliding hour, not over a clock hour', async () => {
      const machine = new Machine(app, await app.license());
      for (let index = 0; index < 15; index += 1) {
        await attempt(machine, 1);
        app.clock.move(4 * MINUTE_MS);
      }
      // The first attempt is an hour old by now, the second is not: there is room for one every four minutes. The
      // refused one counts as well, so two have to expire before the next.
      await attempt(machine, 1);
      await assertTooMany(machine, 8 * 60);
      app.clock.move(8 * MINUTE_MS);
      await attempt(machine, 1);
    });

    it('says with Retry-After when the next attempt succeeds, rounded up to whole seconds', async () => {
      const machine = new Machine(app, await app.license());
      await attempt(machine, 15);
      app.clock.move(10 * MINUTE_MS + 1);
      await assertTooMany(machine, 50 * 60);
      app.clock.move(50 * MINUTE_MS);
      await attempt(machine, 1);
    });

    it('counts the attempts that it refuses: hammering does not help', async () => {
      const machine = new Machine(app, await app.license());
      await attempt(machine, 15);
      app.clock.move(30 * MINUTE_MS);
      for (let times = 0; times < 15; times += 1) assert.equal((await machine.activate()).status, 429);
      app.clock.move(30 * MINUTE_MS);
      await assertTooMany(machine, 30 * 60);
    });

    it('counts the attempts that are refused for another reason', async () => {
      const licenseKey = await app.license({ maxMachines: 1 });
      const bound = await new Machine(app, licenseKey, 'bound').activated();
      const noSlot = new Machine(app, licenseKey, 'no slot');
      const wrongProduct = new Machine(app, licenseKey, 'wrong product', 'another');
      for (let times = 0; times < 7; times += 1) {
        assert.equal((await noSlot.activate()).status, 403);
        assert.equal((await wrongProduct.activate()).status, 403);
      }
      assertRefused(await bound.activate(), 429, TOO_MANY);
    });

    it('counts the attempts on a revoked license, so that a reinstated one may have to wait', async () => {
      const licenseKey = await app.license();
      const machine = new Machine(app, licenseKey);
      await revoke(app, licenseKey);
      for (let times = 0; times < 15; times += 1) assert.equal((await machine.activate()).status, 403);
      await app.admin('/reinstateLicense', { licenseKey });
      await assertTooMany(machine, 3600);
    });

    it('counts attempts only, not missing fields, unknown keys, other endpoints or other licenses', async () => {
      const licenseKey = await app.license();
      const machine = await new Machine(app, licenseKey).activated();
      const other = new Machine(app, await app.license());
      for (let times = 0; times < 5; times += 1) {
        const malformed = { licenseKey, machineFingerprint: 'machine-1', productId: 'app' };
        assert.equal((await app.send('/activate', malformed)).status, 400);
        assert.equal((await app.send('/activate', { ...malformed, hostname: 7 })).status, 400);
        assert.equal((await new Machine(app, `${licenseKey}A`).activate()).status, 404);
        assert.equal((await machine.validate()).status, 200);
        assert.equal((await machine.heartbeat()).status, 200);
        assert.equal((await machine.verify()).status, 200);
        await other.activated();
      }
      await attempt(machine, 14);
      assert.equal((await machine.activate()).status, 429);
    });

    it('holds when the clock of one node is behind that of another', async () => {
      const machine = new Machine(app, await app.license());
      await attempt(machine, 8);
      app.clock.move(-5 * MINUTE_MS);
      await attempt(machine, 7);
      assert.equal((await machine.activate()).status, 429);
      app.clock.move(5 * MINUTE_MS);
      assert.equal((await machine.activate()).status, 429);
    });

    it('is one limit for all machines and all spellings of the key', async () => {
      const licenseKey = await app.license({ maxMachines: -1 });
      for (let index = 0; index < 15; index += 1) {
        const spelling = index % 2 === 0 ? licenseKey : ` ${licenseKey.toLowerCase()}`;
        await new Machine(app, spelling, `machine ${index}`).activated();
      }
      assert.equal((await new Machine(app, licenseKey, 'one more').activate()).status, 429);
    });

    it('lets machines that are bound go on meanwhile', async () => {
      const machine = new Machine(app, await app.license({ licenseType: 'floating' }));
      await attempt(machine, 15);
      assert.equal((await machine.activate()).status, 429);
      assert.equal((await machine.validate()).status, 200);
      assert.equal((await machine.heartbeat()).status, 200);
      assert.equal((await machine.deactivate()).status, 200);
    });

    it('is not lifted by deactivation or an update', async () => {
      const licenseKey = await app.license();
      const machine = new Machine(app, licenseKey);
      await attempt(machine, 15);
      await machine.deactivate();
      await app.admin('/updateLicense', { licenseKey, maxMachines: 9 });
      await assertTooMany(machine, 3600);
      assert.equal((await inspect(app, licenseKey)).activationCount, 0);
    });
  });

for (const engine of engines)
  describe(`the hourly limit across a restart on ${engine}`, () => {
    it('forgets nothing', async (test) => {
      const database = await freshDatabase(engine, test);
      const first = await startApp(engine, {}, database);
      const licenseKey = await first.license();
      await attempt(new Machine(first, licenseKey), 15);
      await first.stop();
      const second = await startApp(engine, {}, database);
      test.after(() => second.stop());
      assertRefused(await new Machine(second, licenseKey).activate(), 429, TOO_MANY);
      second.clock.move(HOUR_MS);
      assert.equal((await new Machine(second, licenseKey).activate()).body.machinesUsed, 1);
    });
  });
