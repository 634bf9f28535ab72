/** Updates that end while a machine is without a network: its build runs on, and a later build is not covered. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { memoryStorage } from '../src/index.ts';
import { DAY_MS, DOWN, startedWorld, type Trust } from './support/world.ts';

describe('updates that end while a machine is without a network', () => {
  const world = startedWorld();
  let trust: Trust;
  before(async () => {
    trust = await world.trust();
  });
  const dayAt = (days: number) => new Date(world.now() + days * DAY_MS).toISOString();

  it('leave the build that they covered licensed, and cover no later build', async () => {
    const key = await world.server.license({ updatesUntil: dayAt(10) });
    const [present, later] = [dayAt(-1), dayAt(11)];
    const storage = memoryStorage();
    const builtAt = (buildDate: string) => world.machine('covered', { ...trust, storage, buildDate });
    const machine = builtAt(present);
    await machine.start();
    assert.equal((await machine.app.activate(key)).status, 'licensed');
    await world.pass(12 * DAY_MS);
    const [same, updated] = [builtAt(present), builtAt(later)];
    for (const each of [same, updated]) each.fault = DOWN;
    const { mayRun, state } = await same.start();
    assert.deepEqual([mayRun, state.status], [true, 'grace']);
    assert.equal((await updated.start()).mayRun, false);
    assert.equal((await same.start()).mayRun, true, 'the later build kept the file of the license');
  });
});
