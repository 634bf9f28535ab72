/** Named users in explanations, searches, files of an export, and when they are forgotten (rules 14.9). */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { DAY_MS } from '../../../src/ground/base/clock.ts';
import { actionsOf, apply, assertAnswered, checkIn, explain, remedyOf } from '../../insight/explanations/explaining.ts';
import { inspect } from '../../support/answers.ts';
import { environmentOf, runCommandHere } from '../../support/command.ts';
import { mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { freshFor, served } from '../../support/for-test.ts';
import { historyWithRefusals } from '../../support/kept-refusals.ts';
import { startedApp } from '../../support/started-app.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { activateBy, activatedBy, deactivated, type Fields, licenseForUsers, usersOf } from './using.ts';

const PSEUDONYM = /^forgotten-[a-z2-9]{16}@invalid$/;

for (const engine of engines) {
  describe(`the explanation of named users on ${engine}`, () => {
    const app = startedApp(engine);

    it('says that the app names nobody', async () => {
      const licenseKey = await licenseForUsers(app, 1);
      const asked = { licenseKey, machineFingerprint: 'a1', productId: 'app' };
      const check = checkIn(await explain(app, asked), '/activate');
      assertAnswered(check, await activateBy(app, licenseKey, undefined, 'a1'));
      assert.deepEqual([check.outcome, check.remedies], ['user_required', []]);
      assert.equal(checkIn(await explain(app, { ...asked, user: 'ada' }), '/activate').outcome, 'ok');
    });

    it('names who holds the seats, and how one becomes free', async () => {
      const licenseKey = await licenseForUsers(app, 2);
      await activatedBy(app, licenseKey, 'Ada', 'a1');
      app.clock.move(3 * DAY_MS);
      await activatedBy(app, licenseKey, 'bo', 'b1');
      const asked = { licenseKey, machineFingerprint: 'c1', productId: 'app', user: 'Cleo' };
      const check = checkIn(await explain(app, asked), '/activate');
      assertAnswered(check, await activateBy(app, licenseKey, 'Cleo', 'c1'));
      assert.equal(
        check.sentence,
        'The license is for 2 users, and every seat is held: by "Ada" (last seen 3 days ago) and "bo" (last seen just now).',
      );
      assert.deepEqual(
        [
          check.because.limit,
          check.because.used,
          check.because.user,
          check.because.users.map(({ user }: Fields) => user),
        ],
        [2, 2, 'Cleo', ['Ada', 'bo']],
      );
      assert.deepEqual(actionsOf(check), ['release_user', 'release_user', 'raise_limit']);
      assert.deepEqual(
        check.remedies.map(({ outcome }: Fields) => outcome),
        ['ok', 'ok', 'ok'],
      );
      const history = await historyWithRefusals(app, licenseKey, 1);
      const [kept] = history.flatMap(({ refusal }) => refusal ?? []);
      assert.deepEqual([kept.code, kept.details], ['user_limit', { limit: 2 }]);
      await apply(app, remedyOf(check, 'release_user'));
      await activatedBy(app, licenseKey, 'Cleo', 'c1');
      assert.deepEqual(await usersOf(app, licenseKey), { bo: 1, Cleo: 1 });
    });

    it('names the machines of a user who has too many', async () => {
      const licenseKey = await licenseForUsers(app, 2, { maxMachinesPerUser: 1 });
      await activatedBy(app, licenseKey, 'ada', 'a1');
      const asked = { licenseKey, machineFingerprint: 'a2', productId: 'app', user: 'ADA' };
      const check = checkIn(await explain(app, asked), '/activate');
      assertAnswered(check, await activateBy(app, licenseKey, 'ADA', 'a2'));
      assert.equal(
        check.sentence,
        'A user of the license may have 1 machine, and this one has 1: "host of a1" (last seen just now).',
      );
      assert.deepEqual(actionsOf(check), ['release_activation', 'raise_limit']);
      assert.deepEqual(remedyOf(check, 'raise_limit').fields, { licenseKey, maxMachinesPerUser: 2 });
      await apply(app, remedyOf(check, 'release_activation'));
      await activatedBy(app, licenseKey, 'ada', 'a2');
    });

    it('says when a user may try again', async () => {
      const licenseKey = await licenseForUsers(app, 2);
      for (let attempt = 0; attempt < 15; attempt++) await activatedBy(app, licenseKey, 'ada', 'a1');
      const refused = await activateBy(app, licenseKey, 'ada', 'a1');
      const asked = { licenseKey, machineFingerprint: 'a1', productId: 'app' };
      const check = checkIn(await explain(app, asked), '/activate');
      assertAnswered(check, refused);
      assert.deepEqual(actionsOf(check), ['wait', 'lift_activation_limit']);
      await apply(app, remedyOf(check, 'lift_activation_limit'));
      await activatedBy(app, licenseKey, 'ada', 'a1');
    });

    it('is found by a search for the user', async () => {
      const licenseKey = await licenseForUsers(app, 2);
      await activatedBy(app, licenseKey, 'Zora@Example.com', 'z1');
      await activatedBy(app, licenseKey, 'zora@example.com', 'z2');
      for (const query of ['zora@example.com', 'ZORA@']) {
        const { hits } = await mustSucceed(app.admin('/searchEverything', { query }));
        assert.deepEqual(
          hits.map(({ kind, matchedBy, title, licenseKey: key }: Fields) => [kind, matchedBy, title, key]),
          [['user', 'user', 'Zora@Example.com', licenseKey]],
        );
      }
    });
  });

  describe(`forgetting named users on ${engine}`, () => {
    const app = startedApp(engine);

    async function allOf(licenseKey: string): Promise<string> {
      const [license, users, events, explained] = [
        await inspect(app, licenseKey),
        await mustSucceed(app.admin('/listUsers', { licenseKey })),
        await mustSucceed(app.admin('/listEvents', { licenseKey, limit: 1000 })),
        await explain(app, { licenseKey }),
      ];
      return JSON.stringify([license.activations, users, events, explained]).toLowerCase();
    }

    it('replaces all of them with the customer of the license', async () => {
      const licenseKey = await licenseForUsers(app, 3, { email: 'owner@example.com' });
      await activatedBy(app, licenseKey, 'Ada', 'a1');
      await activatedBy(app, licenseKey, 'Ada', 'a2');
      await activatedBy(app, licenseKey, 'bo@example.com', 'b1');
      await activatedBy(app, licenseKey, 'Cleopatra', 'c1');
      await mustSucceed(app.admin('/releaseUser', { licenseKey, user: 'Cleopatra' }));
      await activatedBy(app, licenseKey, 'bo@example.com', 'a2');
      await mustSucceed(app.admin('/forgetCustomer', { email: 'owner@example.com' }));
      const { users } = await mustSucceed(app.admin('/listUsers', { licenseKey }));
      for (const { user } of users) assert.match(user, PSEUDONYM);
      assert.deepEqual(users.map(({ machines }: Fields) => machines).sort(), [1, 2]);
      const all = await allOf(licenseKey);
      for (const name of ['"ada"', 'bo@example.com', 'cleopatra']) assert.ok(!all.includes(name), name);
      // The machines of a user still belong together.
      const { activations } = await inspect(app, licenseKey);
      const [a1, a2, b1] = activations.map(({ user }: Fields) => user);
      assert.equal(a2, b1);
      assert.notEqual(a1, a2);
    });

    it('replaces a user whose own address is forgotten, and nobody else', async () => {
      const licenseKey = await licenseForUsers(app, 5, { email: 'boss@example.com' });
      const plain = await app.license({ email: 'boss@example.com' });
      const released = await licenseForUsers(app, 5, { email: 'boss@example.com' });
      await activatedBy(app, licenseKey, 'Dora@Example.com', 'd1');
      await activatedBy(app, licenseKey, 'emil@example.com', 'e1');
      await activatedBy(app, plain, 'dora@example.com', 'd1');
      await activatedBy(app, released, 'dora@example.com', 'd1');
      await mustSucceed(app.admin('/releaseUser', { licenseKey: released, user: 'dora@example.com' }));
      const { complete, pseudonym, replaced } = await mustSucceed(
        app.admin('/forgetCustomer', { email: 'dora@example.com' }),
      );
      assert.deepEqual([complete, replaced.users, replaced.licenses], [true, 2, 0]);
      assert.deepEqual(await usersOf(app, licenseKey), { 'emil@example.com': 1, [pseudonym]: 1 });
      for (const key of [licenseKey, plain, released])
        assert.ok(!(await allOf(key)).includes('dora@example.com'), 'the address is gone');
      assert.match(await allOf(plain), /boss@example\.com|host of d1/);
    });
  });

  describe(`forgetting users who left on ${engine}`, () => {
    const app = startedApp(engine);

    const eventsOf = async (licenseKey: string) =>
      JSON.stringify(await mustSucceed(app.admin('/listEvents', { licenseKey, limit: 1000 }))).toLowerCase();

    it('replaces an address that only events still have, and no longer one that contains it', async () => {
      const floating = await licenseForUsers(app, 5, { email: 'boss@example.com', usersFloat: true });
      const plain = await app.license({ email: 'boss@example.com', maxMachines: 5 });
      for (const licenseKey of [floating, plain])
        for (const [user, machine] of [
          ['Fay@Example.com', 'f1'],
          ['fay@example.com.br', 'f2'],
          ['"user":', 'f3'],
        ] as const)
          await deactivated(app, licenseKey, machine, await activatedBy(app, licenseKey, user, machine));
      assert.deepEqual(await usersOf(app, floating), {});
      const { complete, pseudonym, replaced } = await mustSucceed(
        app.admin('/forgetCustomer', { email: 'fay@example.com' }),
      );
      assert.deepEqual([complete, replaced.events, replaced.users, replaced.licenses], [true, 4, 0, 0]);
      for (const licenseKey of [floating, plain]) {
        const events = await eventsOf(licenseKey);
        assert.ok(!/fay@example\.com(?!\.br)/.test(events), events);
        assert.ok(events.includes(pseudonym) && events.includes('fay@example.com.br'));
      }
      const again = await mustSucceed(app.admin('/forgetCustomer', { email: 'fay@example.com' }));
      assert.deepEqual([again.complete, again.pseudonym], [true, null]);
    });
  });

  describe(`export and import of named users on ${engine}`, () => {
    it('carry the seats and the users of machines', async (test) => {
      const [from, to] = [
        await freshFor(test, engine),
        await freshFor(test, engine === 'sqlite' ? 'postgres' : 'sqlite'),
      ];
      const file = join(temporaryFolder(test), 'export.jsonl');
      const licenseKey = await served(from, async (app) => {
        const key = await licenseForUsers(app, 2, { maxMachinesPerUser: 3, usersFloat: false });
        await activatedBy(app, key, 'Ada', 'a1');
        await activatedBy(app, key, 'Bo', 'b1');
        await mustSucceed(app.admin('/releaseActivation', { licenseKey: key, machineFingerprint: 'b1' }));
        return key;
      });
      const exported = await runCommandHere(['export', file], environmentOf(from));
      assert.equal(exported.code, 0, exported.err);
      assert.match(readFileSync(file, 'utf8'), /"kind":"user".*"user":"Bo"/);
      for (const round of [1, 2]) {
        const imported = await runCommandHere(['import', file], environmentOf(to));
        assert.equal(imported.code, 0, `${round}: ${imported.err}`);
      }
      await served(to, async (app) => {
        assert.deepEqual(await usersOf(app, licenseKey), { Ada: 1, Bo: 0 });
        const { license, activations } = await inspect(app, licenseKey);
        assert.deepEqual([license.maxUsers, license.maxMachinesPerUser, license.usersFloat], [2, 3, false]);
        assert.equal(activations[0].user, 'Ada');
        assert.equal((await activateBy(app, licenseKey, 'cleo', 'c1')).status, 403);
        await activatedBy(app, licenseKey, 'bo', 'b2');
      });
    });
  });
}
