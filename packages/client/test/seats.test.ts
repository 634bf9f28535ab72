/** The life of a floating license against the real server: seats are lost, awaited, regained, shared and given back. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS, DOWN, HOUR_MS, MINUTE_MS, startedWorld } from './support/world.ts';

describe('an app with a floating license', () => {
  const world = startedWorld();

  const floating = (maxConcurrent: number) => world.server.license({ licenseType: 'floating', maxConcurrent });

  async function seatsTaken(licenseKey: string): Promise<number> {
    return (await world.server.send('/verify', { licenseKey, productId: 'app' })).body.machinesUsed;
  }

  it('keeps its seat by heartbeats at a third of the timeout, and checks the whole license once a day', async () => {
    const key = await floating(1);
    const machine = world.fresh();
    await (await machine.start()).activate(key);
    await world.pass(HOUR_MS + MINUTE_MS);
    assert.deepEqual([machine.asked[0], ...new Set(machine.asked.slice(1))], ['/activate', '/heartbeat']);
    assert.equal(machine.asked.length, 1 + 12);
    assert.equal(await seatsTaken(key), 1);
    await world.pass(DAY_MS);
    assert.equal(machine.asked.filter((path) => path === '/validate').length, 1);
  });

  it('waits for a seat when none is free at first, without using up the attempts, and gets the next one', async () => {
    const key = await floating(1);
    const first = world.fresh();
    await (await first.start()).activate(key);
    const second = world.fresh();
    assert.equal((await (await second.start()).activate(key)).status, 'waiting');
    await world.pass(2 * HOUR_MS);
    assert.equal(second.app.state.status, 'waiting');
    assert.equal(second.asked.filter((path) => path === '/activate').length, 1);
    await first.app.deactivate();
    await world.pass(5 * MINUTE_MS);
    assert.equal(second.app.state.status, 'licensed');
    assert.deepEqual(second.events, ['seat-regained']);
  });

  it('loses its seat while it sleeps, reports it, and regains one by itself', async () => {
    const key = await floating(1);
    const sleeper = world.fresh();
    await (await sleeper.start()).activate(key);
    const { storage } = sleeper;
    world.forgetMachines();
    await world.pass(HOUR_MS);
    const other = world.fresh();
    await (await other.start()).activate(key);
    await sleeper.app.check();
    assert.equal(sleeper.app.state.status, 'waiting');
    sleeper.fault = DOWN;
    await world.pass(3000);
    assert.equal((await sleeper.app.check()).mayRun, false, 'a plug that is pulled gives no seat');
    const again = world.machine('the same', { storage, fingerprint: 'of the same' });
    again.fault = DOWN;
    assert.equal((await again.start()).mayRun, false, 'nor does another start');
    await other.app.deactivate();
    sleeper.fault = null;
    await world.pass(3000);
    assert.equal((await sleeper.app.check()).status, 'licensed');
    assert.deepEqual(sleeper.events, ['seat-lost', 'seat-regained']);
  });

  it('goes on for a day without the server', async () => {
    const machine = world.fresh();
    await (await machine.start()).activate(await floating(1));
    machine.fault = DOWN;
    await world.pass(23 * HOUR_MS);
    assert.equal(machine.app.mayRun, true);
    await world.pass(2 * HOUR_MS);
    assert.equal(machine.app.mayRun, false);
    machine.fault = null;
    await world.pass(2 * MINUTE_MS);
    assert.equal(machine.app.state.status, 'licensed');
  });

  it('shares one seat and its heartbeats among the processes of a machine', async () => {
    const key = await floating(2);
    const first = world.fresh();
    await (await first.start()).activate(key);
    const second = world.machine(first.name, { storage: first.storage });
    await second.start();
    await world.pass(HOUR_MS);
    const beats = [...first.asked, ...second.asked].filter((path) => path === '/heartbeat').length;
    assert.ok(beats >= 11 && beats <= 14, `${beats} heartbeats of two processes`);
    assert.equal(await seatsTaken(key), 1);
  });

  it('gives its seat back when it closes, if the pool is small', async () => {
    for (const [seats, options, left] of [
      [2, {}, 0],
      [2, { release: 'never' }, 1],
      [11, {}, 1],
      [11, { release: 'always' }, 0],
    ] as const) {
      const key = await floating(seats);
      const machine = world.fresh(options);
      await (await machine.start()).activate(key);
      await world.pass(11 * MINUTE_MS);
      await machine.app.close();
      assert.equal(await seatsTaken(key), left, `${seats} seats, ${JSON.stringify(options)}`);
      assert.equal((await machine.start()).state.status, 'licensed');
    }
  });

  it('keeps its seat when it closes right after it began, because activations are few', async () => {
    const key = await floating(2);
    const machine = world.fresh();
    await (await machine.start()).activate(key);
    await machine.app.close();
    assert.equal(await seatsTaken(key), 1);
  });

  it('runs without the server after it gave its seat back', async () => {
    const machine = world.fresh();
    await (await machine.start()).activate(await floating(2));
    await world.pass(11 * MINUTE_MS);
    await machine.app.close();
    machine.fault = DOWN;
    await world.pass(HOUR_MS);
    assert.equal((await machine.start()).state.status, 'grace');
  });
});
