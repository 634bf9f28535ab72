/**
 * Kept refusals of the client endpoints: the contents of a row, the refusals that share a row, and the number of rows.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/ground/base/clock.ts';
import type { KeptRefusal } from '../../../src/licensing/observed-calls/kept-refusal.ts';
import { RefusalBuffer } from '../../../src/licensing/observed-calls/refusal-buffer.ts';
import { addRefusals, findLastRefusedMachine, listRefusals } from '../../../src/licensing/observed-calls/store.ts';
import { openStorage } from '../../../src/storage/opening/open.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { Machine } from '../../support/machine.ts';
import { answered, openRows, WRITTEN_AT_THE_END, withApp } from './observed-rows.ts';
import { predictRefusal } from './refusal-rows.ts';

/** The content of a row, without the parts that differ from run to run. */
const factsOf = ({ refusalId, requestId, licenseKey, firstAt, lastAt, ...facts }: KeptRefusal) => facts;

/** A call that is refused for its token, from any machine. */
function badToken(app: TestApp, licenseKey: string, fingerprint: string): Promise<void> {
  const machine = new Machine(app, licenseKey, fingerprint);
  machine.token = 'nonsense';
  return answered(401, machine.heartbeat());
}

/** Heartbeats with a wrong token, from `machines` machines of a license at once. */
const rush = (app: TestApp, licenseKey: string, machines: number) =>
  Promise.all(Array.from({ length: machines }, (_, index) => badToken(app, licenseKey, `machine ${index}`)));

for (const engine of engines)
  describe(`refusals on ${engine}`, () => {
    it('are kept with machine, endpoint, code and details, for every code', async (test) => {
      const { database, rows } = await openRows(test, engine);
      const keys = await withApp(engine, database, async (app) => {
        const full = await app.license({ maxMachines: 1 });
        const bound = await new Machine(app, full, 'bound').activated();
        const other = new Machine(app, full, 'other');
        const limit = await other.activate();
        assert.equal(limit.status, 403);
        other.token = bound.token;
        await answered(401, other.validate());
        other.token = 'nonsense';
        await answered(401, other.heartbeat());
        await bound.deactivate();
        await answered(404, bound.heartbeat());
        await answered(403, bound.validate());
        const stranger = new Machine(app, full, 'stranger');
        app.clock.move(1);
        stranger.productId = 'another app';
        await answered(403, stranger.verify());
        app.clock.move(1);
        await answered(403, stranger.activate());

        const revoked = await app.license();
        const machine = await new Machine(app, revoked, 'one').activated();
        await mustSucceed(app.admin('/revokeLicense', { licenseKey: revoked }));
        await answered(403, machine.verify());
        app.clock.move(1);
        await answered(403, machine.deactivate());

        const expiresAt = app.clock.at(-DAY_MS);
        const expired = await app.license({ expiresAt });
        await answered(403, new Machine(app, expired, 'one').activate());

        const busy = await app.license({ licenseType: 'site', maxMachines: -1 });
        for (let times = 0; times < 15; times += 1) await new Machine(app, busy, 'one').activated();
        await answered(429, new Machine(app, busy, 'one').activate());
        return { full, revoked, expired, busy, expiresAt, limitRequest: limit.headers['x-request-id'] };
      });

      const full = await rows.refusals(keys.full);
      assert.equal(full.find(({ code }) => code === 'machine_limit')?.requestId, keys.limitRequest);
      for (const row of full) {
        assert.match(row.refusalId, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/);
        assert.equal(row.firstAt, row.lastAt);
      }
      const [limit, notActivated] = [{ limit: 1 }, { code: 'machine_not_activated', details: null }];
      const wrong = { code: 'wrong_product', details: { productId: 'another app' }, count: 1 };
      assert.deepEqual(full.map(factsOf).reverse(), [
        {
          ...{ code: 'machine_limit', endpoint: '/activate', fingerprint: 'other', hostname: 'host of other' },
          ...{ count: 1, details: limit },
        },
        {
          ...{ code: 'token_mismatch', endpoint: '/validate', fingerprint: 'other', hostname: null },
          ...{ count: 1, details: null },
        },
        {
          ...{ code: 'invalid_token', endpoint: '/heartbeat', fingerprint: 'other', hostname: null },
          ...{ count: 1, details: null },
        },
        // At two endpoints for one reason: one row.
        { ...notActivated, endpoint: '/validate', fingerprint: 'bound', hostname: null, count: 2 },
        { ...wrong, endpoint: '/verify', fingerprint: null, hostname: null },
        { ...wrong, endpoint: '/activate', fingerprint: 'stranger', hostname: 'host of stranger' },
      ]);
      const revoked = { code: 'license_revoked', count: 1, details: null };
      assert.deepEqual((await rows.refusals(keys.revoked)).map(factsOf).reverse(), [
        { ...revoked, endpoint: '/verify', fingerprint: null, hostname: null },
        { ...revoked, endpoint: '/deactivate', fingerprint: 'one', hostname: 'host of one' },
      ]);
      assert.deepEqual((await rows.refusals(keys.expired)).map(factsOf), [
        {
          ...{ code: 'license_expired', endpoint: '/activate', fingerprint: 'one', hostname: 'host of one' },
          ...{ count: 1, details: { expiresAt: keys.expiresAt } },
        },
      ]);
      const [tooMany, ...rest] = await rows.refusals(keys.busy);
      assert.deepEqual([tooMany?.code, tooMany?.fingerprint, rest.length], ['activation_rate', 'one', 0]);
      const seconds = Number(tooMany?.details?.retryAfterSeconds);
      assert.ok(seconds > 0 && seconds <= HOUR_MS / 1_000, String(seconds));
    });

    it('of one code and machine are one row with their count for an hour, then another', async (test) => {
      const { database, rows } = await openRows(test, engine);
      const [licenseKey, began, requestIds] = await withApp(engine, database, async (app) => {
        const licenseKey = await app.license({ maxMachines: 1 });
        await new Machine(app, licenseKey, 'bound').activated();
        const began = app.clock.now();
        const requestIds: unknown[] = [];
        for (const minutes of [0, 20, 39.99, 0.02, 59]) {
          app.clock.move(minutes * MINUTE_MS);
          const { status, headers } = await new Machine(app, licenseKey, 'other').activate();
          assert.equal(status, 403);
          requestIds.push(headers['x-request-id']);
        }
        return [licenseKey, began, requestIds] as const;
      });
      const at = (minutes: number) => new Date(began + minutes * MINUTE_MS).toISOString();
      const shown = (await rows.refusals(licenseKey)).map(({ count, firstAt, lastAt, requestId }) => ({
        ...{ count, firstAt, lastAt, requestId },
      }));
      assert.deepEqual(shown, [
        { count: 2, firstAt: at(60.01), lastAt: at(119.01), requestId: requestIds[4] },
        { count: 3, firstAt: at(0), lastAt: at(59.99), requestId: requestIds[2] },
      ]);
    });

    it('name the machine as it was called last, also where repeats are written in another order', async (test) => {
      const { database, rows } = await openRows(test, engine);
      const licenseKey = await withApp(engine, database, (app) => app.license());
      const storage = await openStorage(database.database);
      test.after(() => storage.close());
      const began = Date.UTC(2027, 0, 1);
      const write = (minute: number, hostname: string | null, fingerprint = 'one') =>
        storage.transaction((tx) =>
          addRefusals(tx, [predictRefusal(licenseKey, began + minute * MINUTE_MS, { fingerprint, hostname })]),
        );
      const names = async () => (await rows.refusals(licenseKey)).map(({ hostname }) => hostname);
      for (const [minute, hostname, name] of [
        [10, null, null],
        [11, 'first', 'first'],
        [12, null, 'first'],
        [20, 'second', 'second'],
        [15, 'late', 'second'],
        [20, 'at once', 'at once'],
      ] as const) {
        await write(minute, hostname);
        assert.deepEqual(await names(), [name], `${hostname} at ${minute}`);
      }
      // Two of one row in one set, and another row beside it.
      const together = [
        predictRefusal(licenseKey, began + 30 * MINUTE_MS, { fingerprint: 'one', hostname: 'newer' }),
        predictRefusal(licenseKey, began + 25 * MINUTE_MS, { fingerprint: 'one', hostname: 'older' }),
        predictRefusal(licenseKey, began + 40 * MINUTE_MS, { fingerprint: 'two', hostname: 'other' }),
      ];
      await storage.transaction((tx) => addRefusals(tx, together));
      assert.deepEqual(await names(), ['other', 'newer']);
    });

    it('are added to the same row after a restart within the hour', async (test) => {
      const { database, rows } = await openRows(test, engine);
      const licenseKey = await withApp(engine, database, (app) => app.license({ expiresAt: app.clock.at(-DAY_MS) }));
      for (let times = 0; times < 3; times += 1)
        await withApp(engine, database, async (app) => {
          await answered(403, new Machine(app, licenseKey).verify());
          await answered(403, new Machine(app, licenseKey, 'one').activate());
        });
      const shown = (await rows.refusals(licenseKey)).map(({ fingerprint, count }) => [fingerprint, count]);
      assert.deepEqual(
        new Set(shown),
        new Set([
          ['one', 3],
          [null, 3],
        ]),
      );
    });

    it('of a license take 50 rows at most, and the oldest go first', async (test) => {
      const { database, rows } = await openRows(test, engine);
      const licenseKey = await withApp(engine, database, (app) => app.license());
      const machines = async () => (await rows.refusals(licenseKey)).map(({ fingerprint }) => fingerprint);
      await withApp(engine, database, async (app) => {
        await badToken(app, licenseKey, 'first');
        await rush(app, licenseKey, 200);
        await badToken(app, licenseKey, 'last');
      });
      const before = await machines();
      assert.equal(before.length, 50);
      assert.equal(before[0], 'last');
      assert.ok(!before.includes('first'));
      await withApp(engine, database, (app) => rush(app, licenseKey, 10));
      const after = await machines();
      assert.equal(after.length, 50);
      assert.equal(new Set(after.slice(0, 10)).size, 10);
      assert.deepEqual(after.slice(10), before.slice(0, 40));
    });

    it('take a bounded number of rows a second, from any number of simultaneous calls', async (test) => {
      const { database, rows } = await openRows(test, engine);
      const bounds = { refusalIntervalMs: 5, maxRefusalRows: 30 };
      await withApp(
        engine,
        database,
        async (app) => {
          const order = { expiresAt: app.clock.at(-DAY_MS) };
          const keys = await Promise.all(Array.from({ length: 5 }, () => app.license(order)));
          // The clock stands still: all of it is one second, in however many sets it is written.
          await Promise.all(
            keys.flatMap((key) => [
              rush(app, key, 20),
              ...Array.from({ length: 3 }, () => new Machine(app, key).verify()),
            ]),
          );
        },
        bounds,
      );
      // A refusal that repeats one of an earlier set counts towards the bound once more, and is added to the row of the
      // first: that may happen twice to the /verify of each license.
      const count = await rows.countRefusals();
      assert.ok(count <= 30 && count >= 20, `${count} rows`);
      const totals = await rows.totals('app');
      assert.deepEqual([totals['heartbeat.invalid_token'], totals['verify.license_expired']], [100, 15]);
    });

    it('are written while the service runs, without a further call', async (test) => {
      const { database, rows } = await openRows(test, engine);
      const asUsual = {};
      await withApp(
        engine,
        database,
        async (app) => {
          const licenseKey = await app.license({ expiresAt: app.clock.at(-DAY_MS) });
          await answered(403, new Machine(app, licenseKey).verify());
          await answered(403, new Machine(app, licenseKey, 'one').activate());
          const written = async () => new Set((await rows.refusals(licenseKey)).map(({ fingerprint }) => fingerprint));
          while ((await written()).size < 2) await new Promise((resolve) => setImmediate(resolve));
          assert.deepEqual(await written(), new Set([null, 'one']));
        },
        asUsual,
      );
    });

    it('of license keys that are none leave no row, and are counted', async (test) => {
      const { database, rows } = await openRows(test, engine);
      await withApp(engine, database, async (app) => {
        for (const key of ['ABCDE-ABCDE-ABCDE-ABCDE-ABCDE', "'; drop table license --"]) {
          const machine = new Machine(app, key);
          machine.token = 'token';
          await answered(404, machine.verify());
          await answered(404, machine.activate());
          await answered(404, machine.validate());
        }
      });
      assert.equal(await rows.countRefusals(), 0);
      const counted = {
        'verify.license_not_found': 2,
        'activate.license_not_found': 2,
        'validate.license_not_found': 2,
      };
      assert.deepEqual(await rows.totals(''), counted);
      assert.deepEqual([...new Set((await rows.statistics()).map(({ productId }) => productId))], ['']);
    });

    it('are listed page by page, and name the machine that was refused last', async (test) => {
      const { database } = await openRows(test, engine);
      const [licenseKey, other] = await withApp(engine, database, async (app) => {
        const [licenseKey, other] = [await app.license(), await app.license()];
        for (const machine of ['one', 'two', 'three', 'one']) {
          app.clock.move(1);
          await badToken(app, licenseKey, machine);
        }
        const stranger = new Machine(app, licenseKey);
        stranger.productId = 'another';
        app.clock.move(1);
        await answered(403, stranger.verify());
        return [licenseKey, other] as const;
      });
      const storage = await openStorage(database.database);
      test.after(() => storage.close());
      const page = (before: string | null) => storage.read((sql) => listRefusals(sql, licenseKey, before, 2));
      const machinesOf = (rows: readonly KeptRefusal[]) => rows.map(({ fingerprint }) => fingerprint);
      const first = await page(null);
      assert.deepEqual(machinesOf(first), [null, 'three']);
      const second = await page(first.at(-1)!.refusalId);
      assert.deepEqual(machinesOf(second), ['two', 'one']);
      assert.deepEqual(await page(second.at(-1)!.refusalId), []);
      assert.equal((await storage.read((sql) => findLastRefusedMachine(sql, licenseKey)))?.fingerprint, 'one');
      assert.equal(await storage.read((sql) => findLastRefusedMachine(sql, other)), null);
    });

    it('hold no token', async (test) => {
      const { database, rows } = await openRows(test, engine);
      const [licenseKey, token] = await withApp(engine, database, async (app) => {
        const licenseKey = await app.license();
        const one = await new Machine(app, licenseKey, 'one').activated();
        const other = new Machine(app, licenseKey, 'other');
        other.token = one.token;
        for (const answer of [other.validate(), other.heartbeat(), other.deactivate()]) await answered(401, answer);
        return [licenseKey, one.token] as const;
      });
      const kept = JSON.stringify(await rows.refusals(licenseKey));
      assert.match(kept, /token_mismatch/);
      for (const part of token.split('.')) assert.ok(!kept.includes(part));
    });
  });

describe('refusals at two servers', () => {
  it('that are written at the same moment are one row, and 50 rows of a license at most', async (test) => {
    const { database, rows } = await openRows(test, 'postgres');
    const keys = await withApp('postgres', database, (app) =>
      Promise.all(Array.from({ length: 20 }, () => app.license())),
    );
    const servers = await Promise.all([1, 2].map(() => openStorage(database.database)));
    test.after(() => Promise.all(servers.map((storage) => storage.close())));
    const now = Date.UTC(2027, 0, 1);
    const writeAtBoth = (licenseKey: string, machines: (server: number) => readonly string[]) =>
      Promise.all(
        servers.map((storage, server) => {
          const gathered = new RefusalBuffer();
          for (const fingerprint of machines(server))
            gathered.gather({
              ...{ licenseKey, fingerprint, now, code: 'machine_limit', endpoint: '/activate' },
              ...{ hostname: null, details: null, requestId: 'r' },
            });
          return storage.transaction((tx) => addRefusals(tx, gathered.take()));
        }),
      );
    for (const key of keys) {
      await writeAtBoth(key, () => ['same']);
      assert.deepEqual(
        (await rows.refusals(key)).map(({ count }) => count),
        [2],
      );
      await writeAtBoth(key, (server) => Array.from({ length: 40 }, (_, index) => `${server} ${index}`));
      assert.equal((await rows.refusals(key)).length, 50);
    }
  });

  it('are added to one row, and are at most 50 rows of a license, in any order of writing', async (test) => {
    const { database, rows } = await openRows(test, 'postgres');
    const bounds = { memory: { ...WRITTEN_AT_THE_END, refusalIntervalMs: 3 } };
    const nodes = await Promise.all([1, 2].map(() => startApp('postgres', {}, database, bounds)));
    const [one] = nodes as [TestApp, TestApp];
    const order = { expiresAt: one.clock.at(-DAY_MS) };
    const keys = await Promise.all(Array.from({ length: 4 }, () => one.license(order)));
    const few = await one.license(order);
    for (let round = 0; round < 5; round += 1)
      await Promise.all(
        nodes.flatMap((node, index) => [
          ...keys.flatMap((key) =>
            Array.from({ length: 20 }, (_, each) => badToken(node, key, `${index} ${round} ${each}`)),
          ),
          ...Array.from({ length: 10 }, () => new Machine(node, few).verify()),
        ]),
      );
    await Promise.all(nodes.map((node) => node.stop()));
    for (const key of keys) assert.equal((await rows.refusals(key)).length, 50);
    assert.deepEqual(
      (await rows.refusals(few)).map(({ count }) => count),
      [100],
    );
  });
});
