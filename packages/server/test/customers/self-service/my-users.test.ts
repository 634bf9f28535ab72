/** Users whom the owner of a license releases on the pages at /my (rules 13.5). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { DAY_MS, HOUR_MS } from '../../../src/ground/base/clock.ts';
import { type Answered, openRules, type Rules } from '../../support/customers.ts';
import { engines } from '../../support/databases.ts';

interface Owner {
  readonly licenseKey: string;
  readonly email: string;
  session: string;
}

let owners = 0;

for (const engine of engines)
  describe(`the users of a customer's license on ${engine}`, () => {
    let rules: Rules;
    before(async () => {
      rules = await openRules(engine);
      await rules.admin('/createProduct', { slug: 'app', name: 'Tapehead', creatorId: 'ada' });
    });
    after(() => rules.close());

    async function owned(order: object): Promise<Owner> {
      owners += 1;
      const email = `owner${owners}@example.com`;
      const { licenseKey } = await rules.admin('/createLicense', {
        email,
        productId: 'app',
        maxMachines: -1,
        ...order,
      });
      return { licenseKey, email, session: await rules.signIn(email) };
    }

    function activate({ licenseKey }: Owner, user: string, name = `of ${user}`): Promise<Answered> {
      const machine = { machineFingerprint: `fp ${name}`, hostname: name };
      return rules.call('/activate', { licenseKey, productId: 'app', user, ...machine });
    }

    async function later(owner: Owner, milliseconds: number): Promise<void> {
      rules.clock.move(milliseconds);
      owner.session = await rules.signIn(owner.email);
    }

    async function shown({ session }: Owner): Promise<Answered> {
      const { licenses } = await rules.my('listMyLicenses', { session });
      return rules.my('getMyLicense', { session, license: licenses[0].ref });
    }

    async function release(owner: Owner, name: string): Promise<Answered> {
      const { license, users } = await shown(owner);
      const { ref } = users.find((each: { name: string }) => each.name === name);
      return rules.my('releaseMyUser', { session: owner.session, license: license.ref, user: ref });
    }

    it('are shown with their machines, and released with them', async () => {
      const owner = await owned({ maxUsers: 1 });
      await activate(owner, 'Ada', 'desk');
      await activate(owner, 'Ada', 'laptop');
      await later(owner, 2 * HOUR_MS);
      const before = await shown(owner);
      assert.deepEqual(
        before.users.map(({ name, machines, release }: Answered) => [name, machines, release]),
        [['Ada', 2, 'counts']],
      );
      assert.equal((await activate(owner, 'Bo')).refused, 'user_limit');
      assert.deepEqual(await release(owner, 'Ada'), { name: 'Ada' });
      const after = await shown(owner);
      assert.deepEqual([after.users, after.devices, after.budget.left], [[], [], before.budget.left - 1]);
      assert.equal((await activate(owner, 'Bo')).refused, undefined);
      const { licenseKey } = owner;
      const { events } = await rules.admin('/listEvents', { licenseKey, types: ['user.released'] });
      assert.equal(events[0].actor.kind, 'customer');
    });

    it('count against the budget of devices, unless they were away for 30 days', async () => {
      const owner = await owned({ maxUsers: 3, maxMachines: 2 });
      await activate(owner, 'Ada');
      await later(owner, 31 * DAY_MS);
      await activate(owner, 'Bo');
      assert.equal((await release(owner, 'Bo')).refused, 'device_too_new');
      await later(owner, 2 * HOUR_MS);
      const { budget } = await shown(owner);
      await release(owner, 'Ada');
      assert.equal((await shown(owner)).budget.left, budget.left);
      for (let left = budget.left; left > 0; left--) {
        assert.deepEqual(await release(owner, 'Bo'), { name: 'Bo' });
        await activate(owner, 'Bo');
        await later(owner, 2 * HOUR_MS);
      }
      assert.equal((await release(owner, 'Bo')).refused, 'release_budget_spent');
      const { licenseKey } = owner;
      const { machinesReleased } = await rules.admin('/releaseUser', { licenseKey, user: 'Bo' });
      assert.equal(machinesReleased, 1);
    });

    it('stay if a machine of theirs has a file for work without a connection', async () => {
      const owner = await owned({ maxUsers: 2 });
      await activate(owner, 'Ada', 'desk');
      const { licenseKey } = owner;
      const file = { licenseKey, machineFingerprint: 'fp desk', hostname: 'desk' };
      await rules.admin('/createLicenseFile', file);
      await later(owner, 2 * HOUR_MS);
      assert.equal((await release(owner, 'Ada')).refused, 'device_has_file');
    });

    it('are released once of many requests at once', async () => {
      const owner = await owned({ maxUsers: 2 });
      await activate(owner, 'Ada');
      await later(owner, 2 * HOUR_MS);
      const { license, users, budget } = await shown(owner);
      const request = { session: owner.session, license: license.ref, user: users[0].ref };
      const answers = await Promise.all(Array.from({ length: 10 }, () => rules.my('releaseMyUser', request)));
      assert.equal(answers.filter(({ refused }) => refused === undefined).length, 1);
      assert.ok(answers.every(({ refused }) => refused === undefined || refused === 'user_gone'));
      assert.equal((await shown(owner)).budget.left, budget.left - 1);
    });
  });
