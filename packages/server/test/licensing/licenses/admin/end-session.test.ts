import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MINUTE_MS } from '../../../../src/ground/base/clock.ts';
import { remediesOf } from '../../../platform/events/events-of.ts';
import { assertRefused, inspect } from '../../../support/answers.ts';
import { mustSucceed } from '../../../support/creator.ts';
import { engines } from '../../../support/databases.ts';
import { fillPool } from '../../../support/full-pool.ts';
import { Machine } from '../../../support/machine.ts';
import { startedApp } from '../../../support/started-app.ts';

for (const engine of engines)
  describe(`/endSession on ${engine}`, () => {
    const app = startedApp(engine);

    const end = (licenseKey: string, machineFingerprint: string) =>
      app.admin('/endSession', { licenseKey, machineFingerprint });
    const read = (licenseKey: string) => inspect(app, licenseKey);
    const floating = (maxConcurrent = 1) => app.license({ licenseType: 'floating', maxConcurrent, maxMachines: 50 });

    it('frees the seat at once, and leaves the machine bound', async () => {
      const licenseKey = await floating();
      const [office, home] = [new Machine(app, licenseKey, 'office'), new Machine(app, licenseKey, 'home')];
      await office.activated();
      assert.equal((await home.activate()).status, 403);
      const body = await mustSucceed(end(licenseKey, 'office'));
      const { license, activations } = await read(licenseKey);
      assert.deepEqual(body, { success: true, machinesUsed: 0, maxMachines: 1, license });
      assert.deepEqual(
        activations.map(({ fingerprint, sessionActive, sessionStarted }: Record<string, unknown>) => [
          fingerprint,
          sessionActive,
          sessionStarted,
        ]),
        [['office', false, null]],
      );
      assert.equal((await office.verify()).body.machinesUsed, 0);
      assert.equal((await home.activate()).status, 200);
    });

    it('lets the app begin another session with the token it has, once a seat is free', async () => {
      const licenseKey = await floating();
      const office = await new Machine(app, licenseKey, 'office').activated();
      await mustSucceed(end(licenseKey, 'office'));
      const home = await new Machine(app, licenseKey, 'home').activated();
      assertRefused(await office.heartbeat(), 404, 'Machine not activated');
      await mustSucceed(end(licenseKey, 'home'));
      assert.equal((await office.heartbeat()).status, 200);
      assertRefused(await home.validate(), 403, 'Machine not activated', 'valid');
    });

    it('counts sessions that lapsed meanwhile as the free seats that they are', async () => {
      const licenseKey = await floating(3);
      for (const name of ['one', 'two']) await new Machine(app, licenseKey, name).activated();
      app.clock.move(16 * MINUTE_MS);
      await new Machine(app, licenseKey, 'three').activated();
      app.clock.move(10 * MINUTE_MS);
      const late = await new Machine(app, licenseKey, 'late').activated();
      app.clock.move(10 * MINUTE_MS);
      assert.equal((await mustSucceed(end(licenseKey, late.fingerprint))).machinesUsed, 0);
      for (const name of ['one', 'two', 'three']) await new Machine(app, licenseKey, name).activated();
      assert.equal((await late.activate()).status, 403);
    });

    it('is recorded once', async () => {
      const licenseKey = await floating();
      await new Machine(app, licenseKey, 'office').activated();
      await mustSucceed(end(licenseKey, 'office'));
      await end(licenseKey, 'office');
      const events = await remediesOf(app.database, licenseKey);
      assert.deepEqual(
        events.map(({ type, subject, actor, before: was, after: is }) => ({ type, subject, actor, was, is })),
        [
          {
            type: 'session.ended',
            subject: 'office',
            actor: 'operator',
            was: { fingerprint: 'office', sessionActive: true },
            is: { fingerprint: 'office', sessionActive: false },
          },
        ],
      );
    });

    for (const [what, order, sinceMs] of [
      ['license that is not a floating one', {}, 0],
      ['session that lapsed', { licenseType: 'floating', maxConcurrent: 1 }, 15 * MINUTE_MS],
    ] as const)
      it(`409 for a ${what}, and nothing changes`, async () => {
        const licenseKey = await app.license(order);
        const machine = await new Machine(app, licenseKey).activated();
        app.clock.move(sinceMs);
        const shown = await read(licenseKey);
        assertRefused(await end(licenseKey, machine.fingerprint), 409, 'Machine has no live session');
        assert.deepEqual(await read(licenseKey), shown);
        assert.deepEqual(await remediesOf(app.database, licenseKey), []);
        assert.equal((await machine.validate()).status, 200);
      });

    it('409 the second time, and 404 for a machine that is not bound', async () => {
      const licenseKey = await floating();
      await new Machine(app, licenseKey, 'office').activated();
      await mustSucceed(end(licenseKey, 'office'));
      assertRefused(await end(licenseKey, 'office'), 409, 'Machine has no live session');
      assertRefused(await end(licenseKey, 'unheard-of'), 404, 'Machine not activated');
    });

    it('answers a retry with the same Idempotency-Key as the first time, and acts once', async () => {
      const licenseKey = await floating();
      const machine = await new Machine(app, licenseKey).activated();
      const retry = { headers: { 'idempotency-key': `end-${licenseKey}` } };
      const fields = { licenseKey, machineFingerprint: machine.fingerprint };
      const first = await mustSucceed(app.admin('/endSession', fields, retry));
      assert.equal((await machine.heartbeat()).status, 200);
      assert.deepEqual(await mustSucceed(app.admin('/endSession', fields, retry)), first);
      assert.equal((await machine.verify()).body.machinesUsed, 1);
    });

    it('never lets more sessions live than there are seats, however heartbeats, activations and ends meet', async () => {
      const licenseKey = await floating(2);
      const machines = Array.from({ length: 8 }, (_, index) => new Machine(app, licenseKey, `machine ${index}`));
      for (const machine of machines) {
        await machine.activated();
        await mustSucceed(end(licenseKey, machine.fingerprint));
      }
      await fillPool(app);
      for (let round = 0; round < 4; round++) {
        await Promise.all([
          ...machines.map((machine) => machine.heartbeat()),
          ...machines.map(({ fingerprint }) => end(licenseKey, fingerprint)),
          ...machines.map((machine) => machine.validate()),
        ]);
        const { activations } = await read(licenseKey);
        const live = activations.filter(({ sessionActive }: { sessionActive: boolean }) => sessionActive).length;
        assert.ok(live <= 2, `${live} sessions live`);
        assert.equal((await machines[0]?.verify())?.body.machinesUsed, live);
      }
      await Promise.all(machines.map(({ fingerprint }) => end(licenseKey, fingerprint)));
      const answers = await Promise.all(machines.map((machine) => machine.heartbeat()));
      assert.equal(answers.filter(({ status }) => status === 200).length, 2);
    });
  });
