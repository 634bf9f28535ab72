/** An app with compiled-in keys, and license files of the real service: only they let it run through an outage. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { type LicenseState, memoryStorage, type Options } from '../src/index.ts';
import type { LicenseFileClaims } from '../src/license-file.ts';
import { hashOf, payloadIn, SigningKey } from './support/license-files.ts';
import { DAY_MS, DOWN, HOUR_MS, type Machine, MINUTE_MS, startedWorld, type Trust } from './support/world.ts';

describe('an app with compiled-in keys', () => {
  const world = startedWorld();
  let trust: Trust;
  before(async () => {
    trust = await world.trust();
  });

  const fresh = (more: Partial<Options> = {}) => world.fresh({ ...trust, ...more });
  const activated = (order: object = {}, more: Partial<Options> = {}) => world.activated(order, { ...trust, ...more });

  /** The claims of a machine's stored file; null without one. */
  async function fileOf(machine: Machine): Promise<LicenseFileClaims | null> {
    const { file } = JSON.parse((await machine.storage.read()) ?? '{}');
    return typeof file === 'string' ? (payloadIn(file) as unknown as LicenseFileClaims) : null;
  }

  const filesAsked = ({ asked }: Machine) => asked.filter((path) => path === '/issueLicenseFile').length;

  it('fetches a file, asks for a newer one after a quarter of its life, and goes on by it for 30 days', async () => {
    const { machine } = await activated();
    await world.pass(20 * DAY_MS);
    assert.equal(filesAsked(machine), 3, 'files in 20 days');
    machine.fault = DOWN;
    assert.equal((await machine.start()).state.status, 'grace');
    await world.pass(20 * DAY_MS);
    assert.equal(machine.app.mayRun, true);
    await world.pass(10 * DAY_MS);
    assert.equal(machine.app.state.status, 'lapsed');
    assert.equal(filesAsked(machine), 3, 'nobody asks for a file when a check was not answered');
    machine.fault = null;
    await world.pass(HOUR_MS);
    assert.equal(machine.app.state.status, 'licensed');
  });

  it('asks for no file of a license that another process entered meanwhile and that has no seat yet', async () => {
    const full = await world.server.license({ licenseType: 'floating', maxConcurrent: 1 });
    await (await fresh().start()).activate(full);
    const { machine } = await activated();
    const other = fresh({ storage: machine.storage, fingerprint: `fingerprint of ${machine.name}` });
    await other.start();
    machine.fault = async ({ url }) => {
      if (url.endsWith('/validate')) await other.app.activate(full);
      return null;
    };
    await machine.app.check();
    assert.equal(other.app.state.status, 'waiting');
    assert.equal(filesAsked(machine), 1, 'that of its activation');
    assert.equal(machine.app.mayRun, false, 'the seat of the license before is none of this one');
  });

  it('is not revived by a state without its times and a clock set back if anything shows a later time', async () => {
    const kept = memoryStorage();
    let writtenAt: number | null = null;
    const { machine } = await activated({}, { storage: { ...kept, writtenAt: async () => writtenAt } });
    machine.fault = DOWN;
    await world.pass(31 * DAY_MS);
    assert.equal(machine.app.state.status, 'lapsed');
    const state = JSON.parse((await kept.read()) as string);
    const seen = state.times.seen.time;
    machine.skewMs = -31 * DAY_MS;
    const times = { trusted: null, confirmed: null, seen: null };
    for (const [what, changes, written, status] of [
      ['the last answer', { lastGoodAt: seen }, null, 'lapsed'],
      ['a call of /activate', { activatedAt: seen }, null, 'lapsed'],
      ['a sign of life', { seat: { until: seen, beatAt: seen } }, null, 'lapsed'],
      ['the change of a file', {}, seen, 'lapsed'],
      // What docs/apps/client.md says that nobody can prevent.
      ['nothing', {}, null, 'grace'],
    ] as const) {
      writtenAt = written;
      await kept.write(JSON.stringify({ ...state, ...changes, times }));
      assert.equal((await machine.start()).state.status, status, what);
    }
  });

  it('is not stopped by an old answer of a server whose clock was ahead, while the state has its times', async () => {
    const { machine } = await activated();
    const state = JSON.parse((await machine.storage.read()) as string);
    const ahead = world.now() + 400 * DAY_MS;
    await machine.storage.write(JSON.stringify({ ...state, lastGoodAt: ahead, activatedAt: ahead }));
    machine.fault = DOWN;
    assert.equal((await machine.start()).mayRun, true);
  });

  it('with a floating license goes on for a day by its file, whose seat others may take', async () => {
    const { machine, key } = await activated({ licenseType: 'floating', maxConcurrent: 1 });
    await world.pass(HOUR_MS);
    machine.fault = DOWN;
    await world.pass(22 * HOUR_MS);
    assert.equal((await machine.start()).mayRun, true);
    const other = fresh();
    assert.equal((await (await other.start()).activate(key)).status, 'licensed');
    await world.pass(2 * HOUR_MS);
    assert.equal(machine.app.state.status, 'lapsed');
    assert.ok(filesAsked(other) >= 1);
  });

  it('with a site license has a file of its own on each machine', async () => {
    const { machine, key } = await activated({ licenseType: 'site' });
    const other = fresh();
    await (await other.start()).activate(key);
    const [one, two] = [await fileOf(machine), await fileOf(other)];
    assert.deepEqual([one?.licenseType, one?.fp === two?.fp, one?.lic === two?.lic], ['site', false, true]);
  });

  it('fetches a file of the new key as soon as its key was replaced', async () => {
    const { machine, key } = await activated();
    const { licenseKey } = (await world.server.admin('/replaceLicense', { licenseKey: key })).body;
    await world.pass(DAY_MS + HOUR_MS);
    assert.equal((await fileOf(machine))?.keyHint, licenseKey.slice(licenseKey.lastIndexOf('-') + 1));
    machine.fault = DOWN;
    await world.pass(28 * DAY_MS);
    assert.equal((await machine.start()).mayRun, true);
  });

  it('fetches a newer file as soon as the license was renewed', async () => {
    const expiresAt = world.server.clock.at(10 * DAY_MS);
    const { machine, key } = await activated({ expiresAt });
    assert.equal(
      (await fileOf(machine))?.exp,
      Math.floor((Date.parse(expiresAt) + 3 * DAY_MS) / 1000),
      'and the leeway',
    );
    const renewedTo = world.server.clock.at(365 * DAY_MS);
    await world.server.admin('/updateLicense', { licenseKey: key, expiresAt: renewedTo });
    await world.pass(DAY_MS);
    assert.equal((await fileOf(machine))?.licenseExpiresAt, Math.floor(Date.parse(renewedTo) / 1000));
    machine.fault = DOWN;
    await world.pass(28 * DAY_MS);
    assert.equal((await machine.start()).mayRun, true);
  });

  it('rejects a file that is forged or of another machine', async () => {
    const { machine: other } = await activated();
    const { file: ofOther } = JSON.parse((await other.storage.read()) ?? '');
    const forger = new SigningKey(trust.publicKeys[0]?.kid ?? '');
    const iat = Math.floor(world.now() / 1000);
    const own = ({ name }: Machine) => forger.file({ iat, iss: trust.issuer, fp: hashOf(`fingerprint of ${name}`) });
    for (const fileFor of [own, () => ofOther, () => 'not a file']) {
      const key = await world.server.license();
      const machine = fresh();
      const licenseFile = fileFor(machine);
      const answered = { status: 200, headers: {}, text: JSON.stringify({ success: true, licenseFile }) };
      machine.fault = ({ url }) => (url.endsWith('/issueLicenseFile') ? answered : null);
      await (await machine.start()).activate(key);
      assert.equal(machine.app.state.status, 'licensed', 'the server said so');
      assert.equal(await fileOf(machine), null);
      machine.fault = DOWN;
      assert.equal((await machine.start()).mayRun, false);
    }
  });

  it('has no file any more after a revocation, and takes no older one', async () => {
    const { machine, key } = await activated();
    const order = { licenseKey: key, machineFingerprint: `fingerprint of ${machine.name}`, hostname: 'desk' };
    const { body } = await world.server.admin('/createLicenseFile', { ...order, days: 365 });
    await world.pass(HOUR_MS);
    await world.server.admin('/revokeLicense', { licenseKey: key });
    assert.equal((await machine.app.check()).status, 'refused');
    assert.equal(await fileOf(machine), null);
    await assert.rejects(machine.app.importFile(body.licenseFile), { name: 'BadLicenseFile', reason: 'refused' });
    machine.fault = DOWN;
    assert.equal((await machine.start()).state.status, 'refused');
  });

  it('of a license with too many files in use runs while the service answers, and gets a file when one is over', async () => {
    const key = await world.server.license({ maxMachines: 1 });
    for (let n = 0; n < 3; n++) {
      const before = fresh();
      await (await before.start()).activate(key);
      assert.notEqual(await fileOf(before), null);
      await before.app.deactivate();
    }
    const machine = fresh();
    await (await machine.start()).activate(key);
    assert.deepEqual([machine.app.state.status, filesAsked(machine), await fileOf(machine)], ['licensed', 1, null]);
    await world.pass(29 * DAY_MS);
    assert.equal(machine.app.state.status, 'licensed');
    assert.ok(filesAsked(machine) < 35, `${filesAsked(machine)} times in 29 days`);
    const { status, until } = machine.app.state as { status: string; until: string };
    assert.ok(
      status === 'licensed' && Date.parse(until) - world.now() < 25 * HOUR_MS,
      'a day in memory is all that there is',
    );
    await world.pass(2 * DAY_MS);
    assert.notEqual(await fileOf(machine), null);
  });

  it('is not stopped by a server whose clock is far ahead, and does not keep its files', async () => {
    const { machine } = await activated({ expiresAt: world.server.clock.at(30 * DAY_MS) });
    const { machine: other } = await activated();
    await world.pass(2 * HOUR_MS);
    world.skewServer(400 * DAY_MS);
    for (const each of [machine, other]) await each.app.check();
    const { state } = machine.app;
    assert.ok(state.status === 'grace' && state.problem.kind === 'clock', JSON.stringify(state));
    await world.pass(3 * DAY_MS);
    assert.equal((await machine.start()).mayRun, true);
    assert.equal(other.app.mayRun, true);
    const misdated = await fileOf(other);
    assert.ok((misdated?.iat ?? 0) * 1000 > world.now() + 300 * DAY_MS, 'a file of the wrong time');
    world.skewServer(0);
    await world.pass(2 * DAY_MS);
    assert.equal(machine.app.state.status, 'licensed');
    assert.ok(((await fileOf(other))?.iat ?? 0) * 1000 <= world.now(), 'a file of the right time');
    world.forgetMachines();
    await world.pass(26 * DAY_MS);
    const late: LicenseState = await machine.app.check();
    assert.ok(late.status === 'refused' && late.why === 'license_expired', 'a server that is right is believed');
  });
});

describe('an app with compiled-in keys whose service offers no license files', () => {
  const world = startedWorld({ LATCHKEY_LICENSE_FILE_LIFETIME: 'off', LATCHKEY_FLOATING_FILE_LIFETIME: 'off' });

  it('runs while the service answers and for a day in the same process, and does not trust the stored state', async () => {
    const machine = world.machine('no files', await world.trust());
    await (await machine.start()).activate(await world.server.license());
    await world.pass(3 * DAY_MS + MINUTE_MS);
    assert.equal(machine.app.state.status, 'licensed');
    const asked = machine.asked.filter((path) => path === '/issueLicenseFile').length;
    assert.ok(asked >= 2 && asked <= 4, `${asked} times in three days`);
    machine.fault = DOWN;
    await world.pass(22 * HOUR_MS);
    await machine.app.check();
    assert.equal(machine.app.mayRun, true, 'in the process that was told');
    const state = JSON.parse((await machine.storage.read()) ?? '');
    await machine.storage.write(JSON.stringify({ ...state, lastGoodAt: world.now() + 300 * DAY_MS }));
    assert.equal((await machine.start()).state.status, 'lapsed');
  });
});
