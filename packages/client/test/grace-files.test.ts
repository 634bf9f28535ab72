/** An app with compiled-in keys: signed files carry it over an outage, and nothing else does. The files are the test's own. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import type { LicenseFileClaims } from '../src/license-file.ts';
import { hashOf, ISSUER, SigningKey } from './support/license-files.ts';
import { DAY_MS, DOWN, type Fault, HOUR_MS, type Machine, World } from './support/world.ts';

describe('an app with compiled-in keys', () => {
  const first = new SigningKey('first');
  let world: World;
  let machines = 0;
  before(async () => {
    world = await World.start();
  });
  after(() => world.stop());
  afterEach(() => world.forgetMachines());

  const options = { publicKeys: [first.publicKey], issuer: ISSUER };

  /** A machine whose server issues files: what the real one answers but for /issueLicenseFile, which `key` signs. */
  function fresh(issue: (claims: Partial<LicenseFileClaims> & { iat: number }) => string | null, more = {}): Machine {
    machines += 1;
    const name = `machine ${machines}`;
    const machine = world.machine(name, { ...options, ...more });
    machine.fault = withFiles(name, issue);
    return machine;
  }

  function withFiles(
    name: string,
    issue: (claims: Partial<LicenseFileClaims> & { iat: number }) => string | null,
  ): Fault {
    return ({ url, body }) => {
      if (!url.endsWith('/issueLicenseFile')) return null;
      const iat = Math.floor(world.now() / 1000);
      const keyHint = JSON.parse(body as string).licenseKey.slice(-5);
      const claims = { iat, exp: iat + 30 * 86_400, purpose: 'grace', keyHint } as const;
      const licenseFile = issue({ ...claims, fp: hashOf(`fingerprint of ${name}`) });
      const answered = licenseFile === null ? { success: false } : { success: true, licenseFile };
      return { status: licenseFile === null ? 403 : 200, headers: {}, text: JSON.stringify(answered) };
    };
  }

  const issuing = (claims: Parameters<SigningKey['file']>[0]) => first.file(claims);

  it('fetches a file, asks for a newer one after a quarter of its life, and goes on by it for 30 days', async () => {
    const machine = fresh(issuing);
    await (await machine.start()).activate(await world.server.license());
    await world.pass(20 * DAY_MS);
    const fetched = machine.asked.filter((path) => path === '/issueLicenseFile').length;
    assert.ok(fetched === 3, `${fetched} files in 20 days`);
    machine.fault = DOWN;
    assert.equal((await machine.start()).state.status, 'grace');
    await world.pass(20 * DAY_MS);
    assert.equal(machine.app.mayRun, true);
    await world.pass(10 * DAY_MS);
    assert.equal(machine.app.state.status, 'lapsed');
  });

  it('does not believe what is stored beside the file', async () => {
    const machine = fresh(() => null);
    await (await machine.start()).activate(await world.server.license());
    assert.equal(machine.app.state.status, 'licensed', 'the server said so');
    machine.fault = DOWN;
    await world.pass(23 * HOUR_MS);
    await machine.app.check();
    assert.equal(machine.app.mayRun, true, 'in the process that was told');
    assert.equal((await machine.start()).state.status, 'lapsed');
  });

  it('takes no file that is not genuine or of another machine', async () => {
    for (const issue of [
      (claims: Parameters<SigningKey['file']>[0]) => new SigningKey('first').file(claims),
      (claims: Parameters<SigningKey['file']>[0]) => first.file({ ...claims, fp: hashOf('another') }),
      () => 'not a file',
    ]) {
      const machine = fresh(issue);
      await (await machine.start()).activate(await world.server.license());
      machine.fault = DOWN;
      assert.equal((await machine.start()).mayRun, false);
    }
  });

  it('has no file any more after a revocation, and takes no older one', async () => {
    const old: string[] = [];
    const machine = fresh((claims) => {
      old.push(first.file({ ...claims, purpose: 'offline' }));
      return first.file(claims);
    });
    const key = await world.server.license();
    await (await machine.start()).activate(key);
    await world.pass(HOUR_MS);
    await world.server.admin('/revokeLicense', { licenseKey: key });
    assert.equal((await machine.app.check()).status, 'refused');
    assert.equal(JSON.parse((await machine.storage.read()) ?? '').file, null);
    await assert.rejects(machine.app.importFile(old[0] as string), { name: 'BadLicenseFile', reason: 'refused' });
    machine.fault = DOWN;
    assert.equal((await machine.start()).state.status, 'refused');
  });

  it('follows three rotations of the key without a new app', async () => {
    const keys = [first, new SigningKey('second'), new SigningKey('third'), new SigningKey('fourth')];
    let signing = first;
    const machine = fresh((claims) => signing.file(claims));
    const issues = machine.fault as Fault;
    machine.fault = (request) => {
      if (!request.url.endsWith('/.well-known/latchkey-keys.json')) return issues(request);
      const known = keys.slice(0, keys.indexOf(signing) + 1);
      const lists = known.slice(0, -1).map((older) => older.keyList(...known));
      return { status: 200, headers: {}, text: JSON.stringify({ keys: lists }) };
    };
    await (await machine.start()).activate(await world.server.license());
    for (const next of keys.slice(1)) {
      signing = next;
      await world.pass(9 * DAY_MS);
      const { file, keyLists } = JSON.parse((await machine.storage.read()) ?? '');
      const [head] = file
        .replace(/-----.*-----/g, '')
        .trim()
        .split('.');
      assert.equal(JSON.parse(Buffer.from(head, 'base64url').toString()).kid, next.publicKey.kid);
      assert.equal(keyLists.length, 1, 'one list leads to all keys');
    }
    machine.fault = DOWN;
    assert.equal((await machine.start()).state.status, 'grace');
  });

  it('runs without a network by a file that an operator made from its request', async () => {
    const machine = world.machine('without a network', options);
    machine.fault = DOWN;
    const app = await machine.start();
    const request = await app.exportRequest('KEY-12345');
    const [, encoded = ''] = /-----BEGIN LATCHKEY REQUEST-----\n([\s\S]*)\n-----END/.exec(request) ?? [];
    const asked = JSON.parse(Buffer.from(encoded.replace(/\n/g, ''), 'base64url').toString());
    assert.deepEqual(
      [asked.v, asked.productId, asked.licenseKey, asked.fingerprint, asked.hostname],
      [1, 'app', 'KEY-12345', 'fingerprint of without a network', 'without a network'],
    );
    const iat = Math.floor(world.now() / 1000);
    const state = await app.importFile(first.file({ iat, exp: iat + 20 * 86_400, fp: hashOf(asked.fingerprint) }));
    assert.equal(state.status, 'licensed');
    assert.equal(state.facts?.licenseKeyHint, 'WXYZ5');
    await world.pass(19 * DAY_MS);
    assert.equal((await machine.start()).state.status, 'licensed');
    assert.deepEqual(machine.asked, []);
    await world.pass(2 * DAY_MS);
    assert.equal(machine.app.mayRun, false);
  });

  it('refuses a file of another machine at import, and stays what it was', async () => {
    const machine = world.machine('with the file of another', options);
    const app = await machine.start();
    const iat = Math.floor(world.now() / 1000);
    await assert.rejects(app.importFile(first.file({ iat, fp: hashOf('another') })), { reason: 'machine' });
    await assert.rejects(app.importFile('-----'), { reason: 'format' });
    assert.equal(app.state.status, 'unlicensed');
  });
});
