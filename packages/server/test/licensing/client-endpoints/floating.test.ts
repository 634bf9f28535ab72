import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS, MINUTE_MS } from '../../../src/ground/base/clock.ts';
import { assertRefused, inspect, revoke, update } from '../../support/answers.ts';
import { startApp } from '../../support/app.ts';
import { engines, freshDatabase } from '../../support/databases.ts';
import { Machine } from '../../support/machine.ts';
import { startedApp } from '../../support/started-app.ts';

const TIMEOUT_MS = 15 * MINUTE_MS;

for (const engine of engines)
  describe(`floating sessions on ${engine}`, () => {
    const app = startedApp(engine);

    const floating = (maxConcurrent: number, order = {}) =>
      app.license({ licenseType: 'floating', maxConcurrent, ...order });
    const used = async (machine: Machine) => (await machine.verify()).body.machinesUsed;
    const sessionOf = async ({ licenseKey, fingerprint }: Machine) => {
      const { activations } = await inspect(app, licenseKey);
      const { sessionActive, sessionStarted } = activations.find(
        (each: { fingerprint: string }) => each.fingerprint === fingerprint,
      );
      return { sessionActive, sessionStarted };
    };
    const LIMIT_OF_ONE = 'Machine limit reached (1). Deactivate another machine first.';

    it('live until 15 minutes after the last sign of life, to the millisecond', async () => {
      const machine = await new Machine(app, await floating(1)).activated();
      const sessionStarted = app.clock.at();
      app.clock.move(TIMEOUT_MS - 1);
      assert.deepEqual(await sessionOf(machine), { sessionActive: true, sessionStarted });
      assert.equal(await used(machine), 1);
      app.clock.move(1);
      assert.deepEqual(await sessionOf(machine), { sessionActive: false, sessionStarted: null });
      assert.equal(await used(machine), 0);
    });

    it('that lapsed free their slot at once, without anybody tidying', async () => {
      const licenseKey = await floating(1);
      await new Machine(app, licenseKey, 'silent').activated();
      const waiting = new Machine(app, licenseKey, 'waiting');
      app.clock.move(TIMEOUT_MS - 1);
      assertRefused(await waiting.activate(), 403, LIMIT_OF_ONE);
      app.clock.move(1);
      const { status, body } = await waiting.activate();
      assert.equal(status, 200);
      assert.deepEqual([body.machinesUsed, body.maxMachines], [1, 1]);
    });

    for (const [sign, give] of [
      ['/heartbeat', (machine: Machine) => machine.heartbeat()],
      ['/validate', (machine: Machine) => machine.validate()],
      ['/activate', (machine: Machine) => machine.activate()],
    ] as const)
      it(`live on by ${sign}, keeping their start`, async () => {
        const licenseKey = await floating(1);
        const machine = await new Machine(app, licenseKey, 'lively').activated();
        const sessionStarted = app.clock.at();
        for (let times = 0; times < 5; times += 1) {
          app.clock.move(TIMEOUT_MS - 1);
          assert.equal((await give(machine)).status, 200);
        }
        assert.deepEqual(await sessionOf(machine), { sessionActive: true, sessionStarted });
        assertRefused(await new Machine(app, licenseKey, 'other').activate(), 403, LIMIT_OF_ONE);
      });

    it('are counted by their own deadlines, also after the one that was first to end has moved behind another', async () => {
      const licenseKey = await floating(3);
      const moved = await new Machine(app, licenseKey, 'moved').activated();
      app.clock.move(MINUTE_MS);
      await new Machine(app, licenseKey, 'silent').activated();
      app.clock.move(9 * MINUTE_MS);
      assert.equal((await moved.heartbeat()).status, 200);
      // Minute 15:30: the first machine's original deadline has passed, and no session ended with it.
      app.clock.move(5.5 * MINUTE_MS);
      assert.equal(await used(moved), 2);
      // Minute 17:30: the second machine's ended at minute 16.
      app.clock.move(2 * MINUTE_MS);
      assert.equal(await used(moved), 1);
      app.clock.move(7.5 * MINUTE_MS - 1);
      assert.equal(await used(moved), 1);
      app.clock.move(1);
      assert.equal(await used(moved), 0);
    });

    it('are counted one by one, the lively beside the silent, long after both began', async () => {
      const licenseKey = await floating(3);
      const lively = await new Machine(app, licenseKey, 'lively').activated();
      const silent = await new Machine(app, licenseKey, 'silent').activated();
      app.clock.move(TIMEOUT_MS - 1);
      await lively.heartbeat();
      assert.equal(await used(lively), 2);
      app.clock.move(1);
      assert.equal(await used(lively), 1);
      app.clock.move(TIMEOUT_MS - 2);
      assert.equal(await used(lively), 1);
      assert.equal((await silent.heartbeat()).status, 200);
      assert.equal(await used(lively), 2);
      app.clock.move(1);
      assert.equal(await used(lively), 1);
      app.clock.move(TIMEOUT_MS - 1);
      assert.equal(await used(lively), 0);
    });

    it('are not kept alive by /verify, nor by a call that was refused', async () => {
      const licenseKey = await floating(1);
      const machine = await new Machine(app, licenseKey).activated();
      app.clock.move(TIMEOUT_MS - 1);
      await machine.verify();
      machine.token = 'whatever';
      assert.equal((await machine.heartbeat()).status, 401);
      assert.equal((await new Machine(app, licenseKey, 'other').activate()).status, 403);
      app.clock.move(1);
      assert.equal(await used(machine), 0);
    });

    for (const [sign, resume, status] of [
      ['/heartbeat', (machine: Machine) => machine.heartbeat(), 404],
      ['/validate', (machine: Machine) => machine.validate(), 403],
    ] as const) {
      it(`that lapsed restart with ${sign} if a slot is free`, async () => {
        const machine = await new Machine(app, await floating(1)).activated();
        app.clock.move(DAY_MS);
        assert.equal((await resume(machine)).status, 200);
        assert.deepEqual(await sessionOf(machine), { sessionActive: true, sessionStarted: app.clock.at() });
        assert.equal(await used(machine), 1);
      });

      it(`that lapsed are refused by ${sign} with ${status} while every slot is taken`, async () => {
        const licenseKey = await floating(1);
        const machine = await new Machine(app, licenseKey, 'late').activated();
        app.clock.move(TIMEOUT_MS);
        const quick = await new Machine(app, licenseKey, 'quick').activated();
        const flag = sign === '/validate' ? 'valid' : 'success';
        assertRefused(await resume(machine), status, 'Machine not activated', flag);
        assert.equal(await used(machine), 1);
        await quick.deactivate();
        assert.equal((await resume(machine)).status, 200);
      });
    }

    it('of a machine that lapsed restart with /activate if a slot is free, otherwise are refused', async () => {
      const licenseKey = await floating(1);
      const machine = await new Machine(app, licenseKey, 'late').activated();
      app.clock.move(TIMEOUT_MS);
      const quick = await new Machine(app, licenseKey, 'quick').activated();
      assertRefused(await machine.activate(), 403, LIMIT_OF_ONE);
      app.clock.move(TIMEOUT_MS);
      const { status, body } = await machine.activate();
      assert.deepEqual([status, body.machinesUsed, body.message], [200, 1, 'Machine was already activated']);
      assertRefused(await quick.heartbeat(), 404, 'Machine not activated');
    });

    it('that lapsed can be ended: the machine is unbound and no slot is freed twice', async () => {
      const licenseKey = await floating(1);
      const machine = await new Machine(app, licenseKey, 'silent').activated();
      app.clock.move(TIMEOUT_MS);
      const other = await new Machine(app, licenseKey, 'other').activated();
      assert.deepEqual((await machine.deactivate()).body, { success: true, machinesUsed: 1, maxMachines: 1 });
      assert.equal((await inspect(app, licenseKey)).activationCount, 1);
      assert.equal(await used(other), 1);
      assert.equal((await new Machine(app, licenseKey, 'third').activate()).status, 403);
    });

    it('that are ended free their slot at once', async () => {
      const licenseKey = await floating(1);
      const machine = await new Machine(app, licenseKey, 'polite').activated();
      assert.deepEqual((await machine.deactivate()).body, { success: true, machinesUsed: 0, maxMachines: 1 });
      assert.equal((await new Machine(app, licenseKey, 'next').activate()).status, 200);
    });

    it('all end when the activations are reset', async () => {
      const licenseKey = await floating(1);
      const machine = await new Machine(app, licenseKey, 'first').activated();
      await app.admin('/resetActivations', { licenseKey });
      assert.equal(await used(machine), 0);
      assert.equal((await new Machine(app, licenseKey, 'next').activate()).status, 200);
    });

    it('go on when the limit is lowered; no further one begins until enough are gone', async () => {
      const licenseKey = await floating(2);
      const first = await new Machine(app, licenseKey, 'first').activated();
      const second = await new Machine(app, licenseKey, 'second').activated();
      await update(app, licenseKey, { maxConcurrent: 1 });
      assert.equal((await first.heartbeat()).status, 200);
      assert.equal((await second.heartbeat()).status, 200);
      assert.equal(await used(first), 2);
      app.clock.move(TIMEOUT_MS);
      assert.equal((await first.heartbeat()).status, 200);
      assertRefused(await second.heartbeat(), 404, 'Machine not activated');
    });

    it('begin without limit on a license without one', async () => {
      const licenseKey = await app.license({ licenseType: 'floating', maxMachines: -1 });
      for (const name of ['a', 'b', 'c', 'd']) await new Machine(app, licenseKey, name).activated();
      const { body } = await new Machine(app, licenseKey, 'e').activate();
      assert.deepEqual([body.machinesUsed, body.maxMachines], [5, -1]);
    });

    it('are still there when a revocation is undone in time', async () => {
      const licenseKey = await floating(1);
      const machine = await new Machine(app, licenseKey, 'patient').activated();
      await revoke(app, licenseKey);
      app.clock.move(TIMEOUT_MS - 1);
      await app.admin('/reinstateLicense', { licenseKey });
      assert.equal((await machine.heartbeat()).status, 200);
      assert.equal(await used(machine), 1);
    });

    it('end when the license becomes per-machine, where every bound machine takes a slot', async () => {
      const licenseKey = await floating(2, { maxMachines: 3 });
      const live = await new Machine(app, licenseKey, 'live').activated();
      await new Machine(app, licenseKey, 'live, too').activated();
      await update(app, licenseKey, { licenseType: 'per-machine' });
      assert.deepEqual(await sessionOf(live), { sessionActive: false, sessionStarted: null });
      const { body } = await live.verify();
      assert.deepEqual([body.machinesUsed, body.maxMachines], [2, 3]);
      const stored = await inspect(app, licenseKey);
      app.clock.move(MINUTE_MS);
      assert.deepEqual(Object.keys((await live.heartbeat()).body), ['success', 'expiresAt']);
      assert.deepEqual(await inspect(app, licenseKey), stored);
      assert.equal((await new Machine(app, licenseKey, 'third').activate()).body.machinesUsed, 3);
      assert.equal((await new Machine(app, licenseKey, 'fourth').activate()).status, 403);
    });

    it('do not return when the license is floating again: each machine takes a new slot', async () => {
      const licenseKey = await floating(1, { maxMachines: 5 });
      const first = await new Machine(app, licenseKey, 'first').activated();
      await update(app, licenseKey, { licenseType: 'site' });
      const second = await new Machine(app, licenseKey, 'second').activated();
      await update(app, licenseKey, { licenseType: 'floating' });
      assert.equal(await used(first), 0);
      assert.equal((await second.heartbeat()).status, 200);
      assertRefused(await first.heartbeat(), 404, 'Machine not activated');
      assert.equal(await used(first), 1);
      assert.deepEqual((await second.deactivate()).body, { success: true, machinesUsed: 0, maxMachines: 1 });
      assert.equal((await first.heartbeat()).status, 200);
    });
  });

for (const engine of engines)
  describe(`floating sessions with a timeout of a minute on ${engine}`, () => {
    const app = startedApp(engine, { LATCHKEY_FLOATING_TIMEOUT: '60s' });

    it('lapse after a minute, as /heartbeat says', async () => {
      const machine = await new Machine(app, await app.license({ licenseType: 'floating' })).activated();
      const { body } = await machine.heartbeat();
      assert.equal(body.sessionExpiresAt, app.clock.at(MINUTE_MS));
      app.clock.move(MINUTE_MS - 1);
      assert.equal((await machine.verify()).body.machinesUsed, 1);
      app.clock.move(1);
      assert.equal((await machine.verify()).body.machinesUsed, 0);
    });

    it('that began with a longer timeout lapse after a minute, also when others are validated with them', async (test) => {
      const database = await freshDatabase(engine, test);
      const before = await startApp(engine, {}, database);
      const activated = (licenseType: string) =>
        Promise.all(
          Array.from({ length: 8 }, async () =>
            new Machine(before, await before.license({ licenseType, maxConcurrent: 1 })).activated(),
          ),
        );
      const held = [await activated('floating'), await activated('per-machine')];
      await before.stop();
      const after = await startApp(engine, { LATCHKEY_FLOATING_TIMEOUT: '60s' }, database);
      test.after(() => after.stop());
      // Sent together, the machines share transactions with machines that are only seen.
      const answers = await Promise.all(
        held.flat().map(({ licenseKey, token }) => {
          const machine = new Machine(after, licenseKey);
          machine.token = token;
          return machine.validate();
        }),
      );
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
      const refusals = async () => {
        const tried = await Promise.all(
          held[0]!.map(({ licenseKey }) => new Machine(after, licenseKey, 'waiting').activate()),
        );
        return tried.filter(({ status }) => status === 403).length;
      };
      after.clock.move(MINUTE_MS - 1);
      assert.equal(await refusals(), 8);
      after.clock.move(1);
      assert.equal(await refusals(), 0);
    });
  });
