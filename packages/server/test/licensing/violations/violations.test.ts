import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/ground/base/clock.ts';
import { assertRefused, inspect } from '../../support/answers.ts';
import { engines } from '../../support/databases.ts';
import { fillPool } from '../../support/full-pool.ts';
import { Machine } from '../../support/machine.ts';
import { startedApp } from '../../support/started-app.ts';

for (const engine of engines)
  describe(`violations that the client endpoints record on ${engine}`, () => {
    const app = startedApp(engine);

    /** The only violation of a license. */
    const violationOf = async (licenseKey: string) => {
      const { license, violations } = await inspect(app, licenseKey);
      assert.equal(violations.length, 1, JSON.stringify(violations));
      assert.equal(license.threatLevel, violations[0].severity);
      return violations[0];
    };
    /** A license whose only slot is taken. */
    const fullLicense = async () => {
      const licenseKey = await app.license({ maxMachines: 1 });
      await new Machine(app, licenseKey, 'bound').activated();
      return licenseKey;
    };
    const refuse = async (licenseKey: string, ...fingerprints: string[]) => {
      for (const fingerprint of fingerprints)
        assert.equal((await new Machine(app, licenseKey, fingerprint).activate()).status, 403);
    };

    it('none, as long as all is in order', async () => {
      const licenseKey = await app.license();
      const machine = await new Machine(app, licenseKey).activated();
      await machine.activate();
      await machine.validate();
      await machine.heartbeat();
      await machine.deactivate();
      const { license, violations } = await inspect(app, licenseKey);
      assert.deepEqual([license.threatLevel, violations], [0, []]);
    });

    it('machine_limit: which machine wanted in, when, and past which limit', async () => {
      const licenseKey = await fullLicense();
      await refuse(licenseKey, 'further');
      const { id, ...violation } = await violationOf(licenseKey);
      assert.match(id, /^[\w-]{16}$/);
      assert.deepEqual(violation, {
        type: 'machine_limit',
        severity: 1,
        occurrences: 1,
        firstSeen: app.clock.at(),
        lastSeen: app.clock.at(),
        evidence: {
          limit: 1,
          machines: [{ fingerprint: 'further', hostname: 'host of further', lastSeen: app.clock.at() }],
        },
        resolvedAt: null,
      });
    });

    it('machine_limit: repeats gather in one, the newest machine first', async () => {
      const licenseKey = await fullLicense();
      await refuse(licenseKey, 'one');
      const { id, firstSeen } = await violationOf(licenseKey);
      app.clock.move(MINUTE_MS);
      await refuse(licenseKey, 'two');
      const lastOfTwo = app.clock.at();
      app.clock.move(MINUTE_MS);
      await refuse(licenseKey, 'one');
      const violation = await violationOf(licenseKey);
      assert.equal(violation.id, id);
      assert.deepEqual([violation.occurrences, violation.severity], [3, 1]);
      assert.deepEqual([violation.firstSeen, violation.lastSeen], [firstSeen, app.clock.at()]);
      assert.deepEqual(violation.evidence.machines, [
        { fingerprint: 'one', hostname: 'host of one', lastSeen: app.clock.at() },
        { fingerprint: 'two', hostname: 'host of two', lastSeen: lastOfTwo },
      ]);
    });

    it('machine_limit: severity 2 from the fifth distinct machine in a day', async () => {
      const licenseKey = await fullLicense();
      await refuse(licenseKey, 'one', 'two', 'three', 'four', 'one', 'two');
      assert.equal((await violationOf(licenseKey)).severity, 1);
      app.clock.move(DAY_MS - 1);
      await refuse(licenseKey, 'five');
      assert.equal((await violationOf(licenseKey)).severity, 2);
    });

    it('machine_limit: severity 1 when five machines came over more than a day', async () => {
      const licenseKey = await fullLicense();
      await refuse(licenseKey, 'one', 'two', 'three', 'four');
      app.clock.move(DAY_MS);
      await refuse(licenseKey, 'five');
      assert.equal((await violationOf(licenseKey)).severity, 1);
    });

    it('machine_limit: a severity that was reached stays, also when the next days are quieter', async () => {
      const licenseKey = await fullLicense();
      await refuse(licenseKey, 'one', 'two', 'three', 'four', 'five');
      app.clock.move(2 * DAY_MS);
      await refuse(licenseKey, 'one');
      assert.deepEqual((await violationOf(licenseKey)).severity, 2);
    });

    /** A floating license whose only seat is taken. */
    const fullFloatingLicense = async () => {
      const licenseKey = await app.license({ licenseType: 'floating', maxMachines: 9, maxConcurrent: 1 });
      await new Machine(app, licenseKey, 'bound').activated();
      return licenseKey;
    };
    const assertNone = async (licenseKey: string) => {
      const { license, violations } = await inspect(app, licenseKey);
      assert.deepEqual([license.threatLevel, violations], [0, []]);
    };

    it('none, when a bound machine waits for a seat of a floating license', async () => {
      const licenseKey = await app.license({ licenseType: 'floating', maxConcurrent: 1 });
      const machine = (fingerprint: string) => new Machine(app, licenseKey, fingerprint);
      for (const fingerprint of ['monday', 'tuesday']) {
        await machine(fingerprint).activated();
        app.clock.move(HOUR_MS);
      }
      await machine('tuesday').activated();
      await refuse(licenseKey, 'monday', 'monday');
      await assertNone(licenseKey);
    });

    it('none, while fewer than five new machines in a day wait for a seat of a floating license', async () => {
      const licenseKey = await fullFloatingLicense();
      await refuse(licenseKey, 'one', 'two', 'three', 'four', 'one', 'one');
      await assertNone(licenseKey);
    });

    it('none, when five new machines wait for a seat over more than a day', async () => {
      const licenseKey = await fullFloatingLicense();
      await refuse(licenseKey, 'one', 'two', 'three', 'four');
      app.clock.move(DAY_MS);
      await new Machine(app, licenseKey, 'bound').activated();
      await refuse(licenseKey, 'five');
      await assertNone(licenseKey);
    });

    it('machine_limit: severity 2 at once, when five new machines in a day wait for a seat', async () => {
      const licenseKey = await fullFloatingLicense();
      const waited: string[] = [];
      for (const fingerprint of ['one', 'two', 'three', 'four']) {
        await refuse(licenseKey, fingerprint);
        waited.unshift(app.clock.at());
        app.clock.move(1);
      }
      await refuse(licenseKey, 'five');
      const { id, ...violation } = await violationOf(licenseKey);
      assert.deepEqual(violation, {
        type: 'machine_limit',
        severity: 2,
        occurrences: 5,
        firstSeen: waited.at(-1),
        lastSeen: app.clock.at(),
        evidence: {
          limit: 1,
          machines: ['five', 'four', 'three', 'two', 'one'].map((fingerprint, index) => ({
            fingerprint,
            hostname: `host of ${fingerprint}`,
            lastSeen: [app.clock.at(), ...waited][index],
          })),
        },
        resolvedAt: null,
      });
      assert.match(id, /^[\w-]{16}$/);
      app.clock.move(MINUTE_MS);
      await refuse(licenseKey, 'six');
      assert.equal((await violationOf(licenseKey)).occurrences, 6);
    });

    it('machine_limit: counts machines that wait for a seat from one again, after it was resolved', async () => {
      const licenseKey = await fullFloatingLicense();
      await refuse(licenseKey, 'one', 'two', 'three', 'four', 'five');
      const violationIds = [(await violationOf(licenseKey)).id];
      assert.equal((await app.admin('/resolveLicense', { licenseKey, violationIds })).body.threatLevel, 0);
      await refuse(licenseKey, 'one', 'two', 'three', 'four');
      assert.equal((await inspect(app, licenseKey)).license.threatLevel, 0);
      await refuse(licenseKey, 'five');
      assert.equal((await inspect(app, licenseKey)).license.threatLevel, 2);
    });

    it('machine_limit: counts machines that wait for a seat on, after another type of violation was opened', async () => {
      const licenseKey = await fullFloatingLicense();
      await refuse(licenseKey, 'one', 'two', 'three', 'four');
      const stranger = new Machine(app, licenseKey, 'stranger');
      stranger.token = (await new Machine(app, await app.license(), 'stranger').activated()).token;
      assert.equal((await stranger.validate()).status, 401);
      await refuse(licenseKey, 'five');
      const { violations } = await inspect(app, licenseKey);
      assert.deepEqual(violations.map((each: { type: string }) => each.type).sort(), ['machine_limit', 'token_replay']);
    });

    it('machine_limit: keeps the twenty machines seen last, however many there were', async () => {
      const licenseKey = await fullLicense();
      for (let index = 1; index <= 22; index += 1) {
        app.clock.move(index % 10 === 0 ? HOUR_MS : MINUTE_MS);
        await refuse(licenseKey, `machine ${index}`);
      }
      const { occurrences, evidence } = await violationOf(licenseKey);
      assert.equal(occurrences, 22);
      assert.equal(evidence.machines.length, 20);
      assert.equal(evidence.machines[0].fingerprint, 'machine 22');
      assert.equal(evidence.machines[19].fingerprint, 'machine 3');
    });

    it('machine_limit: names of a hundred characters and 400 bytes, cut after their last whole character', async () => {
      const licenseKey = await app.license({ maxMachines: 1 });
      await new Machine(app, licenseKey, 'first').activated();
      // Four bytes a letter, and six for U+0001, which JSON escapes.
      const letters = (count: number) => '\u{1D538}'.repeat(count);
      for (const [fingerprint, kept] of [
        [letters(100), letters(100)],
        [`b${letters(100)}`, `b${letters(99)}`],
        [`\u0001c${letters(98)}`, `\u0001c${letters(98)}`],
        [`\u0001dd${letters(98)}`, `\u0001dd${letters(97)}`],
        [`\u0001\u00e9${letters(98)}`, `\u0001\u00e9${letters(98)}`],
        [`\u0001\u20ac${letters(98)}`, `\u0001\u20ac${letters(97)}`],
      ] as const) {
        app.clock.move(MINUTE_MS);
        assert.equal((await new Machine(app, licenseKey, fingerprint).activate()).status, 403);
        const { evidence } = await violationOf(licenseKey);
        assert.equal(evidence.machines[0].fingerprint, kept);
      }
    });

    it('activation_rate: which machine asked too often', async () => {
      const licenseKey = await app.license();
      const machine = new Machine(app, licenseKey, 'eager');
      for (let times = 0; times < 15; times += 1) await machine.activated();
      assert.deepEqual((await inspect(app, licenseKey)).violations, []);
      assert.equal((await machine.activate()).status, 429);
      app.clock.move(MINUTE_MS);
      assert.equal((await machine.activate()).status, 429);
      const { type, severity, occurrences, evidence } = await violationOf(licenseKey);
      assert.deepEqual([type, severity, occurrences], ['activation_rate', 2, 2]);
      assert.deepEqual(evidence, {
        machines: [{ fingerprint: 'eager', hostname: 'host of eager', lastSeen: app.clock.at() }],
      });
    });

    for (const [path, show] of [
      ['/validate', (machine: Machine) => machine.validate()],
      ['/deactivate', (machine: Machine) => machine.deactivate()],
      ['/heartbeat', (machine: Machine) => machine.heartbeat()],
    ] as const)
      it(`token_replay: a token of another machine or license shown to ${path}`, async () => {
        const licenseKey = await app.license();
        const victim = await new Machine(app, licenseKey, 'victim').activated();
        const thief = new Machine(app, licenseKey, 'thief');
        thief.token = victim.token;
        assert.equal((await show(thief)).status, 401);
        const first = await violationOf(licenseKey);
        assert.deepEqual([first.type, first.severity, first.occurrences], ['token_replay', 3, 1]);
        const machines = () => [{ fingerprint: 'thief', lastSeen: app.clock.at() }];
        assert.deepEqual(first.evidence, { endpoint: path, tokenOf: 'another machine', machines: machines() });

        app.clock.move(MINUTE_MS);
        thief.token = (await new Machine(app, await app.license(), 'thief').activated()).token;
        assert.equal((await show(thief)).status, 401);
        const second = await violationOf(licenseKey);
        assert.deepEqual([second.id, second.occurrences], [first.id, 2]);
        assert.deepEqual(second.evidence, { endpoint: path, tokenOf: 'another license', machines: machines() });
        // No machine is blocked by it.
        assert.equal((await show(victim)).status, 200);
      });

    it('token_replay: not for tokens that are expired, forged or of an earlier activation', async () => {
      const licenseKey = await app.license();
      const victim = await new Machine(app, licenseKey, 'victim').activated();
      const old = victim.token;
      await victim.deactivate();
      await victim.activated();
      for (const token of ['garbage', `${victim.token}A`, old]) {
        const answer = await app.send('/validate', { licenseKey, machineFingerprint: 'victim', token });
        assert.equal(answer.status, 401);
      }
      app.clock.move(30 * DAY_MS);
      const thief = new Machine(app, licenseKey, 'thief');
      thief.token = victim.token;
      assertRefused(await thief.validate(), 401, 'Invalid or expired token', 'valid');
      assert.deepEqual((await inspect(app, licenseKey)).violations, []);
    });

    it('never with a token, a license key or anything else that opens something', async () => {
      const licenseKey = await app.license();
      const victim = await new Machine(app, licenseKey, 'victim').activated();
      const thief = new Machine(app, licenseKey, 'thief');
      thief.token = victim.token;
      await thief.validate();
      const evidence = JSON.stringify(await violationOf(licenseKey));
      assert.ok(!evidence.includes(victim.token.slice(0, 20)) && !evidence.includes(licenseKey));
    });

    it('one of each type beside the others; the threat level is the highest', async () => {
      const licenseKey = await fullLicense();
      await refuse(licenseKey, 'further');
      const thief = new Machine(app, licenseKey, 'thief');
      thief.token = (await new Machine(app, await app.license(), 'thief').activated()).token;
      await thief.heartbeat();
      for (let times = 2; times <= 15; times += 1) await new Machine(app, licenseKey, 'further').activate();
      const { license, violations } = await inspect(app, licenseKey);
      const severities = Object.fromEntries(
        violations.map(({ type, severity }: { type: string; severity: number }) => [type, severity]),
      );
      assert.deepEqual(severities, { machine_limit: 1, token_replay: 3, activation_rate: 2 });
      assert.equal(license.threatLevel, 3);
      assert.equal(license.status, 'active');
    });

    it('open again after they were resolved; the threat level falls in between', async () => {
      const licenseKey = await fullLicense();
      await refuse(licenseKey, 'one', 'two', 'three', 'four', 'five');
      const { id } = await violationOf(licenseKey);
      const resolved = await app.admin('/resolveLicense', { licenseKey, violationIds: [id] });
      assert.equal(resolved.body.threatLevel, 0);
      app.clock.move(1);
      await refuse(licenseKey, 'one');
      const { license, violations } = await inspect(app, licenseKey);
      assert.equal(license.threatLevel, 1);
      assert.equal(violations.length, 2);
      const open = violations.filter((each: { resolvedAt: string | null }) => each.resolvedAt === null);
      assert.equal(open.length, 1);
      assert.notEqual(open[0].id, id);
      assert.deepEqual([open[0].occurrences, open[0].severity], [1, 1]);
    });

    it('each on its license, also when machines of many licenses misbehave at once', async () => {
      const licenseKeys = await Promise.all([fullLicense(), fullLicense(), fullLicense()]);
      await fillPool(app);
      await Promise.all(licenseKeys.flatMap((key) => ['a', 'b', 'c', 'd'].map((name) => refuse(key, name))));
      app.clock.move(MINUTE_MS);
      for (const licenseKey of licenseKeys) {
        await refuse(licenseKey, 'a');
        const { occurrences, evidence } = await violationOf(licenseKey);
        assert.equal(occurrences, 5);
        const names = evidence.machines.map((each: { fingerprint: string }) => each.fingerprint);
        assert.deepEqual(names.sort(), ['a', 'b', 'c', 'd']);
      }
    });
  });
