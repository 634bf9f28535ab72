/** Named users of licenses (rules 14.9). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS, HOUR_MS } from '../../../src/ground/base/clock.ts';
import { inspect, update } from '../../support/answers.ts';
import { mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { startedApp } from '../../support/started-app.ts';
import { activateBy, activatedBy, assertCode, deactivated, type Fields, licenseForUsers, usersOf } from './using.ts';

for (const engine of engines)
  describe(`named users on ${engine}`, () => {
    const app = startedApp(engine);

    async function eventsOf(licenseKey: string, ...types: string[]) {
      const { events } = await mustSucceed(app.admin('/listEvents', { licenseKey, types }));
      return events.map(({ type, before, after }: Fields) => ({ type, before, after }));
    }

    async function userOf(licenseKey: string, fingerprint: string) {
      const { activations } = await inspect(app, licenseKey);
      return activations.find((each: Fields) => each.fingerprint === fingerprint)?.user;
    }

    it('hold as many seats as the license has, each by any form of the name', async () => {
      const licenseKey = await licenseForUsers(app, 2);
      await activatedBy(app, licenseKey, 'Ada@Example.com', 'a1');
      await activatedBy(app, licenseKey, 'ada@example.COM', 'a2');
      await activatedBy(app, licenseKey, 'Bo', 'b1');
      assertCode(await activateBy(app, licenseKey, 'Cleo', 'c1'), 403, 'user_limit', 'User limit reached (2)');
      await activatedBy(app, licenseKey, 'bo', 'b2');
      assert.deepEqual(await usersOf(app, licenseKey), { 'Ada@Example.com': 2, Bo: 2 });
      assert.equal(await userOf(licenseKey, 'a2'), 'ada@example.COM');
      const { license, activationCount, violations } = await inspect(app, licenseKey);
      assert.deepEqual([license.maxUsers, activationCount, violations], [2, 4, []]);
    });

    it('must be named, but by a machine that has one', async () => {
      const licenseKey = await licenseForUsers(app, 2);
      assertCode(await activateBy(app, licenseKey, undefined, 'a1'), 400, 'user_required', 'User required');
      await activatedBy(app, licenseKey, 'ada', 'a1');
      await activatedBy(app, licenseKey, undefined, 'a1');
      assert.equal(await userOf(licenseKey, 'a1'), 'ada');
      for (const user of ['', ' ', 'x'.repeat(256), 7, 'a\0b'])
        assert.equal((await activateBy(app, licenseKey, user as string, 'a2')).status, 400, JSON.stringify(user));
      await activatedBy(app, licenseKey, 'x'.repeat(255), 'a2');
    });

    it('are asked for after the license itself', async () => {
      const licenseKey = await licenseForUsers(app, 1);
      await update(app, licenseKey, { expiresAt: app.clock.at(-1) });
      assertCode(await activateBy(app, licenseKey, undefined, 'a1'), 403, 'license_expired');
      await update(app, licenseKey, { expiresAt: null, maxVersion: '2' });
      assertCode(await activateBy(app, licenseKey, 'ada', 'a1', 'other'), 403, 'wrong_product');
    });

    it('keep the seat without a machine, and come back on a new one', async () => {
      const licenseKey = await licenseForUsers(app, 1);
      const token = await activatedBy(app, licenseKey, 'ada', 'a1');
      await deactivated(app, licenseKey, 'a1', token);
      assert.deepEqual(await usersOf(app, licenseKey), { ada: 0 });
      assertCode(await activateBy(app, licenseKey, 'bo', 'b1'), 403, 'user_limit');
      await activatedBy(app, licenseKey, 'ADA', 'a2');
      await mustSucceed(app.admin('/resetActivations', { licenseKey }));
      assert.deepEqual(await usersOf(app, licenseKey), { ada: 0 });
    });

    it('show when they were seen, with and without a machine', async () => {
      const licenseKey = await licenseForUsers(app, 1);
      const since = app.clock.at(0);
      const token = await activatedBy(app, licenseKey, 'ada', 'a1');
      app.clock.move(HOUR_MS);
      await mustSucceed(app.send('/validate', { licenseKey, machineFingerprint: 'a1', token }));
      const user = async () => (await mustSucceed(app.admin('/listUsers', { licenseKey }))).users[0];
      const seen = { user: 'ada', since, lastSeen: app.clock.at(0) };
      assert.deepEqual(await user(), { ...seen, machines: 1 });
      app.clock.move(HOUR_MS);
      await mustSucceed(app.admin('/releaseActivation', { licenseKey, machineFingerprint: 'a1' }));
      assert.deepEqual(await user(), { ...seen, machines: 0 });
    });

    it('show when they were seen on a machine that is gone, also where seats float', async () => {
      const licenseKey = await licenseForUsers(app, 1, { usersFloat: true });
      await activatedBy(app, licenseKey, 'ada', 'a1');
      const since = app.clock.at();
      app.clock.move(HOUR_MS);
      const token = await activatedBy(app, licenseKey, 'ada', 'a2');
      const lastSeen = app.clock.at();
      await deactivated(app, licenseKey, 'a2', token);
      const { users } = await mustSucceed(app.admin('/listUsers', { licenseKey }));
      assert.deepEqual(users, [{ user: 'ada', machines: 1, since, lastSeen }]);
    });

    it('give up a seat that floats with the last machine, whoever releases it', async () => {
      const licenseKey = await licenseForUsers(app, 1, { usersFloat: true });
      const full = async () => assertCode(await activateBy(app, licenseKey, 'bo', 'b1'), 403, 'user_limit');
      const token = await activatedBy(app, licenseKey, 'ada', 'a1');
      await activatedBy(app, licenseKey, 'ada', 'a2');
      await deactivated(app, licenseKey, 'a1', token);
      await full();
      await mustSucceed(app.admin('/releaseActivation', { licenseKey, machineFingerprint: 'a2' }));
      assert.deepEqual(await usersOf(app, licenseKey), {});
      await activatedBy(app, licenseKey, 'bo', 'b1');
      await mustSucceed(app.admin('/resetActivations', { licenseKey }));
      assert.deepEqual(await usersOf(app, licenseKey), {});
      await activatedBy(app, licenseKey, 'cleo', 'c1');
    });

    it('hand a machine over within the limits', async () => {
      const licenseKey = await licenseForUsers(app, 2, { maxMachinesPerUser: 1 });
      await activatedBy(app, licenseKey, 'ada', 'a1');
      await activatedBy(app, licenseKey, 'bo', 'a1');
      assert.deepEqual(await usersOf(app, licenseKey), { ada: 0, bo: 1 });
      assert.deepEqual(await eventsOf(licenseKey, 'activation.moved'), [
        {
          type: 'activation.moved',
          before: { fingerprint: 'a1', user: 'ada' },
          after: { fingerprint: 'a1', user: 'bo' },
        },
      ]);
      assertCode(await activateBy(app, licenseKey, 'cleo', 'a1'), 403, 'user_limit');
      await activatedBy(app, licenseKey, 'ada', 'a2');
      assertCode(await activateBy(app, licenseKey, 'ada', 'a1'), 403, 'machine_limit');
      await update(app, licenseKey, { usersFloat: true });
      // The seat of the only machine of a user goes with it.
      await activatedBy(app, licenseKey, 'cleo', 'a1');
      assert.deepEqual(await usersOf(app, licenseKey), { ada: 1, cleo: 1 });
    });

    it('have no more machines than their limit, beside that of the license', async () => {
      const licenseKey = await licenseForUsers(app, 5, { maxMachinesPerUser: 2, maxMachines: 3 });
      await activatedBy(app, licenseKey, 'ada', 'a1');
      await activatedBy(app, licenseKey, 'ada', 'a2');
      const ofUser = await activateBy(app, licenseKey, 'Ada', 'a3');
      assertCode(ofUser, 403, 'machine_limit', 'Machine limit reached (2). Deactivate another machine first.');
      assert.deepEqual([ofUser.body.licenseType, ofUser.body.until], ['per-machine', null]);
      await activatedBy(app, licenseKey, 'ada', 'a2');
      await activatedBy(app, licenseKey, 'bo', 'b1');
      const ofLicense = await activateBy(app, licenseKey, 'cleo', 'c1');
      assertCode(ofLicense, 403, 'machine_limit', 'Machine limit reached (3). Deactivate another machine first.');
      assert.deepEqual(await usersOf(app, licenseKey), { ada: 2, bo: 1 });
    });

    it('are released with their machines, once', async () => {
      const licenseKey = await licenseForUsers(app, 1);
      const token = await activatedBy(app, licenseKey, 'Ada', 'a1');
      await activatedBy(app, licenseKey, 'Ada', 'a2');
      const released = await mustSucceed(app.admin('/releaseUser', { licenseKey, user: 'ADA' }));
      assert.deepEqual(released, { success: true, machinesReleased: 2 });
      assert.deepEqual(await usersOf(app, licenseKey), {});
      assert.equal((await inspect(app, licenseKey)).activationCount, 0);
      const session = { licenseKey, machineFingerprint: 'a1', token };
      assertCode(await app.send('/validate', session), 403, 'machine_not_activated');
      assertCode(await app.admin('/releaseUser', { licenseKey, user: 'Ada' }), 404, 'user_not_found', 'User not found');
      assert.deepEqual(await eventsOf(licenseKey, 'user.released'), [
        { type: 'user.released', before: { user: 'Ada', machines: 2 }, after: null },
      ]);
      await activatedBy(app, licenseKey, 'bo', 'b1');
    });

    it('are kept and shown by a license without the term, and seated once it has it', async () => {
      const licenseKey = await app.license({ maxMachines: 5 });
      await activatedBy(app, licenseKey, undefined, 'x1');
      await activatedBy(app, licenseKey, 'Ada', 'a1');
      await activatedBy(app, licenseKey, 'ada', 'a2');
      await activatedBy(app, licenseKey, 'bo', 'b1');
      assert.equal(await userOf(licenseKey, 'a1'), 'Ada');
      assert.equal(await userOf(licenseKey, 'x1'), undefined);
      assert.deepEqual(await usersOf(app, licenseKey), {});
      const [created] = await eventsOf(licenseKey, 'activation.created');
      assert.equal(created.after.user, 'bo');
      await update(app, licenseKey, { maxUsers: 1 });
      assert.deepEqual(await usersOf(app, licenseKey), { Ada: 2, bo: 1 });
      assertCode(await activateBy(app, licenseKey, 'cleo', 'c1'), 403, 'user_limit');
      assertCode(await activateBy(app, licenseKey, undefined, 'x1'), 400, 'user_required');
      await activatedBy(app, licenseKey, 'bo', 'b1');
      await update(app, licenseKey, { maxUsers: null });
      assert.deepEqual(await usersOf(app, licenseKey), {});
      await activatedBy(app, licenseKey, undefined, 'x2');
      const { machinesReleased } = await mustSucceed(app.admin('/releaseUser', { licenseKey, user: 'ada' }));
      assert.equal(machinesReleased, 2);
    });

    it('come with the variant, as many times as units are bought', async () => {
      const slug = `team-${engine}`;
      await mustSucceed(app.admin('/createProduct', { name: 'Team', slug, creatorId: 'ada' }));
      const variant = { productId: slug, name: 'team', maxMachines: -1 };
      await mustSucceed(app.admin('/createVariant', { ...variant, maxUsers: 5, maxMachinesPerUser: 2 }));
      const licenseKey = await app.license({ productId: slug, variant: 'team' });
      const { license } = await inspect(app, licenseKey);
      assert.deepEqual([license.maxUsers, license.maxMachinesPerUser, license.usersFloat], [5, 2, undefined]);
      const plan = { purchaseId: `plan-${engine}`, variant: 'team', productId: slug, email: 'ada@example.com' };
      const bought = await mustSucceed(app.webhook('/storefrontWebhook', { ...plan, type: 'purchase.completed' }));
      await mustSucceed(app.webhook('/storefrontWebhook', { ...plan, type: 'subscription.updated', quantity: 3 }));
      assert.equal((await inspect(app, bought.licenseKey)).license.maxUsers, 15);
      await mustSucceed(app.admin('/createVariant', { productId: slug, name: 'machines', maxMachines: 3 }));
      await activatedBy(app, licenseKey, 'ada', 'a1', slug);
      await update(app, licenseKey, { variant: 'machines', terms: 'variant' });
      assert.equal((await inspect(app, licenseKey)).license.maxUsers, undefined);
      await activatedBy(app, licenseKey, undefined, 'a2', slug);
    });

    it('have 15 attempts an hour each', async () => {
      const licenseKey = await licenseForUsers(app, 3);
      for (let attempt = 0; attempt < 15; attempt++) await activatedBy(app, licenseKey, 'ada', 'a1');
      const refused = await activateBy(app, licenseKey, 'Ada', 'a1');
      assertCode(refused, 429, 'activation_rate');
      assert.ok(Number(refused.headers['retry-after']) > 0);
      assertCode(await activateBy(app, licenseKey, undefined, 'a1'), 429, 'activation_rate');
      for (let attempt = 0; attempt < 15; attempt++) await activatedBy(app, licenseKey, 'bo', 'b1');
      await mustSucceed(app.admin('/liftActivationLimit', { licenseKey }));
      const [lifted] = await eventsOf(licenseKey, 'license.activation_limit_lifted');
      assert.deepEqual([lifted.before, lifted.after], [{ attempts: 30 }, { attempts: 0 }]);
      for (let attempt = 0; attempt < 15; attempt++) await activatedBy(app, licenseKey, 'ada', 'a1');
      assertCode(await activateBy(app, licenseKey, 'ada', 'a1'), 429, 'activation_rate');
      app.clock.move(2 * HOUR_MS);
      await activatedBy(app, licenseKey, 'ada', 'a1');
    });

    it('have the attempts of all seats together where seats float', async () => {
      const licenseKey = await licenseForUsers(app, 1, { usersFloat: true });
      for (let user = 0; user < 15; user++) {
        const token = await activatedBy(app, licenseKey, `user ${user}`, 'm');
        await deactivated(app, licenseKey, 'm', token);
      }
      assertCode(await activateBy(app, licenseKey, 'one more', 'm'), 429, 'activation_rate');
    });

    it('have the attempts of all seats together where each takes the only machine of the one before', async () => {
      const licenseKey = await licenseForUsers(app, 1, { usersFloat: true });
      for (let user = 0; user < 15; user++) await activatedBy(app, licenseKey, `user ${user}`, 'm');
      assertCode(await activateBy(app, licenseKey, 'one more', 'm'), 429, 'activation_rate');
      // Nor does somebody else who gets no seat write anything.
      assertCode(await activateBy(app, licenseKey, 'one more', 'other'), 403, 'user_limit');
    });

    it('have all their attempts again once the license had no users in between', async () => {
      const licenseKey = await licenseForUsers(app, 1);
      for (let attempt = 0; attempt < 15; attempt++) await activatedBy(app, licenseKey, 'ada', 'a1');
      await update(app, licenseKey, { maxUsers: null });
      await update(app, licenseKey, { maxUsers: 1 });
      await activatedBy(app, licenseKey, 'ada', 'a1');
    });

    it('make room for one another after the license itself had too many attempts', async () => {
      const licenseKey = await app.license({ maxMachines: 1, releaseIdleDays: 1 });
      await activatedBy(app, licenseKey, 'ada', 'a1');
      app.clock.move(2 * DAY_MS);
      for (let attempt = 0; attempt < 16; attempt++) await activateBy(app, licenseKey, 'bo', 'b1', 'other');
      await update(app, licenseKey, { maxUsers: 2 });
      await activatedBy(app, licenseKey, 'bo', 'b1');
    });

    it('hold the seat since they got it, on a machine that another had before, too', async () => {
      const licenseKey = await licenseForUsers(app, 2);
      await activatedBy(app, licenseKey, 'ada', 'm');
      app.clock.move(DAY_MS);
      await activatedBy(app, licenseKey, 'bo', 'm');
      const { users } = await mustSucceed(app.admin('/listUsers', { licenseKey }));
      assert.deepEqual(
        users.map(({ user, since }: Fields) => [user, since]),
        [
          ['ada', app.clock.at(-DAY_MS)],
          ['bo', app.clock.at()],
        ],
      );
    });

    it('keep the first form of a name when the license gets the term', async () => {
      const licenseKey = await app.license({ maxMachines: -1 });
      for (const user of ['bo', 'Bo', 'BO']) {
        await activatedBy(app, licenseKey, user, `of ${user}`);
        app.clock.move(1);
      }
      await update(app, licenseKey, { maxUsers: 1 });
      assert.deepEqual(await usersOf(app, licenseKey), { bo: 3 });
    });

    it('are listed by name in pages', async () => {
      const licenseKey = await licenseForUsers(app, 10);
      for (const user of ['Cleo', 'ada', 'Bo']) await activatedBy(app, licenseKey, user, `of ${user}`);
      const first = await mustSucceed(app.admin('/listUsers', { licenseKey, limit: 2 }));
      assert.deepEqual(
        first.users.map(({ user }: Fields) => user),
        ['ada', 'Bo'],
      );
      const second = await mustSucceed(app.admin('/listUsers', { licenseKey, limit: 2, cursor: first.nextCursor }));
      assert.deepEqual([second.users.map(({ user }: Fields) => user), second.nextCursor], [['Cleo'], undefined]);
      assert.equal((await app.admin('/listUsers', { licenseKey, cursor: 'x' })).status, 400);
      assertCode(
        await app.admin('/listUsers', { licenseKey: 'AAAAA-AAAAA-AAAAA-AAAAA-AAAAA' }),
        404,
        'license_not_found',
      );
    });

    it('get a seat with a file for a machine without a connection', async () => {
      const licenseKey = await licenseForUsers(app, 1);
      const order = { licenseKey, machineFingerprint: 'a1', hostname: 'a1' };
      assertCode(await app.admin('/createLicenseFile', order), 400, 'user_required');
      await mustSucceed(app.admin('/createLicenseFile', { ...order, user: 'ada' }));
      await mustSucceed(app.admin('/createLicenseFile', order));
      assert.deepEqual(await usersOf(app, licenseKey), { ada: 1 });
      const other = { ...order, machineFingerprint: 'b1', user: 'bo' };
      assertCode(await app.admin('/createLicenseFile', other), 403, 'user_limit');
    });

    it('get a seat of a trial without a key, which needs one where its variant has users', async () => {
      const slug = `trial-${engine}`;
      await mustSucceed(app.admin('/createProduct', { name: 'Trial', slug, creatorId: 'ada' }));
      const variant = { productId: slug, name: 'try', defaultTrialDays: 14, trialWithoutKey: true, maxUsers: 1 };
      await mustSucceed(app.admin('/createVariant', { ...variant, maxMachines: -1 }));
      const order = { productId: slug, machineFingerprint: 'a1', hostname: 'a1' };
      assertCode(await app.send('/startTrial', order), 400, 'user_required');
      const { licenseKey } = await mustSucceed(app.send('/startTrial', { ...order, user: 'ada' }));
      await mustSucceed(app.send('/startTrial', order));
      assert.deepEqual(await usersOf(app, licenseKey), { ada: 1 });
      assertCode(await app.send('/startTrial', { ...order, user: 'bo' }), 403, 'user_limit');
      assertCode(await activateBy(app, licenseKey, 'bo', 'b1', slug), 403, 'user_limit');
    });
  });
