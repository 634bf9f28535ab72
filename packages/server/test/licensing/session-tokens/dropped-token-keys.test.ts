/** Dropped keys of session tokens, clocks that step back, and lifetimes that change between rotations. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS, HOUR_MS, MINUTE_MS, systemClock, toTimestamp } from '../../../src/ground/base/clock.ts';
import { claimsFor } from '../../../src/licensing/session-tokens/token.ts';
import {
  dropTokenKey,
  LONGEST_TOKEN_LIFETIME_MS,
  listTokenKeys,
  rotateTokenKeys,
  TokenKeys,
} from '../../../src/licensing/session-tokens/token-keys.ts';
import { readConfig } from '../../../src/runtime/config/read-config.ts';
import { type Storage, statement } from '../../../src/storage/contract/storage.ts';
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
const forgetLifetimes = statement('test_token_key.forget_lifetimes', 'update token_key set longest_lifetime_ms = null');
const listLifetimes = statement(
  'test_token_key.list_lifetimes',
  'select longest_lifetime_ms as "lifetimeMs" from token_key order by signs_from',
);

for (const engine of engines) {
  const nodeOn = async (storage: Storage, now: number, lifetimeMs = LIFETIME_MS) => {
    const keys = new TokenKeys(lifetimeMs);
    await keys.open(storage, () => now);
    return keys;
  };
  const sign = (keys: TokenKeys, now: number, lifetimeMs = LIFETIME_MS) =>
    keys.sign(claimsFor('activation', 'KEY', 'machine', now, lifetimeMs), now);
  const refresh = (storage: Storage, keys: TokenKeys, now: number, tokens: readonly string[] = []) =>
    storage.transaction((tx) => keys.refresh(tx, tokens, now));
  const drop = (storage: Storage, keyId: string, now: number) =>
    storage.transaction((tx) => dropTokenKey(tx, keyId, originAt(now), LIFETIME_MS));
  const rotate = (storage: Storage, now: number, lifetimeMs = LIFETIME_MS) =>
    storage.transaction((tx) => rotateTokenKeys(tx, { origin: originAt(now), believableNow: now }, lifetimeMs));
  const statesOf = async (storage: Storage, now: number) =>
    (await storage.read((sql) => listTokenKeys(sql, now))).map(({ use }) => use);

  describe(`a dropped key of session tokens on ${engine}`, () => {
    it('lets none of its tokens through after a minute, on any node, and machines return without another slot', async (test) => {
      const database = await freshDatabase(engine, test);
      const first = await startApp(engine, {}, database);
      const apps: TestApp[] = engine === 'postgres' ? [first, await startApp(engine, {}, database)] : [first];
      for (const app of apps) test.after(() => app.stop());
      const licenseKey = await first.license({ maxMachines: 1 });
      const machines = apps.map((app) => new Machine(app, licenseKey));
      const { token } = await machines[0]!.activated();
      // A node starts with the machine's clock; from here on all have read the keys by the clock that the test moves.
      for (const app of apps) app.clock.move(HOUR_MS);
      for (const machine of machines) {
        machine.token = token;
        assert.equal((await machine.validate()).status, 200);
      }
      const storage = await openStorage(first.database);
      test.after(() => storage.close());
      const now = first.clock.now();
      const dropped = await drop(storage, keyIdOf(token), now);
      assert.ok(dropped !== 'unknown' && dropped.replacedBy !== null);
      for (const app of apps) app.clock.move(MINUTE_MS + 1);
      for (const machine of machines) {
        for (const call of [machine.validate(), machine.heartbeat(), machine.deactivate()])
          assert.equal((await call).status, 401);
        machine.token = token;
      }
      for (const machine of machines) {
        const activated = await machine.activate();
        assert.deepEqual([activated.status, activated.body.machinesUsed], [200, 1]);
        assert.equal(keyIdOf(activated.body.token), dropped.replacedBy);
        for (const other of machines) {
          other.token = activated.body.token;
          assert.equal((await other.validate()).status, 200);
        }
      }
    });

    it('is replaced at once if it was the signing key, and not otherwise', async (test) => {
      const { storage } = await freshStorage(engine, test);
      const now = systemClock();
      const first = keyIdOf(sign(await nodeOn(storage, now), now));
      assert.equal(await drop(storage, 'nobody', now), 'unknown');
      await rotate(storage, now);
      const later = now + SPREAD_MS;
      const second = keyIdOf(sign(await nodeOn(storage, later), later));
      assert.deepEqual(await statesOf(storage, later), ['checks', 'signs']);
      // The previous key must not sign again: it may be dropped with the next rotation.
      const dropped = await drop(storage, second, later);
      assert.ok(dropped !== 'unknown' && dropped.replacedBy !== null);
      assert.equal(keyIdOf(sign(await nodeOn(storage, later), later)), dropped.replacedBy);
      assert.deepEqual(await statesOf(storage, later), ['checks', 'signs']);
      assert.deepEqual(await drop(storage, first, later), { replacedBy: null });
      assert.deepEqual(await statesOf(storage, later), ['signs']);
      assert.equal(await drop(storage, first, later), 'unknown');
    });

    it('leaves the signing key unchanged if the dropped one would only have signed later', async (test) => {
      const { storage } = await freshStorage(engine, test);
      const now = systemClock();
      await nodeOn(storage, now);
      await rotate(storage, now);
      const [, pending] = await storage.read((sql) => listTokenKeys(sql, now));
      assert.equal(pending?.use, 'will sign');
      assert.deepEqual(await drop(storage, pending.keyId, now), { replacedBy: null });
      assert.deepEqual(await statesOf(storage, now + DAY_MS), ['signs']);
    });
  });

  describe(`a clock that steps back on ${engine}`, () => {
    it('does not make a node accept a dropped key for longer than a minute', async (test) => {
      const { storage } = await freshStorage(engine, test);
      const now = systemClock();
      const node = await nodeOn(storage, now);
      const token = sign(node, now);
      const stepped = now - MINUTE_MS + 1;
      await refresh(storage, node, stepped, [token]);
      await drop(storage, keyIdOf(token), now);
      const later = stepped + MINUTE_MS + 1;
      await refresh(storage, node, later, [token]);
      assert.equal(node.check(token, later), null);
    });

    it('while another node rotates, leaves both nodes signing tokens that the other accepts', async (test) => {
      for (const stepMs of [1, 30_000, MINUTE_MS, SPREAD_MS, HOUR_MS, 10 * DAY_MS]) {
        const { storage } = await freshStorage(engine, test);
        const now = systemClock();
        const stepped = await nodeOn(storage, now);
        const other = await nodeOn(storage, now);
        await rotate(storage, now);
        // Both clocks advance from here; one of them is slow.
        for (let passedMs = 0; passedMs <= 2 * SPREAD_MS; passedMs += 20_000) {
          const [afterCursor, right] = [now - stepMs + passedMs, now + passedMs];
          await refresh(storage, stepped, afterCursor);
          await refresh(storage, other, right);
          const [ofStepped, ofOther] = [sign(stepped, afterCursor), sign(other, right)];
          // The clock has to advance a moment before a node looks again for a key that it does not know.
          await refresh(storage, stepped, afterCursor + 1000, [ofOther]);
          await refresh(storage, other, right + 1000, [ofStepped]);
          assert.ok(other.check(ofStepped, right), `${stepMs} behind, after ${passedMs}`);
          assert.ok(stepped.check(ofOther, afterCursor), `${stepMs} behind, after ${passedMs}`);
        }
      }
    });
  });

  describe(`the lifetime of session tokens on ${engine}`, () => {
    for (const order of ['before', 'after'] as const)
      it(`may be shortened ${order} a rotation: a key checks for as long as its tokens live`, async (test) => {
        const { storage } = await freshStorage(engine, test);
        const now = systemClock();
        const token = sign(await nodeOn(storage, now), now);
        const short = DAY_MS;
        if (order === 'before') await nodeOn(storage, now + 1, short);
        await rotate(storage, now + 2, order === 'before' ? short : LIFETIME_MS);
        const soon = now + short + 3 * SPREAD_MS;
        await rotate(storage, soon, short);
        const later = now + LIFETIME_MS - 1000;
        await rotate(storage, later, short);
        const node = await nodeOn(storage, later, short);
        assert.equal(node.check(token, later)?.act, 'activation');
        // The first key signed until the second one did, and a little longer on slow nodes.
        await rotate(storage, now + 2 + 2 * SPREAD_MS + LIFETIME_MS, short);
        const end = await nodeOn(storage, later, short);
        assert.equal(end.check(token, later), null);
      });

    it('may be longer on the nodes than the command that rotates knows of', async (test) => {
      const { storage } = await freshStorage(engine, test);
      const now = systemClock();
      const node = await nodeOn(storage, now);
      await rotate(storage, now, DAY_MS);
      const signing = now + SPREAD_MS;
      await refresh(storage, node, signing);
      const token = sign(node, signing);
      await drop(storage, 'first', signing);
      await rotate(storage, signing, DAY_MS);
      const later = signing + LIFETIME_MS - 1000;
      await rotate(storage, later, DAY_MS);
      assert.ok((await nodeOn(storage, later)).check(token, later));
    });

    it('is kept with the token that first needs it, or both are not', async (test) => {
      const { storage } = await freshStorage(engine, test);
      const now = systemClock();
      await nodeOn(storage, now, DAY_MS);
      const node = new TokenKeys(LIFETIME_MS);
      const failed = storage.transaction(async (tx) => {
        await node.refresh(tx, [], now);
        throw new Error('rolled back');
      });
      await assert.rejects(failed, /rolled back/);
      const lifetimes = () => storage.read((sql) => sql.all(listLifetimes));
      assert.deepEqual(await lifetimes(), [{ lifetimeMs: DAY_MS }]);
      await refresh(storage, node, now);
      assert.deepEqual(await lifetimes(), [{ lifetimeMs: LIFETIME_MS }]);
    });

    it('does not become longer for a key that signs no more', async (test) => {
      const { storage } = await freshStorage(engine, test);
      const now = systemClock();
      await nodeOn(storage, now, DAY_MS);
      await rotate(storage, now, DAY_MS);
      await nodeOn(storage, now + SPREAD_MS);
      const lifetimes = await storage.read((sql) => sql.all(listLifetimes));
      assert.deepEqual(lifetimes, [{ lifetimeMs: DAY_MS }, { lifetimeMs: LIFETIME_MS }]);
    });

    it('of keys from before it was kept is the longest that there can be', async (test) => {
      const { storage } = await freshStorage(engine, test);
      const now = systemClock();
      const token = sign(await nodeOn(storage, now, LONGEST_TOKEN_LIFETIME_MS), now, LONGEST_TOKEN_LIFETIME_MS);
      await storage.transaction((tx) => tx.run(forgetLifetimes));
      await nodeOn(storage, now, DAY_MS);
      await rotate(storage, now, DAY_MS);
      const last = now + LONGEST_TOKEN_LIFETIME_MS - 1000;
      await rotate(storage, last, DAY_MS);
      assert.ok((await nodeOn(storage, last)).check(token, last));
      await rotate(storage, now + 2 * SPREAD_MS + LONGEST_TOKEN_LIFETIME_MS, DAY_MS);
      assert.equal((await nodeOn(storage, last)).check(token, last), null);
    });

    it('is at most exactly 366 days, to the millisecond that the answer names', async (test) => {
      assert.equal(readConfig({ LATCHKEY_TOKEN_LIFETIME: '366d' }).tokenLifetimeMs, LONGEST_TOKEN_LIFETIME_MS);
      assert.throws(() => readConfig({ LATCHKEY_TOKEN_LIFETIME: `${366 * 24 * 60 + 1}m` }), /LATCHKEY_TOKEN_LIFETIME/);
      const app = await startApp(engine, { LATCHKEY_TOKEN_LIFETIME: '366d' });
      test.after(() => app.stop());
      const machine = new Machine(app, await app.license());
      const { expiresAt } = (await machine.activate()).body;
      const issued = Math.floor(app.clock.now() / 1000) * 1000;
      assert.equal(expiresAt, toTimestamp(issued + 366 * DAY_MS));
      app.clock.move(Date.parse(expiresAt) - app.clock.now() - 1);
      assert.equal((await machine.validate()).status, 200);
      app.clock.move(1);
      assert.equal((await machine.validate()).status, 401);
    });
  });
}
