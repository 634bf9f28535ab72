/** The board of live floating sessions. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MINUTE_MS } from '../../../../src/ground/base/clock.ts';
import { mintId } from '../../../../src/ground/base/random.ts';
import { assertRefused } from '../../../support/answers.ts';
import { Creator, mustSucceed } from '../../../support/creator.ts';
import { engines } from '../../../support/databases.ts';
import { historyWithRefusals } from '../../../support/kept-refusals.ts';
import { Machine } from '../../../support/machine.ts';
import { pagesOf } from '../../../support/pages.ts';
import { startedApp } from '../../../support/started-app.ts';

const TIMEOUT_MS = 15 * MINUTE_MS;

interface Pool {
  readonly licenseKey: string;
  readonly limit: number;
  readonly inUse: number;
  readonly sessions: readonly { readonly fingerprint: string }[];
  readonly nextSessionCursor?: string;
}

for (const engine of engines)
  describe(`/listLiveSessions on ${engine}`, () => {
    const app = startedApp(engine);

    const ownProduct = () => `product-${mintId()}`;

    async function poolsOf(fields: Readonly<Record<string, unknown>>, send = app.admin): Promise<Pool[]> {
      return (await pagesOf(send, '/listLiveSessions', fields, 'pools')).flat();
    }
    const keysOf = async (fields: Readonly<Record<string, unknown>>, send = app.admin) =>
      (await poolsOf(fields, send)).map(({ licenseKey }) => licenseKey);

    /** A floating license of a product with `inUse` live sessions, under this limit. */
    async function pool(
      productId: string,
      inUse: number,
      limit: Readonly<Record<string, number>> = { maxConcurrent: 4 },
    ): Promise<[string, Machine[]]> {
      const key = await app.license({ productId, licenseType: 'floating', ...limit });
      const machines: Machine[] = [];
      for (let index = 0; index < inUse; index++) {
        machines.push(await new Machine(app, key, `machine-${index}`, productId).activated());
        app.clock.move(1);
      }
      return [key, machines];
    }

    it('shows 25 licenses, and ten sessions of each, unless asked for another number', async () => {
      const productId = ownProduct();
      await pool(productId, 11, { maxConcurrent: 11 });
      await Promise.all(Array.from({ length: 25 }, () => pool(productId, 1)));
      const { pools, nextCursor } = await mustSucceed(app.admin('/listLiveSessions', { productId }));
      assert.deepEqual([pools.length, typeof nextCursor], [25, 'string']);
      const all: Pool[] = (await mustSucceed(app.admin('/listLiveSessions', { productId, limit: 100 }))).pools;
      assert.deepEqual([all.length, Math.max(...all.map(({ sessions }) => sessions.length))], [26, 10]);
    });

    it('shows the number of refused calls for a license within the hour', async () => {
      const productId = ownProduct();
      const [licenseKey] = await pool(productId, 1, { maxConcurrent: 1 });
      const late = new Machine(app, licenseKey, 'late', productId);
      for (let time = 0; time < 3; time++) assert.equal((await late.activate()).status, 403);
      await historyWithRefusals(app, licenseKey, 3);
      const refused = async () =>
        (await mustSucceed(app.admin('/listLiveSessions', { productId }))).pools[0].refusedLastHour;
      assert.equal(await refused(), 3);
    });

    it('answers a license with its sessions, by fingerprint', async () => {
      const productId = ownProduct();
      const startedAt = app.clock.at();
      const [licenseKey, [machine]] = await pool(productId, 2);
      app.clock.move(MINUTE_MS);
      await mustSucceed((machine as Machine).heartbeat());
      const lastSeen = app.clock.at();
      const { pools, count } = await mustSucceed(app.admin('/listLiveSessions', { productId }));
      assert.equal(count, 1);
      const [{ sessions, ...found }] = pools;
      assert.deepEqual(found, {
        licenseKey,
        email: 'ada@example.com',
        productId,
        limit: 4,
        inUse: 2,
        peak: 2,
        refusedLastHour: 0,
      });
      assert.deepEqual(
        sessions.map(({ fingerprint }: { fingerprint: string }) => fingerprint),
        ['machine-0', 'machine-1'],
      );
      assert.deepEqual(sessions[0], {
        fingerprint: 'machine-0',
        hostname: 'host of machine-0',
        country: null,
        startedAt,
        lastSeen,
        endsAt: app.clock.at(TIMEOUT_MS),
      });
    });

    it('decides by the deadline at this moment which sessions live', async () => {
      const productId = ownProduct();
      const [licenseKey, machines] = await pool(productId, 3);
      app.clock.move(TIMEOUT_MS - 10);
      await mustSucceed((machines[1] as Machine).heartbeat());
      app.clock.move(10);
      const [found] = await poolsOf({ productId });
      assert.deepEqual(
        [found?.licenseKey, found?.inUse, found?.sessions.map(({ fingerprint }) => fingerprint)],
        [licenseKey, 1, ['machine-1']],
      );
      app.clock.move(TIMEOUT_MS);
      assert.deepEqual(await poolsOf({ productId }), []);
      assert.deepEqual(await poolsOf({ licenseKey }), []);
      await mustSucceed((machines[2] as Machine).activate());
      assert.deepEqual(await keysOf({ productId }), [licenseKey]);
    });

    it('lists no license whose sessions have all ended, however they ended', async () => {
      const productId = ownProduct();
      const [, left] = await pool(productId, 2);
      for (const machine of left) await mustSucceed(machine.deactivate());
      const [reset] = await pool(productId, 1);
      await mustSucceed(app.admin('/resetActivations', { licenseKey: reset }));
      const [retyped] = await pool(productId, 1);
      await mustSucceed(app.admin('/updateLicense', { licenseKey: retyped, licenseType: 'per-machine' }));
      const [kept] = await pool(productId, 1);
      const perMachine = await app.license({ productId });
      await new Machine(app, perMachine, 'machine-1', productId).activated();
      assert.deepEqual(await keysOf({ productId }), [kept]);
      for (const licenseKey of [perMachine, retyped]) assert.deepEqual(await poolsOf({ licenseKey }), []);
      const again = left[0] as Machine;
      await again.activated();
      assert.deepEqual((await keysOf({ productId })).sort(), [kept, again.licenseKey].sort());
    });

    it('filters by how full a license is; one without a limit is full to no part', async () => {
      const productId = ownProduct();
      const [half] = await pool(productId, 1, { maxConcurrent: 2 });
      const [full] = await pool(productId, 2, { maxConcurrent: 2 });
      const [unlimited] = await pool(productId, 1, { maxMachines: -1 });
      const byUse = async (minimumUsePercent: number) => (await keysOf({ productId, minimumUsePercent })).sort();
      assert.deepEqual(await byUse(0), [half, full, unlimited].sort());
      assert.deepEqual(await byUse(50), [half, full].sort());
      assert.deepEqual(await byUse(51), [full]);
      assert.deepEqual(await keysOf({ licenseKey: half, minimumUsePercent: 51 }), []);
      const [{ limit } = { limit: 0 }] = await poolsOf({ licenseKey: unlimited });
      assert.equal(limit, -1);
    });

    it('pages through licenses, each once, while others begin and end', async () => {
      const productId = ownProduct();
      const made: string[] = [];
      for (let index = 0; index < 5; index++) made.push((await pool(productId, 1))[0]);
      for (const limit of [1, 2, 100])
        assert.deepEqual(await keysOf({ productId, limit }), made.toSorted().reverse(), `by ${limit}`);
      const pages = await pagesOf(app.admin, '/listLiveSessions', { productId, limit: 2 }, 'pools', async () => {
        const [, machines] = await pool(productId, 1);
        await mustSucceed((machines[0] as Machine).deactivate());
        await pool(productId, 1);
      });
      const keys = pages.flat().map(({ licenseKey }) => licenseKey);
      assert.deepEqual(
        keys.filter((key) => made.includes(key)),
        made.toSorted().reverse(),
      );
      assert.equal(new Set(keys).size, keys.length);
    });

    it('pages through the sessions of one license, each once', async () => {
      const productId = ownProduct();
      const [licenseKey] = await pool(productId, 7, { maxConcurrent: 20 });
      const pages: string[][] = [];
      let sessionCursor: string | undefined;
      do {
        const [found] = await poolsOf({ licenseKey, sessionLimit: 3, sessionCursor });
        pages.push((found as Pool).sessions.map(({ fingerprint }) => fingerprint));
        sessionCursor = found?.nextSessionCursor;
      } while (sessionCursor !== undefined);
      assert.deepEqual(
        pages.map((page) => page.length),
        [3, 3, 1],
      );
      assert.deepEqual(
        pages.flat(),
        [0, 1, 2, 3, 4, 5, 6].map((index) => `machine-${index}`),
      );
      assert.equal((await poolsOf({ productId }))[0]?.sessions.length, 7);
    });

    it('reads 1000 licenses for a page, and continues after them with the next', async () => {
      const productId = ownProduct();
      const keys: string[] = [];
      const issue = () => app.license({ productId, licenseType: 'floating', maxConcurrent: 1 });
      while (keys.length < 1_003) keys.push(...(await Promise.all(Array.from({ length: 17 }, issue))));
      keys.sort().reverse();
      const begin = (licenseKey: string) => new Machine(app, licenseKey, 'machine-1', productId).activated();
      for (let index = 0; index < keys.length; index += 50) await Promise.all(keys.slice(index, index + 50).map(begin));
      app.clock.move(TIMEOUT_MS);
      await begin(keys.at(-1) as string);
      const pages = await pagesOf(app.admin, '/listLiveSessions', { productId }, 'pools');
      assert.deepEqual(
        pages.map((page) => page.map(({ licenseKey }) => licenseKey)),
        [[], [keys.at(-1)]],
      );
    });

    it('lists with an API key the licenses of the own products only', async () => {
      const [creator, stranger] = [await Creator.of(app), await Creator.of(app)];
      const [one, other, foreign] = [await creator.product(), await creator.product(), await stranger.product()];
      const own = [(await pool(one, 1))[0], (await pool(other, 1))[0], (await pool(one, 1))[0]].sort().reverse();
      const [theirs] = await pool(foreign, 1);
      const mine = creator.send;
      for (const limit of [1, 100]) assert.deepEqual(await keysOf({ limit }, mine), own);
      assert.deepEqual(await keysOf({ productId: foreign }, mine), []);
      assert.deepEqual(await keysOf({ licenseKey: theirs }, mine), []);
      assert.deepEqual(await keysOf({ licenseKey: own[0], productId: foreign }, mine), []);
      assert.ok((await keysOf({ limit: 100 })).includes(theirs));
      for (let index = 0; index < 29; index++) await creator.product();
      assertRefused(await creator.send('/listLiveSessions'), 400, 'You own more than 30 products: provide a productId');
    });

    for (const [fields, error] of [
      [{ minimumUsePercent: 101 }, 'minimumUsePercent must be a whole number from 0 to 100'],
      [{ limit: 101 }, 'limit must be a whole number from 1 to 100'],
      [{ sessionLimit: 0 }, 'sessionLimit must be a whole number from 1 to 100'],
      [{ cursor: 'bogus' }, 'cursor is not the nextCursor of an earlier answer'],
      [{ sessionCursor: 'bogus' }, 'sessionCursor goes with licenseKey only'],
    ] as const)
      it(`400 for ${JSON.stringify(fields)}`, async () => {
        assertRefused(await app.admin('/listLiveSessions', fields), 400, error);
      });

    it('401 without a credential', async () => {
      assertRefused(await app.send('/listLiveSessions', {}), 401, 'Unauthorized');
    });
  });
