/** The state on disk, and failures of the storage. */
import assert from 'node:assert/strict';
import { chmod, chown, mkdtemp, readdir, readFile, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { memoryStorage, type StateStorage } from '../src/index.ts';
import { fileStorage, stateDirectory } from '../src/node/file-storage.ts';
import { processFiles } from '../src/node/processes.ts';
import { browserFingerprint, browserStorage } from '../src/storage.ts';
import { readState } from '../src/stored-state.ts';
import { temporaryFolder } from './support/temporary-folder.ts';
import { DAY_MS, DOWN, MINUTE_MS, startedWorld } from './support/world.ts';

const directory = temporaryFolder('latchkey-client-');

describe('the file of the state', () => {
  it('is for the user alone, is replaced as a whole and leaves nothing behind', async () => {
    const folder = join(directory, 'own');
    const storage = fileStorage(folder);
    assert.equal(await storage.read(), null);
    await storage.write('one');
    await storage.write('two');
    assert.equal(await storage.read(), 'two');
    assert.equal((await stat(folder)).mode & 0o777, 0o700);
    assert.equal((await stat(join(folder, 'state'))).mode & 0o777, 0o600);
    assert.deepEqual(await readdir(folder), ['state']);
    await storage.remove();
    await storage.remove();
    assert.equal(await storage.read(), null);
  });

  it('returns the time of the last write in its folder, by the clock of the machine', async () => {
    const folder = join(directory, 'written');
    const storage = fileStorage(folder);
    assert.equal(await storage.writtenAt?.(), null);
    await storage.write('text');
    await processFiles(folder, 60_000).beat();
    const later = new Date('2099-01-01T00:00:00.000Z');
    const [name = ''] = await readdir(join(folder, 'processes'));
    await utimes(join(folder, 'processes', name), later, later);
    assert.equal(await storage.writtenAt?.(), later.getTime());
  });

  it('is whole at any time while many write it at once', async () => {
    const folder = join(directory, 'many');
    const texts = Array.from({ length: 20 }, (_, n) => String(n).repeat(5000));
    const storages = texts.map(() => fileStorage(folder));
    const writes = texts.map((text, n) => storages[n]?.write(text));
    for (let n = 0; n < 50; n++) {
      const seen = await readFile(join(folder, 'state'), 'utf8').catch(() => texts[0] as string);
      assert.ok(texts.includes(seen), seen.slice(0, 20));
    }
    await Promise.all(writes);
    assert.deepEqual(await readdir(folder), ['state']);
  });

  it('lies where the system wants such files, in a folder for each product', () => {
    const folder = stateDirectory('my/app', { XDG_STATE_HOME: '/state', LOCALAPPDATA: '/state' });
    assert.ok(folder.endsWith(join('latchkey', 'my_app')), folder);
  });
});

/** The way to each value in a value. */
function placesIn(value: unknown, way: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [way];
  return [way, ...Object.entries(value).flatMap(([name, each]) => placesIn(each, [...way, name]))];
}

/** JSON with a text in the place of one value: JSON can hold numbers that are written in no other way. */
function withValueAt(value: unknown, [name, ...rest]: readonly string[], text: string): string {
  if (name === undefined) return text;
  const fields = Object.entries(value as object).map(
    ([each, inner]) =>
      `${JSON.stringify(each)}:${each === name ? withValueAt(inner, rest, text) : JSON.stringify(inner)}`,
  );
  return `{${fields.join(',')}}`;
}

describe('an app whose storage fails', () => {
  const world = startedWorld();

  it('starts over, without another slot, if the state is truncated at any character', async () => {
    const key = await world.server.license({ maxMachines: 1 });
    const machine = world.machine('cut off');
    await (await machine.start()).activate(key);
    const text = (await machine.storage.read()) as string;
    for (let length = 0; length < text.length; length++) assert.equal(readState(text.slice(0, length)), null);
    await machine.storage.write(text.slice(0, 100));
    const app = await machine.start();
    assert.equal(app.state.status, 'unlicensed');
    assert.deepEqual(machine.events, ['storage-problem']);
    assert.equal((await app.activate(key)).status, 'licensed');
  });

  it('is not misled by a state whose fields are something else', () => {
    const sound = { licenseKey: null, token: null, facts: null, file: null, keyLists: [], lastGoodAt: null };
    const rest = {
      tombstone: null,
      seat: null,
      activatedAt: null,
      times: { trusted: null, confirmed: null, seen: null },
    };
    const state = { v: 1, ...sound, ...rest };
    assert.notEqual(readState(JSON.stringify(state)), null);
    for (const field of Object.keys(state))
      for (const value of [-1, {}, [1], 'text', true])
        assert.doesNotThrow(() => readState(JSON.stringify({ ...state, [field]: value })), field);
    assert.equal(readState(JSON.stringify({ ...state, v: 2 })), null);
    assert.equal(readState(JSON.stringify({ ...state, token: 5 })), null);
    assert.equal(readState(JSON.stringify({ ...state, seat: { until: 'soon' } })), null);
    assert.equal(readState('null'), null);
  });

  it('starts with any values in the fields of the state, and never rejects', async () => {
    const machine = world.machine('damaged');
    const key = await world.server.license({ licenseType: 'floating', expiresAt: '2999-01-01T00:00:00Z' });
    await (await machine.start()).activate(key);
    const text = (await machine.storage.read()) as string;
    machine.fault = DOWN;
    const state = { ...JSON.parse(text), tombstone: null };
    const moment = { time: 1, local: 1 };
    const whole = { ...state, times: { trusted: moment, confirmed: moment, seen: moment } };
    const refused = { ...whole, tombstone: { code: 'license_revoked', at: 1 } };
    for (const sound of [whole, refused])
      for (const place of placesIn(sound))
        for (const value of [
          '1e999',
          '-1e999',
          '1e300',
          '-1e300',
          '-1',
          '{}',
          '[]',
          '"garbage"',
          'true',
          'null',
          '""',
        ]) {
          await machine.storage.write(withValueAt(sound, place, value));
          const { state: shown } = await machine.start();
          assert.equal(typeof shown.mayRun, 'boolean', `${place.join('.')} = ${value}`);
        }
  });

  it('goes on in memory if nothing can be written, and reports that once', async () => {
    const kept = memoryStorage();
    let isFull = false;
    const storage: StateStorage = {
      ...kept,
      write: (text) => (isFull ? Promise.reject(new Error('ENOSPC')) : kept.write(text)),
    };
    const machine = world.machine('full disk', { storage });
    isFull = true;
    await (await machine.start()).activate(await world.server.license());
    await world.pass(3 * DAY_MS);
    assert.equal(machine.app.state.status, 'licensed');
    assert.equal(machine.reported.filter(([event]) => event === 'storage-problem').length, 1);
    isFull = false;
    await world.pass(2 * DAY_MS);
    machine.fault = DOWN;
    assert.equal((await machine.start()).mayRun, true, 'it was written once there was room');
  });

  it('starts if nothing can be read', async () => {
    const storage: StateStorage = { ...memoryStorage(), read: () => Promise.reject(new Error('EACCES')) };
    const machine = world.machine('not readable', { storage });
    assert.equal((await machine.start()).state.status, 'unlicensed');
    assert.equal((await machine.app.activate(await world.server.license())).status, 'licensed');
  });

  it('finds its license within two minutes once it can be read', async () => {
    const kept = memoryStorage();
    let isUnreadable = false;
    const storage: StateStorage = {
      ...kept,
      read: () => (isUnreadable ? Promise.reject(new Error('EACCES')) : kept.read()),
    };
    const machine = world.machine('not readable for a while', { storage });
    await (await machine.start()).activate(await world.server.license());
    isUnreadable = true;
    assert.equal((await machine.start()).state.status, 'unlicensed');
    isUnreadable = false;
    await world.pass(2 * MINUTE_MS);
    assert.equal(machine.app.state.status, 'licensed');
  });

  it('starts without a fingerprint, goes on by its stored state, and asks the server once it has one', async () => {
    let isBusy = false;
    const fingerprint = () => (isBusy ? Promise.reject(new Error('EMFILE')) : 'desk');
    const machine = world.machine('busy', { fingerprint });
    const key = await world.server.license();
    await (await machine.start()).activate(key);
    isBusy = true;
    const { state } = await machine.start();
    assert.deepEqual([state.status, state.storageProblem], ['licensed', 'cannot find the fingerprint: EMFILE']);
    const asked = machine.asked.length;
    await world.pass(10 * MINUTE_MS);
    assert.equal(machine.asked.length, asked, 'nothing is asked without a fingerprint');
    assert.deepEqual(machine.reported, [['storage-problem', { detail: 'cannot start: EMFILE' }]]);
    await assert.rejects(machine.app.activate(key), { message: 'EMFILE' });
    isBusy = false;
    await world.pass(2 * MINUTE_MS);
    assert.equal(machine.app.state.storageProblem, null);
    assert.deepEqual(machine.asked.slice(asked), ['/validate']);
  });

  it('looks for its fingerprint again, without a license as well', async () => {
    let looks = 0;
    const fingerprint = () => (++looks < 4 ? Promise.reject(new Error('EMFILE')) : 'new desk');
    const machine = world.machine('new and busy', { fingerprint });
    assert.equal((await machine.start()).state.status, 'unlicensed');
    await world.pass(5 * MINUTE_MS);
    assert.deepEqual([looks, machine.app.state.storageProblem], [4, null]);
    assert.equal((await machine.app.activate(await world.server.license())).status, 'licensed');
  });

  it('verifies its license file once it has a fingerprint', async () => {
    const trust = await world.trust();
    let isBusy = false;
    const fingerprint = () => (isBusy ? Promise.reject(new Error('EMFILE')) : 'desk with a file');
    const machine = world.machine('busy with a file', { fingerprint, ...trust });
    await (await machine.start()).activate(await world.server.license());
    isBusy = true;
    machine.fault = DOWN;
    assert.equal((await machine.start()).mayRun, false);
    isBusy = false;
    await world.pass(2 * MINUTE_MS);
    assert.equal(machine.app.state.status, 'grace');
  });

  it('does not bring back a license that another process has deactivated', async () => {
    const key = await world.server.license({ maxMachines: 1 });
    const first = world.machine('shared');
    await (await first.start()).activate(key);
    const second = world.machine('shared', { storage: first.storage });
    await second.start();
    await world.pass(60_000);
    let isAnswered = () => {};
    first.fault = ({ url }) =>
      url.endsWith('/validate') ? new Promise((resolve) => (isAnswered = () => resolve(null))) : null;
    const checked = first.app.check();
    while (!first.asked.includes('/validate')) await new Promise((resolve) => setImmediate(resolve));
    await second.app.deactivate();
    isAnswered();
    await checked;
    assert.equal(await first.storage.read(), null);
    first.fault = null;
    assert.equal((await first.app.check()).status, 'unlicensed');
  });
});

describe('the files of the processes', () => {
  it('tell the last process that it is the last, however the others ended', async () => {
    const folder = join(directory, 'shared');
    const own = processFiles(folder, 60_000);
    const parent = processFiles(folder, 60_000, process.ppid);
    const gone = processFiles(folder, 60_000, 2 ** 22 + 1);
    await Promise.all([own.beat(), parent.beat(), gone.beat()]);
    assert.equal(await own.leave(), false, 'another one lives');
    await parent.leave();
    await own.beat();
    assert.equal(await own.leave(), true, 'what is left was killed');
    assert.deepEqual(await readdir(join(folder, 'processes')), []);
  });

  it('count each client of a process, as a host of plug-ins has several', async () => {
    const folder = join(directory, 'plug-ins');
    const clients = [processFiles(folder, 60_000), processFiles(folder, 60_000)] as const;
    for (const client of clients) await client.beat();
    assert.equal(await clients[0].leave(), false);
    assert.equal(await clients[1].leave(), true);
  });

  it('do not count a process that was silent for long, whose number may be that of another one now', async () => {
    const folder = join(directory, 'silent');
    await processFiles(folder, MINUTE_MS, process.ppid).beat();
    const longAgo = new Date(Date.now() - 2 * MINUTE_MS);
    const [name = ''] = await readdir(join(folder, 'processes'));
    await utimes(join(folder, 'processes', name), longAgo, longAgo);
    const own = processFiles(folder, MINUTE_MS);
    await own.beat();
    assert.equal(await own.leave(), true);
  });
});

describe('the storage of a browser', () => {
  it('keeps the state and the random fingerprint of each product apart', async () => {
    const items = new Map<string, string>();
    const store = {
      getItem: (name: string) => items.get(name) ?? null,
      setItem: (name: string, value: string) => void items.set(name, value),
      removeItem: (name: string) => void items.delete(name),
    };
    const storage = browserStorage('app', store);
    await storage.write('state');
    assert.equal(await storage.read(), 'state');
    assert.equal(await browserStorage('other', store).read(), null);
    const fingerprint = browserFingerprint('app', store);
    await storage.remove();
    assert.equal(await storage.read(), null);
    assert.equal(browserFingerprint('app', store), fingerprint);
    assert.notEqual(browserFingerprint('other', store), fingerprint);
  });
});

/** The user `nobody`. */
const NOBODY = 65_534;

/** Runs a function without root's rights. Permissions do not stop root, which is the user of tests in containers. */
async function withoutRights<Result>(folder: string, work: () => Promise<Result>): Promise<Result> {
  if (process.getuid?.() !== 0) return work();
  await chown(folder, NOBODY, NOBODY);
  process.seteuid?.(NOBODY);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}

describe('a folder that permissions keep from the app', {
  skip: process.platform === 'win32' && 'Windows has others',
}, () => {
  const world = startedWorld();

  it('is reported as an error of writing, and keeps the old state', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'latchkey-read-only-'));
    await fileStorage(folder).write('one');
    await chmod(join(folder, 'state'), 0o644);
    await chmod(folder, 0o500);
    await withoutRights(folder, () => assert.rejects(fileStorage(folder).write('two'), { code: 'EACCES' }));
    assert.equal(await readFile(join(folder, 'state'), 'utf8'), 'one');
    await chmod(folder, 0o700);
    await rm(folder, { recursive: true });
  });

  it('because it is that of another user, does not keep it from running', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'latchkey-of-another-'));
    await fileStorage(folder).write('the state of another user');
    await chmod(folder, 0o000);
    const inner = fileStorage(folder);
    const ofFolder = <Result>(work: () => Promise<Result>) => withoutRights(folder, work);
    const storage: StateStorage = {
      read: () => ofFolder(() => inner.read()),
      write: (text) => ofFolder(() => inner.write(text)),
      remove: () => ofFolder(() => inner.remove()),
    };
    const machine = world.machine('of another user', { storage });
    assert.equal((await machine.start()).state.status, 'unlicensed');
    assert.equal((await machine.app.activate(await world.server.license())).status, 'licensed');
    assert.deepEqual(machine.events, ['storage-problem']);
    await chmod(folder, 0o700);
    await rm(folder, { recursive: true });
  });
});
