/** Two processes of an app on one machine, which share its stored state. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { browserStorage, memoryStorage, type StateStorage } from '../src/index.ts';
import { fileStorage } from '../src/node.ts';
import { DAY_MS, HOUR_MS, type Machine, MINUTE_MS, startedWorld } from './support/world.ts';

/** A storage that tells every process of each change. */
function watched(): StateStorage {
  const inner = memoryStorage();
  const listeners = new Set<() => void>();
  const tell = <Result>(done: Result): Result => {
    for (const listener of listeners) listener();
    return done;
  };
  return {
    read: inner.read,
    write: async (text) => tell(await inner.write(text)),
    remove: async () => tell(await inner.remove()),
    watch(onChange) {
      listeners.add(onChange);
      return () => listeners.delete(onChange);
    },
  };
}

const statusOf = ({ app }: Machine) => app.state.status;

describe('the second process of an app', () => {
  const world = startedWorld();

  async function twoProcesses(storage: StateStorage) {
    const machines = [1, 2].map((n) => world.machine(`process ${n}`, { storage, fingerprint: 'one machine' }));
    for (const machine of machines) await machine.start();
    const [first, second] = machines as [Machine, Machine];
    const settled = async () => {
      for (let n = 0; n < 20; n++) await turn();
    };
    return { first, second, settled };
  }

  it("learns at once of the first one's key, refusal and renewal if the storage reports changes", async () => {
    const { first, second, settled } = await twoProcesses(watched());
    const key = await world.server.license();
    await first.app.activate(key);
    await settled();
    assert.equal(statusOf(second), 'licensed');
    await world.server.admin('/revokeLicense', { licenseKey: key });
    await world.pass(MINUTE_MS);
    await first.app.check();
    await settled();
    assert.deepEqual([statusOf(first), statusOf(second)], ['refused', 'refused']);
    await world.server.admin('/reinstateLicense', { licenseKey: key });
    await world.pass(2 * HOUR_MS);
    assert.deepEqual([statusOf(first), statusOf(second)], ['licensed', 'licensed']);
    await first.app.deactivate();
    await settled();
    assert.equal(statusOf(second), 'unlicensed');
    await second.stop();
    await first.app.activate(key);
    await settled();
    assert.equal(statusOf(second), 'unlicensed', 'it has stopped');
  });

  it('learns of it at its next check elsewhere', async () => {
    const { first, second, settled } = await twoProcesses(memoryStorage());
    await first.app.activate(await world.server.license());
    await settled();
    assert.equal(statusOf(second), 'unlicensed');
    assert.equal((await second.app.check()).status, 'licensed');
    assert.deepEqual(second.asked, ['/validate']);
  });

  it('keeps the license that it entered while the first one activated another, which is refused', async () => {
    const { first, second } = await twoProcesses(memoryStorage());
    const [revoked, bought] = [await world.server.license(), await world.server.license()];
    await first.app.activate(revoked);
    await world.server.admin('/resetActivations', { licenseKey: revoked });
    first.fault = async ({ url }) => {
      if (!url.endsWith('/activate')) return null;
      await world.server.admin('/revokeLicense', { licenseKey: revoked });
      await second.app.activate(bought);
      return null;
    };
    world.forgetMachines();
    await world.pass(2 * HOUR_MS);
    await first.app.check();
    assert.equal(first.asked.filter((path) => path === '/activate').length, 2, first.asked.join());
    assert.equal((await second.app.check()).status, 'licensed');
    assert.equal((await first.app.check()).status, 'licensed');
  });

  it('asks no more often because the storage reports changes', async () => {
    const counts: number[] = [];
    for (const storage of [memoryStorage(), watched()]) {
      const { first, second } = await twoProcesses(storage);
      await first.app.activate(await world.server.license());
      await second.app.check();
      await world.pass(4 * DAY_MS);
      assert.equal(statusOf(second), 'licensed');
      counts.push(first.asked.length + second.asked.length);
      world.forgetMachines();
    }
    const [without = 0, reported = 0] = counts;
    assert.ok(reported <= without + 1 && reported >= without - 1, counts.join());
  });
});

describe('a storage that reports changes', () => {
  it('is a file that another process replaces or removes', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'latchkey-watched-'));
    const alive = setInterval(() => {}, 1000);
    try {
      const storage = fileStorage(directory);
      for (const change of [(other: StateStorage) => other.write('text'), (other: StateStorage) => other.remove()]) {
        const reported = new Promise<void>((resolve) => {
          const end = storage.watch?.(() => {
            end?.();
            resolve();
          });
        });
        // The first look at a file only remembers it.
        await new Promise((resolve) => setTimeout(resolve, 100));
        await change(fileStorage(directory));
        await reported;
      }
    } finally {
      clearInterval(alive);
      await rm(directory, { recursive: true });
    }
  });

  it('is the one of a browser, for its own name alone', () => {
    const page = new EventTarget();
    const globals = {
      addEventListener: globalThis.addEventListener,
      removeEventListener: globalThis.removeEventListener,
    };
    Object.assign(globalThis, {
      addEventListener: page.addEventListener.bind(page),
      removeEventListener: page.removeEventListener.bind(page),
    });
    try {
      const store = { getItem: () => null, setItem: () => {}, removeItem: () => {} };
      let reported = 0;
      const end = browserStorage('app', store).watch?.(() => (reported += 1));
      const change = (key: string) => page.dispatchEvent(Object.assign(new Event('storage'), { key }));
      change('latchkey.other');
      change('latchkey.app');
      end?.();
      change('latchkey.app');
      assert.equal(reported, 1);
    } finally {
      Object.assign(globalThis, globals);
    }
  });
});
