/** A machine with a file for work without a connection keeps its slot, because the file cannot be called back. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS, HOUR_MS } from '../../../src/ground/base/clock.ts';
import { inspect } from '../../support/answers.ts';
import { mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { fillPool } from '../../support/full-pool.ts';
import { Machine } from '../../support/machine.ts';
import { startedApp } from '../../support/started-app.ts';

for (const engine of engines)
  describe(`slots of machines with a file on ${engine}`, () => {
    const app = startedApp(engine);

    const fileFor = ({ licenseKey, fingerprint }: Machine, days = 30) =>
      mustSucceed(
        app.admin('/createLicenseFile', { licenseKey, machineFingerprint: fingerprint, hostname: 'Island', days }),
      );
    const statusOf = async (licenseKey: string, fingerprint: string) =>
      (await new Machine(app, licenseKey, fingerprint).activate()).status;

    it('stay taken after /deactivate until the file expires', async () => {
      const licenseKey = await app.license({ maxMachines: 1 });
      const machine = await new Machine(app, licenseKey).activated();
      await fileFor(machine);
      const before = await inspect(app, licenseKey);
      for (let time = 0; time < 2; time += 1) {
        const { success, machinesUsed } = await mustSucceed(machine.deactivate());
        assert.deepEqual([success, machinesUsed], [true, 1]);
      }
      assert.deepEqual(await inspect(app, licenseKey), before);
      assert.equal(await statusOf(licenseKey, 'other'), 403);
      app.clock.move(29 * DAY_MS);
      await machine.activated();
      app.clock.move(DAY_MS + 1);
      assert.equal((await mustSucceed(machine.deactivate())).machinesUsed, 0);
      assert.equal(await statusOf(licenseKey, 'other'), 200);
    });

    it('are never freed for another computer, however many machines deactivate and ask at once', async () => {
      const licenseKey = await app.license({ maxMachines: 3 });
      const machines = await Promise.all(
        Array.from({ length: 3 }, (_, number) => new Machine(app, licenseKey, `with file ${number}`).activated()),
      );
      for (const machine of machines) await fileFor(machine);
      await fillPool(app);
      const statuses = await Promise.all(
        Array.from({ length: 12 }, async (_, number) =>
          number % 2 === 0
            ? (await machines[number % 3]!.deactivate()).status
            : statusOf(licenseKey, `without file ${number}`),
        ),
      );
      assert.deepEqual(
        statuses.filter((_, number) => number % 2 === 1),
        Array(6).fill(403),
      );
      assert.equal((await inspect(app, licenseKey)).activationCount, 3);
    });

    it('follow the file that expires last', async () => {
      const licenseKey = await app.license({ maxMachines: 1 });
      const machine = await new Machine(app, licenseKey).activated();
      await fileFor(machine, 100);
      await fileFor(machine, 10);
      app.clock.move(50 * DAY_MS);
      await machine.activated();
      assert.equal((await mustSucceed(machine.deactivate())).machinesUsed, 1);
    });

    it('make no room as idle ones', async () => {
      const licenseKey = await app.license({ maxMachines: 1 });
      await mustSucceed(app.admin('/updateLicense', { licenseKey, releaseIdleDays: 7 }));
      await fileFor(new Machine(app, licenseKey, 'island'));
      app.clock.move(20 * DAY_MS);
      assert.equal(await statusOf(licenseKey, 'other'), 403);
      app.clock.move(10 * DAY_MS + 1);
      assert.equal(await statusOf(licenseKey, 'other'), 200);
    });

    it('of a floating license stay taken without a sign of life, with one, and after /deactivate', async () => {
      const licenseKey = await app.license({ licenseType: 'floating', maxConcurrent: 1 });
      const machine = await new Machine(app, licenseKey, 'island').activated();
      await fileFor(machine);
      app.clock.move(HOUR_MS);
      assert.equal(await statusOf(licenseKey, 'other'), 403);
      await mustSucceed(machine.heartbeat());
      app.clock.move(HOUR_MS);
      assert.equal(await statusOf(licenseKey, 'other'), 403);
      await mustSucceed(machine.deactivate());
      assert.equal(await statusOf(licenseKey, 'other'), 403);
      assert.equal((await mustSucceed(machine.verify())).machinesUsed, 1);
      app.clock.move(30 * DAY_MS);
      assert.equal(await statusOf(licenseKey, 'other'), 200);
    });

    it('of a floating license whose session has lapsed are taken again by a file', async () => {
      const licenseKey = await app.license({ licenseType: 'floating', maxConcurrent: 1 });
      const machine = await new Machine(app, licenseKey, 'island').activated();
      app.clock.move(HOUR_MS);
      await fileFor(machine);
      app.clock.move(HOUR_MS);
      assert.equal(await statusOf(licenseKey, 'other'), 403);
    });

    it('are freed by staff all the same', async () => {
      const licenseKey = await app.license({ maxMachines: 1 });
      const machine = await new Machine(app, licenseKey).activated();
      await fileFor(machine);
      await mustSucceed(app.admin('/releaseActivation', { licenseKey, machineFingerprint: machine.fingerprint }));
      assert.equal(await statusOf(licenseKey, 'other'), 200);
    });
  });
