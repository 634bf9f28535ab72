/** Licenses are counted in slices, and the totals are exact as long as nothing changes meanwhile. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { DAY_MS, HOUR_MS, MINUTE_MS, systemClock, toTimestamp } from '../../../src/ground/base/clock.ts';
import { countLicenses, statisticsJobs } from '../../../src/insight/statistics/counting-licenses.ts';
import { type LicenseTotal, NO_LICENSES } from '../../../src/insight/statistics/license-total.ts';
import { findNewestTotal, listTotals, type StoredTotal } from '../../../src/insight/statistics/license-total-store.ts';
import { findLiveTotal } from '../../../src/insight/statistics/live-total-store.ts';
import { issueLicense } from '../../../src/licensing/licenses/issue.ts';
import { type License, statusAt } from '../../../src/licensing/licenses/license.ts';
import { lockLicense, updateLicenses } from '../../../src/licensing/licenses/store.ts';
import { LICENSE_TYPES } from '../../../src/licensing/products/license-type.ts';
import { believingEvery } from '../../../src/platform/believed-time/believed-time.ts';
import { startJobs } from '../../../src/platform/jobs/schedule.ts';
import { type Storage, statement, tableOf } from '../../../src/storage/contract/storage.ts';
import { engines } from '../../support/databases.ts';
import { originAt } from '../../support/origin.ts';
import { freshStorage, plainStorage } from '../../support/storages.ts';
import { standingAt, tidy } from '../../support/tidy.ts';
import { unrecorded } from '../../support/unrecorded.ts';

const NOW = systemClock();
/** Interval between counts of few licenses. */
const INTERVAL_MS = 5 * MINUTE_MS;
const PRODUCTS = ['amp', 'brush', 'camera'] as const;
/** Without the pauses between slices, and several slices for few licenses. */
const AT_ONCE = { pauseMs: 0, licensesAtOnce: 7 };

const listScans = statement(
  'test_license_total.list_scans',
  'select distinct walk as "scan" from license_total order by walk',
);
const insertTotals = statement(
  'test_license_total.insert',
  (dialect) => `insert into license_total
      (product_id, walk, active, revoked, expired, live_sessions, fullest_pools, as_of)
    select r.product_id, r.walk, r.active, 0, 0, 0, '[]', r.as_of
    from ${dialect.table('$1', { product_id: 'text', walk: 'integer', active: 'integer', as_of: 'text' })} r where true`,
);
const findLease = statement(
  'test_job_lease.find',
  `select leased_until as "until" from job_lease where job = 'count licenses'`,
);
const takeLease = statement(
  'test_job_lease.take',
  `insert into job_lease (job, leased_until) values ('count licenses', $1)
   on conflict (job) do update set leased_until = excluded.leased_until`,
);

/** Random fields of a license. */
interface Drawn {
  readonly productId: string;
  readonly licenseType: License['licenseType'];
  readonly maxMachines: number;
  readonly machinesUsed: number;
  readonly revocation: License['revocation'];
  /** Milliseconds from the moment of the count; null never expires. */
  readonly expiresAfterMs: number | null;
}

const drawn: fc.Arbitrary<Drawn> = fc.record({
  productId: fc.constantFrom(...PRODUCTS),
  licenseType: fc.constantFrom(...LICENSE_TYPES),
  maxMachines: fc.constantFrom(-1, 1, 9, 10, 11, 20),
  machinesUsed: fc.integer({ min: 0, max: 20 }),
  revocation: fc.constantFrom(null, null, 'plain', 'refund', 'chargeback'),
  expiresAfterMs: fc.option(fc.constantFrom(-DAY_MS, -MINUTE_MS, -1, 0, 1, MINUTE_MS, DAY_MS)),
});

/** Makes the drawn licenses; they were issued some days before the count. */
async function make(storage: Storage, licenses: readonly Drawn[], now: number): Promise<License[]> {
  return storage.transaction(async (tx) => {
    const made: License[] = [];
    for (const { productId, licenseType, maxMachines, machinesUsed, revocation, expiresAfterMs } of licenses) {
      const issuedAt = now - 2 * DAY_MS;
      const order = { email: 'ada@example.com', productId, licenseType, maxMachines, expiresAt: null };
      const issued = await issueLicense(tx, order, originAt(issuedAt));
      const expiresAt = expiresAfterMs === null ? null : toTimestamp(now + expiresAfterMs);
      const license: License = { ...issued, machinesUsed, revocation, expiresAt };
      await updateLicenses(unrecorded(tx), [license], issuedAt);
      made.push(license);
    }
    return made;
  });
}

/** Licenses of a product that are active for ever. */
const some = (count: number, productId = 'amp'): Drawn[] =>
  Array.from({ length: count }, () => ({
    ...{ productId, licenseType: 'per-machine', maxMachines: 2, machinesUsed: 0 },
    ...{ revocation: null, expiresAfterMs: null },
  }));
/** A license of each product. */
const oneOfEach = (productIds: readonly string[]): Drawn[] => productIds.flatMap((productId) => some(1, productId));

type Figures = Pick<StoredTotal, 'active' | 'revoked' | 'expired' | 'asOf'>;
const figuresOf = ({ active, revoked, expired, asOf }: Figures): Figures => ({ active, revoked, expired, asOf });

/** A stored total without its place in the table. */
const totalOf = ({ productId: _productId, scan: _scan, asOf: _asOf, ...total }: StoredTotal): LicenseTotal => total;

/** The expected count of these licenses, computed one by one. */
function countOf(licenses: readonly License[], asOf: number): Figures {
  const of = (status: string) => licenses.filter((license) => statusAt(license, asOf) === status).length;
  return { active: of('active'), revoked: of('revoked'), expired: of('expired'), asOf: toTimestamp(asOf) };
}

/** The total of all products; there must be one. */
async function total(storage: Storage): Promise<StoredTotal> {
  const found = await storage.read((sql) => findNewestTotal(sql));
  assert.ok(found !== undefined);
  return found;
}

/** The same storage, with a step before each read: each slice of a count, and the reads before it. */
function interrupted(storage: Storage, before: (read: number) => Promise<void>): Storage {
  let reads = 0;
  return {
    ...plainStorage(storage),
    read: async (work) => {
      await before(++reads);
      return storage.read(work);
    },
  };
}

for (const engine of engines)
  describe(`counting licenses on ${engine}`, () => {
    it('finds as many of each status and product as there are, by time and never by marks', async (test) => {
      const { storage } = await freshStorage(engine, test);
      const made: License[] = [];
      let now = NOW;
      const history = fc.record({
        licenses: fc.array(drawn, { maxLength: 20 }),
        isTidied: fc.boolean(),
        later: fc.constantFrom(0, 1, MINUTE_MS, DAY_MS),
      });
      await fc.assert(
        fc.asyncProperty(history, async ({ licenses, isTidied, later }) => {
          now += INTERVAL_MS + later;
          made.push(...(await make(storage, licenses, now)));
          if (isTidied) await tidy(storage, standingAt(now), { pauseMs: 0 });
          assert.equal(await countLicenses(storage, () => now, AT_ONCE), true);
          const all = await total(storage);
          assert.deepEqual(figuresOf(all), countOf(made, now));
          const live = await storage.read((sql) => findLiveTotal(sql, null, toTimestamp(now)));
          assert.deepEqual(live, totalOf(all));
          const own = await storage.read((sql) => listTotals(sql, PRODUCTS, all.scan));
          for (const productId of PRODUCTS) {
            const found = own.find((each) => each.productId === productId);
            const ofThis = made.filter((license) => license.productId === productId);
            const expected = countOf(ofThis, now);
            const ofProduct = await storage.read((sql) => findLiveTotal(sql, [productId], toTimestamp(now)));
            assert.deepEqual(ofProduct, found === undefined ? NO_LICENSES : totalOf(found));
            if (found === undefined) assert.deepEqual(expected, countOf([], now));
            else assert.deepEqual(figuresOf(found), expected);
          }
          assert.deepEqual(await storage.read((sql) => sql.all(listScans)), [{ scan: all.scan }]);
        }),
        { numRuns: 15 },
      );
      assert.ok(made.length > 20, `${made.length} licenses`);
    });

    it('finds none in an empty database, and says so', async (test) => {
      const { storage } = await freshStorage(engine, test);
      assert.equal(await storage.read((sql) => findNewestTotal(sql)), undefined);
      assert.equal(await countLicenses(storage, () => NOW, AT_ONCE), true);
      assert.deepEqual(figuresOf(await total(storage)), { active: 0, revoked: 0, expired: 0, asOf: toTimestamp(NOW) });
    });

    it('counts each license once when one is changed and one is made during the scan', async (test) => {
      const { storage } = await freshStorage(engine, test);
      const made = await make(storage, some(30), NOW);
      const byCreation = made.map(({ licenseKey }) => licenseKey).sort();
      const beside = interrupted(storage, async (read) => {
        if (read !== 4) return;
        // Two licenses are revoked while the count is between them; the one already counted keeps its old status in the
        // count.
        for (const licenseKey of [byCreation[0]!, byCreation.at(-1)!])
          await storage.transaction(async (tx) => {
            const license = await lockLicense(tx, licenseKey, { creatorId: null });
            await updateLicenses(unrecorded(tx), [{ ...license!, revocation: 'plain' }], NOW);
          });
        await make(storage, some(1), NOW + DAY_MS);
      });
      assert.equal(await countLicenses(beside, () => NOW, AT_ONCE), true);
      assert.deepEqual(figuresOf(await total(storage)), { active: 30, revoked: 1, expired: 0, asOf: toTimestamp(NOW) });
      const later = NOW + INTERVAL_MS;
      assert.equal(await countLicenses(storage, () => later, AT_ONCE), true);
      const counted = { active: 29, revoked: 2, expired: 0, asOf: toTimestamp(later) };
      assert.deepEqual(figuresOf(await total(storage)), counted);
    });

    it('leaves the former totals when it is stopped, and restarts at once', async (test) => {
      const { storage } = await freshStorage(engine, test);
      await make(storage, some(1), NOW);
      await countLicenses(storage, () => NOW, AT_ONCE);
      await make(storage, some(30), NOW);
      const later = NOW + INTERVAL_MS;
      const stopping = new AbortController();
      const stopped = interrupted(storage, async (read) => {
        if (read === 4) stopping.abort();
      });
      assert.equal(await countLicenses(stopped, () => later, { ...AT_ONCE, signal: stopping.signal }), false);
      assert.deepEqual(figuresOf(await total(storage)), { active: 1, revoked: 0, expired: 0, asOf: toTimestamp(NOW) });
      assert.equal(await countLicenses(storage, () => later, AT_ONCE), true);
      assert.equal((await total(storage)).active, 31);
    });

    it('shows nothing of a count that ended while it wrote, and removes its leftovers', async (test) => {
      const { storage } = await freshStorage(engine, test);
      await make(storage, some(1), NOW);
      await countLicenses(storage, () => NOW, AT_ONCE);
      const former = await total(storage);
      const products = Array.from({ length: 250 }, (_, index) => `product ${index}`);
      await make(storage, oneOfEach(products), NOW);
      const later = NOW + INTERVAL_MS;
      let writes = 0;
      const failing: Storage = {
        ...interrupted(storage, async () => {}),
        // It takes the lease and a number, writes the first 200 totals, and fails at the others.
        transaction: (work) => (++writes === 4 ? Promise.reject(new Error('disk full')) : storage.transaction(work)),
      };
      const counting = countLicenses(failing, () => later, AT_ONCE);
      await assert.rejects(counting, /disk full/);
      assert.deepEqual(await total(storage), former);
      const left = await storage.read((sql) => listTotals(sql, products, former.scan + 1));
      assert.ok(left.length > 100, `${left.length} totals were left`);
      assert.equal(await countLicenses(storage, () => later, AT_ONCE), true);
      const { scan, active } = await total(storage);
      assert.equal(active, 251);
      assert.deepEqual(await storage.read((sql) => sql.all(listScans)), [{ scan }]);
    });

    it('keeps the figures of many products, and removes all that it replaces', async (test) => {
      const { storage } = await freshStorage(engine, test);
      const products = Array.from({ length: 450 }, (_, index) => `product ${index}`);
      await make(storage, oneOfEach(products), NOW);
      for (const now of [NOW, NOW + INTERVAL_MS]) {
        assert.equal(await countLicenses(storage, () => now, { pauseMs: 0 }), true);
        const { scan, active } = await total(storage);
        assert.equal(active, 450);
        assert.equal((await storage.read((sql) => listTotals(sql, products, scan))).length, 450);
        assert.deepEqual(await storage.read((sql) => sql.all(listScans)), [{ scan }]);
      }
    });

    it('is done by one of two nodes that begin at once', async (test) => {
      const { storage } = await freshStorage(engine, test);
      await make(storage, some(1), NOW);
      const both = [countLicenses(storage, () => NOW, AT_ONCE), countLicenses(storage, () => NOW, AT_ONCE)];
      assert.deepEqual((await Promise.all(both)).sort(), [false, true]);
    });

    it('writes nothing any more when another node has taken over', async (test) => {
      const { storage } = await freshStorage(engine, test);
      await make(storage, some(30), NOW);
      const other = toTimestamp(NOW + 2 * MINUTE_MS);
      const overtaken = interrupted(storage, async (read) => {
        if (read === 4) await storage.transaction((tx) => tx.run(takeLease, other));
      });
      assert.equal(await countLicenses(overtaken, () => NOW, AT_ONCE), false);
      assert.equal(await storage.read((sql) => findNewestTotal(sql)), undefined);
      assert.deepEqual(await storage.read((sql) => sql.first(findLease)), { until: other });
    });

    it('holds its lease for as long as the scan takes', async (test) => {
      const { storage } = await freshStorage(engine, test);
      await make(storage, some(30), NOW);
      let now = NOW;
      const slow = interrupted(storage, async () => {
        now += 40_000;
        const lease = await storage.read((sql) => sql.first<{ until: string }>(findLease));
        if (lease !== undefined) assert.ok(lease.until > toTimestamp(now), `${lease.until} ${toTimestamp(now)}`);
      });
      assert.equal(await countLicenses(slow, () => now, AT_ONCE), true);
      // It does not prevent the next count.
      assert.deepEqual(await storage.read((sql) => sql.first(findLease)), { until: toTimestamp(now) });
    });

    it('is due every five minutes for up to 100,000 licenses, else every hour', async (test) => {
      const { storage } = await freshStorage(engine, test);
      const isDueAfter = async (licenses: number, ageMs: number) => {
        const scan = ((await storage.read((sql) => findNewestTotal(sql)))?.scan ?? 0) + 1;
        const row = [['', scan, licenses, toTimestamp(NOW)] as const];
        await storage.transaction((tx) => tx.run(insertTotals, tableOf(row)));
        return countLicenses(storage, () => NOW + ageMs, AT_ONCE);
      };
      assert.equal(await isDueAfter(100_000, INTERVAL_MS - 1), false);
      assert.equal(await isDueAfter(100_000, INTERVAL_MS), true);
      assert.equal(await isDueAfter(100_001, HOUR_MS - 1), false);
      assert.equal(await isDueAfter(100_001, HOUR_MS), true);
    });

    it('is due when the last count was made by a clock that was ahead', async (test) => {
      const { storage } = await freshStorage(engine, test);
      assert.equal(await countLicenses(storage, () => NOW + DAY_MS, AT_ONCE), true);
      await make(storage, some(1), NOW);
      assert.equal(await countLicenses(storage, () => NOW, AT_ONCE), true);
      assert.deepEqual(figuresOf(await total(storage)), { active: 1, revoked: 0, expired: 0, asOf: toTimestamp(NOW) });
    });

    it('is looked at every minute, reports what fails, and ends when it is stopped', async (test) => {
      const { storage } = await freshStorage(engine, test);
      await make(storage, some(1), NOW);
      test.mock.timers.enable({ apis: ['setInterval'] });
      const failed = Promise.withResolvers<unknown>();
      const counted = Promise.withResolvers<void>();
      let isBroken = true;
      const watched = interrupted(storage, async () => {
        if (isBroken) throw new Error('no database');
      });
      const clock = () => NOW;
      const work = { storage: watched, clock, time: believingEvery(clock) };
      const stop = startJobs(statisticsJobs(), work, failed.resolve);
      test.mock.timers.tick(MINUTE_MS);
      assert.match(String(await failed.promise), /no database/);
      isBroken = false;
      void (async () => {
        while ((await storage.read((sql) => findNewestTotal(sql))) === undefined)
          await new Promise((resolve) => setImmediate(resolve));
        counted.resolve();
      })();
      await new Promise((resolve) => setImmediate(resolve));
      test.mock.timers.tick(MINUTE_MS);
      await counted.promise;
      await stop();
      assert.equal((await total(storage)).active, 1);
      test.mock.timers.tick(MINUTE_MS);
    });
  });
