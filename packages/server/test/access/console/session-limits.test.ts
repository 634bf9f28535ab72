/** Bounds on the number of sessions, and on attempts to begin one. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { MINUTE_MS } from '../../../src/ground/base/clock.ts';
import { mintId } from '../../../src/ground/base/random.ts';
import { statement } from '../../../src/storage/contract/storage.ts';
import { openStorage } from '../../../src/storage/opening/open.ts';
import { ADMIN_SECRET, type TestApp } from '../../support/app.ts';
import { atOnce, sendFrom, startBehindProxy, statusCounts } from '../../support/behind-proxy.ts';
import { operatorKey, PAGE_HEADERS, type SignedIn, signIn, usedNow } from '../../support/console.ts';
import { Creator } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { fillPool } from '../../support/full-pool.ts';
import { startedApp } from '../../support/started-app.ts';

const OF_SOURCE = 20;
const OF_ALL = 2_000;
const LIMIT = 5;

const insertMany = statement(
  'test_console_session.insert_many',
  (dialect) => `insert into console_session
    (session_id, kind, role, source, creator_id, name, binding, is_kept, created_at, last_seen_at, expires_at, address,
     user_agent)
    select n.id, 'creator', null, n.id, 'c', 'n', null, 1, n.at, n.at, '9999-12-31T23:59:59.999Z', null, null
    from ${dialect.table('$1', { id: 'text', at: 'text' })} n`,
);
const count = statement('test_console_session.count', 'select count(*) as "count" from console_session');
const findIds = statement(
  'test_console_session.find_ids',
  (dialect) => `select session_id as "id" from console_session where session_id ${dialect.among('$1')}`,
);

for (const engine of engines)
  describe(`console sessions on ${engine}`, () => {
    const app = startedApp(engine);

    const isOpen = async ({ call }: SignedIn) => (await call('/getConsoleSession')).status === 200;
    const openOf = async (sessions: readonly SignedIn[]) => {
      const open: SignedIn[] = [];
      for (const session of sessions) if (await isOpen(session)) open.push(session);
      return open;
    };

    it(`of one key are ${OF_SOURCE} at most, however many are begun at once`, async () => {
      const key = await operatorKey(app, 'viewer');
      await fillPool(app);
      const sessions = await atOnce(30, () => signIn(app, { secret: key }));
      assert.equal((await openOf(sessions)).length, OF_SOURCE);
    });

    it('end at their limit with the least recently used one, and leave those of others', async () => {
      const [creator, neighbour] = [await Creator.of(app), await Creator.of(app)];
      const other = await signIn(app, { secret: neighbour.apiKey });
      const sessions: SignedIn[] = [];
      for (let index = 0; index < OF_SOURCE; index++) {
        app.clock.move(1);
        sessions.push(await signIn(app, { secret: creator.apiKey }));
      }
      const [first, second, ...rest] = sessions;
      assert.ok(first !== undefined && second !== undefined);
      app.clock.move(6 * MINUTE_MS);
      await usedNow(app, (await first.call('/getConsoleSession')).body.sessionId);
      const newest = await signIn(app, { secret: creator.apiKey });
      assert.deepEqual([await isOpen(first), await isOpen(second), await isOpen(newest)], [true, false, true]);
      assert.equal((await openOf(rest)).length, rest.length);
      assert.ok(await isOpen(other));
    });

    it(`are ${OF_ALL} at most`, async () => {
      const storage = await openStorage(app.database);
      const ids = Array.from({ length: OF_ALL + 5 }, (_, index) => `full ${String(index).padStart(5, '0')}`);
      const at = (index: number) => app.clock.at(-MINUTE_MS * 60 * 24 + index);
      try {
        await storage.transaction((tx) => tx.run(insertMany, JSON.stringify(ids.map((id, index) => [id, at(index)]))));
        const newest = await signIn(app, { secret: ADMIN_SECRET });
        const counted = async () => (await storage.read((sql) => sql.first<{ count: number }>(count)))?.count ?? 0;
        while ((await counted()) > OF_ALL) await signIn(app, { secret: ADMIN_SECRET });
        assert.equal(await counted(), OF_ALL);
        assert.ok(await isOpen(newest));
        const oldest = await storage.read((sql) => sql.all(findIds, JSON.stringify(ids.slice(0, 5))));
        assert.deepEqual(oldest, [], 'those that were used longest ago are gone');
      } finally {
        await storage.close();
      }
    });
  });

for (const engine of engines)
  describe(`signing in to the console on ${engine}`, () => {
    let app: TestApp;
    let lastHost = 0;
    let key: string;
    before(async () => {
      app = await startBehindProxy(engine, { LATCHKEY_WRONG_SECRET_RATE: String(LIMIT) });
      const made = await sendFrom(app, '192.0.2.1', '/createOperatorKey', {
        adminSecret: ADMIN_SECRET,
        name: 'Bea',
        role: 'owner',
      });
      key = made.body.operatorKey;
    });
    after(() => app.stop());

    const newAddress = () => `203.0.113.${++lastHost}`;
    const attempt = (address: string, fields: Readonly<Record<string, unknown>>) =>
      sendFrom(app, address, '/createConsoleSession', fields);

    for (const [what, fields] of [
      ['secrets', () => ({ secret: mintId() })],
      ['secrets that look like API keys', () => ({ secret: `lk_${mintId()}` })],
      ['codes', () => ({ code: mintId() })],
      ['secrets that are no text', () => ({ secret: 7 })],
    ] as const)
      it(`with wrong ${what} at once is 401 as often as the limit says and 429 from then on`, async () => {
        const address = newAddress();
        const answers = await atOnce(12, () => attempt(address, fields()));
        assert.deepEqual(statusCounts(answers), { 401: LIMIT, 429: 12 - LIMIT });
        for (const { status, retryAfter } of answers) assert.equal(retryAfter !== null, status === 429);
        // Guessing does not reveal which secret is right.
        for (const secret of [ADMIN_SECRET, key]) assert.equal((await attempt(address, { secret })).status, 429);
        app.clock.move(MINUTE_MS + 1_000);
        for (const secret of [ADMIN_SECRET, key]) assert.equal((await attempt(address, { secret })).status, 200);
      });

    it('accepts credentials that were right from that network before', async () => {
      const address = newAddress();
      for (const secret of [ADMIN_SECRET, key]) assert.equal((await attempt(address, { secret })).status, 200);
      for (let shown = 0; shown < LIMIT; shown++) await attempt(address, { secret: mintId() });
      assert.equal((await attempt(address, { secret: mintId() })).status, 429);
      for (const secret of [ADMIN_SECRET, key]) assert.equal((await attempt(address, { secret })).status, 200);
    });

    it('is not slowed by sessions that are over, however often a page shows them', async () => {
      const address = newAddress();
      const headers = {
        'content-type': 'application/json',
        ...PAGE_HEADERS,
        cookie: `__Host-latchkey=${'a'.repeat(43)}`,
      };
      const answers = await atOnce(4 * LIMIT, () => sendFrom(app, address, '/getOverview', {}, headers));
      assert.deepEqual(statusCounts(answers), { 401: 4 * LIMIT });
      assert.equal((await attempt(address, { secret: ADMIN_SECRET })).status, 200);
    });

    it('with the operator key counts each wrong try of an API key there as well', async () => {
      const address = newAddress();
      for (let shown = 0; shown < LIMIT; shown++)
        assert.equal((await sendFrom(app, address, '/listProducts', { apiKey: `lk_${mintId()}` })).status, 401);
      assert.equal((await attempt(address, { secret: key })).status, 429);
    });
  });

for (const engine of engines)
  describe(`a creator's session on ${engine}`, () => {
    it('finds out no more discount codes of others than an API key does', async (test) => {
      const app = await startBehindProxy(engine, { LATCHKEY_WRONG_SECRET_RATE: String(LIMIT) });
      test.after(() => app.stop());
      const made = async (path: string, fields: Readonly<Record<string, unknown>>) =>
        (await sendFrom(app, '192.0.2.1', path, { adminSecret: ADMIN_SECRET, ...fields })).body;
      await made('/createDiscountCode', { code: 'TAKEN', trialDays: 1 });
      const { apiKey } = await made('/createApiKey', { creatorId: 'curious', name: 'key' });
      const address = '203.0.113.9';
      const answer = await fetch(`http://127.0.0.1:${app.port}/createConsoleSession`, {
        method: 'POST',
        headers: { 'x-forwarded-proto': 'https', 'x-forwarded-for': address },
        body: JSON.stringify({ secret: apiKey }),
      });
      const cookie = String(answer.headers.get('set-cookie')).split(';')[0] ?? '';
      const headers = { 'content-type': 'application/json', ...PAGE_HEADERS, cookie };
      const create = (code: string) => sendFrom(app, address, '/createDiscountCode', { code, trialDays: 1 }, headers);
      assert.deepEqual(statusCounts(await atOnce(12, () => create('TAKEN'))), { 409: LIMIT, 429: 12 - LIMIT });
      assert.equal((await create('FREE')).status, 429, 'also for a code that is free');
      assert.equal((await sendFrom(app, address, '/listProducts', {}, headers)).status, 200);
    });
  });
