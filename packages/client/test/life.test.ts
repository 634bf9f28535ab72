/** The life of per-machine licenses, against the real server. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Refused, Unreachable } from '../src/index.ts';
import { DAY_MS, DOWN, HOUR_MS, MINUTE_MS, startedWorld } from './support/world.ts';

describe('an app with a license for machines', () => {
  const world = startedWorld();

  it('is unlicensed until a key is entered, and licensed from then on, at each start', async () => {
    const machine = world.fresh();
    const app = await machine.start();
    assert.equal(app.state.status, 'unlicensed');
    assert.deepEqual(machine.asked, []);
    const expiresAt = world.server.clock.at(400 * DAY_MS);
    const key = await world.server.license({ maxMachines: 3, expiresAt });
    const state = await app.activate(` ${key} `);
    assert.deepEqual(state, {
      status: 'licensed',
      mayRun: true,
      source: 'server',
      until: new Date(Math.floor(world.now() / 1000) * 1000 + 30 * DAY_MS).toISOString(),
      clock: 'right',
      storageProblem: null,
      facts: {
        licenseKeyHint: key.slice(key.lastIndexOf('-') + 1),
        productId: 'app',
        variant: 'indie',
        licenseType: 'per-machine',
        licenseExpiresAt: expiresAt,
        daysRemaining: 400,
        machinesUsed: 1,
        maxMachines: 3,
        graceUntil: null,
        updatesUntil: null,
        maxVersion: null,
        features: null,
      },
    });
    const again = await machine.start();
    assert.equal(again.state.status, 'licensed');
    assert.deepEqual(machine.asked, ['/activate', '/validate']);
  });

  it('asks once a day, keeps its token fresh and runs for a year', async () => {
    const { machine } = await world.activated();
    machine.asked.length = 0;
    await world.pass(90 * DAY_MS);
    assert.equal(machine.app.state.status, 'licensed');
    assert.deepEqual([...new Set(machine.asked)], ['/validate']);
    assert.ok(machine.asked.length >= 88 && machine.asked.length <= 92, `${machine.asked.length} checks`);
  });

  it('goes on for 30 days without the server, says so, and is licensed again by itself', async () => {
    const { machine } = await world.activated();
    machine.fault = DOWN;
    await world.pass(28 * DAY_MS + 23 * HOUR_MS);
    const { state } = machine.app;
    assert.ok(state.status === 'grace' && state.problem.kind === 'network', JSON.stringify(state));
    assert.equal((await machine.start()).state.mayRun, true);
    await world.pass(24 * HOUR_MS + 59 * MINUTE_MS);
    assert.equal(machine.app.mayRun, true);
    await world.pass(MINUTE_MS);
    assert.equal(machine.app.state.status, 'lapsed');
    const hours = machine.reported.filter(([event]) => event === 'grace-ending').map(([, detail]) => detail);
    assert.deepEqual(
      hours.map((detail) => (detail as { hoursLeft: number }).hoursLeft),
      [72, 72, 24, 1],
    );
    machine.fault = null;
    await world.pass(HOUR_MS);
    assert.equal(machine.app.state.status, 'licensed');
  });

  it('is refused once the license is revoked, also with the plug pulled, and comes back with it', async () => {
    const { machine, key } = await world.activated();
    await world.server.admin('/revokeLicense', { licenseKey: key });
    await world.pass(DAY_MS + 2 * HOUR_MS);
    const { state } = machine.app;
    assert.ok(state.status === 'refused' && state.why === 'license_revoked', JSON.stringify(state));
    machine.fault = DOWN;
    assert.equal((await machine.start()).state.status, 'refused');
    assert.equal(machine.app.mayRun, false);
    machine.fault = null;
    await world.server.admin('/reinstateLicense', { licenseKey: key });
    await world.pass(2 * HOUR_MS);
    assert.equal(machine.app.state.status, 'licensed');
  });

  it('goes on under the key that took the place of its own, at its next check', async () => {
    const { machine, key } = await world.activated();
    const { licenseKey: newKey } = (await world.server.admin('/replaceLicense', { licenseKey: key })).body;
    machine.asked.length = 0;
    await world.pass(DAY_MS + 2 * HOUR_MS);
    assert.equal(machine.app.state.status, 'licensed');
    assert.equal(machine.app.state.facts?.licenseKeyHint, newKey.slice(newKey.lastIndexOf('-') + 1));
    assert.deepEqual(machine.asked, ['/validate']);
    assert.equal((await machine.start()).state.status, 'licensed');
    await machine.app.deactivate();
    assert.equal((await world.server.admin('/getLicense', { licenseKey: newKey })).body.activationCount, 0);
  });

  it('follows its key also where it gives up its place before its next check', async () => {
    const { machine, key } = await world.activated();
    const { licenseKey: newKey } = (await world.server.admin('/replaceLicense', { licenseKey: key })).body;
    await machine.app.deactivate();
    assert.equal((await world.server.admin('/getLicense', { licenseKey: newKey })).body.activationCount, 0);
  });

  it('is refused where its key was replaced and it lost its place, until somebody enters the new key', async () => {
    const { machine, key } = await world.activated();
    await world.server.admin('/resetActivations', { licenseKey: key });
    const { licenseKey: newKey } = (await world.server.admin('/replaceLicense', { licenseKey: key })).body;
    machine.fault = DOWN;
    await world.pass(DAY_MS + 2 * HOUR_MS);
    assert.equal(machine.app.mayRun, true);
    machine.fault = null;
    await world.pass(2 * HOUR_MS);
    const { state } = machine.app;
    assert.ok(state.status === 'refused' && state.why === 'license_replaced', JSON.stringify(state));
    await assert.rejects(machine.app.activate(key), Refused);
    assert.equal((await machine.app.activate(newKey)).status, 'licensed');
  });

  it('picks up a renewal by itself, and emits it', async () => {
    const { machine, key } = await world.activated({ expiresAt: world.server.clock.at(10 * DAY_MS) });
    await world.pass(11 * DAY_MS + 2 * HOUR_MS);
    const { state } = machine.app;
    assert.ok(state.status === 'refused' && state.why === 'license_expired', JSON.stringify(state));
    const renewedTo = world.server.clock.at(365 * DAY_MS);
    await world.server.admin('/updateLicense', { licenseKey: key, expiresAt: renewedTo });
    await world.pass(2 * HOUR_MS);
    assert.equal(machine.app.state.status, 'licensed');
    assert.deepEqual(machine.reported, [['renewed', { licenseExpiresAt: renewedTo }]]);
  });

  it('is not lost with a token that the server no longer accepts', async () => {
    const { machine } = await world.activated();
    const stored = JSON.parse((await machine.storage.read()) ?? '');
    await machine.storage.write(JSON.stringify({ ...stored, token: 'of lost keys', activatedAt: 0 }));
    await machine.start();
    assert.equal(machine.app.state.status, 'licensed');
    assert.deepEqual(machine.asked.slice(-2), ['/validate', '/activate']);
  });

  it('activates again on a server that has forgotten the machine', async () => {
    const { machine, key } = await world.activated();
    await world.pass(2 * HOUR_MS);
    await world.server.admin('/resetActivations', { licenseKey: key });
    assert.equal((await machine.app.check()).status, 'licensed');
    assert.equal((await world.server.admin('/getLicense', { licenseKey: key })).body.activationCount, 1);
  });

  it('goes on where the server forgets the machine right after it was activated, and activates it an hour later', async () => {
    const { machine, key } = await world.activated();
    await world.server.admin('/resetActivations', { licenseKey: key });
    await world.pass(MINUTE_MS);
    const state = await machine.app.check();
    assert.ok(state.status === 'grace' && state.problem.kind === 'token', JSON.stringify(state));
    assert.equal(machine.asked.filter((path) => path === '/activate').length, 1, 'attempts are few');
    await world.pass(2 * HOUR_MS);
    assert.equal(machine.app.state.status, 'licensed');
  });

  it('goes on where the server has forgotten the license: the customer has paid', async () => {
    const { machine } = await world.activated();
    machine.fault = () => ({
      status: 404,
      headers: { 'latchkey-code': 'license_not_found' },
      text: JSON.stringify({ success: false, valid: false, error: 'License not found' }),
    });
    const state = await (await machine.start()).check();
    assert.ok(state.status === 'grace' && state.problem.kind === 'license_not_found', JSON.stringify(state));
  });

  it('is released where its slot was given to others, and may take a free one again', async () => {
    const { machine, key } = await world.activated({ maxMachines: 1 });
    await world.pass(2 * HOUR_MS);
    await world.server.admin('/resetActivations', { licenseKey: key });
    const other = world.fresh();
    await (await other.start()).activate(key);
    assert.equal((await machine.app.check()).status, 'released');
    machine.fault = DOWN;
    assert.equal((await machine.start()).mayRun, false, 'not even with the plug pulled');
    machine.fault = null;
    await other.app.deactivate();
    assert.equal(other.app.state.status, 'unlicensed');
    assert.equal((await machine.app.activate()).status, 'licensed');
  });

  it('asks the user before it takes a slot again, where the app wants that', async () => {
    const key = await world.server.license();
    const machine = world.fresh({ reactivate: 'ask' });
    await (await machine.start()).activate(key);
    await world.pass(2 * HOUR_MS);
    await world.server.admin('/resetActivations', { licenseKey: key });
    assert.equal((await machine.app.check()).status, 'released');
    assert.equal((await machine.app.activate()).status, 'licensed');
  });

  it("throws the server's refusal of a key, and keeps its state", async () => {
    const machine = world.fresh();
    const app = await machine.start();
    const full = await world.server.license({ maxMachines: 1 });
    await (await world.fresh().start()).activate(full);
    const revoked = await world.server.license();
    await world.server.admin('/revokeLicense', { licenseKey: revoked });
    const expected: [string, object][] = [
      ['NOT-A-KEY', { code: 'license_not_found' }],
      [await world.server.license({ productId: 'other' }), { code: 'wrong_product' }],
      [revoked, { code: 'license_revoked' }],
      [full, { code: 'machine_limit', limit: 1 }],
    ];
    for (const [key, error] of expected) await assert.rejects(app.activate(key), { name: 'Refused', ...error });
    assert.equal(app.state.status, 'unlicensed');
    machine.fault = DOWN;
    await assert.rejects(app.activate(full), Unreachable);
    assert.equal(app.state.status, 'unlicensed');
  });

  it('is not locked by too many attempts of others, and waits for Retry-After', async () => {
    const key = await world.server.license({ maxMachines: 20 });
    const machine = world.fresh();
    await (await machine.start()).activate(key);
    for (let n = 1; n < 15; n++) await (await world.fresh().start()).activate(key);
    await assert.rejects(machine.app.activate(), (error) => {
      assert.ok(error instanceof Refused && error.code === 'activation_rate');
      assert.ok((error.retryAfterMs ?? 0) > 50 * MINUTE_MS);
      return true;
    });
    assert.equal(machine.app.mayRun, true);
    const asked = machine.asked.length;
    await world.pass(40 * MINUTE_MS);
    await machine.app.check();
    assert.equal(machine.asked.length, asked, 'nobody was asked before the time');
    await world.pass(20 * MINUTE_MS);
    assert.equal(machine.app.state.status, 'licensed');
  });

  it('frees its slot and forgets the license when the user deactivates it, but not without the server', async () => {
    const { machine, key } = await world.activated({ maxMachines: 1 });
    machine.fault = DOWN;
    await assert.rejects(machine.app.deactivate(), Unreachable);
    assert.equal(machine.app.mayRun, true);
    machine.fault = null;
    await machine.app.deactivate();
    assert.equal(machine.app.state.status, 'unlicensed');
    assert.equal(await machine.storage.read(), null);
    assert.equal((await (await world.fresh().start()).activate(key)).status, 'licensed');
  });

  it('sends one request for all who ask at the same time', async () => {
    const { machine } = await world.activated();
    await world.pass(MINUTE_MS);
    machine.asked.length = 0;
    const states = await Promise.all([machine.app.check(), machine.app.check(), machine.app.check()]);
    assert.deepEqual(machine.asked, ['/validate']);
    assert.deepEqual(
      states.map(({ status }) => status),
      ['licensed', 'licensed', 'licensed'],
    );
  });

  it('reports every change to its listeners, until they unsubscribe', async () => {
    const machine = world.fresh();
    const app = await machine.start();
    const seen: string[] = [];
    const off = app.on('state', (change) => seen.push(`${change.old.status} > ${change.new.status}`));
    await app.activate(await world.server.license());
    off();
    await app.deactivate();
    assert.deepEqual(seen, ['unlicensed > licensed']);
  });
});
