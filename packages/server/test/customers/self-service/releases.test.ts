/** Devices that customers free, within the budget of a license (rules 13.5). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/ground/base/clock.ts';
import { type Answered, newCookie, openRules, type Rules } from '../../support/customers.ts';
import { engines } from '../../support/databases.ts';

/** A license and its customer. */
interface Owned {
  readonly rules: Rules;
  readonly licenseKey: string;
  readonly email: string;
  session: string;
}

let customers = 0;

async function owned(rules: Rules, order: object = {}): Promise<Owned> {
  customers += 1;
  const email = `customer${customers}@example.com`;
  const { licenseKey } = await rules.admin('/createLicense', { email, productId: 'app', ...order });
  return { rules, licenseKey, email, session: await rules.signIn(email) };
}

async function activate({ rules, licenseKey }: Owned, name: string): Promise<Answered> {
  const fields = { licenseKey, productId: 'app', machineFingerprint: `fp ${name}`, hostname: name };
  return rules.call('/activate', fields);
}

/** Moves the clock, and signs the customer in again, whose session has ended by then. */
async function later(owner: Owned, milliseconds: number): Promise<void> {
  owner.rules.clock.move(milliseconds);
  owner.session = await owner.rules.signIn(owner.email);
}

async function shown({ rules, session }: Owned): Promise<Answered> {
  const { licenses } = await rules.my('listMyLicenses', { session });
  const answer = await rules.my('getMyLicense', { session, license: licenses[0].ref });
  assert.equal(answer.refused, undefined, JSON.stringify(answer));
  return answer;
}

async function free(owner: Owned, name: string): Promise<Answered> {
  const { license, devices } = await shown(owner);
  const device = devices.find((each: { name: string }) => each.name === name);
  return owner.rules.my('releaseMyDevice', { session: owner.session, license: license.ref, device: device.ref });
}

for (const engine of engines)
  describe(`a customer's devices on ${engine}`, () => {
    let rules: Rules;
    before(async () => {
      rules = await openRules(engine);
      await rules.admin('/createProduct', { slug: 'app', name: 'Tapehead', creatorId: 'ada' });
    });
    after(() => rules.close());

    it('are freed, and the place is free at once for another device', async () => {
      const owner = await owned(rules, { maxMachines: 1 });
      await activate(owner, 'Old laptop');
      await later(owner, 2 * HOUR_MS);
      assert.equal((await activate(owner, 'New laptop')).refused, 'machine_limit');
      const before = await shown(owner);
      assert.deepEqual(before.budget, { of: 2, left: 2, nextAt: null });
      assert.equal(before.devices[0].release, 'counts');
      assert.deepEqual(await free(owner, 'Old laptop'), { name: 'Old laptop' });
      const after = await shown(owner);
      assert.deepEqual([after.devices, after.budget.left, after.license.used], [[], 1, 0]);
      assert.equal((await activate(owner, 'New laptop')).refused, undefined);
      const { events } = await rules.admin('/listEvents', {
        licenseKey: owner.licenseKey,
        types: ['activation.deleted'],
      });
      assert.deepEqual(events[0].actor, { kind: 'customer', id: null, keyName: null });
    });

    it('are listed up to 200, and the list says whether there are more', async () => {
      const owner = await owned(rules, { licenseType: 'site', maxMachines: -1 });
      const bind = async (number: number) => {
        // The limit of activations is 15 an hour.
        if (number % 15 === 0) rules.clock.move(HOUR_MS + MINUTE_MS);
        assert.equal((await activate(owner, `device ${number}`)).refused, undefined);
      };
      for (let number = 1; number <= 200; number++) await bind(number);
      const listed = async () => {
        owner.session = await rules.signIn(owner.email);
        const { devices, moreDevices } = await shown(owner);
        return [devices.length, moreDevices];
      };
      assert.deepEqual(await listed(), [200, false]);
      await bind(201);
      assert.deepEqual(await listed(), [200, true]);
    });

    it('cost nothing after 30 days without a sign of life, and are not freed within an hour', async () => {
      const owner = await owned(rules, { maxMachines: 2 });
      await activate(owner, 'lost');
      rules.clock.move(31 * DAY_MS);
      await activate(owner, 'new');
      owner.session = await rules.signIn(owner.email);
      const kinds = (await shown(owner)).devices.map(({ name, release }: Answered) => [name, release]);
      assert.deepEqual(kinds, [
        ['new', 'too_new'],
        ['lost', 'free'],
      ]);
      assert.equal((await free(owner, 'new')).refused, 'device_too_new');
      assert.deepEqual(await free(owner, 'lost'), { name: 'lost' });
      assert.equal((await shown(owner)).budget.left, 2);
    });

    it('are refused with the moment of the next one once the budget is spent, and are freed again then', async () => {
      const owner = await owned(rules, { maxMachines: 1 });
      const first = rules.clock.now() + 61 * MINUTE_MS;
      for (const name of ['one', 'two']) {
        await activate(owner, name);
        await later(owner, 61 * MINUTE_MS);
        assert.deepEqual(await free(owner, name), { name });
      }
      await activate(owner, 'three');
      await later(owner, 61 * MINUTE_MS);
      const refused = await free(owner, 'three');
      const nextAt = new Date(first + 30 * DAY_MS).toISOString();
      assert.deepEqual(refused, { refused: 'release_budget_spent', nextAt });
      assert.deepEqual((await shown(owner)).budget, { of: 2, left: 0, nextAt });
      // Still in use, so that freeing it counts.
      rules.clock.move(Date.parse(nextAt) - rules.clock.now() - MINUTE_MS);
      await activate(owner, 'three');
      owner.session = await rules.signIn(owner.email);
      assert.equal((await free(owner, 'three')).refused, 'release_budget_spent');
      rules.clock.move(MINUTE_MS);
      assert.deepEqual(await free(owner, 'three'), { name: 'three' });
    });

    it('do not become free for another round when two friends free each other all day', async () => {
      const owner = await owned(rules, { maxMachines: 1 });
      let freed = 0;
      for (let hour = 0; hour < 8; hour++) {
        const name = hour % 2 === 0 ? 'Ada' : 'Bo';
        await activate(owner, name);
        await later(owner, 2 * HOUR_MS);
        const { devices } = await shown(owner);
        if ((await free(owner, devices[0].name)).refused === undefined) freed += 1;
      }
      assert.equal(freed, 2);
    });

    it('do not count for years when a clock that was ahead dated them', async () => {
      const owner = await owned(rules, { maxMachines: 3 });
      for (const name of ['a', 'b', 'c']) await activate(owner, name);
      const ahead = 800 * DAY_MS;
      rules.clock.move(ahead);
      // Still in use, so that freeing them counts.
      for (const name of ['a', 'b', 'c']) await activate(owner, name);
      owner.session = await rules.signIn(owner.email);
      for (const name of ['a', 'b']) assert.deepEqual(await free(owner, name), { name });
      assert.equal((await shown(owner)).budget.left, 1);
      await later(owner, 2 * HOUR_MS - ahead);
      assert.equal((await shown(owner)).budget.left, 3);
    });

    it('count for nothing when support frees them', async () => {
      const owner = await owned(rules, { maxMachines: 1 });
      await activate(owner, 'a');
      await rules.admin('/releaseActivation', { licenseKey: owner.licenseKey, machineFingerprint: 'fp a' });
      assert.equal((await shown(owner)).budget.left, 2);
    });

    it('are forgotten with the customer: whoever has the license later has the whole budget', async () => {
      const owner = await owned(rules, { maxMachines: 1 });
      await activate(owner, 'a');
      await later(owner, 2 * HOUR_MS);
      await free(owner, 'a');
      assert.equal((await shown(owner)).budget.left, 1);
      assert.equal((await rules.admin('/forgetCustomer', { email: owner.email })).complete, true);
      await rules.admin('/changeEmail', { licenseKey: owner.licenseKey, newEmail: owner.email });
      owner.session = await rules.signIn(owner.email);
      assert.deepEqual((await shown(owner)).budget, { of: 2, left: 2, nextAt: null });
    });

    it('are those of a floating license as well: the place and the binding are freed', async () => {
      const owner = await owned(rules, { licenseType: 'floating', maxMachines: 5, maxConcurrent: 1 });
      await activate(owner, 'seat');
      rules.clock.move(5 * MINUTE_MS);
      assert.equal((await shown(owner)).license.used, 1);
      rules.clock.move(HOUR_MS);
      await activate(owner, 'seat');
      owner.session = await rules.signIn(owner.email);
      assert.deepEqual(await free(owner, 'seat'), { name: 'seat' });
      const { license, devices } = await shown(owner);
      assert.deepEqual([license.used, devices], [0, []]);
    });

    it('of somebody else, and of a revoked license, are absent', async () => {
      const owner = await owned(rules, { maxMachines: 1 });
      await activate(owner, 'a');
      await later(owner, 2 * HOUR_MS);
      const { license, devices } = await shown(owner);
      const other = await owned(rules);
      const fields = { license: license.ref, device: devices[0].ref };
      const calls = { session: other.session, license: license.ref };
      assert.deepEqual(await rules.my('getMyLicense', calls), { refused: 'license_gone' });
      const stranger = { ...fields, session: other.session };
      assert.deepEqual(await rules.my('releaseMyDevice', stranger), { refused: 'license_gone' });
      const nobody = { ...fields, session: newCookie() };
      assert.deepEqual(await rules.my('releaseMyDevice', nobody), { refused: 'customer_not_signed_in' });
      await rules.admin('/revokeLicense', { licenseKey: owner.licenseKey });
      const revoked = await shown(owner);
      assert.deepEqual([revoked.license.status, revoked.devices, revoked.refusals], ['revoked', [], []]);
      const late = { ...fields, session: owner.session };
      assert.deepEqual(await rules.my('releaseMyDevice', late), { refused: 'device_gone' });
    });
  });

describe('the budget of releases', () => {
  it('is off where the operator says so, and bounded by the configuration', async () => {
    for (const [maxReleases, of] of [
      [null, 0],
      [1, 1],
      [20, 20],
    ] as const) {
      const rules = await openRules('sqlite', { maxReleases });
      const owner = await owned(rules, { maxMachines: 500 });
      await activate(owner, 'a');
      await later(owner, 2 * HOUR_MS);
      const { budget, devices } = await shown(owner);
      assert.deepEqual([budget.of, devices[0].release], [of, of === 0 ? 'off' : 'counts']);
      if (of === 0) assert.equal((await free(owner, 'a')).refused, 'releases_off');
      await rules.close();
    }
  });
});
