/** Named users of an app, with the real service. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { startedWorld, type Trust } from './support/world.ts';

describe('the user of an app', () => {
  const world = startedWorld();
  let trust: Trust;
  before(async () => {
    trust = await world.trust();
  });

  it('is named at the activation, and kept by the machine', async () => {
    const key = await world.server.license({ maxMachines: -1, maxUsers: 1 });
    let signedIn: string | undefined;
    const machine = world.machine('ada', { ...trust, user: () => signedIn });
    await machine.start();
    await assert.rejects(machine.app.activate(key), { name: 'Refused', code: 'user_required' });
    assert.equal(machine.app.state.status, 'unlicensed');
    signedIn = 'ada@example.com';
    assert.equal((await machine.app.activate(key)).status, 'licensed');
    signedIn = undefined;
    assert.equal((await machine.app.activate()).status, 'licensed');
    const other = world.machine('bo', { ...trust, user: 'bo@example.com' });
    await other.start();
    await assert.rejects(other.app.activate(key), { name: 'Refused', code: 'user_limit', limit: 1 });
  });

  it('loses the machine with the seat', async () => {
    const key = await world.server.license({ maxMachines: -1, maxUsers: 1 });
    const machine = world.machine('left', { ...trust, user: 'ada@example.com' });
    await machine.start();
    await machine.app.activate(key);
    await world.server.admin('/releaseUser', { licenseKey: key, user: 'ada@example.com' });
    const other = world.machine('next', { ...trust, user: 'bo@example.com' });
    await other.start();
    assert.equal((await other.app.activate(key)).status, 'licensed');
    await world.pass(2 * 3_600_000);
    assert.equal((await machine.app.check()).status, 'released');
  });
});
