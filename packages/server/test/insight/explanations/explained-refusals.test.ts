/** Each refusal of the client endpoints is caused, explained and remedied, and the client gets in. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/ground/base/clock.ts';
import type { Answer } from '../../support/app.ts';
import { Creator, mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { historyWithRefusals } from '../../support/kept-refusals.ts';
import { Machine } from '../../support/machine.ts';
import { execute } from '../../support/own-connection.ts';
import { startedApp } from '../../support/started-app.ts';
import { actionsOf, apply, assertAnswered, checkIn, checkOf, explain, remedyOf } from './explaining.ts';

for (const engine of engines)
  describe(`an explanation on ${engine} of`, () => {
    const app = startedApp(engine);

    /** Two machines of a license for two, and a third that was refused an hour ago. */
    async function refusedMachine() {
      const licenseKey = await app.license({ maxMachines: 2 });
      const idle = await new Machine(app, licenseKey, 'old').activated();
      app.clock.move(20 * DAY_MS);
      const busy = await new Machine(app, licenseKey, 'desk').activated();
      app.clock.move(DAY_MS);
      const refused = new Machine(app, licenseKey, 'new');
      const answer = await refused.activate();
      assert.equal(answer.headers['latchkey-code'], 'machine_limit');
      app.clock.move(HOUR_MS);
      return { licenseKey, idle, busy, refused, answer };
    }

    it('machine_limit distinguishes machines of one name by the beginning of their fingerprints', async () => {
      const licenseKey = await app.license({ maxMachines: 2 });
      for (const machineFingerprint of ['0123456789ab', 'ba9876543210']) {
        await mustSucceed(
          app.send('/activate', { licenseKey, machineFingerprint, hostname: 'fedora', productId: 'app' }),
        );
        app.clock.move(MINUTE_MS);
      }
      const { sentence } = checkIn(await explain(app, { licenseKey, machineFingerprint: 'another' }), '/activate');
      assert.match(sentence, /"fedora" \(01234567, last seen [^)]+\) and "fedora" \(ba987654, last seen /);
    });

    it('machine_limit names the limit, the machines that take it, and what frees a slot', async () => {
      const { licenseKey, answer, busy, refused } = await refusedMachine();
      const check = checkIn(await explain(app, { licenseKey }), '/activate');
      assertAnswered(check, answer);
      assert.deepEqual(check.because, {
        limit: 2,
        used: 2,
        usedBy: [
          {
            fingerprint: 'old',
            hostname: 'host of old',
            lastSeen: app.clock.at(-21 * DAY_MS - HOUR_MS),
            sessionExpiresAt: null,
          },
          {
            fingerprint: 'desk',
            hostname: 'host of desk',
            lastSeen: app.clock.at(-DAY_MS - HOUR_MS),
            sessionExpiresAt: null,
          },
        ],
      });
      assert.equal(
        check.sentence,
        'The license is for 2 machines at once and has 2: "host of old" (last seen 21 days ago) and "host of desk" (last ' +
          'seen 1 day ago).',
      );
      assert.deepEqual(
        check.remedies.map((each: Answer['body']) => [each.action, each.endpoint, each.fields, each.outcome]),
        [
          ['release_activation', '/releaseActivation', { licenseKey, machineFingerprint: 'old' }, 'ok'],
          ['release_activation', '/releaseActivation', { licenseKey, machineFingerprint: 'desk' }, 'ok'],
          ['raise_limit', '/updateLicense', { licenseKey, maxMachines: 3 }, 'ok'],
          ['reset_activations', '/resetActivations', { licenseKey }, 'ok'],
        ],
      );
      await mustSucceed(busy.deactivate());
      assert.equal((await refused.activate()).status, 200);
    });

    it('machine_limit offers the three machines that have been idle for longest, of any number', async () => {
      const licenseKey = await app.license({ maxMachines: 4 });
      for (const name of ['first', 'second', 'third', 'fourth']) {
        await new Machine(app, licenseKey, name).activated();
        app.clock.move(DAY_MS);
      }
      const check = await checkOf(app, new Machine(app, licenseKey, 'fifth'), '/activate');
      assert.deepEqual(
        check.remedies.map(({ fields }: { fields: { machineFingerprint?: string } }) => fields.machineFingerprint),
        ['first', 'second', 'third', undefined, undefined],
      );
    });

    for (const action of ['raise_limit', 'reset_activations'])
      it(`machine_limit offers ${action}, after which the machine gets in`, async () => {
        const { refused } = await refusedMachine();
        await apply(app, remedyOf(await checkOf(app, refused, '/activate'), action));
        assert.equal((await refused.activate()).status, 200);
      });

    it('machine_limit offers no single machine if the limit was lowered below the used slots', async () => {
      const { licenseKey, refused } = await refusedMachine();
      await mustSucceed(app.admin('/updateLicense', { licenseKey, maxMachines: 1 }));
      const check = await checkOf(app, refused, '/activate');
      assert.deepEqual([check.because.limit, check.because.used], [1, 2]);
      assert.deepEqual(actionsOf(check), ['raise_limit', 'reset_activations']);
      assert.equal(remedyOf(check, 'raise_limit').fields.maxMachines, 3);
      await apply(app, remedyOf(check, 'raise_limit'));
      assert.equal((await refused.activate()).status, 200);
    });

    it('machine_limit offers the largest limit that a license may have, and none above it', async () => {
      for (const [used, offered] of [
        [999_999_999, [1_000_000_000]],
        [1_000_000_000, []],
      ] as const) {
        const licenseKey = await app.license({ maxMachines: used });
        await execute(app.database, `update license set machines_used = ${used} where license_key = '${licenseKey}'`);
        const check = checkIn(await explain(app, { licenseKey, machineFingerprint: 'new' }), '/activate');
        assert.equal(check.outcome, 'machine_limit');
        const raising = check.remedies.filter(({ action }: { action: string }) => action === 'raise_limit');
        assert.deepEqual(
          raising.map(({ fields }: { fields: Record<string, unknown> }) => fields.maxMachines),
          offered,
        );
        for (const remedy of raising) await apply(app, remedy);
      }
    });

    it('machine_limit of an archived product offers nothing that would be refused', async () => {
      const creator = await Creator.of(app);
      const productId = await creator.product();
      const licenseKey = await creator.license(productId, { maxMachines: 1 });
      await new Machine(app, licenseKey, 'desk', productId).activated();
      await mustSucceed(creator.send('/updateProduct', { productId, status: 'archived' }));
      const check = checkIn(await explain(app, { licenseKey, machineFingerprint: 'new' }), '/activate');
      assert.deepEqual(actionsOf(check), ['release_activation', 'reset_activations']);
      for (const remedy of check.remedies) await apply(app, remedy);
    });

    it('machine_limit speaks of one machine and of one session as of one', async () => {
      for (const [licenseType, limit] of [
        ['per-machine', '1 machine at once'],
        ['floating', '1 session at once'],
      ] as const) {
        const licenseKey = await app.license({ licenseType, maxMachines: 1 });
        await new Machine(app, licenseKey, 'desk').activated();
        await new Machine(app, licenseKey, 'road').activate();
        const explanation = await explain(app, { licenseKey, machineFingerprint: 'road' });
        const { sentence } = checkIn(explanation, '/activate');
        assert.ok(sentence.startsWith(`The license is for ${limit} and has 1: "host of desk"`), sentence);
      }
    });

    it('machine_limit names ten machines at most, and how many more there are', async () => {
      const licenseKey = await app.license({ maxMachines: 12 });
      for (let number = 10; number < 22; number++) {
        await new Machine(app, licenseKey, `m${number}`).activated();
        app.clock.move(MINUTE_MS);
      }
      const check = await checkOf(app, new Machine(app, licenseKey, 'new'), '/activate');
      const named = check.because.usedBy.map(({ fingerprint }: { fingerprint: string }) => fingerprint);
      assert.deepEqual(
        named,
        Array.from({ length: 10 }, (_, index) => `m${index + 10}`),
      );
      assert.equal(check.because.used, 12);
      assert.match(check.sentence, /has 12: "host of m10" .* and 9 more\.$/);
    });

    it('machine_limit on a floating license names its sessions and until when the first of them lives', async () => {
      const licenseKey = await app.license({ licenseType: 'floating', maxMachines: 10, maxConcurrent: 2 });
      const first = await new Machine(app, licenseKey, 'first').activated();
      app.clock.move(5 * MINUTE_MS);
      await new Machine(app, licenseKey, 'second').activated();
      app.clock.move(MINUTE_MS);
      const late = new Machine(app, licenseKey, 'late');
      const answer = await late.activate();
      const check = await checkOf(app, late, '/activate');
      assertAnswered(check, answer);
      const { limit, used, until, usedBy } = check.because;
      assert.deepEqual([limit, used, until], [2, 2, app.clock.at(9 * MINUTE_MS)]);
      assert.deepEqual(
        usedBy.map((each: Record<string, unknown>) => [each.fingerprint, each.sessionExpiresAt]),
        [
          ['first', app.clock.at(9 * MINUTE_MS)],
          ['second', app.clock.at(14 * MINUTE_MS)],
        ],
      );
      assert.deepEqual(actionsOf(check), ['end_session', 'end_session', 'raise_limit', 'reset_activations']);
      assert.deepEqual(remedyOf(check, 'end_session').fields, { licenseKey, machineFingerprint: 'first' });
      assert.deepEqual(remedyOf(check, 'raise_limit').fields, { licenseKey, maxConcurrent: 3 });
      app.clock.move(9 * MINUTE_MS - 1);
      assert.equal((await checkOf(app, late, '/activate')).outcome, 'machine_limit');
      app.clock.move(1);
      assert.equal((await checkOf(app, late, '/activate')).outcome, 'ok');
      assert.equal((await late.activate()).status, 200);
      // Its session has lapsed, and its slot is taken.
      const heartbeat = await checkOf(app, first, '/heartbeat');
      assertAnswered(heartbeat, await first.heartbeat());
      assert.deepEqual([heartbeat.outcome, heartbeat.because.sessionActive], ['machine_not_activated', false]);
      assert.deepEqual(actionsOf(heartbeat), ['end_session', 'end_session', 'raise_limit']);
      assert.match(heartbeat.sentence, /^The floating session of the machine is over\. The license is for 2 sessions/);
      await apply(app, remedyOf(heartbeat, 'raise_limit'));
      assert.equal((await first.heartbeat()).status, 200);
    });

    it('machine_limit counts sessions out that have lapsed and of which nobody took notice', async () => {
      const licenseKey = await app.license({ licenseType: 'floating', maxConcurrent: 150 });
      // Another test covers the activation limit.
      for (let number = 0; number < 150; number++) {
        if (number % 15 === 0) await mustSucceed(app.admin('/liftActivationLimit', { licenseKey }));
        await new Machine(app, licenseKey, `m${number}`).activated();
      }
      await mustSucceed(app.admin('/liftActivationLimit', { licenseKey }));
      await mustSucceed(app.admin('/updateLicense', { licenseKey, maxConcurrent: 2 }));
      const late = new Machine(app, licenseKey, 'late');
      const check = await checkOf(app, late, '/activate');
      assert.deepEqual([check.outcome, check.because.used], ['machine_limit', 150]);
      app.clock.move(15 * MINUTE_MS);
      assert.equal((await checkOf(app, late, '/activate')).outcome, 'ok');
      assert.equal((await late.activate()).status, 200);
    });

    it('activation_rate names the attempts and the moment of the next, to the millisecond', async () => {
      const licenseKey = await app.license();
      const machine = new Machine(app, licenseKey);
      const firstAt = app.clock.now();
      for (let attempt = 0; attempt < 15; attempt++) {
        await machine.activated();
        app.clock.move(MINUTE_MS);
      }
      const check = await checkOf(app, machine, '/activate');
      const until = firstAt + HOUR_MS;
      assert.deepEqual(check.because, {
        limit: 15,
        attempts: 15,
        until: new Date(until).toISOString(),
        retryAfterSeconds: 46 * 60,
      });
      assert.deepEqual(actionsOf(check), ['wait', 'lift_activation_limit']);
      app.clock.move(until - app.clock.now() - 1);
      assert.equal((await checkOf(app, machine, '/activate')).outcome, 'activation_rate');
      app.clock.move(1);
      assert.equal((await checkOf(app, machine, '/activate')).outcome, 'ok');
      await machine.activated();
    });

    it('activation_rate offers to lift the limit, after which the machine gets in', async () => {
      const machine = new Machine(app, await app.license());
      for (let attempt = 0; attempt < 15; attempt++) await machine.activated();
      const check = await checkOf(app, machine, '/activate');
      const answer = await machine.activate();
      assertAnswered(check, answer);
      assert.equal(answer.headers['retry-after'], `${check.because.retryAfterSeconds}`);
      await apply(app, remedyOf(check, 'lift_activation_limit'));
      assert.equal((await machine.activate()).status, 200);
    });

    it('activation_rate offers creators only calls that they may make', async () => {
      const creator = await Creator.of(app);
      const productId = await creator.product();
      const machine = new Machine(app, await creator.license(productId), 'desk', productId);
      for (let attempt = 0; attempt < 16; attempt++) await machine.activate();
      const { licenseKey, fingerprint: machineFingerprint } = machine;
      const explanation = await mustSucceed(creator.send('/explainLicense', { licenseKey, machineFingerprint }));
      const check = checkIn(explanation, '/activate');
      assert.equal(check.outcome, 'activation_rate');
      const remedies = check.remedies.filter(({ endpoint }: { endpoint: string | null }) => endpoint !== null);
      assert.equal(remedies.length, 1);
      await mustSucceed(creator.send(remedies[0].endpoint, remedies[0].fields));
      assert.equal((await machine.activate()).status, 200);
    });

    it('license_expired names the moment, and an extension by 30 days lets the machine in', async () => {
      const licenseKey = await app.license({ expiresAt: app.clock.at(DAY_MS) });
      const machine = await new Machine(app, licenseKey).activated();
      const expiresAt = app.clock.at(DAY_MS);
      app.clock.move(DAY_MS + HOUR_MS);
      const explanation = await explain(app, { licenseKey });
      const day = `${expiresAt.slice(0, 10)} ${expiresAt.slice(11, 16)} UTC`;
      for (const path of ['/verify', '/activate', '/validate', '/heartbeat', '/deactivate'] as const) {
        const check = checkIn(explanation, path);
        assert.deepEqual([check.outcome, check.because], ['license_expired', { expiresAt }]);
        assert.equal(check.sentence, `The license expired on ${day}.`);
        assert.deepEqual(actionsOf(check), ['extend_license']);
      }
      assertAnswered(checkIn(explanation, '/validate'), await machine.validate());
      const remedy = remedyOf(checkIn(explanation, '/validate'), 'extend_license');
      assert.equal(remedy.fields.expiresAt, app.clock.at(30 * DAY_MS));
      await apply(app, remedy);
      assert.equal((await machine.validate()).status, 200);
    });

    it('license_expired of an archived product offers nothing that would be refused', async () => {
      const creator = await Creator.of(app);
      const productId = await creator.product();
      const licenseKey = await creator.license(productId, { expiresAt: app.clock.at(-1) });
      await mustSucceed(creator.send('/updateProduct', { productId, status: 'archived' }));
      const check = checkIn(await explain(app, { licenseKey }), '/verify');
      assert.deepEqual([check.outcome, check.remedies], ['license_expired', []]);
      assert.match(check.sentence, /Its product is archived/);
    });

    const RESOLVED = ['resolve_violations', 'reinstate', 'activate_license'];
    for (const [revocation, actions, words] of [
      ['refund', RESOLVED, ' because its purchase was refunded'],
      ['fraud', RESOLVED, ' because fraud was reported'],
      ['chargeback', ['reinstate'], " because the customer's bank took the payment back"],
      ['plain', ['reinstate', 'activate_license'], ', and no reason was given'],
    ] as const)
      for (const action of actions)
        it(`license_revoked for ${revocation} offers ${action}, after which the machine gets in`, async () => {
          const machine = await new Machine(app, await app.license()).activated();
          const { licenseKey } = machine;
          const reason = revocation === 'plain' ? undefined : revocation;
          await mustSucceed(app.admin('/revokeLicense', { licenseKey, reason }));
          app.clock.move(HOUR_MS);
          const check = await checkOf(app, machine, '/validate');
          assertAnswered(check, await machine.validate());
          assert.deepEqual(
            [check.because.revocation, check.sentence],
            [revocation, `The license was revoked${words}.`],
          );
          assert.deepEqual(actionsOf(check), actions);
          await apply(app, remedyOf(check, action));
          assert.equal((await machine.validate()).status, 200);
        });

    it('license_revoked names the next obstacle if a remedy does not suffice', async () => {
      const machine = await new Machine(app, await app.license({ expiresAt: app.clock.at(DAY_MS) })).activated();
      await mustSucceed(app.admin('/revokeLicense', { licenseKey: machine.licenseKey }));
      app.clock.move(2 * DAY_MS);
      const check = await checkOf(app, machine, '/validate');
      const remedy = remedyOf(check, 'reinstate');
      assert.deepEqual([check.outcome, remedy.outcome], ['license_revoked', 'license_expired']);
      await apply(app, remedy);
      assert.equal((await machine.validate()).headers['latchkey-code'], 'license_expired');
    });

    it('wrong_product names both products and no remedy, because access is bought', async () => {
      const licenseKey = await app.license({ unlockedProducts: ['brush'] });
      const machine = new Machine(app, licenseKey, 'desk', 'sketch');
      const check = await checkOf(app, machine, '/activate');
      assertAnswered(check, await machine.activate());
      assert.deepEqual(check.because, { productId: 'sketch', licenseProductId: 'app', unlockedProducts: ['brush'] });
      assert.equal(
        check.sentence,
        'The license is for "app" and unlocks "brush", not for "sketch". To use that, the customer has to buy it.',
      );
      assert.deepEqual(check.remedies, []);
      machine.productId = 'brush';
      assert.equal((await checkOf(app, machine, '/activate')).outcome, 'ok');
    });

    it('machine_not_activated offers activation, unless that is refused', async () => {
      const machine = await new Machine(app, await app.license({ maxMachines: 1 })).activated();
      const { licenseKey } = machine;
      await mustSucceed(app.admin('/resetActivations', { licenseKey }));
      const check = await checkOf(app, machine, '/validate');
      assertAnswered(check, await machine.validate());
      const remedy = remedyOf(check, 'activate_machine');
      assert.equal(remedy.endpoint, '/activate');
      assert.equal(check.sentence, 'The machine is not activated. The app has to activate.');
      const other = await new Machine(app, licenseKey, 'other').activated();
      const full = await checkOf(app, machine, '/validate');
      assert.deepEqual(full.remedies, []);
      assert.equal(
        full.sentence,
        'The machine is not activated. Activating it would be refused as well: see /activate.',
      );
      await mustSucceed(other.deactivate());
      const { token } = await mustSucceed(app.send('/activate', remedy.fields));
      machine.token = token;
      assert.equal((await machine.validate()).status, 200);
    });

    it('machine_not_activated at /deactivate offers nothing: there is nothing to free', async () => {
      const machine = await new Machine(app, await app.license()).activated();
      await mustSucceed(machine.deactivate());
      const check = await checkOf(app, machine, '/deactivate');
      assertAnswered(check, await machine.deactivate());
      assert.deepEqual([check.status, check.remedies], [404, []]);
      assert.equal(check.sentence, 'The machine is not activated, so there is no slot to free.');
    });

    it('invalid_token names when the latest token expired, and the app activates again', async () => {
      const machine = await new Machine(app, await app.license()).activated();
      app.clock.move(30 * DAY_MS);
      for (const path of ['/validate', '/heartbeat', '/deactivate'] as const) {
        const check = await checkOf(app, machine, path);
        assert.deepEqual([check.outcome, actionsOf(check)], ['invalid_token', ['activate_machine']]);
        assert.ok(Date.parse(check.because.tokenExpiry) <= app.clock.now());
      }
      const heartbeat = await checkOf(app, machine, '/heartbeat');
      assertAnswered(heartbeat, await machine.heartbeat());
      await machine.activated();
      assert.equal((await machine.heartbeat()).status, 200);
      assert.equal((await checkOf(app, machine, '/heartbeat')).outcome, 'ok');
    });

    it('update_not_covered names the build of the request, else that of the newest refusal, and extends the updates', async () => {
      const updatesUntil = app.clock.at(-DAY_MS);
      const licenseKey = await app.license({ updatesUntil, maxVersion: '2' });
      const machine = await new Machine(app, licenseKey).activated();
      const build = { buildDate: app.clock.at(-HOUR_MS), version: '2.1' };
      const { fingerprint: machineFingerprint, token } = machine;
      for (const path of ['/verify', '/activate', '/validate'] as const) {
        const check = await checkOf(app, machine, path, build);
        const fields = { licenseKey, machineFingerprint, ...build };
        const more = path === '/validate' ? { token } : { hostname: 'studio', productId: 'app' };
        assertAnswered(check, await app.send(path, { ...fields, ...more }));
        assert.deepEqual(check.because, { updatesUntil, maxVersion: '2', ...build });
        assert.match(
          check.sentence,
          /^The license covers builds made until .* and versions up to 2\. Version 2\.1, made on /,
        );
        assert.deepEqual(actionsOf(check), ['extend_updates']);
        assert.equal(remedyOf(check, 'extend_updates').outcome, 'ok');
      }
      assert.equal((await checkOf(app, machine, '/heartbeat', build)).outcome, 'ok');
      assert.equal((await checkOf(app, machine, '/verify', { version: '2.2' })).outcome, 'ok');
      await historyWithRefusals(app, licenseKey, 3);
      const { verdict, checks } = await explain(app, { licenseKey });
      assert.deepEqual([verdict.code, verdict.firstStep], ['build_not_covered', 'reply']);
      const check = checkIn({ checks }, '/validate');
      assert.deepEqual(check.because, { updatesUntil, maxVersion: '2', ...build });
      await apply(app, remedyOf(check, 'extend_updates'));
      assert.equal(checkIn(await explain(app, { licenseKey }), '/validate').outcome, 'ok');
    });

    it('feature_missing names the features of the newest refusal', async () => {
      const licenseKey = await app.license({ features: { export: false, layers: 3 } });
      const machine = await new Machine(app, licenseKey).activated();
      const { fingerprint: machineFingerprint, token } = machine;
      const features = ['export', 'layers', 'render'];
      const answer = await app.send('/validate', { licenseKey, machineFingerprint, token, features });
      await historyWithRefusals(app, licenseKey, 1);
      const { verdict, checks } = await explain(app, { licenseKey });
      const check = checkIn({ checks }, '/validate');
      assertAnswered(check, answer);
      assert.deepEqual([check.because, check.remedies], [{ missing: ['export', 'render'] }, []]);
      assert.equal(check.sentence, 'The license does not include "export" and "render".');
      assert.deepEqual([verdict.code, verdict.firstStep], ['feature_not_included', 'reply']);
      app.clock.move(MINUTE_MS);
      await app.send('/verify', { licenseKey, productId: 'other' });
      await historyWithRefusals(app, licenseKey, 2);
      assert.equal(checkIn(await explain(app, { licenseKey }), '/validate').outcome, 'ok');
    });
  });
