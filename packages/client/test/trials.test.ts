/** Trials that an app starts without a key, with the real service. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { DAY_MS, DOWN, startedWorld, type Trust } from './support/world.ts';

describe('a trial without a key', () => {
  const world = startedWorld();
  let trust: Trust;
  before(async () => {
    trust = await world.trust();
    const { server } = world;
    await server.admin('/createProduct', { name: 'App', slug: 'app', creatorId: 'ada' });
    const variant = { productId: 'app', name: 'try', maxMachines: 1, defaultTrialDays: 14, trialWithoutKey: true };
    assert.equal((await server.admin('/createVariant', { ...variant, features: { export: true } })).status, 200);
  });

  it('licenses the app until it ends, and once', async () => {
    const machine = world.machine('trying', trust);
    await machine.start();
    const state = await machine.app.startTrial({ email: 'eve@example.com' });
    assert.deepEqual([state.status, state.facts?.variant], ['licensed', 'try']);
    assert.equal(machine.app.feature('export'), true);
    const calls = machine.asked.length;
    assert.equal((await machine.app.startTrial()).status, 'licensed');
    assert.equal(machine.asked.length, calls, 'a running app asks for no trial');
    await world.pass(13 * DAY_MS);
    assert.equal((await machine.start()).state.status, 'licensed');
    await world.pass(2 * DAY_MS);
    await machine.app.check();
    assert.equal(machine.app.state.status, 'refused');
    await assert.rejects(machine.app.startTrial(), { name: 'Refused', code: 'trial_over' });
    const { state: fresh } = await world.machine('trying', trust).start();
    assert.equal(fresh.mayRun, false);
  });

  it('changes nothing without the service', async () => {
    const machine = world.machine('cut off', trust);
    machine.fault = DOWN;
    await machine.start();
    await assert.rejects(machine.app.startTrial(), { name: 'Unreachable' });
    assert.equal(machine.app.state.status, 'unlicensed');
    machine.fault = null;
    assert.equal((await machine.app.startTrial({ variant: 'try' })).status, 'licensed');
  });
});
