/** Forms of requests that some programs send: the absolute form of the request line, JSON after a byte order mark. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { engines } from '../../support/databases.ts';
import { startedApp } from '../../support/started-app.ts';

for (const engine of engines)
  describe(`other forms of requests on ${engine}`, () => {
    const app = startedApp(engine);

    it('JSON after a byte order mark is read', async () => {
      const licenseKey = await app.license();
      const body = JSON.stringify({ licenseKey, productId: 'app' });
      assert.equal((await app.send('/verify', `\ufeff${body}`)).status, 200);
      assert.equal((await app.send('/verify', `\ufeff\ufeff${body}`)).status, 400);
    });

    it('a request line in the absolute form leads to its path', async () => {
      const licenseKey = await app.license();
      const { status, body } = await app.send('https://licenses.example.com/verify', { licenseKey, productId: 'app' });
      assert.deepEqual([status, body.valid], [200, true]);
    });
  });
