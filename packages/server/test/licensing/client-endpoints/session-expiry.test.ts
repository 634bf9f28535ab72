/** End of a floating session, as stated by the replies that begin or continue it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MINUTE_MS } from '../../../src/ground/base/clock.ts';
import { engines } from '../../support/databases.ts';
import { Machine } from '../../support/machine.ts';
import { startedApp } from '../../support/started-app.ts';

for (const engine of engines)
  describe(`the end of a floating session on ${engine}`, () => {
    const app = startedApp(engine);

    it('is reported by /activate', async () => {
      const machine = new Machine(app, await app.license({ licenseType: 'floating' }));
      const { body } = await machine.activate();
      assert.equal(body.licenseType, 'floating');
      assert.equal(body.sessionExpiresAt, app.clock.at(15 * MINUTE_MS));
    });

    it('is reported by /validate', async () => {
      const machine = await new Machine(app, await app.license({ licenseType: 'floating' })).activated();
      app.clock.move(10 * MINUTE_MS);
      const { body } = await machine.validate();
      assert.equal(body.licenseType, 'floating');
      assert.equal(body.sessionExpiresAt, app.clock.at(15 * MINUTE_MS));
    });

    it('is present for floating licenses only', async () => {
      const machine = new Machine(app, await app.license({ licenseType: 'per-machine' }));
      const activated = await machine.activate();
      assert.ok(!('sessionExpiresAt' in activated.body));
      const validated = await machine.validate();
      assert.ok(!('sessionExpiresAt' in validated.body));
      assert.equal(validated.body.licenseType, 'per-machine');
    });
  });
