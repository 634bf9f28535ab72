import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { DAY_MS, MINUTE_MS, systemClock } from '../../../src/ground/base/clock.ts';
import { claimsFor } from '../../../src/licensing/session-tokens/token.ts';
import { rotateTokenKeys, TokenKeys } from '../../../src/licensing/session-tokens/token-keys.ts';
import type { Database } from '../../../src/storage/contract/database.ts';
import type { Storage } from '../../../src/storage/contract/storage.ts';
import { openStorage } from '../../../src/storage/opening/open.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { engines, freshDatabase } from '../../support/databases.ts';
import { Machine } from '../../support/machine.ts';
import { originAt } from '../../support/origin.ts';
import { freshStorage } from '../../support/storages.ts';

const LIFETIME_MS = 30 * DAY_MS;
/** Delay until every node has read a new key and it begins to sign. */
const SPREAD_MS = 2 * MINUTE_MS;

const keyIdOf = (token: string): string =>
  JSON.parse(Buffer.from(token.split('.')[0]!, 'base64url').toString()).kid as string;

/** Rotates as the command does: from another process, on the database alone. */
async function rotate(database: Database, now: number) {
  const storage = await openStorage(database);
  try {
    return await storage.transaction((tx) =>
      rotateTokenKeys(tx, { origin: originAt(now), believableNow: now }, LIFETIME_MS),
    );
  } finally {
    await storage.close();
  }
}

for (const engine of engines) {
  describe(`rotating the keys of session tokens on ${engine}`, () => {
    it('changes the key of new tokens after its time; old tokens keep working', async (test) => {
      const app: TestApp = await startApp(engine);
      test.after(() => app.stop());
      const machine = await new Machine(app, await app.license()).activated();
      const old = machine.token;
      const rotation = await rotate(app.database, app.clock.now());
      assert.deepEqual(rotation, { keys: 2, signsFrom: app.clock.at(SPREAD_MS) });

      app.clock.move(SPREAD_MS - 1);
      await machine.activated();
      assert.equal(keyIdOf(machine.token), keyIdOf(old));
      app.clock.move(1);
      await machine.activated();
      assert.notEqual(keyIdOf(machine.token), keyIdOf(old));
      for (const token of [old, machine.token]) {
        machine.token = token;
        assert.equal((await machine.validate()).status, 200);
      }
    });

    it('replaces a token near its expiry by one of the new key', async (test) => {
      const app = await startApp(engine);
      test.after(() => app.stop());
      const machine = await new Machine(app, await app.license()).activated();
      await rotate(app.database, app.clock.now());
      app.clock.move(LIFETIME_MS - DAY_MS);
      const { newToken } = (await machine.validate()).body;
      assert.notEqual(keyIdOf(newToken), keyIdOf(machine.token));
    });

    it('survives a restart', async (test) => {
      const database = await freshDatabase(engine, test);
      const first = await startApp(engine, {}, database);
      const machine = await new Machine(first, await first.license()).activated();
      await rotate(database.database, first.clock.now());
      await first.stop();
      const second = await startApp(engine, {}, database);
      test.after(() => second.stop());
      second.clock.move(SPREAD_MS + MINUTE_MS);
      const restarted = new Machine(second, machine.licenseKey);
      restarted.token = machine.token;
      assert.equal((await restarted.validate()).status, 200);
      await restarted.activated();
      assert.notEqual(keyIdOf(restarted.token), keyIdOf(machine.token));
    });
  });

  describe(`the keys that nodes share on ${engine}`, () => {
    const opened = async (storage: Storage, now: number) => {
      const keys = new TokenKeys(LIFETIME_MS);
      await keys.open(storage, () => now);
      return keys;
    };
    const sign = (keys: TokenKeys, now: number) =>
      keys.sign(claimsFor('activation', 'KEY', 'machine', now, LIFETIME_MS), now);

    it('are one key when two nodes start at once on an empty database', async (test) => {
      const { storage } = await freshStorage(engine, test);
      const now = systemClock();
      // The second node finds no key, and makes one only after the first has made its own.
      const found = Promise.withResolvers<void>();
      const made = Promise.withResolvers<void>();
      const slowly: Storage = {
        engine,
        read: (work) => storage.read(work).finally(found.resolve),
        transaction: async (work) => {
          await made.promise;
          return storage.transaction(work);
        },
        onCommitted: () => {},
        onAvailability: () => {},
        close: async () => {},
      };
      const openingSecond = opened(slowly, now + 1);
      await found.promise;
      const first = await opened(storage, now);
      made.resolve();
      const second = await openingSecond;
      const at = now + 2;
      assert.ok(first.check(sign(second, at), at));
      assert.ok(second.check(sign(first, at), at));
    });

    /** A node, and a token that another node has signed with a key that came after this one's reading at `now`. */
    async function withUnknownKey(test: TestContext) {
      const { storage } = await freshStorage(engine, test);
      const now = systemClock();
      const node = await opened(storage, now);
      await storage.transaction((tx) =>
        rotateTokenKeys(tx, { origin: originAt(now), believableNow: now }, LIFETIME_MS),
      );
      const signedAt = now + SPREAD_MS;
      return { storage, now, node, token: sign(await opened(storage, signedAt), signedAt) };
    }

    it('are read again when a token names one that a node has not read of', async (test) => {
      const { storage, now, node, token } = await withUnknownKey(test);
      // The node's reading is young enough to be kept otherwise.
      const readAt = now + MINUTE_MS;
      await storage.transaction((tx) => node.refresh(tx, [], readAt));
      assert.equal(node.check(token, readAt), null);
      await storage.transaction((tx) => node.refresh(tx, [token], readAt));
      assert.equal(node.check(token, readAt)?.act, 'activation');
    });

    it('are read again for unknown ones once a second at most', async (test) => {
      const { storage, now, node, token } = await withUnknownKey(test);
      // The node looks again for a key that it does not know a second after its last reading, and no sooner.
      for (const [age, act] of [
        [999, undefined],
        [1000, 'activation'],
      ] as const) {
        await storage.transaction((tx) => node.refresh(tx, [token], now + age));
        assert.equal(node.check(token, now + age)?.act, act, `after ${age} ms`);
      }
    });

    it('are read again after a minute, whether or not a token names an unknown one', async (test) => {
      const { storage } = await freshStorage(engine, test);
      const now = systemClock();
      const node = await opened(storage, now);
      const first = sign(node, now);
      await storage.transaction((tx) =>
        rotateTokenKeys(tx, { origin: originAt(now), believableNow: now }, LIFETIME_MS),
      );
      const later = now + SPREAD_MS;
      await storage.transaction((tx) => node.refresh(tx, [first], later));
      assert.notEqual(keyIdOf(sign(node, later)), keyIdOf(first));
      assert.ok(node.check(first, later));
    });

    it('are dropped once the last token that they signed has expired, and not before', async (test) => {
      const { storage } = await freshStorage(engine, test);
      const now = systemClock();
      const first = sign(await opened(storage, now), now);
      const rotateAt = (at: number) =>
        storage.transaction((tx) => rotateTokenKeys(tx, { origin: originAt(at), believableNow: at }, LIFETIME_MS));
      assert.equal((await rotateAt(now)).keys, 2);
      // The first key signed until the second took over, and a little longer on slow nodes.
      const lastToken = now + 2 * SPREAD_MS;
      assert.equal((await rotateAt(lastToken + LIFETIME_MS - 1)).keys, 3);
      assert.ok((await opened(storage, now)).check(first, now));
      assert.equal((await rotateAt(lastToken + LIFETIME_MS)).keys, 3);
      assert.equal((await opened(storage, now)).check(first, now), null);
    });
  });
}
