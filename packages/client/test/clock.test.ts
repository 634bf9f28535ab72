/** The client's time on machines with wrong clocks. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { timestamp } from '../src/decide.ts';
import { type KnownTimes, looked, NO_TIMES, serverTimes, timeBy } from '../src/trusted-clock.ts';
import { DAY_MS, DOWN, HOUR_MS, type Machine, startedWorld } from './support/world.ts';

const T = Date.parse('2027-03-01T00:00:00Z');

describe('the time', () => {
  it('is that of the machine if nothing better is known', () => {
    assert.equal(timeBy(NO_TIMES, T), T);
  });

  it("goes on from the server's time as the clock of the machine does, however wrong that is", () => {
    for (const wrong of [-40 * DAY_MS, 0, 40 * DAY_MS, 9 * 365 * DAY_MS])
      assert.equal(timeBy(serverTimes(T, T + wrong), T + wrong + 5 * DAY_MS), T + 5 * DAY_MS);
  });

  it('does not go back when the clock is set back', () => {
    assert.equal(timeBy(serverTimes(T, T), T - 40 * DAY_MS), T);
  });

  it('is right at once when a clock that was ahead is set right', () => {
    assert.equal(timeBy(serverTimes(T, T + 40 * DAY_MS), T + 5 * DAY_MS), T + 5 * DAY_MS);
  });

  it('does not go back behind a time on which two checks agree, and one check proves nothing', () => {
    const once = looked(serverTimes(T, T), T + 20 * DAY_MS, T + 20 * DAY_MS);
    assert.equal(timeBy(once, T), T);
    const twice = looked(once, T + 21 * DAY_MS, T + 21 * DAY_MS);
    assert.equal(timeBy(twice, T), T + 20 * DAY_MS);
    const hasty = looked(once, T + 20 * DAY_MS + HOUR_MS - 1, T + 20 * DAY_MS + HOUR_MS - 1);
    assert.equal(timeBy(hasty, T), T);
  });

  it('of a machine that once started in 2036 is right again after an answer of the server', () => {
    const late = Date.parse('2036-01-01T00:00:00Z');
    let times: KnownTimes = looked(looked(NO_TIMES, late, late), late + 2 * HOUR_MS, late + 2 * HOUR_MS);
    assert.ok(timeBy(times, T) >= late);
    times = serverTimes(T, T);
    assert.equal(timeBy(times, T), T);
  });
});

describe('the text of a time', () => {
  it('is of the years 0 to 9999, so that texts sort as their times do', () => {
    const [first, last] = ['0000-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z'];
    for (const text of [first, last]) assert.equal(timestamp(Date.parse(text)), text);
    for (const early of [Date.parse(first) - 1, -1e18]) assert.equal(timestamp(early), first);
    for (const late of [Date.parse(last) + 1, 1e18]) assert.equal(timestamp(late), last);
  });
});

describe('an app on a machine whose clock is wrong', () => {
  const world = startedWorld();

  async function activated(name: string, skewMs = 0): Promise<Machine> {
    const machine = world.machine(name);
    machine.skewMs = skewMs;
    await (await machine.start()).activate(await world.server.license());
    return machine;
  }

  it('goes on for 30 days without the server, and not longer, with a clock that is far ahead or behind', async () => {
    for (const [name, skewMs, clock] of [
      ['ahead', 40 * DAY_MS, 'ahead'],
      ['behind', -400 * DAY_MS, 'behind'],
    ] as const) {
      const machine = await activated(name, skewMs);
      assert.equal(machine.app.state.clock, clock);
      machine.fault = DOWN;
      await world.pass(29 * DAY_MS);
      assert.equal((await machine.start()).mayRun, true, name);
      await world.pass(2 * DAY_MS);
      assert.equal((await machine.start()).mayRun, false, name);
      machine.fault = null;
      await machine.start();
      assert.equal(machine.app.state.status, 'licensed', name);
      world.forgetMachines();
    }
  });

  it('gains no day by setting the clock back while it runs', async () => {
    const machine = await activated('set back while running');
    machine.fault = DOWN;
    await world.pass(20 * DAY_MS);
    machine.skewMs = -20 * DAY_MS;
    await world.pass(11 * DAY_MS);
    assert.equal(machine.app.mayRun, false);
  });

  it('gains nothing by setting the clock back before a start, once it has run with the right one', async () => {
    const machine = await activated('set back before a start');
    machine.fault = DOWN;
    await world.pass(31 * DAY_MS);
    assert.equal(machine.app.mayRun, false);
    machine.skewMs = -20 * DAY_MS;
    assert.equal((await machine.start()).mayRun, false);
  });

  it('gains nothing by removing the times from its state as well, if the state shows a later time', async () => {
    const machine = await activated('without its times');
    machine.fault = DOWN;
    await world.pass(31 * DAY_MS);
    const state = JSON.parse((await machine.storage.read()) as string);
    const times = { trusted: null, confirmed: null, seen: null };
    await machine.storage.write(JSON.stringify({ ...state, activatedAt: world.now(), times }));
    machine.skewMs = -20 * DAY_MS;
    assert.equal((await machine.start()).mayRun, false);
  });

  it('is not stopped by a clock that jumps ahead while it runs', async () => {
    const machine = await activated('jumps while running');
    machine.fault = DOWN;
    machine.skewMs = 40 * DAY_MS;
    await world.pass(DAY_MS);
    await machine.app.check();
    assert.equal(machine.app.state.status, 'grace');
  });
});
