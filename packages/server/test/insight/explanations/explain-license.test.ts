import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HOUR_MS, MINUTE_MS } from '../../../src/ground/base/clock.ts';
import { StoredRows } from '../../platform/events/stored-changes.ts';
import { assertRefused } from '../../support/answers.ts';
import { ADMIN_SECRET, type Answer } from '../../support/app.ts';
import { Creator, mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { historyWithRefusals } from '../../support/kept-refusals.ts';
import { Machine } from '../../support/machine.ts';
import { startedApp } from '../../support/started-app.ts';
import { checkIn, explain } from './explaining.ts';

for (const engine of engines)
  describe(`/explainLicense on ${engine}`, () => {
    const app = startedApp(engine);

    it('predicts the answer of each client endpoint', async () => {
      const licenseKey = await app.license();
      await new Machine(app, licenseKey).activated();
      const { license, checks, lastRefusals, productId } = await explain(app, {
        licenseKey: ` ${licenseKey.toLowerCase()} `,
      });
      assert.deepEqual([license.key, productId, lastRefusals], [licenseKey, 'app', []]);
      const accepted = { outcome: 'ok', status: 200, error: null, because: null, remedies: [] };
      assert.deepEqual(
        checks.map(({ sentence: _sentence, ...check }: Answer['body']) => check),
        ['/verify', '/activate', '/validate', '/heartbeat', '/deactivate'].map((endpoint) => ({
          endpoint,
          ...accepted,
        })),
      );
    });

    it('answers GET as it answers POST', async () => {
      const licenseKey = await app.license();
      const fields = { licenseKey, productId: 'sketch', machineFingerprint: 'x' };
      const headers = { 'X-Admin-Secret': ADMIN_SECRET };
      const answer = await app.send(`/explainLicense?${new URLSearchParams(fields)}`, undefined, {
        method: 'GET',
        headers,
      });
      assert.deepEqual([answer.status, answer.body], [200, await explain(app, fields)]);
    });

    it('explains the machine that the request names, with its known facts', async () => {
      const licenseKey = await app.license({ licenseType: 'floating' });
      await new Machine(app, licenseKey, 'a').activated();
      const { machine } = await explain(app, { licenseKey, machineFingerprint: 'a' });
      const { tokenExpiry, ...rest } = machine;
      assert.deepEqual(rest, {
        fingerprint: 'a',
        hostname: 'host of a',
        bound: true,
        chosen: 'given',
        lastSeen: app.clock.at(),
        sessionExpiresAt: app.clock.at(15 * MINUTE_MS),
      });
      assert.ok(Date.parse(tokenExpiry) > app.clock.now());
      app.clock.move(15 * MINUTE_MS);
      const later = await explain(app, { licenseKey, machineFingerprint: 'a' });
      assert.equal(later.machine.sessionExpiresAt, null);
    });

    it('names a machine that the request names as it was called when it was refused', async () => {
      const licenseKey = await app.license({ maxMachines: 1 });
      await new Machine(app, licenseKey, 'a').activated();
      for (const name of ['b', 'c']) {
        assert.equal((await new Machine(app, licenseKey, name).activate()).status, 403);
        app.clock.move(1);
      }
      await historyWithRefusals(app, licenseKey, 2);
      const named = async (machineFingerprint: string) => {
        const { machine } = await explain(app, { licenseKey, machineFingerprint });
        return [machine.chosen, machine.fingerprint, machine.hostname];
      };
      assert.deepEqual(await named('b'), ['given', 'b', 'host of b']);
      assert.deepEqual(await named('d'), ['given', 'd', null]);
    });

    it('explains the last refused machine by default', async () => {
      const licenseKey = await app.license({ maxMachines: 1 });
      await new Machine(app, licenseKey, 'a').activated();
      for (const name of ['b', 'c']) {
        app.clock.move(MINUTE_MS);
        assert.equal((await new Machine(app, licenseKey, name).activate()).status, 403);
      }
      app.clock.move(HOUR_MS);
      const { machine, checks } = await explain(app, { licenseKey });
      assert.deepEqual(
        [machine.fingerprint, machine.hostname, machine.bound, machine.chosen, machine.lastSeen, machine.tokenExpiry],
        ['c', 'host of c', false, 'refused_last', null, null],
      );
      assert.equal(checkIn({ checks }, '/activate').outcome, 'machine_limit');
    });

    it('explains the machine seen last if none was refused, and an unbound one if there is none', async () => {
      const licenseKey = await app.license();
      const unbound = await explain(app, { licenseKey });
      assert.deepEqual(
        [unbound.machine.fingerprint, unbound.machine.hostname, unbound.machine.chosen, unbound.machine.bound],
        [null, null, 'none_known', false],
      );
      assert.equal(checkIn(unbound, '/activate').outcome, 'ok');
      assert.deepEqual(checkIn(unbound, '/validate').remedies[0].fields, { licenseKey, productId: 'app' });
      for (const name of ['b', 'a']) {
        await new Machine(app, licenseKey, name).activated();
        app.clock.move(MINUTE_MS);
      }
      const { machine } = await explain(app, { licenseKey });
      assert.deepEqual([machine.fingerprint, machine.chosen], ['a', 'seen_last']);
    });

    it('changes nothing: no attempt, no violation, no event, no session', async () => {
      const licenseKey = await app.license({ licenseType: 'floating', maxConcurrent: 1 });
      const held = await new Machine(app, licenseKey, 'a').activated();
      const refused = new Machine(app, licenseKey, 'b');
      await refused.activate();
      app.clock.move(HOUR_MS);
      const rows = await StoredRows.of(app.database);
      const before = await rows.snapshot();
      for (let time = 0; time < 20; time++)
        for (const machineFingerprint of ['a', 'b', 'c']) await explain(app, { licenseKey, machineFingerprint });
      const same = await rows.snapshot();
      await rows.close();
      assert.deepEqual(same, before);
      assert.equal((await refused.activate()).status, 200);
      assert.equal((await held.heartbeat()).status, 404);
    });

    it('404 for the license of another creator, as for one that there is not', async () => {
      const [owner, other] = [await Creator.of(app), await Creator.of(app)];
      const licenseKey = await owner.license(await owner.product());
      await mustSucceed(owner.send('/explainLicense', { licenseKey }));
      for (const fields of [{}, { machineFingerprint: 'x' }, { productId: 'app' }])
        for (const key of [licenseKey, 'AAAAA-BBBBB-CCCCC-DDDDD-EEEEE'])
          assertRefused(await other.send('/explainLicense', { licenseKey: key, ...fields }), 404, 'License not found');
    });

    it('takes a machine and a product as texts of limited length', async () => {
      const licenseKey = await app.license();
      for (const [field, longest] of [
        ['machineFingerprint', 512],
        ['productId', 255],
      ] as const)
        for (const value of [7, 'x'.repeat(longest + 1)]) {
          const refused = await app.admin('/explainLicense', { licenseKey, [field]: value });
          assertRefused(refused, 400, `${field} must be a string of at most ${longest} characters`);
        }
    });
  });
