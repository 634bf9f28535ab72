/** Machines without a network, and the files that an operator makes for them with the real service. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { compactVerify, createLocalJWKSet } from 'jose';
import { readLicenseFile } from '../src/file.ts';
import { memoryStorage } from '../src/index.ts';
import { jwsIn } from './support/license-files.ts';
import { DAY_MS, DOWN, type Machine, startedWorld, type Trust } from './support/world.ts';

const run = promisify(execFile);

describe('an app on a machine without a network', () => {
  const world = startedWorld();
  let trust: Trust;
  before(async () => {
    trust = await world.trust();
  });

  async function cutOff(name: string): Promise<Machine> {
    const machine = world.machine(name, trust);
    machine.fault = DOWN;
    await machine.start();
    return machine;
  }

  /** The file for an order to /createLicenseFile. */
  async function fileFor(order: object): Promise<string> {
    const { status, body } = await world.server.admin('/createLicenseFile', { ...order });
    assert.equal(status, 200, JSON.stringify(body));
    return body.licenseFile;
  }

  it('runs by a file that the operator makes from its request', async () => {
    const machine = await cutOff('by request');
    const key = await world.server.license({ maxMachines: 1 });
    const file = await fileFor({ request: await machine.app.exportRequest(key), days: 20 });
    const state = await machine.app.importFile(file);
    assert.deepEqual([state.status, state.facts?.licenseKeyHint], ['licensed', key.slice(-5)]);
    const { activations } = (await world.server.admin('/getLicense', { licenseKey: key })).body;
    assert.equal(activations[0].fingerprint, 'fingerprint of by request', 'it has the slot');
    await world.pass(19 * DAY_MS);
    assert.equal((await machine.start()).state.status, 'licensed');
    await world.pass(2 * DAY_MS);
    assert.equal(machine.app.mayRun, false);
    const another = await fileFor({ request: await machine.app.exportRequest(key), days: 365 });
    assert.equal((await machine.app.importFile(another)).mayRun, true, 'another year');
    assert.deepEqual(machine.asked, []);
  });

  it('has as many features with as long texts as a license can have', async () => {
    const machine = await cutOff('with many features');
    const names = Array.from({ length: 50 }, (_, index) => `${'f'.repeat(38)}${index + 10}`);
    const features = Object.fromEntries(names.map((name) => [name, '漢'.repeat(200)]));
    const key = await world.server.license({ features, updatesUntil: '2031-05-31', maxVersion: '2' });
    const file = await fileFor({ request: await machine.app.exportRequest(key), days: 20 });
    const { facts } = await machine.app.importFile(file);
    assert.deepEqual(facts?.features, features);
    assert.deepEqual([facts?.updatesUntil, facts?.maxVersion], ['2031-05-31T23:59:59.000Z', '2']);
    assert.equal(machine.app.feature(names[49] as string), '漢'.repeat(200));
  });

  it("asks the service if it is reachable after all, and keeps the operator's file", async () => {
    const machine = await cutOff('connected after all');
    const key = await world.server.license();
    await machine.app.importFile(await fileFor({ request: await machine.app.exportRequest(key), forever: true }));
    machine.fault = null;
    assert.equal((await machine.app.activate(key)).status, 'licensed');
    assert.ok(!machine.asked.includes('/issueLicenseFile'), 'the file that it has is better');
    machine.fault = DOWN;
    world.forgetMachines();
    await world.pass(400 * DAY_MS);
    assert.equal((await machine.start()).mayRun, true);
  });

  it('refuses a file of another machine or product, or a changed one, and keeps its state', async () => {
    const machine = await cutOff('careful');
    const own = { machineFingerprint: 'fingerprint of careful', hostname: 'careful', days: 30 };
    const licenseKey = await world.server.license();
    const ofOther = await fileFor({ ...own, licenseKey, machineFingerprint: 'another' });
    await assert.rejects(machine.app.importFile(ofOther), { reason: 'machine' });
    const ofProduct = await fileFor({ ...own, licenseKey: await world.server.license({ productId: 'other' }) });
    await assert.rejects(machine.app.importFile(ofProduct), { reason: 'product' });
    await assert.rejects(machine.app.importFile('-----'), { reason: 'format' });
    const genuine = await fileFor({ ...own, licenseKey });
    const changed = genuine.replace(/.{3}\n-----END/, 'AAA\n-----END');
    await assert.rejects(machine.app.importFile(changed), { name: 'BadLicenseFile' });
    assert.equal(machine.app.state.status, 'unlicensed');
    assert.equal((await machine.app.importFile(genuine)).status, 'licensed');
  });

  it('is not revived by a state without its times and a clock set back if the state was written later', async () => {
    const kept = memoryStorage();
    let writtenAt: number | null = null;
    const machine = world.machine('set back', { ...trust, storage: { ...kept, writtenAt: async () => writtenAt } });
    machine.fault = DOWN;
    const key = await world.server.license();
    const request = await (await machine.start()).exportRequest(key);
    await machine.app.importFile(await fileFor({ request, days: 20 }));
    await world.pass(21 * DAY_MS);
    assert.equal(machine.app.mayRun, false);
    const state = JSON.parse((await kept.read()) as string);
    await kept.write(JSON.stringify({ ...state, times: { trusted: null, confirmed: null, seen: null } }));
    writtenAt = world.now();
    machine.skewMs = -20 * DAY_MS;
    assert.equal((await machine.start()).mayRun, false);
  });

  it('drops the key, the token and the seat of its license when it imports a file of another one', async () => {
    const machine = world.machine('moved', trust);
    const before = await world.server.license();
    assert.equal((await (await machine.start()).activate(before)).status, 'licensed');
    const licenseKey = await world.server.license();
    const file = await fileFor({ machineFingerprint: 'fingerprint of moved', hostname: 'moved', days: 30, licenseKey });
    const { facts } = await machine.app.importFile(file);
    assert.equal(facts?.licenseKeyHint, licenseKey.slice(-5));
    assert.equal((await world.server.admin('/revokeLicense', { licenseKey: before })).status, 200);
    machine.asked.length = 0;
    assert.equal((await machine.app.check()).status, 'licensed');
    assert.deepEqual(machine.asked, []);
  });

  it('takes a file for any machine, which the operator made so', async () => {
    const machine = await cutOff('at the fair');
    const licenseKey = await world.server.license({ unlockedProducts: ['app'], productId: 'suite' });
    assert.equal((await machine.app.importFile(await fileFor({ licenseKey, anyMachine: true, days: 3 }))).mayRun, true);
  });
});

describe('a license file of the real service', () => {
  const world = startedWorld();
  let trust: Trust;
  let file: string;
  before(async () => {
    trust = await world.trust();
    const licenseKey = await world.server.license();
    const order = { licenseKey, machineFingerprint: 'f', hostname: 'h', days: 30 };
    file = (await world.server.admin('/createLicenseFile', order)).body.licenseFile;
  });

  const read = (text: string) =>
    readLicenseFile(text, { ...trust, productId: 'app', fingerprint: 'f', now: world.now() });

  it('is found genuine by jose, with the keys that the service publishes for tools', async () => {
    const { body } = await world.server.send('/.well-known/jwks.json', undefined, { method: 'GET' });
    const { payload } = await compactVerify(jwsIn(file), createLocalJWKSet(body));
    assert.deepEqual(JSON.parse(Buffer.from(payload).toString()), await read(file));
  });

  it('is found genuine by OpenSSL', async (test) => {
    // LibreSSL, which macOS includes, has no Ed25519 here.
    const version = await run('openssl', ['version']).then(
      ({ stdout }) => stdout,
      () => '',
    );
    if (!/^OpenSSL 3/.test(version)) return test.skip('needs OpenSSL 3');
    const [head, body, signature = ''] = jwsIn(file).split('.');
    const place = (name: string) => join(world.server.directory, name);
    // RFC 8410: the prefix of the 32 bytes of a key.
    const der = Buffer.concat([
      Buffer.from('302a300506032b6570032100', 'hex'),
      Buffer.from(trust.publicKeys[0]?.x ?? '', 'base64url'),
    ]);
    await writeFile(place('key.der'), der);
    await writeFile(place('signature'), Buffer.from(signature, 'base64url'));
    const verify = async (text: string) => {
      await writeFile(place('signed'), text);
      const key = ['-pubin', '-inkey', place('key.der'), '-keyform', 'DER'];
      const given = ['-rawin', '-in', place('signed'), '-sigfile', place('signature')];
      return run('openssl', ['pkeyutl', '-verify', ...key, ...given]);
    };
    assert.match((await verify(`${head}.${body}`)).stdout, /Verified Successfully/);
    await assert.rejects(verify(`${head}.${body}A`));
  });
});
