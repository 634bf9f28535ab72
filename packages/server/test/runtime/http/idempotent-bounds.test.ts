/** Bounds of the replies kept for an Idempotency-Key: a size for each, and a number of bytes per caller and day. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { DAY_MS, HOUR_MS, systemClock } from '../../../src/ground/base/clock.ts';
import { believingEvery } from '../../../src/platform/believed-time/believed-time.ts';
import type { KeptReplyBounds } from '../../../src/platform/endpoint/rule-context.ts';
import { takeRoom } from '../../../src/platform/kept-replies/room-store.ts';
import { open as openSealed, seal } from '../../../src/platform/kept-replies/seal.ts';
import { type Storage, statement } from '../../../src/storage/contract/storage.ts';
import { openStorage } from '../../../src/storage/opening/open.ts';
import { inspect } from '../../support/answers.ts';
import { type Answer, startApp, type TestApp } from '../../support/app.ts';
import { Creator, mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { fillPool } from '../../support/full-pool.ts';
import { Machine } from '../../support/machine.ts';
import { freshStorage } from '../../support/storages.ts';
import { tidy } from '../../support/tidy.ts';

const keyed = (key: string) => ({ headers: { 'Idempotency-Key': key } });

const listReplies = statement(
  'test_reply_bounds.list',
  'select caller, reply, octet_length(reply) as "bytes" from idempotent_reply order by created_at, caller',
);
const listRoom = statement('test_reply_bounds.list_room', 'select caller, bytes from kept_reply_room order by caller');

interface Kept {
  readonly caller: string;
  readonly reply: string;
  readonly bytes: number;
}

/** Whether a row holds a reply, or only a mark that the call was made. */
const isAnswer = ({ reply }: Kept) => !reply.includes('.');
const bytesOf = (rows: readonly Kept[]) => rows.reduce((sum, { bytes }) => sum + bytes, 0);
const codeOf = ({ status, headers }: Answer) => [status, headers['latchkey-code']];

const LOST = [409, 'idempotent_reply_lost'];
const REUSED = [422, 'idempotency_key_reused'];

for (const engine of engines) {
  const NOW = Math.floor(systemClock() / DAY_MS) * DAY_MS + 6 * HOUR_MS;

  async function start(test: TestContext, bounds: Partial<KeptReplyBounds>) {
    const keptReplies = { ofReply: 100_000, ofCaller: 1_000_000, ofOperatorSecret: 1_000_000, ...bounds };
    const app = await startApp(engine, {}, undefined, { keptReplies });
    test.after(() => app.stop());
    // Keeps tests away from the end of a day.
    app.clock.move(NOW - app.clock.now());
    return app;
  }

  async function withStorage<T>({ database }: Pick<TestApp, 'database'>, work: (storage: Storage) => Promise<T>) {
    const storage = await openStorage(database);
    try {
      return await work(storage);
    } finally {
      await storage.close();
    }
  }

  const keptIn = (app: TestApp) => withStorage(app, (storage) => storage.read((sql) => sql.all<Kept>(listReplies)));

  async function emptyStorage(test: TestContext): Promise<Storage> {
    const { storage } = await freshStorage(engine, test);
    return storage;
  }

  describe(`answers that are kept for an Idempotency-Key on ${engine}`, () => {
    it('are kept up to their size; a longer one is given, and its repeat is 409 and acts no second time', async (test) => {
      const app = await start(test, {});
      const email = 'long@example.com';
      const length = JSON.stringify((await app.admin('/createLicense', { email, productId: 'app' })).body).length;
      const short = await start(test, { ofReply: length });
      const issue = (key: string, productId: string) => short.admin('/createLicense', { email, productId }, keyed(key));
      const kept = await mustSucceed(issue('short', 'app'));
      assert.equal((await mustSucceed(issue('short', 'app'))).licenseKey, kept.licenseKey);
      // One character more.
      assert.equal((await issue('long', 'app2')).status, 200);
      assert.deepEqual(codeOf(await issue('long', 'app2')), LOST);
      assert.equal((await short.admin('/listLicenses', { email })).body.count, 2);
      assert.deepEqual(codeOf(await issue('long', 'app3')), REUSED, 'what was asked is still known');
      short.clock.move(DAY_MS);
      assert.equal((await issue('long', 'app2')).status, 200, 'a day later the key is new');
    });

    it('end at the allowance of their caller; kept answers stay, other callers have their own, and the next day starts at zero', async (test) => {
      const app = await start(test, { ofCaller: 4_000 });
      const [creator, other] = [await Creator.of(app), await Creator.of(app)];
      const products = new Map([
        [creator, await creator.product()],
        [other, await other.product()],
      ]);
      const issue = (from: Creator, key: string) =>
        from.send('/createLicense', { email: 'ada@example.com', productId: products.get(from) }, keyed(key));
      const first: string[] = [];
      for (let index = 0; index < 12; index += 1)
        first.push((await mustSucceed(issue(creator, `${index}`))).licenseKey);
      const again = [];
      for (let index = 0; index < 12; index += 1) again.push(await issue(creator, `${index}`));
      const lost = again.findIndex(({ status }) => status === 409);
      assert.ok(lost > 0, 'some are kept, and some are not');
      for (const [index, answer] of again.entries())
        if (index < lost) assert.equal(answer.body.licenseKey, first[index]);
        else assert.deepEqual(codeOf(answer), LOST);
      assert.equal(new Set(first).size, 12);

      const fromOther = await mustSucceed(issue(other, '0'));
      assert.equal((await mustSucceed(issue(other, '0'))).licenseKey, fromOther.licenseKey);
      // 18 hours later, the next day has begun.
      app.clock.move(18 * HOUR_MS);
      const next = await mustSucceed(issue(creator, 'next'));
      assert.equal((await mustSucceed(issue(creator, 'next'))).licenseKey, next.licenseKey);
      assert.equal((await mustSucceed(issue(creator, '0'))).licenseKey, first[0], 'for 24 hours');
    });

    it('have more room for the admin secret than for others', async (test) => {
      const app = await start(test, { ofCaller: 0 });
      const creator = await Creator.of(app);
      const order = { email: 'ada@example.com', productId: await creator.product() };
      await mustSucceed(creator.send('/createLicense', order, keyed('one')));
      assert.deepEqual(codeOf(await creator.send('/createLicense', order, keyed('one'))), LOST);
      const { licenseKey } = await mustSucceed(app.admin('/createLicense', order, keyed('one')));
      assert.equal((await mustSucceed(app.admin('/createLicense', order, keyed('one')))).licenseKey, licenseKey);
    });

    it('never take more than that room, also when sixty calls come at once', async (test) => {
      const bound = 6_000;
      const app = await start(test, { ofOperatorSecret: bound });
      const issue = (index: number) =>
        app.admin(
          '/createLicense',
          { email: 'ada@example.com', productId: 'app' },
          keyed(`raced ${index}`.replace(' ', '-')),
        );
      await fillPool(app);
      const answers = await Promise.all(Array.from({ length: 60 }, (_, index) => issue(index)));
      for (const { status } of answers) assert.equal(status, 200);
      const rows = await keptIn(app);
      const kept = rows.filter(isAnswer);
      assert.equal(rows.length, 60);
      // All replies have one length, so the room is used up to the last reply that fits.
      const [{ bytes }] = kept as [Kept];
      assert.equal(kept.length, Math.floor(bound / bytes));
      assert.ok(bytesOf(kept) <= bound);
      const again = await Promise.all(Array.from({ length: 60 }, (_, index) => issue(index)));
      assert.equal(again.filter(({ status }) => status === 200).length, kept.length);
      assert.equal(again.filter(({ status }) => status === 409).length, 60 - kept.length);
    });

    it('are not kept for a dryRun, which gets a new answer each time; the hash of its request is', async (test) => {
      const app = await start(test, {});
      const licenseKey = await app.license({ maxMachines: 1 });
      await new Machine(app, licenseKey, 'first').activated();
      assert.equal((await new Machine(app, licenseKey, 'second').activate()).status, 403);
      const { violations } = await inspect(app, licenseKey);
      const violationIds = violations.map(({ id }: { id: string }) => id);
      const look = (fields = {}) =>
        app.admin('/resolveLicense', { licenseKey, violationIds, dryRun: true, ...fields }, keyed('look'));
      const before = await mustSucceed(look());
      await mustSucceed(app.admin('/updateLicense', { licenseKey, maxMachines: 7 }));
      const now = await mustSucceed(look());
      assert.notEqual(now.license.maxMachines, before.license.maxMachines);
      assert.equal(now.license.maxMachines, 7);
      assert.deepEqual(codeOf(await look({ dryRun: false })), REUSED);
      assert.deepEqual(codeOf(await look({ licenseKey: 'other' })), REUSED);
      const rows = await keptIn(app);
      assert.equal(rows.length, 1);
      assert.ok(bytesOf(rows) < 120, `${bytesOf(rows)} bytes`);
      assert.deepEqual(await withStorage(app, (storage) => storage.read((sql) => sql.all(listRoom))), []);
    });
  });

  describe(`the room for kept answers on ${engine}`, () => {
    const day = (days: number, ms = 0) => NOW - 6 * HOUR_MS + days * DAY_MS + ms;
    const take = (storage: Storage, bytes: number, now: number) =>
      storage.transaction((tx) => takeRoom(tx, { caller: 'ada', bytes, maxBytes: 100 }, now));

    it('is taken to the last byte, and no byte further', async (test) => {
      const storage = await emptyStorage(test);
      assert.deepEqual(
        [
          await take(storage, 101, day(0)),
          await take(storage, 60, day(0)),
          await take(storage, 41, day(0)),
          await take(storage, 40, day(0)),
          await take(storage, 1, day(1, -1)),
          await take(storage, 100, day(1)),
        ],
        [false, true, false, true, false, true],
      );
    });

    it('is one for nodes whose clocks differ at midnight', async (test) => {
      const storage = await emptyStorage(test);
      assert.equal(await take(storage, 60, day(1)), true);
      assert.equal(await take(storage, 60, day(1, -1)), false, 'the other node is still on the day before');
      assert.equal(await take(storage, 40, day(1, -1)), true);
      assert.equal(await take(storage, 1, day(1)), false);
    });

    it('is free again when the clock that filled it was days ahead', async (test) => {
      const storage = await emptyStorage(test);
      assert.equal(await take(storage, 100, day(700)), true);
      assert.equal(await take(storage, 100, day(0)), true);
      assert.equal(await take(storage, 1, day(0)), false);
    });

    it('is forgotten two days later', async (test) => {
      const storage = await emptyStorage(test);
      await take(storage, 100, day(0, 5));
      const rooms = () => storage.read((sql) => sql.all(listRoom));
      await tidy(
        storage,
        believingEvery(() => day(2, -1)),
      );
      assert.deepEqual(await rooms(), [{ caller: 'ada', bytes: 100 }]);
      await tidy(
        storage,
        believingEvery(() => day(2, 60_000)),
      );
      assert.deepEqual(await rooms(), []);
    });
  });
}

describe('a row that says only that a request was acted on', () => {
  it('is opened by no node of the version before, which answers 409 then', () => {
    const owner = { idempotencyKey: 'one', caller: 'admin' };
    const keys = [new Uint8Array(32)];
    const sealed = seal('hash', owner, keys);
    assert.equal(openSealed(sealed, owner, keys), 'hash');
    for (const mark of ['acted.', 'tried.']) assert.equal(openSealed(mark + sealed, owner, keys), null);
  });
});
