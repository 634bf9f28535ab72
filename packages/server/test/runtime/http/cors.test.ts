/** Which pages of other origins may read which answers (rules 11.4). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { endpoints } from '../../../src/app.ts';
import { type Answer, startApp, type TestApp } from '../../support/app.ts';

const ORIGIN = 'https://app.example.com';
const EXPOSED = 'Retry-After, Date, Latchkey-Code, X-Request-Id, Latchkey-Request-Id';
const KEY_PATHS = ['/.well-known/jwks.json', '/.well-known/latchkey-keys.json'];
const clientPaths = endpoints.filter(({ access }) => access === 'client').map(({ path }) => path);

const allowed = ({ headers }: Answer) => headers['access-control-allow-origin'];
const ask = (app: TestApp, path: string, origin: string, method = 'POST') =>
  app.send(path, undefined, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': method, 'access-control-request-headers': 'content-type' },
  });
const post = (app: TestApp, path: string, origin: string) => app.send(path, {}, { headers: { origin } });

describe('pages of other origins', () => {
  let none: TestApp;
  let some: TestApp;
  let all: TestApp;
  before(async () => {
    none = await startApp('sqlite');
    some = await startApp('sqlite', { LATCHKEY_CORS_ORIGINS: `${ORIGIN}, tauri://localhost` });
    all = await startApp('sqlite', { LATCHKEY_CORS_ORIGINS: '*' });
  });
  after(() => Promise.all([none, some, all].map((app) => app.stop())));

  it('may read nothing unless the operator says so', async () => {
    for (const path of clientPaths) {
      assert.equal(allowed(await post(none, path, ORIGIN)), undefined);
      const preflight = await ask(none, path, ORIGIN);
      assert.deepEqual([preflight.status, allowed(preflight)], [405, undefined]);
    }
  });

  it('may call the endpoints of apps if they are named, and read the headers of refusals', async () => {
    assert.equal(clientPaths.length, 8);
    for (const path of clientPaths)
      for (const origin of [ORIGIN, 'tauri://localhost']) {
        const preflight = await ask(some, path, origin);
        assert.equal(preflight.status, 204);
        assert.equal(preflight.body, '');
        assert.equal(allowed(preflight), origin);
        assert.equal(preflight.headers['access-control-allow-methods'], 'POST');
        assert.equal(preflight.headers['access-control-allow-headers'], 'content-type');
        assert.equal(preflight.headers['access-control-max-age'], '86400');
        const answer = await post(some, path, origin);
        assert.equal(answer.status, 400);
        assert.equal(allowed(answer), origin);
        assert.equal(answer.headers['access-control-expose-headers'], EXPOSED);
        assert.equal(answer.headers.vary, 'Origin');
        assert.equal(answer.headers['access-control-allow-credentials'], undefined);
      }
  });

  it('may not call them unless named', async () => {
    for (const origin of ['https://evil.example', 'null', `${ORIGIN}.evil.example`, 'http://app.example.com']) {
      const answer = await post(some, '/verify', origin);
      assert.deepEqual([allowed(answer), answer.headers.vary], [undefined, 'Origin']);
      assert.equal((await ask(some, '/verify', origin)).status, 405);
    }
  });

  it('are all named by *', async () => {
    const answer = await post(all, '/verify', 'https://whoever.example');
    assert.deepEqual([allowed(answer), answer.headers.vary], ['*', undefined]);
    assert.equal((await ask(all, '/verify', 'https://whoever.example')).status, 204);
  });

  it('may read the public keys', async () => {
    for (const path of KEY_PATHS) {
      const answer = await some.send(path, undefined, { method: 'GET', headers: { origin: ORIGIN } });
      assert.deepEqual([answer.status, allowed(answer)], [200, ORIGIN]);
      const preflight = await ask(some, path, ORIGIN, 'GET');
      assert.deepEqual([preflight.status, preflight.headers['access-control-allow-methods']], [204, 'GET']);
    }
  });

  it('may read nothing that is not for apps', async () => {
    const others = endpoints.filter(({ access }) => access !== 'client').map(({ path }) => path);
    for (const path of [
      ...others,
      '/docs',
      '/openapi.json',
      '/openapi-3.0.json',
      '/healthz',
      '/',
      '/.well-known/nothing',
    ]) {
      const preflight = await ask(all, path, ORIGIN);
      assert.notEqual(preflight.status, 204, path);
      if (path === '/.well-known/nothing') continue;
      assert.equal(allowed(preflight), undefined, path);
      assert.equal(allowed(await post(all, path, ORIGIN)), undefined, path);
    }
  });
});
