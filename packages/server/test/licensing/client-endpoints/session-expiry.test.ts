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
      assert.equal(body.heartbeatAfterSeconds, 5 * 60);
    });

    it('is reported by /validate', async () => {
      const machine = await new Machine(app, await app.license({ licenseType: 'floating' })).activated();
      app.clock.move(10 * MINUTE_MS);
      const { body } = await machine.validate();
      assert.equal(body.licenseType, 'floating');
      assert.equal(body.sessionExpiresAt, app.clock.at(15 * MINUTE_MS));
      assert.equal(body.heartbeatAfterSeconds, 5 * 60);
    });

    it('is told to a machine without a slot, with the type of the license', async () => {
      const floating = { licenseType: 'floating', maxConcurrent: 1 };
      for (const [order, told] of [
        [floating, { licenseType: 'floating', until: app.clock.at(15 * MINUTE_MS) }],
        [{ maxMachines: 1 }, { licenseType: 'per-machine', until: null }],
      ] as const) {
        const key = await app.license(order);
        await new Machine(app, key).activated();
        const { status, body } = await new Machine(app, key, 'another machine').activate();
        const { licenseType, until, ...rest } = body;
        assert.deepEqual([status, { licenseType, until }], [403, told]);
        assert.deepEqual(Object.keys(rest), ['success', 'error']);
      }
    });

    it('is present for floating licenses only', async () => {
      const machine = new Machine(app, await app.license({ licenseType: 'per-machine' }));
      const activated = await machine.activate();
      assert.ok(!('sessionExpiresAt' in activated.body) && !('heartbeatAfterSeconds' in activated.body));
      const validated = await machine.validate();
      assert.ok(!('sessionExpiresAt' in validated.body));
      assert.equal(validated.body.licenseType, 'per-machine');
    });
  });
