/** The storage for Electron, against the documented interface of `safeStorage`: Electron itself does not run here. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type AsyncSafeStorage,
  createLatchkey,
  type SafeStorage,
  type SyncSafeStorage,
  sealedStorage,
} from '../src/electron.ts';
import { memoryStorage } from '../src/index.ts';
import { DOWN, startedWorld } from './support/world.ts';

/** A keychain whose key can change. */
class Keychain implements AsyncSafeStorage {
  key = 1;
  isLocked = false;
  isThere = true;
  backend = 'gnome_libsecret';

  async isAsyncEncryptionAvailable(): Promise<boolean> {
    return this.isThere;
  }

  async encryptStringAsync(text: string): Promise<Uint8Array> {
    return Buffer.from([this.key, ...Buffer.from(text)].map((byte) => byte ^ 0x55));
  }

  async decryptStringAsync(sealed: Uint8Array) {
    if (this.isLocked) throw new Error('the keychain is locked');
    const [key, ...bytes] = [...sealed].map((byte) => byte ^ 0x55);
    return { result: Buffer.from(bytes).toString(), shouldReEncrypt: key !== this.key };
  }

  getSelectedStorageBackend(): string {
    return this.backend;
  }
}

/** The same keychain in the form of older versions. */
function olderForm(keychain: Keychain): SyncSafeStorage & SafeStorage {
  const flipped = (bytes: Iterable<number>) => Buffer.from([...bytes].map((byte) => byte ^ 0x55));
  return {
    isEncryptionAvailable: () => keychain.isThere,
    encryptString: (text) => flipped([keychain.key, ...Buffer.from(text)]),
    decryptString(sealed) {
      if (keychain.isLocked) throw new Error('the keychain is locked');
      return flipped(sealed).subarray(1).toString();
    },
    getSelectedStorageBackend: () => keychain.backend,
  };
}

/** Runs with the version that Electron tells its programs. */
async function inElectron<Result>(version: string, work: () => Promise<Result>): Promise<Result> {
  Object.defineProperty(process.versions, 'electron', { value: version, configurable: true });
  try {
    return await work();
  } finally {
    Reflect.deleteProperty(process.versions, 'electron');
  }
}

describe('the storage for Electron', () => {
  it('seals by the synchronous form of Electron 41, and reads it by the asynchronous one after an update', async () => {
    const inner = memoryStorage();
    const keychain = new Keychain();
    await inElectron('41.7.2', () => sealedStorage(olderForm(keychain), inner).write('text'));
    assert.match((await inner.read()) ?? '', /^sealed:/);
    assert.equal(await inElectron('41.7.2', () => sealedStorage(olderForm(keychain), inner).read()), 'text');
    assert.equal(await inElectron('46.0.0', () => sealedStorage(keychain, inner).read()), 'text');
  });

  it('takes the form that works where a version has both', async () => {
    for (const [version, form] of [
      ['42.0.0', 'synchronous'],
      ['43.1.0', 'asynchronous'],
    ] as const) {
      const inner = memoryStorage();
      const keychain = new Keychain();
      const used: string[] = [];
      const sealedBy = (name: string) => (text: string) => {
        used.push(name);
        return Buffer.from(text);
      };
      const both: SafeStorage = {
        ...olderForm(keychain),
        encryptString: sealedBy('synchronous'),
        isAsyncEncryptionAvailable: async () => true,
        encryptStringAsync: async (text) => sealedBy('asynchronous')(text),
        decryptStringAsync: (sealed) => keychain.decryptStringAsync(sealed),
      };
      await inElectron(version, () => sealedStorage(both, inner).write('text'));
      assert.deepEqual(used, [form], version);
    }
  });

  it('is refused at once where safeStorage is not that of the main process', () => {
    for (const wrong of [{}, { isEncryptionAvailable: () => true }])
      assert.throws(() => sealedStorage(wrong as SafeStorage, memoryStorage()), TypeError);
  });

  it('keeps nothing that can be read without the keychain', async () => {
    const inner = memoryStorage();
    const storage = sealedStorage(new Keychain(), inner);
    await storage.write('the license key');
    assert.match((await inner.read()) ?? '', /^sealed:/);
    assert.ok(!Buffer.from((await inner.read())?.slice(7) ?? '', 'base64').includes('license'));
    assert.equal(await storage.read(), 'the license key');
    await storage.remove();
    assert.equal(await storage.read(), null);
  });

  it('seals again when the keychain has another key', async () => {
    const keychain = new Keychain();
    const inner = memoryStorage();
    const storage = sealedStorage(keychain, inner);
    await storage.write('text');
    const before = await inner.read();
    keychain.key = 2;
    assert.equal(await storage.read(), 'text');
    assert.notEqual(await inner.read(), before);
    assert.equal(await storage.read(), 'text');
  });

  it('keeps the text as it is without a keychain, and reads what was kept so', async () => {
    for (const changes of [{ isThere: false }, { backend: 'basic_text' }]) {
      const inner = memoryStorage();
      const storage = sealedStorage(Object.assign(new Keychain(), changes), inner);
      await storage.write('text');
      assert.equal(await inner.read(), 'text');
      assert.equal(await sealedStorage(new Keychain(), inner).read(), 'text');
    }
  });
});

describe('an app in Electron', () => {
  const world = startedWorld();

  it('is licensed at the next start, also without the server', async () => {
    const storage = sealedStorage(new Keychain(), memoryStorage());
    const machine = world.machine('electron', { storage });
    await (await machine.start()).activate(await world.server.license());
    machine.fault = DOWN;
    assert.equal((await machine.start()).state.status, 'grace');
  });

  it('loses nothing while the keychain is locked', async () => {
    const keychain = new Keychain();
    const storage = sealedStorage(keychain, memoryStorage());
    const machine = world.machine('locked', { storage });
    await (await machine.start()).activate(await world.server.license());
    keychain.isLocked = true;
    const { status, storageProblem } = (await machine.start()).state;
    assert.deepEqual([status, storageProblem], ['unlicensed', 'cannot read the state: the keychain is locked']);
    assert.deepEqual(machine.events, ['storage-problem']);
    keychain.isLocked = false;
    await world.pass(60_000);
    assert.equal(machine.app.mayRun, true);
    assert.equal(machine.app.state.storageProblem, null);
    assert.equal((await machine.start()).state.status, 'licensed');
  });

  it("sends its requests by Electron's network where it is given, unless it trusts certificates of its own", async () => {
    const options = { server: 'https://127.0.0.1:1', productId: 'app', fingerprint: 'f', hostname: 'desk' };
    for (const [trust, awaited] of [
      [{}, ['https://127.0.0.1:1/activate']],
      [{ pins: ['AAAA'] }, []],
    ] as const) {
      const asked: string[] = [];
      const fetch = async (url: string): Promise<Response> => {
        asked.push(url);
        throw new Error('net::ERR_CERT_AUTHORITY_INVALID');
      };
      const given = { ...options, ...trust, storage: memoryStorage(), safeStorage: new Keychain(), net: { fetch } };
      const latchkey = createLatchkey(given);
      const kind = awaited.length > 0 ? 'tls' : 'network';
      await assert.rejects(latchkey.activate('AAAAA-BBBBB-CCCCC-DDDDD-EEEEE'), ({ problem }) => problem.kind === kind);
      assert.deepEqual(asked, awaited);
      await latchkey.close();
    }
  });

  it('is made with the options of Node.js', async () => {
    const options = { server: 'https://127.0.0.1:1', productId: 'app', fingerprint: 'f', storage: memoryStorage() };
    const latchkey = createLatchkey({ ...options, safeStorage: new Keychain() });
    assert.equal((await latchkey.start()).status, 'unlicensed');
    await latchkey.close();
  });
});
