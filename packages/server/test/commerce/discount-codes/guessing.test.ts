import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { GUESSES_PER_HOUR } from '../../../src/commerce/discount-codes/network-limit.ts';
import { HOUR_MS, MINUTE_MS } from '../../../src/ground/base/clock.ts';
import { ADMIN_SECRET, startApp, type TestApp, WEBHOOK_SECRET } from '../../support/app.ts';
import { engines } from '../../support/databases.ts';
import { fillPool } from '../../support/full-pool.ts';

for (const engine of engines)
  describe(`guessing codes at /redeemTrialCode on ${engine}`, () => {
    let app: TestApp;
    before(async () => {
      // Behind a proxy, so that the test can use several addresses; the proxy has ended TLS.
      app = await startApp(engine, { LATCHKEY_TRUST_PROXY: '127.0.0.1' });
    });
    after(() => app.stop());

    async function send(path: string, fields: object, address = '203.0.113.99', more: Record<string, string> = {}) {
      const answer = await fetch(`http://127.0.0.1:${app.port}${path}`, {
        method: 'POST',
        headers: { 'x-forwarded-for': address, 'x-forwarded-proto': 'https', ...more },
        body: JSON.stringify(fields),
      });
      const body = (await answer.json()) as Readonly<Record<string, unknown>>;
      return { status: answer.status, retryAfter: answer.headers.get('retry-after'), body };
    }
    async function makeCode(code: string): Promise<string> {
      const made = await send('/createDiscountCode', { adminSecret: ADMIN_SECRET, code, trialDays: 1 });
      assert.equal(made.status, 200);
      return code;
    }
    const redeem = (address: string, code: string, email = 'ada@example.com') =>
      send('/redeemTrialCode', { code, productId: 'app', email }, address);
    async function guess(address: string, count: number): Promise<number[]> {
      const answers = await Promise.all(Array.from({ length: count }, (_, at) => redeem(address, `guess-${at}`)));
      return answers.map(({ status }) => status);
    }

    it('429 with Retry-After once an address has guessed too often, also for a code that exists', async () => {
      const code = await makeCode('exists');
      await fillPool({ send });
      const statuses = await guess('203.0.113.1', GUESSES_PER_HOUR + 10);
      assert.equal(statuses.filter((status) => status === 404).length, GUESSES_PER_HOUR);
      assert.equal(statuses.filter((status) => status === 429).length, 10);
      app.clock.move(MINUTE_MS);
      assert.deepEqual(await redeem('203.0.113.1', code), {
        status: 429,
        retryAfter: String(59 * 60),
        body: { success: false, error: 'Too many redemption attempts. Try again later.' },
      });
      assert.equal((await redeem('203.0.113.2', code, 'other@example.com')).status, 200, 'another address');
      app.clock.move(HOUR_MS - MINUTE_MS);
      assert.equal((await redeem('203.0.113.1', code)).status, 200, 'an hour later');
    });

    it('slides: each guess makes room for another when it is an hour old', async () => {
      await guess('203.0.113.4', 1);
      app.clock.move(10 * MINUTE_MS);
      await guess('203.0.113.4', GUESSES_PER_HOUR - 1);
      assert.equal((await redeem('203.0.113.4', 'guess')).retryAfter, String(50 * 60));
      app.clock.move(50 * MINUTE_MS);
      assert.deepEqual((await guess('203.0.113.4', 2)).sort(), [404, 429]);
    });

    it('does not count codes that exist, redeemed or refused', async () => {
      const code = await makeCode('popular');
      const emails = Array.from({ length: GUESSES_PER_HOUR + 5 }, (_, at) => `${at % GUESSES_PER_HOUR}@example.com`);
      const answers = await Promise.all(emails.map((email) => redeem('203.0.113.3', code, email)));
      assert.equal(answers.filter(({ status }) => status === 200).length, GUESSES_PER_HOUR);
      assert.equal(answers.filter(({ status }) => status === 409).length, 5);
      assert.equal((await redeem('203.0.113.3', 'unknown')).status, 404);
    });

    it('31 refusals of codes that exist are no guesses', async () => {
      const code = await makeCode('for another product');
      const made = await send('/updateDiscountCode', { adminSecret: ADMIN_SECRET, code, active: false });
      assert.equal(made.status, 200);
      for (let refused = 0; refused <= GUESSES_PER_HOUR; refused++)
        assert.equal((await redeem('203.0.113.5', code)).status, 400);
      assert.equal((await redeem('203.0.113.5', 'unknown')).status, 404);
    });

    it('does not slow down a storefront with the webhook secret, even if its customers mistype codes', async () => {
      const headers = { 'x-webhook-secret': WEBHOOK_SECRET };
      const fields = { code: 'unknown', productId: 'app', email: 'ada@example.com' };
      for (let typed = 0; typed < GUESSES_PER_HOUR + 5; typed++)
        assert.equal((await send('/redeemTrialCode', fields, '203.0.113.6', headers)).status, 404);
      assert.equal((await redeem('203.0.113.6', 'unknown')).status, 404);
    });

    it('lets a /48 guess sixteen times as often, and no oftener', async () => {
      const addressOf = (at: number) => `2001:db8:9:${at}::1`;
      const guessed: number[] = [];
      for (let at = 0; at < 15; at += 1) guessed.push(...(await guess(addressOf(at), GUESSES_PER_HOUR)));
      assert.deepEqual(new Set(guessed), new Set([404]));
      await fillPool({ send });
      const last = await Promise.all([15, 16].map((at) => guess(addressOf(at), GUESSES_PER_HOUR)));
      assert.equal(last.flat().filter((status) => status === 404).length, GUESSES_PER_HOUR);
    });

    it('counts nobody where the proxy says no address that can be read', async () => {
      assert.deepEqual(new Set(await guess('unknown', GUESSES_PER_HOUR + 5)), new Set([404]));
    });

    it('knows a subscriber by the first 64 bits of an IPv6 address', async () => {
      await guess('2001:db8:1:2::1', GUESSES_PER_HOUR);
      assert.equal((await redeem('2001:db8:1:2:ffff::9', 'guess')).status, 429);
      assert.equal((await redeem('2001:db8:1:3::1', 'guess')).status, 404);
    });
  });
