/** The service below a path of a host: behind a proxy that takes the path off, and behind one that leaves it on. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { request as sendRequest } from 'node:http';
import { describe, it } from 'node:test';
import { ADMIN_SECRET, startApp, type TestApp } from '../../support/app.ts';
import { engines } from '../../support/databases.ts';

const PREFIX = '/licenses';
const ORIGIN = 'https://example.com';
const SETTINGS = {
  LATCHKEY_TRUST_PROXY: '127.0.0.1',
  LATCHKEY_PUBLIC_URL: `${ORIGIN}${PREFIX}/`,
  LATCHKEY_SELF_SERVICE: 'on',
  LATCHKEY_SECRETS_KEY: 'a key that every node of the tests has',
};

interface Received {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

interface Sent {
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A browser that reaches the service by a proxy, and keeps cookies by their path. */
class Browser {
  readonly #app: TestApp;
  readonly #isStripped: boolean;
  readonly cookies = new Map<string, string>();

  constructor(app: TestApp, isStripped: boolean) {
    this.#app = app;
    this.#isStripped = isStripped;
  }

  /** Requests a path of the host; the proxy has only the paths below the prefix. */
  async get(path: string, { method = 'GET', body = '', headers = {} }: Sent = {}): Promise<Received> {
    assert.ok(path === PREFIX || path.startsWith(`${PREFIX}/`), `${path} leaves the service`);
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const options = {
      ...{ port: this.#app.port, host: '127.0.0.1', method, agent: false },
      path: this.#isStripped ? path.slice(PREFIX.length) || '/' : path,
      headers: {
        host: 'example.com',
        'x-forwarded-proto': 'https',
        'x-forwarded-for': '203.0.113.7',
        cookie,
        ...headers,
      },
    };
    const received = await new Promise<Received>((resolve, reject) => {
      const sent = sendRequest(options, async (response) => {
        const text = (await response.toArray()).join('');
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      });
      sent.on('error', reject);
      sent.end(body);
    });
    for (const set of [received.headers['set-cookie'] ?? []].flat()) {
      const [, name = '', value = '', attributes = ''] = /^([^=]+)=([^;]*); (.*)$/.exec(set) ?? [];
      assert.match(name, /^__Secure-latchkey/);
      assert.match(attributes, /^Path=\/licenses\/; Secure; HttpOnly; SameSite=/);
      if (value === '') this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return received;
  }

  /** Sends a form, as a page of the service does. */
  post(path: string, body: string, type: string, headers: Sent['headers'] = {}): Promise<Received> {
    const own = { 'content-type': type, origin: ORIGIN, 'sec-fetch-site': 'same-origin' };
    return this.get(path, { method: 'POST', body, headers: { ...own, ...headers } });
  }
}

/** The addresses of a page that name this host. */
const linksIn = (page: string) => [...page.matchAll(/\b(?:href|src|action)="(\/[^"]*)"/g)].map(([, link = '']) => link);

for (const engine of engines)
  for (const isStripped of [true, false])
    describe(`below a path that the proxy ${isStripped ? 'takes off' : 'leaves on'}, on ${engine}`, () => {
      it('pages link to pages of the service, and redirects lead to them', async (test) => {
        const app = await startApp(engine, SETTINGS);
        test.after(() => app.stop());
        const browser = new Browser(app, isStripped);
        const start = await browser.get(PREFIX);
        assert.deepEqual([start.status, start.headers.location], [302, `${PREFIX}/docs`]);
        const toConsole = await browser.get(`${PREFIX}/console`);
        assert.deepEqual([toConsole.status, toConsole.headers.location], [302, `${PREFIX}/console/`]);
        for (const path of ['/docs', '/docs/guides', '/docs/nothing', '/my']) {
          const { text, headers } = await browser.get(PREFIX + path, { headers: { accept: 'text/html' } });
          const links = linksIn(text);
          assert.ok(links.length > 0, path);
          for (const link of new Set(links.map((each) => each.replace(/#.*/, '').replaceAll('&amp;', '&')))) {
            if (link === '' || /^\/licenses\/docs\/./.test(link)) continue;
            const found = await browser.get(link, { headers: { accept: 'text/html' } });
            const isThere = found.status < 400 || found.text.includes('The console is not built');
            assert.ok(isThere, `${path} links to ${link}: ${found.status}`);
          }
          const script = /<script>([\s\S]*?)<\/script>/.exec(text)?.[1];
          if (script !== undefined) {
            const hash = createHash('sha256').update(script).digest('base64');
            assert.ok(String(headers['content-security-policy']).includes(hash), 'the policy allows the script');
          }
        }
        const description = JSON.parse((await browser.get(`${PREFIX}/openapi.json`)).text);
        assert.deepEqual(description.servers, [{ url: PREFIX }]);
      });

      it('people sign in to the console, and customers to their licenses', async (test) => {
        const app = await startApp(engine, SETTINGS);
        test.after(() => app.stop());
        const browser = new Browser(app, isStripped);
        const json = 'application/json';
        const call = (path: string, fields: object) =>
          browser.post(PREFIX + path, JSON.stringify(fields), json, { 'x-latchkey-console': '1' });
        assert.equal((await call('/createConsoleSession', { secret: ADMIN_SECRET })).status, 200);
        assert.deepEqual([...browser.cookies.keys()], ['__Secure-latchkey']);
        assert.equal((await call('/createLicense', { email: 'ada@example.com', productId: 'app' })).status, 200);
        // A cookie of another service at the root of the host is none of this one.
        const value = browser.cookies.get('__Secure-latchkey')!;
        const stranger = new Browser(app, isStripped);
        stranger.cookies.set('__Host-latchkey', value);
        const refused = await stranger.post(`${PREFIX}/listLicenses`, '{}', json, { 'x-latchkey-console': '1' });
        assert.equal(refused.status, 401);
        browser.cookies.set('__Host-latchkey', 'x'.repeat(43));
        assert.equal((await call('/listLicenses', {})).status, 200);
        browser.cookies.delete('__Host-latchkey');

        const link = JSON.parse((await call('/createCustomerLink', { email: 'ada@example.com' })).text).url;
        assert.ok(link.startsWith(`${ORIGIN}${PREFIX}/my/enter?c=`), link);
        const customer = new Browser(app, isStripped);
        const { text } = await customer.get(link.slice(ORIGIN.length));
        const [, action = ''] = /<form method="post" action="([^"]+)"/.exec(text) ?? [];
        const fields = [...text.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)];
        const form = new URLSearchParams(fields.map(([, name = '', given = '']) => [name, given]));
        const entered = await customer.post(action, String(form), 'application/x-www-form-urlencoded');
        assert.deepEqual([entered.status, entered.headers.location], [303, `${PREFIX}/my/licenses`]);
        const licenses = await customer.get(`${PREFIX}/my/licenses`);
        assert.deepEqual([licenses.status, licenses.text.includes('app')], [200, true]);
        const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
        const type = 'application/x-www-form-urlencoded';
        assert.equal((await customer.post(`${PREFIX}/my/sign-out`, '', type, foreign)).status, 403);
      });
    });
