import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertRefused, inspect } from '../../../support/answers.ts';
import { Creator, mustSucceed } from '../../../support/creator.ts';
import { engines } from '../../../support/databases.ts';
import { Machine } from '../../../support/machine.ts';
import { startedApp } from '../../../support/started-app.ts';

const LIMIT = 15;

for (const engine of engines)
  describe(`the activation limit on ${engine}`, () => {
    const app = startedApp(engine);

    /** Activates this many machines at once; returns the number of successes. */
    async function rush(licenseKey: string, machines: number, name: string): Promise<number> {
      const answers = await Promise.all(
        Array.from({ length: machines }, (_, index) => new Machine(app, licenseKey, `${name}-${index}`).activate()),
      );
      for (const { status } of answers) assert.ok(status === 200 || status === 429);
      return answers.filter(({ status }) => status === 200).length;
    }

    it('is lifted by /liftActivationLimit for exactly 15 attempts more, of 40 at once', async () => {
      const licenseKey = await app.license({ licenseType: 'site', maxMachines: -1 });
      assert.equal(await rush(licenseKey, 40, 'first'), LIMIT);
      assert.equal(await rush(licenseKey, 5, 'refused'), 0);
      const { license } = await mustSucceed(
        app.admin('/liftActivationLimit', { licenseKey: ` ${licenseKey.toLowerCase()} ` }),
      );
      assert.equal(license.key, licenseKey);
      assert.equal(await rush(licenseKey, 40, 'second'), LIMIT);
    });

    it('is all that /liftActivationLimit touches', async () => {
      const licenseKey = await app.license({ licenseType: 'site', maxMachines: -1 });
      const machine = await new Machine(app, licenseKey).activated();
      await rush(licenseKey, 20, 'machine');
      const show = async () => await inspect(app, licenseKey);
      const shown = await show();
      await mustSucceed(app.admin('/liftActivationLimit', { licenseKey }));
      assert.deepEqual(await show(), shown);
      assert.equal((await machine.validate()).status, 200);
    });

    it('is lifted by the creator of the product, too, and by no other', async () => {
      const [creator, stranger] = [await Creator.of(app), await Creator.of(app)];
      const productId = await creator.product();
      const licenseKey = await creator.license(productId, { licenseType: 'site', maxMachines: -1 });
      const machine = new Machine(app, licenseKey, 'machine-1', productId);
      for (let attempt = 0; attempt < LIMIT; attempt++) await machine.activated();
      assert.equal((await machine.activate()).status, 429);
      assert.equal((await stranger.send('/liftActivationLimit', { licenseKey })).status, 404);
      assert.equal((await app.webhook('/liftActivationLimit', { licenseKey })).status, 401);
      assert.equal((await machine.activate()).status, 429);
      await mustSucceed(creator.send('/liftActivationLimit', { licenseKey }));
      await machine.activated();
    });

    it('404 for a license that there is not, 400 without one', async () => {
      const unknown = await app.admin('/liftActivationLimit', { licenseKey: 'AAAAA-BBBBB-CCCCC-DDDDD-EEEEE' });
      assert.deepEqual([unknown.status, unknown.body.error], [404, 'License not found']);
      assertRefused(await app.admin('/liftActivationLimit'), 400, 'Missing licenseKey');
    });

    it('restarts with /resetActivations, so every machine can return', async () => {
      const licenseKey = await app.license({ licenseType: 'site', maxMachines: -1 });
      await rush(licenseKey, 20, 'first');
      await mustSucceed(app.admin('/resetActivations', { licenseKey }));
      assert.equal(await rush(licenseKey, 40, 'second'), LIMIT);
    });
  });
