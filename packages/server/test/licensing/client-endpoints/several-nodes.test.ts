/** Several nodes on one PostgreSQL: once a node has replied to a change, the others see it at once. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { HOUR_MS, MINUTE_MS } from '../../../src/ground/base/clock.ts';
import { mintUuid } from '../../../src/ground/base/random.ts';
import { assertRefused, inspect, revoke, update } from '../../support/answers.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { mustSucceed } from '../../support/creator.ts';
import { freshDatabase } from '../../support/databases.ts';
import { Machine } from '../../support/machine.ts';
import type { TestDatabase } from '../../support/test-database.ts';

describe('two nodes on one postgres', () => {
  let database: TestDatabase;
  let here: TestApp;
  let there: TestApp;
  before(async () => {
    database = await freshDatabase('postgres');
    here = await startApp('postgres', {}, database);
    there = await startApp('postgres', {}, database);
  });
  after(async () => {
    await here.stop();
    await there.stop();
    await database.remove();
  });

  /** The same machine as the other node sees it. */
  const onTheOther = ({ licenseKey, fingerprint, token }: Machine) => {
    const machine = new Machine(there, licenseKey, fingerprint);
    machine.token = token;
    return machine;
  };

  it('accept the tokens of each other', async () => {
    const machine = await new Machine(here, await here.license()).activated();
    const other = onTheOther(machine);
    assert.equal((await other.validate()).status, 200);
    assert.equal((await other.heartbeat()).status, 200);
    assert.equal((await other.deactivate()).status, 200);
    assertRefused(await machine.validate(), 403, 'Machine not activated', 'valid');
  });

  it('agree on a license after each change: nothing is answered from memory', async () => {
    const licenseKey = await here.license();
    const machine = new Machine(here, licenseKey);
    const other = onTheOther(machine);
    assert.equal((await other.verify()).body.machinesUsed, 0);
    await machine.activated();
    assert.equal((await other.verify()).body.machinesUsed, 1);
    await update(here, licenseKey, { maxMachines: 7, variant: 'studio' });
    const { body } = await other.verify();
    assert.deepEqual([body.maxMachines, body.variant], [7, 'studio']);
    await revoke(here, licenseKey);
    assertRefused(await other.verify(), 403, 'License has been revoked', 'valid');
    await there.admin('/reinstateLicense', { licenseKey });
    assert.equal((await machine.validate()).status, 200);
  });

  it('count the attempts of an hour together', async () => {
    const licenseKey = await here.license();
    const machines = [new Machine(here, licenseKey), new Machine(there, licenseKey)] as const;
    for (let times = 0; times < 15; times += 1) await machines[times % 2]!.activated();
    for (const machine of machines) {
      const answer = await machine.activate();
      assert.equal(answer.status, 429);
      assert.ok(Number(answer.headers['retry-after']) <= HOUR_MS / 1000);
    }
  });

  it('count the floating sessions of a license together', async () => {
    const licenseKey = await here.license({ licenseType: 'floating', maxConcurrent: 1 });
    const machine = await new Machine(here, licenseKey, 'one').activated();
    assert.equal((await new Machine(there, licenseKey, 'two').activate()).status, 403);
    for (const app of [here, there]) app.clock.move(14 * MINUTE_MS);
    assert.equal((await onTheOther(machine).heartbeat()).status, 200);
    for (const app of [here, there]) app.clock.move(14 * MINUTE_MS);
    assert.equal((await machine.verify()).body.machinesUsed, 1);
    assert.equal((await machine.heartbeat()).status, 200);
  });

  /** A floating license without a free seat, for which four machines wait at the other node. */
  const awaited = async () => {
    const email = `${mintUuid()}@example.com`;
    const licenseKey = await here.license({ email, licenseType: 'floating', maxMachines: 9, maxConcurrent: 1 });
    await new Machine(here, licenseKey, 'bound').activated();
    const wait = async (at: TestApp, ...names: string[]) => {
      for (const name of names) assert.equal((await new Machine(at, licenseKey, name).activate()).status, 403);
    };
    await wait(there, 'one', 'two', 'three', 'four');
    const violations = async () => (await inspect(here, licenseKey)).violations;
    return { email, licenseKey, wait, violations };
  };

  it('count the machines that wait for a seat from one again, after one opened a violation that was resolved', async () => {
    const { licenseKey, wait, violations } = await awaited();
    await wait(here, 'one', 'two', 'three', 'four', 'five');
    const [{ id }] = await violations();
    for (const app of [here, there]) app.clock.move(MINUTE_MS);
    await mustSucceed(here.admin('/resolveLicense', { licenseKey, violationIds: [id] }));
    for (const app of [here, there]) app.clock.move(MINUTE_MS);
    await wait(there, 'six');
    assert.deepEqual(
      (await violations()).map((each: { resolvedAt: string | null }) => each.resolvedAt !== null),
      [true],
    );
  });

  it('forget the names of machines that waited for the customer whom the other one has forgotten', async () => {
    const { email, wait, violations } = await awaited();
    const { complete } = await mustSucceed(here.admin('/forgetCustomer', { email }));
    assert.equal(complete, true);
    await wait(there, 'five');
    assert.deepEqual(await violations(), []);
  });
});
