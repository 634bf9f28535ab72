import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ADMIN_SECRET, type Answer } from '../../support/app.ts';
import { Creator } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { startedApp } from '../../support/started-app.ts';

const ORDER = { email: 'ada@example.com', productId: 'app' };
const HEADER = 'latchkey-ignored-fields';

for (const engine of engines)
  describe(`fields that nothing reads on ${engine}`, () => {
    const app = startedApp(engine);

    const ignoredIn = ({ status, headers }: Answer) => [status, headers[HEADER]];

    it('are named to callers with a secret, on answers of any status', async () => {
      const made = await app.admin('/createLicense', { ...ORDER, varient: 'studio', 'max machines': 2 });
      assert.deepEqual(ignoredIn(made), [200, 'varient,max%20machines']);
      const refused = await app.admin('/createLicense', { email: 'ada@example.com', varient: 'studio' });
      assert.deepEqual(ignoredIn(refused), [400, 'varient']);
      const missing = await app.admin('/getLicense', { licenseKey: 'UNKNOWN', keys: 1 });
      assert.deepEqual(ignoredIn(missing), [404, 'keys']);
      const sale = { type: 'purchase.completed', ...ORDER, productid: 'app', lineID: '1' };
      assert.deepEqual(ignoredIn(await app.webhook('/storefrontWebhook', sale)), [200, 'productid,lineID']);
      const wrong = await app.send('/createLicense', { ...ORDER, adminSecret: 'wrong', varient: 'x' });
      assert.deepEqual(ignoredIn(wrong), [401, 'varient']);
    });

    it('are named to API keys, and in queries', async () => {
      const creator = await Creator.of(app);
      assert.deepEqual(ignoredIn(await creator.send('/listLicenses', { limits: 1 })), [200, 'limits']);
      const query = new URLSearchParams({ adminSecret: ADMIN_SECRET, limit: '1', page: '2' });
      const asked = await app.send(`/listLicenses?${query}`, undefined, { method: 'GET' });
      assert.deepEqual(ignoredIn(asked), [200, 'page']);
      const posted = await app.admin('/createLicense?variant=studio', ORDER);
      assert.deepEqual(ignoredIn(posted), [200, 'variant']);
    });

    it('are named to nobody else, and nothing is named where all are read', async () => {
      assert.deepEqual(ignoredIn(await app.admin('/createLicense', ORDER)), [200, undefined]);
      const licenseKey = await app.license();
      const verified = await app.send('/verify', { licenseKey, productId: 'app', machineFingerprint: 'm', more: 1 });
      assert.equal(verified.headers[HEADER], undefined);
      const stranger = await app.send('/createLicense', { ...ORDER, varient: 'x' });
      assert.deepEqual(ignoredIn(stranger), [401, undefined]);
    });

    it('fill at most 1 KiB, with whole names that no header can be made of', async () => {
      const many = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`unknown-${index}`, index]));
      const value = String((await app.admin('/createLicense', { ...ORDER, ...many })).headers[HEADER]);
      assert.ok(value.length <= 1024 && value.length > 1000, `${value.length}`);
      for (const name of value.split(',')) assert.ok(name in many, name);
      const hostile = { 'a\r\nSet-Cookie: b': 1, 'ü,': 2, '\ud800': 3, ['x'.repeat(2000)]: 4, constructor: 5 };
      const named = await app.admin('/createLicense', { ...ORDER, ...hostile });
      assert.deepEqual(ignoredIn(named), [200, 'a%0D%0ASet-Cookie%3A%20b,%C3%BC%2C,%EF%BF%BD,constructor']);
      assert.equal(named.headers['set-cookie'], undefined);
    });
  });
