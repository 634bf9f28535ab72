/** Uses of meters that an app reports, with the real service. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { createLatchkey } from '../src/index.ts';
import { EMPTY, readState, writeState } from '../src/stored-state.ts';
import { DAY_MS, DOWN, HOUR_MS, startedWorld } from './support/world.ts';

describe('meters', () => {
  const world = startedWorld();
  before(async () => {
    const { server } = world;
    // The tests pass some days, which no month may end within.
    const now = new Date(server.clock.now());
    server.clock.move(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1) - now.getTime());
    await server.admin('/createProduct', { name: 'App', slug: 'app', creatorId: 'ada' });
    const meters = { exports: { limit: 10, period: 'month' } };
    const variant = { productId: 'app', name: 'metered', maxMachines: 2, meters };
    assert.equal((await server.admin('/createVariant', variant)).status, 200);
  });

  async function activated(name: string, offlineUses: number) {
    const licenseKey = await world.server.license({ productId: 'app', variant: 'metered' });
    const machine = world.machine(name, { offlineUses });
    await machine.start();
    await machine.app.activate(licenseKey);
    return { machine, licenseKey };
  }

  it('tell what is left and when the period ends, and refuse a use beyond the limit with that time', async () => {
    const { machine } = await activated('counting', 0);
    const use = await machine.app.consume('exports', 8);
    assert.ok(use.status === 'counted');
    assert.deepEqual([use.used, use.remaining], [8, 2]);
    await assert.rejects(machine.app.consume('exports', 3), {
      name: 'Refused',
      code: 'meter_limit',
      resetsAt: use.resetsAt,
    });
    assert.equal(machine.app.state.status, 'licensed');
    for (const units of [-1, 0.5, 1_000_000_001])
      await assert.rejects(machine.app.consume('exports', units), RangeError);
  });

  it('wait while the service is away, and tell of a use that it refuses then', async () => {
    const { machine } = await activated('away', 3);
    machine.fault = DOWN;
    assert.equal((await machine.app.consume('exports', 11, { requestId: 'much' })).status, 'queued');
    assert.equal((await machine.app.consume('exports', 2, { requestId: 'few' })).status, 'queued');
    assert.equal((await machine.app.consume('exports', 2, { requestId: 'few' })).status, 'queued', 'the same use');
    machine.fault = null;
    await world.pass(HOUR_MS);
    assert.deepEqual(
      machine.reported.filter(([event]) => event === 'use-refused').map(([, detail]) => detail),
      [{ meter: 'exports', units: 11, requestId: 'much', code: 'meter_limit' }],
    );
    const use = await machine.app.consume('exports', 0);
    assert.equal(use.status === 'counted' && use.used, 2);
    assert.equal(readState((await machine.storage.read()) ?? '')?.uses, undefined, 'nothing waits any more');
  });

  it('are counted once under the key that took the place of that of the app', async () => {
    const { machine, licenseKey } = await activated('moved', 3);
    await machine.app.consume('exports', 2, { requestId: 'before' });
    await world.server.admin('/replaceLicense', { licenseKey });
    const use = await machine.app.consume('exports', 2, { requestId: 'before' });
    assert.equal(use.status === 'counted' && use.used, 2);
    const next = await machine.app.consume('exports', 3);
    assert.equal(next.status === 'counted' && next.used, 5);
  });

  it('leave the daily check where it is', async () => {
    const { machine } = await activated('busy', 0);
    const checks = () => machine.asked.filter((path) => path.endsWith('/validate')).length;
    const before = checks();
    for (let hour = 0; hour < 30; hour++) {
      await world.pass(HOUR_MS);
      await machine.app.consume('exports', 0);
    }
    assert.equal(checks() - before, 1);
  });

  it('of two processes wait together, and count once', async () => {
    const { machine } = await activated('shared', 5);
    const second = world.machine('shared', { offlineUses: 5, storage: machine.storage });
    await second.start();
    for (const each of [machine, second]) each.fault = DOWN;
    await machine.app.consume('exports', 1);
    await second.app.consume('exports', 2);
    for (const each of [machine, second]) each.fault = null;
    await world.pass(DAY_MS / 2);
    const use = await second.app.consume('exports', 0);
    assert.equal(use.status === 'counted' && use.used, 3);
  });

  it('of which another process takes the last room fail, as nothing stores them', async () => {
    const { machine } = await activated('crowded', 1);
    const second = world.machine('crowded', { offlineUses: 1, storage: machine.storage });
    await second.start();
    second.fault = DOWN;
    machine.fault = async (request) => {
      await second.app.consume('exports', 2);
      return DOWN(request);
    };
    await assert.rejects(machine.app.consume('exports', 1), { name: 'Unreachable' });
    const waiting = readState((await machine.storage.read()) ?? '')?.uses;
    assert.deepEqual(
      waiting?.map(({ units }) => units),
      [2],
    );
  });

  it('of another license do not wait for this one', async () => {
    const { machine } = await activated('changing', 5);
    machine.fault = DOWN;
    await machine.app.consume('exports', 1);
    machine.fault = null;
    const other = await world.server.license({ productId: 'app', variant: 'metered' });
    await machine.app.activate(other);
    const use = await machine.app.consume('exports', 0);
    assert.equal(use.status === 'counted' && use.used, 0);
  });

  it('are stored in a bounded form', () => {
    const use = { meter: 'exports', units: 1, requestId: 'a', at: 0 };
    const given = { ...EMPTY, licenseKey: 'K', uses: [use] };
    assert.deepEqual(readState(writeState(given))?.uses, [use]);
    assert.ok(!writeState({ ...EMPTY, uses: [] }).includes('uses'), 'a state without uses is as before');
    for (const uses of [null, {}, [null], [{ ...use, units: -1 }], [{ ...use, at: 'now' }], Array(501).fill(use)])
      assert.equal(readState(JSON.stringify({ ...EMPTY, uses })), null, JSON.stringify(uses)?.slice(0, 60));
    const options = { server: 'https://server.example', productId: 'app', fingerprint: 'f', hostname: 'h' };
    for (const offlineUses of [-1, 1.5, 501])
      assert.throws(() => createLatchkey({ ...options, offlineUses, storage: world.machine('x').storage }), TypeError);
  });
});
