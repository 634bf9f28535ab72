/** The overview of all licenses in one call. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/ground/base/clock.ts';
import { mintUuid } from '../../../src/ground/base/random.ts';
import { countLicenses } from '../../../src/insight/statistics/counting-licenses.ts';
import { statement, tableOf } from '../../../src/storage/contract/storage.ts';
import { openStorage } from '../../../src/storage/opening/open.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { Creator, mustSucceed } from '../../support/creator.ts';
import { engines, freshDatabase } from '../../support/databases.ts';
import { Machine } from '../../support/machine.ts';
import { execute } from '../../support/own-connection.ts';
import { startedWithStorage } from '../../support/started-app.ts';
import { fill } from './fill.ts';

/** The answer about no licenses. */
const nothing = (asOf: string) => ({
  success: true,
  totals: { active: 0, revoked: 0, expired: 0, asOf },
  liveSessions: { count: 0, asOf },
  expiringSoon: { count: 0, isAtLeast: false },
  openViolations: { severities: [], isAtLeast: false },
  fullestPools: [],
  refusalsByCode: [],
  newestEvents: [],
});

/** As many active licenses of a product, without expiry and machines. */
const crowd = (productId: string, count: number) => `
  with recursive numbered(n) as (select 1 union all select n + 1 from numbered where n < ${count})
  insert into license (license_key, email, email_folded, product_id, variant, license_type, status_mark, max_machines,
      created_at, purchased_at, unlocked_products, threat_level, machines_used, sessions_held, attempts, countries_seen)
    select '${productId} ' || n, 'ada@example.com', 'ada@example.com', '${productId}', '', 'per-machine', 'active', 2,
      '2027-01-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z', '[]', 0, 0, 0, '[]', '{}' from numbered`;
/** Licenses of a shop that is not small any more. */
const MANY = 10_000;

/** Copies a license, one copy for each number, and gives each copy a violation. */
const copyLicense = statement(
  'test_license.copy',
  (dialect) => `insert into license (license_key, email, email_folded, product_id, variant, license_type, status_mark,
      max_machines, created_at, purchased_at, expires_at, ends_at, unlocked_products, threat_level, machines_used, sessions_held,
      attempts, countries_seen)
    select l.license_key || '/' || r.number, l.email, l.email_folded, l.product_id, l.variant, l.license_type, l.status_mark,
      l.max_machines, l.created_at, l.purchased_at, l.expires_at, l.ends_at, '[]', 2, 0, 0, '[]', '{}'
    from license l join ${dialect.table('$2', { number: 'integer' })} r on true where l.license_key = $1`,
);
const copyViolations = statement(
  'test_violation.copy',
  (dialect) => `insert into violation (license_key, violation_id, type, severity, occurrences, first_seen, last_seen,
      evidence, product_id)
    select $1 || '/' || r.number, 'v', 'activation_rate', 2, 1, '', '', '{}',
      (select l.product_id from license l where l.license_key = $1)
    from ${dialect.table('$2', { number: 'integer' })} r where true`,
);

for (const engine of engines)
  describe(`/getOverview on ${engine}`, () => {
    const { app, storage } = startedWithStorage(engine);

    /** Counts as the service does every few minutes, some minutes later. */
    async function count(): Promise<void> {
      app.clock.move(6 * MINUTE_MS);
      assert.equal(await countLicenses(storage, app.clock.now, { pauseMs: 0 }), true);
    }

    const overview = (productId: string) => mustSucceed(app.admin('/getOverview', { productId }));
    const overviewOf = (creator: Creator) => mustSucceed(creator.send('/getOverview'));
    /** A machine that asks for a license of a product. */
    const machineOf = (productId: string, licenseKey: string, fingerprint: string) =>
      Object.assign(new Machine(app, licenseKey, fingerprint), { productId });

    it('answers nothing before anything was made', async () => {
      const fresh = await startApp(engine);
      try {
        assert.deepEqual(await mustSucceed(fresh.admin('/getOverview')), nothing(fresh.clock.at()));
        const creator = await Creator.of(fresh);
        const { events } = await mustSucceed(creator.send('/listEvents'));
        assert.deepEqual(
          events.map(({ type }: { type: string }) => type),
          ['api_key.created'],
        );
        const ofCreator = { ...nothing(fresh.clock.at()), newestEvents: events };
        assert.deepEqual(await overviewOf(creator), ofCreator);
      } finally {
        await fresh.stop();
      }
    });

    it('answers the totals of a small shop as they are now, and none of others to an API key', async () => {
      const creator = await Creator.of(app);
      const other = await Creator.of(app);
      const products = [await creator.product(), await creator.product()];
      const [first = '', second = ''] = products;
      await creator.license(first);
      await creator.license(first, { expiresAt: app.clock.at(MINUTE_MS) });
      await creator.license(second);
      const revoked = await creator.license(second);
      const foreign = await other.product();
      await other.license(foreign);
      const totals = async (productId?: string) =>
        (await mustSucceed(creator.send('/getOverview', { productId }))).totals;
      assert.deepEqual(await totals(), { active: 4, revoked: 0, expired: 0, asOf: app.clock.at() });
      await mustSucceed(creator.send('/revokeLicense', { licenseKey: revoked }));
      assert.deepEqual(await totals(), { active: 3, revoked: 1, expired: 0, asOf: app.clock.at() });
      app.clock.move(MINUTE_MS);
      const asOf = app.clock.at();
      assert.deepEqual(await totals(), { active: 2, revoked: 1, expired: 1, asOf });
      assert.deepEqual(await totals(second), { active: 1, revoked: 1, expired: 0, asOf });
      for (const productId of [foreign, 'absent'])
        assert.deepEqual(await mustSucceed(creator.send('/getOverview', { productId })), nothing(asOf));
      assert.deepEqual((await overview(foreign)).totals, { active: 1, revoked: 0, expired: 0, asOf });
      const everything = (await mustSucceed(app.admin('/getOverview'))).totals;
      assert.equal(everything.asOf, asOf);
      assert.ok(everything.active >= 3, JSON.stringify(everything));
    });

    it('answers those of the last count from 10,000 licenses on, and none before it', async () => {
      const creator = await Creator.of(app);
      const products = [await creator.product(), await creator.product()];
      const [large = '', small = ''] = products;
      await creator.license(small);
      await execute(app.database, crowd(large, MANY - 2));
      const totals = async (productId?: string) =>
        (await mustSucceed(creator.send('/getOverview', { productId }))).totals;
      const last = { active: MANY - 1, revoked: 0, expired: 0, asOf: app.clock.at() };
      assert.deepEqual(await totals(), last);
      await creator.license(small);
      const { totals: none, liveSessions } = await overviewOf(creator);
      assert.deepEqual([none, liveSessions], [null, null]);
      await count();
      const counted = { active: MANY, revoked: 0, expired: 0, asOf: app.clock.at() };
      app.clock.move(MINUTE_MS);
      await creator.license(small);
      assert.deepEqual(await totals(), counted);
      const ofSmall = { active: 3, revoked: 0, expired: 0, asOf: app.clock.at() };
      assert.deepEqual(await totals(small), ofSmall, 'one product of them is small');
      assert.equal((await mustSucceed(app.admin('/getOverview'))).totals.asOf, counted.asOf);
    });

    it('counts the active licenses that expire within 30 days, up to 1000', async () => {
      const creator = await Creator.of(app);
      const productId = await creator.product();
      for (const expiresAt of [null, 1, DAY_MS, 30 * DAY_MS, 30 * DAY_MS + 1])
        await creator.license(productId, { expiresAt: expiresAt === null ? null : app.clock.at(expiresAt) });
      const revoked = await creator.license(productId, { expiresAt: app.clock.at(DAY_MS) });
      await mustSucceed(creator.send('/revokeLicense', { licenseKey: revoked }));
      for (const { expiringSoon } of [await overview(productId), await overviewOf(creator)])
        assert.deepEqual(expiringSoon, { count: 3, isAtLeast: false });
      app.clock.move(1);
      assert.equal((await overview(productId)).expiringSoon.count, 3, 'one is over, another is near');
      const expiring = await creator.license(productId, { expiresAt: app.clock.at(DAY_MS) });
      await copy(expiring, 996);
      assert.deepEqual((await overview(productId)).expiringSoon, { count: 1000, isAtLeast: false });
      await copy(`${expiring}/1`, 1);
      const more = { count: 1000, isAtLeast: true };
      const ofAll = await mustSucceed(app.admin('/getOverview'));
      for (const { expiringSoon } of [await overview(productId), await overviewOf(creator), ofAll])
        assert.deepEqual(expiringSoon, more);
    });

    /** Adds this many copies of a license, each with an open violation of severity 2. */
    async function copy(licenseKey: string, copies: number): Promise<void> {
      const numbers = tableOf(Array.from({ length: copies }, (_, index) => [index + 1]));
      await storage.transaction(async (tx) => {
        await tx.run(copyLicense, licenseKey, numbers);
        await tx.run(copyViolations, licenseKey, numbers);
      });
    }

    it('counts open violations by severity, up to 1000', async () => {
      const creator = await Creator.of(app);
      const productId = await creator.product();
      const full = await creator.license(productId, { maxMachines: 1 });
      for (const fingerprint of ['one', 'two']) await machineOf(productId, full, fingerprint).activate();
      const revoked = await creator.license(productId);
      await mustSucceed(creator.send('/revokeLicense', { licenseKey: revoked, reason: 'fraud' }));
      const severities = [
        { severity: 1, count: 1 },
        { severity: 4, count: 1 },
      ];
      for (const { openViolations } of [await overview(productId), await overviewOf(creator)])
        assert.deepEqual(openViolations, { severities, isAtLeast: false });
      const { violations } = await mustSucceed(creator.send('/getLicense', { licenseKey: full }));
      const violationIds = violations.map(({ id }: { id: string }) => id);
      await mustSucceed(creator.send('/resolveLicense', { licenseKey: full, violationIds }));
      await copy(full, 999);
      assert.deepEqual((await overview(productId)).openViolations, {
        severities: [
          { severity: 2, count: 999 },
          { severity: 4, count: 1 },
        ],
        isAtLeast: false,
      });
      await copy(revoked, 1);
      assert.equal((await overview(productId)).openViolations.isAtLeast, true);
      const { openViolations } = await mustSucceed(app.admin('/getOverview'));
      assert.equal(openViolations.isAtLeast, true);
      const other = await Creator.of(app);
      const nothing = { severities: [], isAtLeast: false };
      assert.deepEqual((await overviewOf(other)).openViolations, nothing);
    });

    for (const size of ['small', 'large'] as const)
      it(`names the largest licenses that use 90 % of their slots now, ${size === 'small' ? 'in a small shop' : 'of those that the last count of a large shop has found'}`, async () => {
        const isLarge = size === 'large';
        const creator = await Creator.of(app);
        const productId = await creator.product();
        if (isLarge) await execute(app.database, crowd(productId, MANY));
        const order = { expiresAt: app.clock.at(DAY_MS) };
        const floating = { ...order, licenseType: 'floating', maxConcurrent: 2 };
        const keys = {
          site: await creator.license(productId, { ...order, licenseType: 'site', maxMachines: 10 }),
          notYet: await creator.license(productId, { ...order, maxMachines: 10 }),
          floating: await creator.license(productId, floating),
          lapsed: await creator.license(productId, floating),
          unlimited: await creator.license(productId, { ...order, maxMachines: -1 }),
          single: await creator.license(productId, { ...order, maxMachines: 1 }),
        };
        const bind = async (licenseKey: string, until: number, from = 0) => {
          for (let index = from; index < until; index += 1)
            await machineOf(productId, licenseKey, `machine ${index}`).activated();
        };
        await bind(keys.lapsed, 2);
        app.clock.move(HOUR_MS);
        await bind(keys.site, 9);
        await bind(keys.notYet, 8);
        await bind(keys.unlimited, 3);
        await bind(keys.single, 1);
        if (isLarge) assert.deepEqual((await overview(productId)).fullestPools, []);
        app.clock.move(6 * MINUTE_MS);
        await bind(keys.floating, 2);
        if (isLarge) assert.equal(await countLicenses(storage, app.clock.now, { pauseMs: 0 }), true);
        const shown = (licenseKey: string, licenseType: string, used: number, limit: number) => ({
          ...{ licenseKey, email: 'ada@example.com', productId, licenseType, used, limit },
        });
        const [site, both, single] = [
          shown(keys.site, 'site', 9, 10),
          shown(keys.floating, 'floating', 2, 2),
          shown(keys.single, 'per-machine', 1, 1),
        ];
        const first = await overviewOf(creator);
        assert.deepEqual(first.fullestPools, [site, both, single]);
        assert.deepEqual(first.liveSessions, { count: 2, asOf: app.clock.at() });
        await bind(keys.notYet, 9, 8);
        await mustSucceed(creator.send('/resetActivations', { licenseKey: keys.single }));
        await bind(keys.site, 10, 9);
        const notYet = isLarge ? [] : [shown(keys.notYet, 'per-machine', 9, 10)];
        const largest = [{ ...site, used: 10 }, ...notYet].sort((one, next) =>
          one.licenseKey < next.licenseKey ? -1 : 1,
        );
        assert.deepEqual((await overview(productId)).fullestPools, [...largest, both]);
        app.clock.move(HOUR_MS);
        assert.deepEqual((await overview(productId)).fullestPools, largest, 'the sessions have lapsed');
        app.clock.move(DAY_MS);
        assert.deepEqual((await overview(productId)).fullestPools, []);
        const other = await Creator.of(app);
        assert.deepEqual((await overviewOf(other)).fullestPools, []);
      });

    it('names those that can be read of a damaged row of the last count', async () => {
      const creator = await Creator.of(app);
      const productId = await creator.product();
      await execute(app.database, crowd(productId, MANY));
      const licenseKey = await creator.license(productId, { maxMachines: 1 });
      await machineOf(productId, licenseKey, 'machine').activated();
      await count();
      const pools = [null, { licenseKey }, { licenseKey: 5, limit: 1 }, { licenseKey, limit: 1 }];
      await execute(app.database, `update license_total set fullest_pools = '${JSON.stringify(pools)}'`);
      const { fullestPools } = await overview(productId);
      assert.deepEqual(
        fullestPools.map((pool: { licenseKey: string }) => pool.licenseKey),
        [licenseKey],
      );
    });

    it('names ten of them at most', async () => {
      const creator = await Creator.of(app);
      const products = [await creator.product(), await creator.product()];
      const limits: number[] = [];
      for (let limit = 1; limit <= 8; limit += 1)
        for (const productId of products) {
          const licenseKey = await creator.license(productId, { licenseType: 'site', maxMachines: limit });
          for (let index = 0; index < limit; index += 1) await machineOf(productId, licenseKey, `${index}`).activated();
          limits.push(limit);
        }
      const { fullestPools } = await overviewOf(creator);
      assert.deepEqual(
        fullestPools.map(({ limit }: { limit: number }) => limit),
        limits.reverse().slice(0, 10),
      );
    });

    it('adds up refusals of all endpoints by code, those of the last days, the most frequent first', async () => {
      const creator = await Creator.of(app);
      const [first, second] = [await creator.product(), await creator.product()];
      const foreign = await (await Creator.of(app)).product();
      const hour = (ageMs: number) => app.clock.at(-ageMs - (app.clock.now() % HOUR_MS));
      const day = (days: number) => app.clock.at(-days * DAY_MS - (app.clock.now() % DAY_MS));
      await fill(storage, [
        [first, 'hour', 'activate.machine_limit', hour(0), 1],
        [first, 'hour', 'activate.machine_limit', hour(23 * HOUR_MS), 2],
        [first, 'hour', 'activate.machine_limit', hour(24 * HOUR_MS), 4],
        [first, 'hour', 'activate.activation_rate', hour(HOUR_MS), 3],
        [second, 'hour', 'verify.license_expired', hour(HOUR_MS), 8],
        [first, 'hour', 'validate.license_expired', hour(HOUR_MS), 16],
        [first, 'hour', 'validate.ok', hour(HOUR_MS), 32],
        [foreign, 'hour', 'validate.license_expired', hour(HOUR_MS), 64],
        [first, 'day', 'activate.machine_limit', day(29), 128],
        [first, 'day', 'activate.machine_limit', day(30), 256],
        ['', 'day', 'heartbeat.invalid_token', day(0), 512],
      ]);
      const ask = async (days: number | undefined, productId?: string) =>
        (await mustSucceed(creator.send('/getOverview', { days, productId }))).refusalsByCode;
      assert.deepEqual(await ask(1), [
        { code: 'license_expired', count: 24 },
        { code: 'activation_rate', count: 3 },
        { code: 'machine_limit', count: 3 },
      ]);
      assert.deepEqual(await ask(7, first), [
        { code: 'license_expired', count: 16 },
        { code: 'machine_limit', count: 7 },
        { code: 'activation_rate', count: 3 },
      ]);
      assert.deepEqual(await ask(undefined), [{ code: 'machine_limit', count: 128 }]);
      assert.deepEqual(await ask(31), [{ code: 'machine_limit', count: 384 }]);
      assert.deepEqual(await ask(7, foreign), []);
      const { refusalsByCode } = await mustSucceed(app.admin('/getOverview', { days: 30 }));
      assert.deepEqual(refusalsByCode, [{ code: 'invalid_token', count: 512 }]);
    });

    it('answers the ten newest events, and those of others to nobody', async () => {
      const creator = await Creator.of(app);
      const other = await Creator.of(app);
      const [productId, foreign] = [await creator.product(), await other.product()];
      const keys: string[] = [];
      for (let index = 0; index < 11; index += 1) {
        app.clock.move(1);
        keys.push(await creator.license(productId));
      }
      app.clock.move(1);
      const licenseKey = await other.license(foreign);
      const { newestEvents } = await overviewOf(creator);
      assert.deepEqual(
        newestEvents.map((event: { licenseKey: string }) => event.licenseKey),
        keys.reverse().slice(0, 10),
      );
      const [newest] = (await mustSucceed(app.admin('/getOverview'))).newestEvents;
      assert.deepEqual(
        [newest.type, newest.at, newest.actor.kind, newest.actor.id, newest.licenseKey, newest.productId],
        ['license.created', app.clock.at(), 'creator', other.creatorId, licenseKey, foreign],
      );
      assert.deepEqual([newest], (await mustSucceed(app.admin('/listEvents', { limit: 1 }))).events);
      assert.deepEqual((await overview('absent')).newestEvents, []);
    });

    it("answers a creator's events without a product as /listEvents does, but not for one product", async () => {
      const creator = await Creator.of(app);
      const productId = await creator.product();
      await mustSucceed(creator.send('/createDiscountCode', { code: mintUuid(), trialDays: 14 }));
      const { events } = await mustSucceed(creator.send('/listEvents', { limit: 10 }));
      assert.ok(events.some((event: { productId: string | null }) => event.productId === null));
      assert.deepEqual((await overviewOf(creator)).newestEvents, events);
      const ofProduct = await mustSucceed(creator.send('/listEvents', { productId, limit: 10 }));
      assert.deepEqual((await mustSucceed(creator.send('/getOverview', { productId }))).newestEvents, ofProduct.events);
    });

    it('400 for days that are not from 1 to 365', async () => {
      for (const days of [0, 366, 1.5, 'week']) {
        const { status, body } = await app.admin('/getOverview', { days });
        assert.deepEqual([status, body.error], [400, 'days must be a whole number from 1 to 365']);
      }
      await mustSucceed(app.admin('/getOverview', { days: 365 }));
    });

    it('takes its fields from the query of a GET', async () => {
      const creator = await Creator.of(app);
      const query = `days=90&productId=${await creator.product()}&apiKey=${creator.apiKey}`;
      const { newestEvents } = await mustSucceed(app.send(`/getOverview?${query}`, undefined, { method: 'GET' }));
      assert.equal(newestEvents.length, 1);
    });

    it('still answers the totals after a restart, before the next count', async () => {
      const shared = await freshDatabase(engine);
      const first = await startApp(engine, {}, shared);
      const counted = await openStorage(shared.database);
      let second: TestApp | undefined;
      try {
        const licenseKey = await first.license({ productId: 'my-app' });
        await execute(shared.database, crowd('my-app', MANY));
        assert.equal(await countLicenses(counted, first.clock.now), true);
        const { totals } = await mustSucceed(first.admin('/getOverview'));
        assert.deepEqual(totals, { active: MANY + 1, revoked: 0, expired: 0, asOf: first.clock.at() });
        await first.stop();
        second = await startApp(engine, {}, shared);
        const answer = await mustSucceed(second.admin('/getOverview'));
        assert.deepEqual(answer.totals, totals);
        assert.equal(answer.newestEvents[0].licenseKey, licenseKey);
      } finally {
        await (second ?? first).stop();
        await counted.close();
        await shared.remove();
      }
    });
  });
