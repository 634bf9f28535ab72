/** Notices about licenses that expire: events of the service itself, for destinations that name them. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS, HOUR_MS, MINUTE_MS, toTimestamp } from '../../../src/ground/base/clock.ts';
import { issueLicense } from '../../../src/licensing/licenses/issue.ts';
import { lockLicense } from '../../../src/licensing/licenses/store.ts';
import { believingEvery } from '../../../src/platform/believed-time/believed-time.ts';
import type { JobTime } from '../../../src/platform/jobs/job.ts';
import { type Storage, statement } from '../../../src/storage/contract/storage.ts';
import { openStorage } from '../../../src/storage/opening/open.ts';
import { noticeKinds, rangeOf } from '../../../src/webhooks/expiry-notices/notice.ts';
import { NoticeRecorder } from '../../../src/webhooks/expiry-notices/record-notices.ts';
import { listReaching } from '../../../src/webhooks/expiry-notices/store.ts';
import { mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { originAt } from '../../support/origin.ts';
import { countRowsVisited } from '../../support/rows-visited.ts';
import { startedWithStorage } from '../../support/started-app.ts';
import { expiryJobs, tidy, tidyingJobs } from '../../support/tidy.ts';

const SETTINGS = { LATCHKEY_SECRETS_KEY: 'secrets-key-of-these-tests', LATCHKEY_DELIVERIES: 'off' };
const URL = 'https://hooks.example.com/';
const NOTICES = [7 * DAY_MS, DAY_MS];
/** Longer than the job waits before it looks, and than a node keeps the job. */
const A_WHILE = 5 * MINUTE_MS;
const ROWS_AT_ONCE = 10;

const countNotices = statement('test_expiry_notice.count', 'select count(*) as "count" from expiry_notice');
const countPositions = statement(
  'test_expiry_notice_position.count',
  'select count(*) as "count" from expiry_notice_position',
);
const isRunning = statement(
  'test_job_lease.find_expiry',
  `select job from job_lease where job = 'record expiry notices'`,
);

type Noted = readonly [type: string, after: Readonly<Record<string, unknown>>];
type Noticed = readonly [type: string, expiresAt: string, daysRemaining: number | null];

for (const engine of engines)
  describe(`notices of expiring licenses on ${engine}`, () => {
    // Only the jobs that a test runs itself may hold a lease.
    const { app, storage } = startedWithStorage(engine, SETTINGS);

    /** Runs the job once, after this time. */
    async function later(milliseconds: number, time?: JobTime, notices: readonly number[] | null = NOTICES) {
      app.clock.move(milliseconds);
      await tidy(storage, time ?? believingEvery(app.clock.now), { pauseMs: 0, jobs: expiryJobs(storage, notices) });
    }

    async function eventsOf(licenseKey: string) {
      const { events } = await mustSucceed(app.admin('/listEvents', { licenseKey }));
      return events.reverse();
    }

    async function noticesOf(licenseKey: string): Promise<Noticed[]> {
      const events = (await eventsOf(licenseKey)).filter(({ type }: { type: string }) =>
        type.startsWith('license.expir'),
      );
      return events.map(({ type, after }: { type: string; after: { expiresAt: string; daysRemaining?: number } }) => [
        type,
        after.expiresAt,
        after.daysRemaining ?? null,
      ]);
    }

    const expiringIn = (milliseconds: number) => app.license({ expiresAt: app.clock.at(milliseconds) });
    const count = async (counting: typeof countNotices) =>
      (await storage.read((sql) => sql.first<{ count: number }>(counting)))?.count;

    it('are not recorded while no destination names them, nor later for what expired before', async () => {
      const past = await expiringIn(HOUR_MS);
      await later(2 * HOUR_MS);
      await mustSucceed(app.admin('/createDestination', { url: URL, types: ['activation.*'] }));
      await later(A_WHILE);
      assert.equal(await storage.read((sql) => sql.first(isRunning)), undefined, 'the job does not run at all');
      const made = await mustSucceed(app.admin('/createDestination', { url: URL, types: ['license.expired'] }));
      await later(A_WHILE);
      const next = await expiringIn(HOUR_MS);
      await later(2 * HOUR_MS);
      assert.deepEqual(await noticesOf(past), []);
      assert.equal((await noticesOf(next)).length, 1);
      // Without a destination the search ends, and does not go on from there for the next one.
      const { destinationId } = made;
      await mustSucceed(app.admin('/deleteDestination', { destinationId }));
      const unseen = await expiringIn(HOUR_MS);
      await later(2 * HOUR_MS);
      assert.equal(await count(countPositions), 0);
      await mustSucceed(app.admin('/createDestination', { url: URL, types: ['*'] }));
      await later(A_WHILE);
      assert.deepEqual(await noticesOf(unseen), []);
    });

    it('come some days before the expiry and at it, once each, as changes of the license', async () => {
      const licenseKey = await expiringIn(10 * DAY_MS);
      const expiresAt = app.clock.at(10 * DAY_MS);
      const short = await expiringIn(3 * DAY_MS);
      for (const days of [2, 1, 1, 3, 2, 1, 1]) {
        await later(days * DAY_MS + (days === 2 ? A_WHILE : 0));
        await later(A_WHILE);
      }
      assert.deepEqual(await noticesOf(licenseKey), [
        ['license.expiring', expiresAt, 7],
        ['license.expiring', expiresAt, 1],
        ['license.expired', expiresAt, null],
      ]);
      const types = (await noticesOf(short)).map(([type, , days]) => [type, days]);
      assert.deepEqual(types, [
        ['license.expiring', 1],
        ['license.expired', null],
      ]);
      const events = await eventsOf(licenseKey);
      const expired = events.at(-1);
      assert.deepEqual(
        events.map(({ licenseNumber }: { licenseNumber: number }) => licenseNumber),
        [1, 2, 3, 4],
      );
      assert.deepEqual(expired.actor, { kind: 'service', id: 'record expiry notices', keyName: null });
      assert.deepEqual([expired.requestId, expired.subject, expired.productId], [null, null, 'app']);
      assert.deepEqual([expired.before, expired.after], [{ status: 'active' }, { status: 'expired', expiresAt }]);
      const { destinations } = await mustSucceed(app.admin('/listDestinations'));
      const { destinationId } = destinations.find(({ types: named }: { types: string[] }) => named.includes('*'));
      const preview = await mustSucceed(app.admin('/previewEvent', { destinationId, eventId: expired.id }));
      const { type, data } = JSON.parse(preview.body);
      assert.deepEqual(
        [type, data.number, data.license.number, data.license.status, data.after],
        ['license.expired', 4, 4, 'expired', { status: 'expired', expiresAt }],
      );
    });

    it('tell of the end of updates, and of an expiry once its grace is over', async () => {
      const graceDays = 3;
      const [expiresAt, updatesUntil] = [app.clock.at(2 * DAY_MS), app.clock.at(2 * DAY_MS)];
      const licenseKey = await app.license({ expiresAt, updatesUntil, graceDays });
      const perpetual = await app.license({ updatesUntil: app.clock.at(10 * DAY_MS) });
      const ended = await app.license({ expiresAt: app.clock.at(DAY_MS / 2), updatesUntil });
      const revoked = await app.license({ updatesUntil });
      await mustSucceed(app.admin('/revokeLicense', { licenseKey: revoked }));
      const inBrief = async (key: string) =>
        (await eventsOf(key))
          .filter(({ actor }: { actor: { kind: string } }) => actor.kind === 'service')
          .map(({ type, after }: { type: string; after: Record<string, unknown> }) => [type, after]);
      for (let days = 0; days < 4; days += 1) await later(DAY_MS + A_WHILE / 2);
      assert.deepEqual(await inBrief(licenseKey), [
        ['license.expiring', { expiresAt, daysRemaining: 1 }],
        ['license.updates_expiring', { updatesUntil, daysRemaining: 1 }],
      ]);
      await later(DAY_MS + A_WHILE);
      assert.deepEqual((await inBrief(licenseKey)).slice(2), [['license.expired', { status: 'expired', expiresAt }]]);
      const numbers = (await eventsOf(licenseKey)).map(({ licenseNumber }: { licenseNumber: number }) => licenseNumber);
      assert.deepEqual(numbers, [1, 2, 3, 4]);
      for (let days = 0; days < 5; days += 1) await later(DAY_MS);
      const left = (await inBrief(perpetual)).map(([type, after]: Noted) => [type, after.daysRemaining]);
      assert.deepEqual(left, [
        ['license.updates_expiring', 7],
        ['license.updates_expiring', 1],
      ]);
      assert.deepEqual(
        (await inBrief(ended)).map(([type]: Noted) => type),
        ['license.expired'],
      );
      assert.deepEqual(await inBrief(revoked), []);
    });

    it('come again for a renewed license, and never for a revoked one', async () => {
      const renewed = await expiringIn(DAY_MS + HOUR_MS);
      const revoked = await expiringIn(DAY_MS + HOUR_MS);
      await mustSucceed(app.admin('/revokeLicense', { licenseKey: revoked }));
      const first = app.clock.at(DAY_MS + HOUR_MS);
      await later(2 * HOUR_MS);
      const second = app.clock.at(2 * DAY_MS);
      await mustSucceed(app.admin('/updateLicense', { licenseKey: renewed, expiresAt: second }));
      await later(DAY_MS + A_WHILE);
      await later(DAY_MS + A_WHILE);
      assert.deepEqual(await noticesOf(renewed), [
        ['license.expiring', first, 1],
        ['license.expiring', second, 1],
        ['license.expired', second, null],
      ]);
      assert.deepEqual(await noticesOf(revoked), []);
    });

    it('do not come from a clock that is not believed, and once after one that was ahead', async () => {
      const licenseKey = await expiringIn(12 * HOUR_MS);
      const expiresAt = app.clock.at(12 * HOUR_MS);
      const doubted = { ...believingEvery(app.clock.now), believableNow: () => null };
      await later(13 * HOUR_MS, doubted);
      assert.deepEqual(await noticesOf(licenseKey), []);
      app.clock.move(-13 * HOUR_MS);
      await later(13 * HOUR_MS);
      app.clock.move(-13 * HOUR_MS);
      // Issued after the correction, so the search must look again where the clock had already been.
      const other = await expiringIn(11 * HOUR_MS);
      await later(A_WHILE);
      await later(13 * HOUR_MS);
      assert.deepEqual(await noticesOf(licenseKey), [['license.expired', expiresAt, null]]);
      assert.equal((await noticesOf(other)).length, 1);
    });

    it('are caught up on after a stop: the latest of each license, for expiries of the last 30 days', async () => {
      await later(A_WHILE);
      const week = await expiringIn(3 * DAY_MS);
      const soon = await expiringIn(8 * DAY_MS - HOUR_MS);
      await later(7 * DAY_MS);
      const typesOf = async (licenseKey: string) => (await noticesOf(licenseKey)).map(([type]) => type);
      assert.deepEqual(await typesOf(week), ['license.expired']);
      const days = (await noticesOf(soon)).map(([, , left]) => left);
      assert.deepEqual(days, [1], 'not also that of 7 days');
      const [early, late] = [await expiringIn(2 * DAY_MS), await expiringIn(4 * DAY_MS)];
      await later(33 * DAY_MS);
      assert.deepEqual(await noticesOf(early), []);
      assert.deepEqual(await typesOf(late), ['license.expired']);
    });

    it('are off where the operator says so', async () => {
      const licenseKey = await expiringIn(HOUR_MS);
      await later(2 * HOUR_MS, undefined, null);
      assert.deepEqual(await noticesOf(licenseKey), []);
      assert.equal(await count(countPositions), 0);
      await later(A_WHILE);
      assert.deepEqual(await noticesOf(licenseKey), [], 'the search begins anew');
    });

    it('are remembered for a month after the expiry', async () => {
      assert.ok(Number(await count(countNotices)) > 0);
      app.clock.move(31 * DAY_MS + 2 * HOUR_MS);
      await tidy(storage, believingEvery(app.clock.now), { pauseMs: 0, jobs: tidyingJobs(storage) });
      assert.equal(await count(countNotices), 0);
    });

    it('are found in bounded steps along the index, however many licenses expire at one moment', async (test) => {
      await later(A_WHILE);
      const expiry = app.clock.now() + HOUR_MS;
      const keys = await storage.transaction(async (tx) => {
        const order = { email: 'ada@example.com', productId: 'app', expiresAt: toTimestamp(expiry) };
        const made: string[] = [];
        for (let index = 0; index < 12 * ROWS_AT_ONCE; index++)
          made.push((await issueLicense(tx, order, originAt(app.clock.now()))).licenseKey);
        return made.sort();
      });
      const counting = await countRowsVisited(app.database);
      test.after(() => counting.close());
      const kinds = noticeKinds(NOTICES);
      const [, , expired] = kinds;
      const reached = { expiresAt: toTimestamp(expiry), licenseKey: keys[5 * ROWS_AT_ONCE]! };
      const found = await listReaching(counting.sql, 'endsAt', rangeOf(expired!, expiry, reached), ROWS_AT_ONCE);
      assert.deepEqual(
        found.map(({ licenseKey }) => licenseKey),
        keys.slice(5 * ROWS_AT_ONCE + 1, 6 * ROWS_AT_ONCE + 1),
      );
      const { rows } = counting.done();
      assert.ok(rows <= 2 * ROWS_AT_ONCE, `${rows} rows visited`);

      app.clock.move(HOUR_MS);
      const recorder = new NoticeRecorder(kinds);
      await storage.read(recorder.look);
      const bounds = { rows: ROWS_AT_ONCE, bytes: Number.POSITIVE_INFINITY };
      const step = () => storage.transaction((tx) => recorder.step(tx, toTimestamp(expiry), bounds));
      const recorded: number[] = [];
      const had = Number(await count(countNotices));
      do recorded.push(Number(await count(countNotices)) - had);
      while (!(await step()).isLast);
      assert.deepEqual(
        recorded,
        Array.from({ length: 13 }, (_, steps) => steps * ROWS_AT_ONCE),
      );
      await step();
      for (const licenseKey of [keys[0]!, keys.at(-1)!]) assert.equal((await noticesOf(licenseKey)).length, 1);
      assert.equal(Number(await count(countNotices)) - had, keys.length);
    });

    if (engine === 'postgres')
      it('are recorded once by two nodes at the same time, and wait for no locked license', async (test) => {
        await later(A_WHILE);
        const other = await openStorage(app.database);
        test.after(() => other.close());
        const keys: string[] = [];
        for (let index = 0; index < 8; index++) keys.push(await expiringIn(HOUR_MS));
        const [locked] = keys as [string];
        app.clock.move(2 * HOUR_MS);
        const [changed, noticed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
        const changing = other.transaction(async (tx) => {
          await lockLicense(tx, locked, { creatorId: null });
          changed.resolve();
          await noticed.promise;
        });
        await changed.promise;
        // Without the lease of the job, which lets one node work at a time.
        const bounds = { rows: 100, bytes: Number.POSITIVE_INFINITY };
        const step = async (node: Storage) => {
          const recorder = new NoticeRecorder(noticeKinds(NOTICES));
          await node.read(recorder.look);
          return node.transaction((tx) => recorder.step(tx, app.clock.at(), bounds));
        };
        await Promise.all([storage, other, storage, other].map(step)).finally(noticed.resolve);
        await changing;
        for (const key of keys) assert.equal((await noticesOf(key)).length, key === locked ? 0 : 1);
        const time = believingEvery(app.clock.now);
        const tidied = (node: Storage) => tidy(node, time, { pauseMs: 0, jobs: expiryJobs(node, NOTICES) });
        await Promise.all([storage, other].map(tidied));
        await later(A_WHILE);
        for (const key of keys) assert.equal((await noticesOf(key)).length, 1);
      });
  });
