/** The cookie counts only in calls that the console's own page makes, and beside nothing else. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { ADMIN_SECRET, WEBHOOK_SECRET } from '../../support/app.ts';
import { PAGE_HEADERS, type SignedIn, setCookieOf, signIn } from '../../support/console.ts';
import { Creator } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { startedApp } from '../../support/started-app.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const CONSOLE = { 'x-latchkey-console': '1' };

for (const engine of engines)
  describe(`the cookie of the console on ${engine}`, () => {
    let session: SignedIn;
    const app = startedApp(engine);
    before(async () => {
      session = await signIn(app, { secret: ADMIN_SECRET });
    });

    const here = () => `127.0.0.1:${app.port}`;
    /** Status of a call of /listProducts with these headers and the cookie. */
    const statusWith = async (headers: Readonly<Record<string, string>>) =>
      (await app.send('/listProducts', '{}', { headers: { cookie: session.cookie, ...headers } })).status;

    for (const [what, headers, counts] of [
      ['the page itself', { ...JSON_TYPE, ...PAGE_HEADERS }, true],
      [
        'a page whose browser names the character set',
        { ...PAGE_HEADERS, 'content-type': 'application/json; charset=utf-8' },
        true,
      ],
      ['an older browser, by an origin that is the host', { ...JSON_TYPE, ...CONSOLE, origin: 'https://HERE' }, true],
      [
        'a foreign form',
        { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'cross-site' },
        false,
      ],
      [
        'a foreign form that pretends to be JSON',
        { 'content-type': 'text/plain', 'sec-fetch-site': 'cross-site' },
        false,
      ],
      ['a call without the header of the console', { ...JSON_TYPE, 'sec-fetch-site': 'same-origin' }, false],
      [
        'a call with another value in that header',
        { ...JSON_TYPE, ...PAGE_HEADERS, 'x-latchkey-console': 'true' },
        false,
      ],
      ['a foreign page that could add the header', { ...JSON_TYPE, ...CONSOLE, 'sec-fetch-site': 'cross-site' }, false],
      ['a page of another host of the same site', { ...JSON_TYPE, ...CONSOLE, 'sec-fetch-site': 'same-site' }, false],
      ['an address that a person typed', { ...JSON_TYPE, ...CONSOLE, 'sec-fetch-site': 'none' }, false],
      [
        'a foreign site, whatever origin is said beside it',
        { ...JSON_TYPE, ...CONSOLE, 'sec-fetch-site': 'cross-site', origin: 'https://HERE' },
        false,
      ],
      ['an older browser on a foreign page', { ...JSON_TYPE, ...CONSOLE, origin: 'https://evil.example' }, false],
      ['a page in a sandbox', { ...JSON_TYPE, ...CONSOLE, origin: 'null' }, false],
      ['a page that came without TLS', { ...JSON_TYPE, ...CONSOLE, origin: 'http://HERE' }, false],
      ['nothing that says where it comes from', { ...JSON_TYPE, ...CONSOLE }, false],
      ['a form type with all the rest', { ...PAGE_HEADERS, 'content-type': 'text/plain' }, false],
      ['a type that only begins like JSON', { ...PAGE_HEADERS, 'content-type': 'application/jsonp' }, false],
    ] as const satisfies readonly (readonly [string, Readonly<Record<string, string>>, boolean])[])
      it(`${counts ? 'counts' : 'does not count'} in a call of ${what}`, async () => {
        const given = Object.fromEntries(
          Object.entries(headers).map(([name, value]) => [name, value.replace('HERE', here())]),
        );
        assert.equal(await statusWith(given), counts ? 200 : 401);
      });

    it('counts on POST only', async () => {
      const headers = { ...JSON_TYPE, ...PAGE_HEADERS, cookie: session.cookie };
      for (const [path, method] of [
        ['/listProducts', 'GET'],
        ['/deleteDiscountCode', 'DELETE'],
      ] as const)
        assert.equal((await app.send(path, undefined, { method, headers })).status, 401, method);
    });

    it('is none beside another credential, right or wrong, of any kind', async () => {
      const { apiKey } = await Creator.of(app);
      for (const headers of [
        { 'x-admin-secret': ADMIN_SECRET },
        { 'x-admin-secret': 'wrong' },
        { 'x-api-key': apiKey },
        { authorization: `Bearer ${apiKey}` },
      ] as const satisfies readonly Readonly<Record<string, string>>[])
        assert.equal((await session.call('/listProducts', {}, headers)).status, 401, JSON.stringify(headers));
      for (const body of [{ adminSecret: ADMIN_SECRET }, { apiKey }])
        assert.equal((await session.call('/listProducts', body)).status, 401);
      const webhook = { 'x-webhook-secret': WEBHOOK_SECRET };
      assert.equal((await session.call('/getStudioOrder', { studioOrderId: 'none' }, webhook)).status, 401);
      assert.equal((await session.call('/getStudioOrder', { studioOrderId: 'none' })).status, 404);
    });

    it('leaves a secret or key valid where the cookie itself does not count', async () => {
      const { status } = await app.admin('/listProducts', {}, { headers: { cookie: session.cookie } });
      assert.equal(status, 200);
    });

    for (const [what, cookie] of [
      ['another cookie of a similar name', (own: string) => own.replace('__Host-', 'x__Host-')],
      ['a value that is too short', (own: string) => own.slice(0, -1)],
      ['a value with something behind it', (own: string) => `${own}x`],
      ['two of them', (own: string) => `${own}; ${own}`],
      ['two of them, one unknown', (own: string) => `__Host-latchkey=${'a'.repeat(43)}; ${own}`],
      ['nothing in it', () => '__Host-latchkey='],
    ] as const)
      it(`is not found in ${what}`, async () => {
        assert.equal((await session.call('/listProducts', {}, { cookie: cookie(session.cookie) })).status, 401);
      });

    it('is found among others', async () => {
      const cookie = `theme=dark; ${session.cookie}; other=1`;
      assert.equal((await session.call('/listProducts', {}, { cookie })).status, 200);
    });

    it('does nothing at endpoints of clients, customers and the storefront', async () => {
      const licenseKey = await app.license();
      assert.equal((await session.call('/verify', { licenseKey, productId: 'app' })).status, 200);
      for (const path of ['/storefrontWebhook', '/createStudioOrder', '/listStudioOrders'])
        assert.equal((await session.call(path)).status, 401, path);
      const { body } = await app.admin('/createDiscountCode', { code: 'CONSOLE', productIds: ['app'], trialDays: 7 });
      assert.equal(body.success, true);
      const redeemed = await session.call('/redeemTrialCode', {
        code: 'CONSOLE',
        productId: 'app',
        email: 'bo@example.com',
      });
      assert.equal(redeemed.status, 200, JSON.stringify(redeemed.body));
      const { body: events } = await app.admin('/listEvents', { licenseKey: redeemed.body.licenseKey });
      assert.deepEqual(events.events[0].actor, { kind: 'client', id: null, keyName: null });
    });

    it('is not set for a sign-in that a foreign page caused', async () => {
      for (const headers of [
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
        { origin: 'https://evil.example' },
        { 'sec-fetch-site': 'same-origin', 'content-type': 'text/plain' },
      ] as const satisfies readonly Readonly<Record<string, string>>[]) {
        const answer = await app.send('/createConsoleSession', { secret: ADMIN_SECRET }, { headers });
        assert.deepEqual([answer.status, setCookieOf(answer)], [401, undefined], JSON.stringify(headers));
      }
      assert.equal((await app.send('/createConsoleSession', { secret: ADMIN_SECRET })).status, 200);
    });

    it('lets nobody do more by a preflight: no path answers one', async () => {
      const headers = { origin: 'https://evil.example', 'access-control-request-method': 'POST' };
      for (const path of ['/createConsoleSession', '/listProducts', '/console/']) {
        const answer = await app.send(path, undefined, { method: 'OPTIONS', headers });
        assert.equal(answer.status, 405, path);
        assert.deepEqual(
          Object.keys(answer.headers).filter((name) => name.startsWith('access-control')),
          [],
        );
      }
    });
  });
