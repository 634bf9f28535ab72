/** Trials that a network gets in an hour, for any e-mail addresses (rules 8.2). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { MINUTE_MS } from '../../../src/ground/base/clock.ts';
import { mintId } from '../../../src/ground/base/random.ts';
import { ADMIN_SECRET, type TestApp, WEBHOOK_SECRET } from '../../support/app.ts';
import { atOnce, sendFrom, startBehindProxy, statusCounts } from '../../support/behind-proxy.ts';
import { type Engine, engines, freshDatabase } from '../../support/databases.ts';
import type { TestDatabase } from '../../support/test-database.ts';

const LIMIT = 5;
/** Redemptions of a minute count until that whole minute is an hour old. */
const AN_HOUR_LATER_MS = 61 * MINUTE_MS;

const startLimited = (engine: Engine, environment: Readonly<Record<string, string>> = {}, shared?: TestDatabase) =>
  startBehindProxy(
    engine,
    { LATCHKEY_TRIAL_RATE: String(LIMIT), LATCHKEY_WRONG_SECRET_RATE: 'off', ...environment },
    shared,
  );

async function made(app: TestApp, path: string, fields: Readonly<Record<string, unknown>>) {
  const { status, body } = await sendFrom(app, '192.0.2.1', path, { adminSecret: ADMIN_SECRET, ...fields });
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

/** A code for every product, unless its fields say otherwise. */
async function madeCode(app: TestApp, fields: Readonly<Record<string, unknown>> = {}): Promise<string> {
  return (await made(app, '/createDiscountCode', { code: `code-${mintId()}`, trialDays: 14, ...fields })).code;
}

/** Redeems for a unique customer. */
function redeem(
  app: TestApp,
  address: string | null,
  code: string,
  fields: Readonly<Record<string, unknown>> = {},
  headers: Readonly<Record<string, string>> = {},
) {
  const email = `${mintId()}@example.com`;
  return sendFrom(app, address, '/redeemTrialCode', { code, productId: 'app', email, ...fields }, headers);
}

for (const engine of engines)
  describe(`trials of a network on ${engine}`, () => {
    let app: TestApp;
    let code: string;
    before(async () => {
      app = await startLimited(engine);
      code = await madeCode(app);
      // Opens connections to the database before the race.
      await atOnce(20, () => sendFrom(app, '192.0.2.1', '/listLicenses', { adminSecret: ADMIN_SECRET }));
    });
    after(() => app.stop());

    it('429 with Retry-After once a network has had its trials of the hour', async () => {
      const answers = await atOnce(LIMIT, () => redeem(app, '203.0.113.1', code));
      assert.deepEqual(statusCounts(answers), { 200: LIMIT });
      const refused = await redeem(app, '203.0.113.1', code);
      assert.deepEqual(refused.body, { success: false, error: 'Too many trials from your network. Try again later.' });
      assert.equal(refused.status, 429);
      assert.equal((await redeem(app, '203.0.113.2', code)).status, 200, 'another network');
      app.clock.move((refused.retryAfter ?? 0) * 1000 - 1000);
      assert.equal((await redeem(app, '203.0.113.1', code)).status, 429, 'a second too early');
      app.clock.move(1000);
      assert.equal((await redeem(app, '203.0.113.1', code)).status, 200, 'when it was told to come again');
      assert.ok((refused.retryAfter ?? 0) > 3600 && (refused.retryAfter ?? 0) <= 3660, `${refused.retryAfter}`);
    });

    it('exactly the limit of 40 that are asked for at once gets through, with many codes and with one', async () => {
      const codes = await atOnce(40, () => madeCode(app));
      const many = await atOnce(40, (at) => redeem(app, '203.0.113.3', codes[at] ?? ''));
      assert.deepEqual(statusCounts(many), { 200: LIMIT, 429: 40 - LIMIT });
      const one = await atOnce(40, () => redeem(app, '203.0.113.4', code));
      assert.deepEqual(statusCounts(one), { 200: LIMIT, 429: 40 - LIMIT });
    });

    it('a refusal uses up no redemption of the code and makes no license', async () => {
      const counted = await madeCode(app);
      await atOnce(LIMIT + 3, () => redeem(app, '203.0.113.5', counted));
      const { codes } = await made(app, '/listDiscountCodes', { limit: 1000 });
      assert.equal(codes.find((each: { code: string }) => each.code === counted).usedCount, LIMIT);
    });

    it('counts no trial that was refused for another reason', async () => {
      const wrong = await madeCode(app, { productId: 'another' });
      await atOnce(LIMIT + 3, () => redeem(app, '203.0.113.6', wrong));
      const answers = await atOnce(LIMIT + 1, () => redeem(app, '203.0.113.6', code));
      assert.deepEqual(statusCounts(answers), { 200: LIMIT, 429: 1 });
    });

    it('slides by the minute: each trial makes room for another when it is an hour old', async () => {
      await redeem(app, '203.0.113.7', code);
      app.clock.move(10 * MINUTE_MS);
      await atOnce(LIMIT - 1, () => redeem(app, '203.0.113.7', code));
      assert.equal((await redeem(app, '203.0.113.7', code)).status, 429);
      app.clock.move(AN_HOUR_LATER_MS - 10 * MINUTE_MS);
      assert.deepEqual(statusCounts(await atOnce(3, () => redeem(app, '203.0.113.7', code))), { 200: 1, 429: 2 });
    });

    it('all spellings of an IPv4 address are one network, and so is a /64', async () => {
      for (const address of [
        '203.0.113.8',
        '203.0.113.8:5100',
        '::ffff:203.0.113.8',
        '::ffff:cb00:7108',
        '203.0.113.8:1',
      ])
        assert.equal((await redeem(app, address, code)).status, 200, address);
      assert.equal((await redeem(app, '[0:0:0:0:0:ffff:cb00:7108]:443', code)).status, 429);
      for (let host = 1; host <= LIMIT; host++) await redeem(app, `2001:db8:1:2::${host}`, code);
      assert.equal((await redeem(app, '2001:db8:1:2:ffff::9', code)).status, 429);
      assert.equal((await redeem(app, '2001:db8:1:3::1', code)).status, 200);
    });

    it('a /48 gets sixteen times as many, exactly, however many of its networks ask at once', async () => {
      const answers = await atOnce(20 * LIMIT, (at) => redeem(app, `2001:db8:7:${(at % 20).toString(16)}::1`, code));
      assert.deepEqual(statusCounts(answers), { 200: 16 * LIMIT, 429: 4 * LIMIT });
      assert.equal((await redeem(app, '2001:db8:7:ffff::1', code)).status, 429);
      assert.equal((await redeem(app, '2001:db8:8::1', code)).status, 200);
    });

    it('does not hold where the proxy says no address, and not for the proxy', async () => {
      for (const address of [null, 'unknown', '127.0.0.1', '203.0.113.9, unknown'])
        assert.deepEqual(statusCounts(await atOnce(LIMIT + 3, () => redeem(app, address, code))), { 200: LIMIT + 3 });
      assert.equal((await redeem(app, '203.0.113.9', code)).status, 200);
    });

    it('does not hold for the webhook secret and the admin secret, and they count for nobody', async () => {
      for (const [fields, headers] of [
        [{}, { 'x-webhook-secret': WEBHOOK_SECRET }],
        [{}, { 'x-admin-secret': ADMIN_SECRET }],
        [{ adminSecret: ADMIN_SECRET }, {}],
      ] as const) {
        const answers = await atOnce(LIMIT + 3, () => redeem(app, '203.0.113.10', code, fields, headers));
        assert.deepEqual(statusCounts(answers), { 200: LIMIT + 3 });
      }
      assert.equal((await redeem(app, '203.0.113.10', code)).status, 200);
    });

    it('does not hold for an API key that owns the code or its product, and holds for every other', async () => {
      const [owner, other] = ['owner', 'other'].map((name) => `${name} ${mintId()}`);
      const keyOf = async (creatorId = '') => (await made(app, '/createApiKey', { creatorId, name: 'key' })).apiKey;
      const [ownersKey, othersKey] = [await keyOf(owner), await keyOf(other)];
      const slug = `product-${mintId()}`;
      const { productId } = await made(app, '/createProduct', { name: slug, slug, creatorId: owner });
      const ofCreator = await madeCode(app, { creatorId: owner });
      const ofProduct = await madeCode(app, { productId });
      for (const owned of [ofCreator, ofProduct]) {
        const headers = { 'x-api-key': ownersKey };
        const answers = await atOnce(LIMIT + 3, () => redeem(app, '203.0.113.11', owned, { productId }, headers));
        assert.deepEqual(statusCounts(answers), { 200: LIMIT + 3 });
      }
      for (const [address, apiKey, whose] of [
        ['203.0.113.12', othersKey, ofProduct],
        ['203.0.113.13', ownersKey, code],
        ['203.0.113.14', 'lk_no_key_at_all', ofProduct],
      ] as const) {
        const answers = await atOnce(LIMIT + 3, () => redeem(app, address, whose, { productId, apiKey }));
        assert.deepEqual(statusCounts(answers), { 200: LIMIT, 429: 3 });
      }
    });

    it('a wrong credential counts as none, and right ones beside it, too', async () => {
      for (const [at, headers] of [
        { 'x-webhook-secret': 'wrong' },
        { 'x-admin-secret': WEBHOOK_SECRET },
        { 'x-webhook-secret': WEBHOOK_SECRET, 'x-admin-secret': 'wrong' },
        { 'x-webhook-secret': WEBHOOK_SECRET, 'x-api-key': 'lk_wrong' },
      ].entries()) {
        const address = `203.0.113.${20 + at}`;
        const answers = await atOnce(LIMIT + 1, () => redeem(app, address, code, {}, headers));
        assert.deepEqual(statusCounts(answers), { 200: LIMIT, 429: 1 }, JSON.stringify(headers));
      }
    });
  });

for (const engine of engines)
  describe(`trials on ${engine}`, () => {
    it('are counted over a restart, and over all nodes', async (test) => {
      const database = await freshDatabase(engine, test);
      const first = await startLimited(engine, {}, database);
      const code = await madeCode(first);
      await atOnce(LIMIT - 1, () => redeem(first, '203.0.113.1', code));
      // A SQLite database has one node at a time.
      if (engine === 'sqlite') await first.stop();
      else test.after(() => first.stop());
      const second = await startLimited(engine, {}, database);
      test.after(() => second.stop());
      assert.deepEqual(statusCounts(await atOnce(3, () => redeem(second, '203.0.113.1', code))), { 200: 1, 429: 2 });
    });

    it('are as many as anybody likes where the limit is off', async (test) => {
      const app = await startLimited(engine, { LATCHKEY_TRIAL_RATE: 'off' });
      test.after(() => app.stop());
      const code = await madeCode(app);
      for (let round = 0; round < 2; round++)
        assert.deepEqual(statusCounts(await atOnce(40, () => redeem(app, '203.0.113.1', code))), { 200: 40 });
    });
  });
