/** The entrance for a person who knows the service's name and port, and no path. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startApp } from '../../support/app.ts';
import { engines } from '../../support/databases.ts';
import { requestBytes, Wire } from './wire.ts';

for (const engine of engines)
  describe(`/ on ${engine}`, () => {
    it('leads to the reference page', async (test) => {
      const app = await startApp(engine);
      test.after(() => app.stop());
      const { status, headers, body } = await app.send('/', undefined, { method: 'GET' });
      assert.deepEqual([status, headers.location], [302, '/docs']);
      assert.deepEqual(body, { success: true, location: '/docs' });
      assert.equal(headers['cache-control'], 'no-store');
      const page = await app.send(String(headers.location), undefined, { method: 'GET' });
      assert.equal(page.status, 200);
      assert.match(page.body, /^<!doctype html>/i);
    });

    it('redirects HEAD as well, with any query, and accepts no other method', async (test) => {
      const app = await startApp(engine);
      test.after(() => app.stop());
      const wire = await Wire.open(app.port);
      wire.write(requestBytes('/?from=a&list', '', { method: 'HEAD' }));
      const head = await wire.answer({ method: 'HEAD' });
      assert.deepEqual([head.status, head.headers.location, head.body], [302, '/docs', '']);
      wire.end();
      const posted = await app.send('/', {});
      assert.deepEqual([posted.status, posted.headers.allow], [405, 'GET, HEAD']);
    });

    it('leads there through a proxy that ends TLS', async (test) => {
      const app = await startApp(engine, { LATCHKEY_TRUST_PROXY: '127.0.0.1' });
      test.after(() => app.stop());
      const bytes = requestBytes('/', '', { method: 'GET', headers: ['X-Forwarded-Proto: https'] });
      const { status, headers } = await Wire.exchange(app.port, bytes, { tls: false });
      assert.deepEqual([status, headers.location], [302, '/docs']);
    });
  });
