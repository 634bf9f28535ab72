/**
 * The real service is killed in the middle of each call, restored from backups and deprived of its keys; apps call it
 * over TLS.
 */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { openSqliteFile } from '../../server/test/support/sqlite-file.ts';
import { Unreachable } from '../src/index.ts';
import { httpsTransport } from '../src/node.ts';
import { Service } from './outage/service.ts';
import { Front } from './support/front.ts';
import { payloadIn } from './support/license-files.ts';
import { DAY_MS, type Environment, HOUR_MS, Machine, MINUTE_MS, type Trust, trustIn } from './support/world.ts';

describe('an app whose service', () => {
  let now = Date.now();
  let service: Service;
  let front: Front;
  let trust: Trust;
  let environment: Environment;
  before(async () => {
    service = await Service.make({}, () => now);
    front = await Front.start(service.port);
    front.date = () => now;
    const send = httpsTransport({ ca: front.certificate });
    environment = {
      now: () => now,
      send: (path, body) => send({ url: front.url + path, body, timeoutMs: 10_000 }),
    };
    trust = trustIn((await service.command('list-signing-keys', '--for-app')).out);
    passOn();
  });
  after(async () => {
    await front.stop();
    await service.remove();
  });
  afterEach(() => passOn());

  function passOn(): void {
    front.decide = async () => {
      await service.tellTime();
      return service.isUp ? 'pass' : 'drop';
    };
  }

  /** The service answers this call, and is killed before the answer is sent. */
  function killAt(path: string): void {
    front.onLost = () => service.kill();
    front.decide = async (asked) => {
      if (!service.isUp) return 'drop';
      await service.tellTime();
      return asked === path ? 'lose' : 'pass';
    };
  }

  async function back(): Promise<void> {
    if (!service.isUp) await service.start();
    front.port = service.port;
    passOn();
  }

  async function sold(order: object = {}): Promise<string> {
    const whole = { email: 'ada@example.com', productId: 'app', maxMachines: 1, ...order };
    return (await service.admin('/createLicense', whole)).licenseKey;
  }

  const floating = { licenseType: 'floating', maxMachines: undefined, maxConcurrent: 1 };

  async function activated(name: string, key: string): Promise<Machine> {
    const machine = new Machine(environment, name, trust);
    await (await machine.start()).activate(key);
    return machine;
  }

  /** Moves the clock, and fires the app's timer at the end. */
  async function pass(machine: Machine, milliseconds: number): Promise<void> {
    now += milliseconds;
    await machine.fire();
  }

  const usedOf = async (licenseKey: string) => (await service.admin('/getLicense', { licenseKey })).activationCount;

  it('is killed while the app starts, goes on and is licensed again once it is back', async () => {
    const machine = await activated('killed at a start', await sold());
    killAt('/validate');
    assert.equal((await machine.start()).mayRun, true);
    assert.equal(machine.app.state.status, 'grace');
    await back();
    await pass(machine, MINUTE_MS);
    assert.equal(machine.app.state.status, 'licensed');
  });

  for (const [path, order, untilMs] of [
    ['/validate', {}, 26 * HOUR_MS],
    ['/heartbeat', floating, 6 * MINUTE_MS],
  ] as const)
    it(`is killed while it answers ${path}, goes on and is licensed again once it is back`, async () => {
      const machine = await activated(`killed at ${path}`, await sold(order));
      killAt(path);
      await pass(machine, untilMs);
      assert.equal(machine.asked.at(-1), path);
      assert.equal(machine.app.state.status, 'grace');
      assert.equal((await machine.start()).mayRun, true);
      await back();
      await pass(machine, MINUTE_MS);
      assert.equal(machine.app.state.status, 'licensed');
    });

  it('is killed while it makes a newer file, goes on by the one before and gets another', async () => {
    const machine = await activated('killed at a file', await sold());
    const fileOf = async () => payloadIn(JSON.parse((await machine.storage.read()) ?? '').file).jti;
    const first = await fileOf();
    killAt('/issueLicenseFile');
    await pass(machine, 8 * DAY_MS);
    assert.equal(machine.asked.at(-1), '/issueLicenseFile');
    assert.equal(await fileOf(), first);
    assert.equal((await machine.start()).mayRun, true);
    await back();
    await pass(machine, HOUR_MS);
    assert.equal(machine.app.state.status, 'licensed');
    await pass(machine, 26 * HOUR_MS);
    assert.notEqual(await fileOf(), first);
  });

  it('is killed while it activates the machine takes no second slot when the user tries again', async () => {
    const key = await sold();
    const machine = new Machine(environment, 'killed at the activation', trust);
    const app = await machine.start();
    killAt('/activate');
    await assert.rejects(app.activate(key), Unreachable);
    assert.equal(app.state.status, 'unlicensed');
    await back();
    assert.equal(await usedOf(key), 1, 'it had been activated');
    assert.equal((await app.activate(key)).status, 'licensed');
    assert.equal(await usedOf(key), 1);
  });

  it('is restored from a backup before the purchase goes on, and from one before the activation has its slot again', async () => {
    const before = await sold();
    const backup = service.place('before.db');
    await service.command('backup', backup);
    const early = await activated('activated after the backup', before);
    const late = await activated('bought after the backup', await sold());
    await service.kill();
    const present = await service.restore(backup);
    await back();
    now += 2 * HOUR_MS;
    for (const machine of [early, late]) await machine.app.check();
    const { state } = late.app;
    assert.ok(state.status === 'grace' && state.problem.kind === 'license_not_found', JSON.stringify(state));
    assert.equal((await late.start()).mayRun, true);
    assert.equal(early.app.state.status, 'licensed');
    assert.equal(await usedOf(before), 1);
    await service.kill();
    await service.restore(present);
    await back();
    await pass(late, HOUR_MS);
    assert.equal(late.app.state.status, 'licensed');
  });

  it('has lost the keys of its tokens is activated again, without another slot', async () => {
    const key = await sold();
    const machine = await activated('without keys of tokens', key);
    await service.kill();
    const database = openSqliteFile(service.place('latchkey.db'));
    assert.ok(Number(database.prepare('delete from token_key').run().changes) > 0);
    database.close();
    await back();
    now += 2 * HOUR_MS;
    assert.equal((await machine.app.check()).status, 'licensed');
    assert.deepEqual(machine.asked.slice(-2), ['/validate', '/activate']);
    assert.equal(await usedOf(key), 1);
  });
});
