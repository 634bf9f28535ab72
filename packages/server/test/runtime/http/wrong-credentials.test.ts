/**
 * A network that showed too many wrong credentials has to wait, except with credentials that it used successfully
 * before.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { DAY_MS, MINUTE_MS } from '../../../src/ground/base/clock.ts';
import { mintId } from '../../../src/ground/base/random.ts';
import { WrongCredentials } from '../../../src/runtime/http/wrong-credentials.ts';
import { ADMIN_SECRET, type TestApp, WEBHOOK_SECRET } from '../../support/app.ts';
import { atOnce, type ProxiedAnswer, sendFrom, startBehindProxy, statusCounts } from '../../support/behind-proxy.ts';
import { engines } from '../../support/databases.ts';

const LIMIT = 5;
const TOO_MANY = { success: false, error: 'Too many wrong credentials from your network. Try again later.' };

for (const engine of engines)
  describe(`wrong credentials on ${engine}`, () => {
    let app: TestApp;
    let lastHost = 0;
    before(async () => {
      app = await startBehindProxy(engine, { LATCHKEY_WRONG_SECRET_RATE: String(LIMIT) });
      await atOnce(20, () => admin('192.0.2.1'));
    });
    after(() => app.stop());

    /** An address that no other test uses. */
    const newAddress = () => `203.0.113.${++lastHost}`;
    const admin = (address: string | null, adminSecret: unknown = ADMIN_SECRET) =>
      sendFrom(app, address, '/listLicenses', { adminSecret });
    const webhook = (address: string, secret = WEBHOOK_SECRET) =>
      sendFrom(app, address, '/listStudioOrders', { creatorId: 'creator' }, { 'x-webhook-secret': secret });
    const key = (address: string, apiKey: string, fields = {}, path = '/listLicenses') =>
      sendFrom(app, address, path, { apiKey, ...fields });
    const wrongKey = (address: string) => key(address, `lk_${mintId()}`);
    async function made(path: string, fields: Readonly<Record<string, unknown>>) {
      const { status, body } = await sendFrom(app, '192.0.2.1', path, { adminSecret: ADMIN_SECRET, ...fields });
      assert.equal(status, 200, JSON.stringify(body));
      return body;
    }
    const newKey = async () => (await made('/createApiKey', { creatorId: mintId(), name: 'key' })).apiKey as string;
    /** Makes a network show wrong credentials until it has to wait. */
    async function exhaust(address: string): Promise<void> {
      for (let shown = 0; shown < LIMIT; shown++) assert.equal((await admin(address, 'wrong')).status, 401);
    }

    for (const [what, show] of [
      ['admin secrets', (address: string) => admin(address, mintId())],
      ['webhook secrets', (address: string) => webhook(address, mintId())],
      ['API keys', wrongKey],
      ['secrets that are no text', (address: string) => admin(address, 7)],
      ['API keys that differ', (address: string) => key(address, 'one', {}, '/listLicenses?apiKey=another')],
      [
        'admin secrets beside right API keys',
        async (address: string) =>
          sendFrom(app, address, '/listLicenses', { adminSecret: mintId(), apiKey: await newKey() }),
      ],
      [
        'API keys beside the right admin secret',
        (address: string) => key(address, `lk_${mintId()}`, { adminSecret: ADMIN_SECRET }),
      ],
    ] as const satisfies readonly (readonly [string, (address: string) => Promise<ProxiedAnswer>])[])
      it(`of wrong ${what} that are shown at once exactly the limit is 401, the others are 429 with Retry-After`, async () => {
        const address = newAddress();
        const answers = await atOnce(30, () => show(address));
        assert.deepEqual(statusCounts(answers), { 401: LIMIT, 429: 30 - LIMIT });
        const refused = await show(address);
        assert.deepEqual([refused.status, refused.body], [429, TOO_MANY]);
        assert.ok((refused.retryAfter ?? 0) >= 60 && (refused.retryAfter ?? 0) <= 61, `${refused.retryAfter}`);
        app.clock.move((refused.retryAfter ?? 0) * 1000);
        assert.equal((await show(address)).status, 401, 'when it was told to come again');
      });

    it('all kinds are counted together, over all endpoints that check credentials', async () => {
      const address = newAddress();
      await admin(address, 'wrong');
      await webhook(address, 'wrong');
      await wrongKey(address);
      await sendFrom(app, address, '/redeemTrialCode', {
        apiKey: 'lk_wrong',
        code: 'c',
        productId: 'app',
        email: 'a@b',
      });
      await sendFrom(app, address, '/redeemTrialCode', {
        adminSecret: 'wrong',
        code: 'c',
        productId: 'app',
        email: 'a@b',
      });
      assert.equal((await wrongKey(address)).status, 429);
    });

    it('a pause applies to a right credential that was never used from there', async () => {
      const address = newAddress();
      const apiKey = await newKey();
      await exhaust(address);
      for (const answer of [await admin(address), await webhook(address), await key(address, apiKey)])
        assert.deepEqual([answer.status, answer.body], [429, TOO_MANY]);
      const trial = { code: 'unknown', productId: 'app', email: 'ada@example.com' };
      for (const adminSecret of [ADMIN_SECRET, 'wrong'])
        assert.equal((await sendFrom(app, address, '/redeemTrialCode', { adminSecret, ...trial })).status, 429);
      assert.equal((await admin(newAddress())).status, 200, 'another network');
    });

    it('a pause does not apply to a credential that was right from there within a day', async () => {
      const address = newAddress();
      const apiKey = await newKey();
      for (const answer of [await admin(address), await webhook(address), await key(address, apiKey)])
        assert.equal(answer.status, 200);
      app.clock.move(DAY_MS - MINUTE_MS);
      await exhaust(address);
      for (const answer of [await admin(address), await webhook(address), await key(address, apiKey)])
        assert.equal(answer.status, 200);
      assert.equal((await key(address, await newKey())).status, 429, 'a key that nobody used there');
      app.clock.move(2 * DAY_MS);
      await exhaust(address);
      for (const answer of [await admin(address), await webhook(address), await key(address, apiKey)])
        assert.equal(answer.status, 429, 'two days later');
    });

    it('a pause ends by itself, and attempts during it do not extend it', async () => {
      const address = newAddress();
      await exhaust(address);
      app.clock.move(MINUTE_MS / 2);
      await atOnce(20, () => admin(address, 'wrong'));
      app.clock.move(MINUTE_MS / 2 + 1000);
      assert.equal((await admin(address)).status, 200);
    });

    it('a key that was revoked is wrong from then on, and stops no other that is right', async () => {
      const address = newAddress();
      const [revoked, storefront] = [await newKey(), await newKey()];
      assert.equal((await key(address, revoked)).status, 200);
      assert.equal((await key(address, storefront)).status, 200);
      await made('/revokeApiKey', { apiKeyToRevoke: revoked });
      assert.deepEqual(statusCounts(await atOnce(20, () => key(address, revoked))), { 401: LIMIT, 429: 20 - LIMIT });
      assert.equal((await key(address, storefront)).status, 200);
      const trial = { code: 'unknown', productId: 'app', email: 'ada@example.com' };
      assert.equal(
        (await key(address, revoked, trial, '/redeemTrialCode')).status,
        429,
        'where a wrong key is ignored',
      );
    });

    it('a right key at an endpoint that takes none stays known to be right', async () => {
      const address = newAddress();
      const apiKey = await newKey();
      assert.equal((await key(address, apiKey)).status, 200);
      const order = { creatorId: 'c', name: 'n' };
      for (let shown = 0; shown < LIMIT; shown++)
        assert.equal((await key(address, apiKey, order, '/createApiKey')).status, 401);
      assert.equal((await key(address, apiKey)).status, 200);
    });

    it('missing credentials do not count, nor do right ones', async () => {
      const address = newAddress();
      for (let shown = 0; shown < 3 * LIMIT; shown++)
        assert.equal((await sendFrom(app, address, '/listLicenses', {})).status, 401);
      for (const credential of [{ adminSecret: '' }, { apiKey: null }])
        for (let shown = 0; shown < LIMIT; shown++)
          assert.equal((await sendFrom(app, address, '/listLicenses', credential)).status, 401);
      for (let shown = 0; shown < LIMIT; shown++) assert.equal((await admin(address)).status, 200);
      assert.equal((await wrongKey(address)).status, 401);
    });

    it('the client endpoints check none and go on during a pause', async () => {
      const address = newAddress();
      await exhaust(address);
      const { licenseKey } = await made('/createLicense', { email: 'ada@example.com', productId: 'app' });
      for (let shown = 0; shown < 2 * LIMIT; shown++) {
        const fields = { licenseKey, productId: 'app', adminSecret: 'wrong' };
        assert.equal((await sendFrom(app, address, '/verify', fields)).status, 200);
      }
    });

    it('a subscriber is a /64, and a /48 may show sixteen times as many', async () => {
      const network = `2001:db8:${engine === 'sqlite' ? 1 : 2}`;
      for (let host = 1; host <= LIMIT; host++) await admin(`${network}:1::${host}`, 'wrong');
      assert.equal((await admin(`${network}:1:ffff::9`, 'wrong')).status, 429);
      const answers = await atOnce(20 * LIMIT, (at) => admin(`${network}:${10 + (at % 20)}::1`, 'wrong'));
      assert.deepEqual(statusCounts(answers), { 401: 15 * LIMIT, 429: 5 * LIMIT });
      assert.equal((await admin(`${network}:ffff::1`, 'wrong')).status, 429);
    });

    it('are not counted where nobody knows the address', async () => {
      assert.deepEqual(statusCounts(await atOnce(20, () => admin(null, 'wrong'))), { 401: 20 });
      const unknown = () => sendFrom(app, null, '/listLicenses', { apiKey: `lk_${mintId()}` });
      assert.deepEqual(statusCounts(await atOnce(20, unknown)), { 401: 20 });
      assert.equal((await admin(null)).status, 200);
    });

    describe('409 of /createDiscountCode, which reveals codes of others to an API key', () => {
      const create = (address: string, apiKey: string, code: string) =>
        key(address, apiKey, { code, trialDays: 1 }, '/createDiscountCode');

      it('counts like a wrong credential, also for a key that is known to be right', async () => {
        const address = newAddress();
        const apiKey = await newKey();
        assert.equal((await key(address, apiKey)).status, 200);
        const { code } = await made('/createDiscountCode', { code: `code ${mintId()}`, trialDays: 1 });
        const answers = await atOnce(20, () => create(address, apiKey, code));
        assert.deepEqual(statusCounts(answers), { 409: LIMIT, 429: 20 - LIMIT });
        const refused = await create(address, apiKey, `new ${mintId()}`);
        assert.deepEqual([refused.status, refused.body], [429, TOO_MANY], 'also for a code that is free');
        assert.equal((await key(address, apiKey)).status, 200, 'everything else goes on');
        app.clock.move((refused.retryAfter ?? 0) * 1000);
        assert.equal((await create(address, apiKey, `new ${mintId()}`)).status, 200);
      });

      it('does not count for the administrator, and codes that are free count for nobody', async () => {
        const address = newAddress();
        const { code } = await made('/createDiscountCode', { code: `code ${mintId()}`, trialDays: 1 });
        const taken = { adminSecret: ADMIN_SECRET, code, trialDays: 1 };
        const answers = await atOnce(20, () => sendFrom(app, address, '/createDiscountCode', taken));
        assert.deepEqual(statusCounts(answers), { 409: 20 });
        const apiKey = await newKey();
        const free = await atOnce(20, (at) => create(address, apiKey, `free ${at} ${mintId()}`));
        assert.deepEqual(statusCounts(free), { 200: 20 });
        assert.equal((await wrongKey(address)).status, 401);
      });
    });
  });

describe('the memory of credentials', () => {
  const NOW = 0;
  const addresses = (count: number) =>
    Array.from({ length: count }, (_, at) => `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`);

  it('holds the wrong ones of the last 10,000 networks', () => {
    const isFirstHeld = (count: number) => {
      const credentials = new WrongCredentials(1);
      for (const address of addresses(count)) credentials.count(address, NOW);
      return credentials.pauseSeconds('10.0.0.0', NOW) !== null;
    };
    assert.deepEqual([10_000, 10_001].map(isFirstHeld), [true, false]);
  });

  it('holds the last 50,000 right ones', () => {
    const isFirstHeld = (count: number) => {
      const credentials = new WrongCredentials(1);
      for (const address of addresses(count)) credentials.remember(address, ['key'], NOW);
      return credentials.areKnown('10.0.0.0', ['key'], NOW);
    };
    assert.deepEqual([50_000, 50_001].map(isFirstHeld), [true, false]);
  });
});

describe('wrong credentials with the limit off', () => {
  it('are 401, however many', async (test) => {
    const app = await startBehindProxy('sqlite', { LATCHKEY_WRONG_SECRET_RATE: 'off' });
    test.after(() => app.stop());
    const answers = await atOnce(50, () => sendFrom(app, '203.0.113.1', '/listLicenses', { adminSecret: 'wrong' }));
    assert.deepEqual(statusCounts(answers), { 401: 50 });
  });
});
