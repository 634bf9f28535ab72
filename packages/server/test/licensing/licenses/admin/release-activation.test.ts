import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { remediesOf } from '../../../platform/events/events-of.ts';
import { assertRefused, inspect } from '../../../support/answers.ts';
import { Creator, mustSucceed } from '../../../support/creator.ts';
import { engines } from '../../../support/databases.ts';
import { fillPool } from '../../../support/full-pool.ts';
import { Machine } from '../../../support/machine.ts';
import { startedApp } from '../../../support/started-app.ts';

for (const engine of engines)
  describe(`/releaseActivation on ${engine}`, () => {
    const app = startedApp(engine);

    const release = (licenseKey: string, machineFingerprint: string) =>
      app.admin('/releaseActivation', { licenseKey, machineFingerprint });
    const read = (licenseKey: string) => inspect(app, licenseKey);

    it('unbinds one machine, leaves the others, and answers slots and license', async () => {
      const licenseKey = await app.license({ maxMachines: 2 });
      const lost = await new Machine(app, licenseKey, 'lost').activated();
      const kept = await new Machine(app, licenseKey, 'kept').activated();
      assert.equal((await lost.verify()).body.machinesUsed, 2);
      const body = await mustSucceed(release(` ${licenseKey.toLowerCase()} `, 'lost'));
      const { license, activations, activationCount } = await read(licenseKey);
      assert.deepEqual(body, { success: true, machinesUsed: 1, maxMachines: 2, license });
      assert.deepEqual([activationCount, activations.map((each: Machine) => each.fingerprint)], [1, ['kept']]);
      assert.equal((await lost.verify()).body.machinesUsed, 1);
      assert.equal((await kept.validate()).status, 200);
    });

    it('lets another machine in at once', async () => {
      const licenseKey = await app.license({ maxMachines: 1 });
      await new Machine(app, licenseKey, 'lost').activated();
      const next = new Machine(app, licenseKey, 'new');
      assert.equal((await next.activate()).status, 403);
      await mustSucceed(release(licenseKey, 'lost'));
      assert.equal((await next.activate()).status, 200);
    });

    it('kills the tokens of the machine, also after it was bound again', async () => {
      const licenseKey = await app.license();
      const machine = await new Machine(app, licenseKey).activated();
      await mustSucceed(release(licenseKey, machine.fingerprint));
      assertRefused(await machine.validate(), 403, 'Machine not activated', 'valid');
      assertRefused(await machine.heartbeat(), 404, 'Machine not activated');
      const former = machine.token;
      await machine.activated();
      assert.equal((await machine.validate()).status, 200);
      machine.token = former;
      assertRefused(await machine.validate(), 401, 'Invalid or expired token', 'valid');
    });

    it('frees the seat of a floating license with the machine', async () => {
      const licenseKey = await app.license({ licenseType: 'floating', maxConcurrent: 2, maxMachines: 9 });
      const lost = await new Machine(app, licenseKey, 'lost').activated();
      await new Machine(app, licenseKey, 'lapsed').activated();
      app.clock.move(16 * 60_000);
      await lost.activated();
      const body = await mustSucceed(release(licenseKey, 'lost'));
      assert.deepEqual([body.machinesUsed, body.maxMachines], [0, 2]);
      const lapsed = await mustSucceed(release(licenseKey, 'lapsed'));
      assert.equal(lapsed.machinesUsed, 0);
      for (const name of ['one', 'two']) await new Machine(app, licenseKey, name).activated();
      assert.equal((await new Machine(app, licenseKey, 'three').activate()).status, 403);
    });

    it('works for a license that is revoked or expired', async () => {
      const licenseKey = await app.license();
      const machine = await new Machine(app, licenseKey).activated();
      await mustSucceed(app.admin('/revokeLicense', { licenseKey }));
      assert.equal((await mustSucceed(release(licenseKey, machine.fingerprint))).license.status, 'revoked');
    });

    it('is recorded once, with the caller as its author', async () => {
      const creator = await Creator.of(app);
      const productId = await creator.product();
      const licenseKey = await creator.license(productId);
      await new Machine(app, licenseKey, 'desk', productId).activated();
      const fields = { licenseKey, machineFingerprint: 'desk' };
      await mustSucceed(creator.send('/releaseActivation', fields));
      await creator.send('/releaseActivation', fields);
      const events = await remediesOf(app.database, licenseKey);
      assert.deepEqual(
        events.map(({ type, subject, actor, before: was, after: is }) => ({ type, subject, actor, was, is })),
        [
          {
            type: 'activation.deleted',
            subject: 'desk',
            actor: `creator:${creator.creatorId}`,
            was: { fingerprint: 'desk', hostname: 'host of desk' },
            is: null,
          },
        ],
      );
    });

    it('404 for a machine that is not bound, also the second time, and nothing changes', async () => {
      const licenseKey = await app.license();
      await new Machine(app, licenseKey).activated();
      const shown = await read(licenseKey);
      assertRefused(await release(licenseKey, 'unheard-of'), 404, 'Machine not activated');
      assert.deepEqual(await read(licenseKey), shown);
      assert.deepEqual(await remediesOf(app.database, licenseKey), []);
      await mustSucceed(release(licenseKey, 'machine-1'));
      assertRefused(await release(licenseKey, 'machine-1'), 404, 'Machine not activated');
    });

    it('answers a retry with the same Idempotency-Key as the first time, and acts once', async () => {
      const licenseKey = await app.license();
      const machine = await new Machine(app, licenseKey).activated();
      const send = () =>
        app.admin(
          '/releaseActivation',
          { licenseKey, machineFingerprint: machine.fingerprint },
          { headers: { 'idempotency-key': `release-${licenseKey}` } },
        );
      const first = await mustSucceed(send());
      await machine.activated();
      assert.deepEqual(await mustSucceed(send()), first);
      assert.equal((await machine.validate()).status, 200);
    });

    it('lets exactly one of 50 machines in that want the slot at once', async () => {
      const licenseKey = await app.license({ maxMachines: 1 });
      await new Machine(app, licenseKey, 'lost').activated();
      const machines = Array.from({ length: 50 }, (_, index) => new Machine(app, licenseKey, `machine ${index}`));
      await mustSucceed(app.admin('/liftActivationLimit', { licenseKey }));
      await fillPool(app);
      await mustSucceed(release(licenseKey, 'lost'));
      const answers = await Promise.all(machines.map((machine) => machine.activate()));
      assert.equal(answers.filter(({ status }) => status === 200).length, 1);
      const { activationCount, activations } = await read(licenseKey);
      assert.deepEqual([activationCount, activations.length], [1, 1]);
    });

    it('of many releases of one machine at once does one, while others ask for its slot', async () => {
      const licenseKey = await app.license({ maxMachines: 1 });
      const machine = await new Machine(app, licenseKey, 'lost').activated();
      const others = Array.from({ length: 10 }, (_, index) => new Machine(app, licenseKey, `machine ${index}`));
      await fillPool(app);
      const [released] = await Promise.all([
        Promise.all(Array.from({ length: 10 }, () => release(licenseKey, 'lost'))),
        Promise.all(others.map((each) => each.activate())),
        Promise.all(Array.from({ length: 10 }, () => machine.validate())),
      ]);
      assert.equal(released.filter(({ status }) => status === 200).length, 1);
      assert.equal((await machine.validate()).status, 403);
      const { activationCount, activations } = await read(licenseKey);
      assert.equal(activations.length, activationCount);
      assert.ok(activationCount <= 1);
    });
  });
