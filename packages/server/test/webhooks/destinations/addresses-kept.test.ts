/** Addresses of the web are kept and shown as requests and links understand them. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadConfig } from '../../../src/runtime/config/read-config.ts';
import { mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { startedApp } from '../../support/started-app.ts';

const SETTINGS = { LATCHKEY_SECRETS_KEY: 'secrets-key-of-these-tests', LATCHKEY_DELIVERIES: 'off' };
const WITH_CONTROLS = [
  'https://hook.example/\r\nX-A: b',
  'https://ho\tok.example/',
  'https://hook.example/\n',
  '\u0001https://hook.example/',
  'https://hook.example/a\u007fb',
  'https://hook.example/a\u0085b',
];
const UNDERSTOOD: readonly (readonly [given: string, kept: string])[] = [
  ['https://HOOK.example', 'https://hook.example/'],
  ['https://hook.example:443/a/../b?c=ü', 'https://hook.example/b?c=%C3%BC'],
  ['https://hook.example/a\u202eb', 'https://hook.example/a%E2%80%AEb'],
];

for (const engine of engines)
  describe(`an address on ${engine}`, () => {
    const app = startedApp(engine, SETTINGS);
    const refused = async (path: string, fields: object, error: string) => {
      const { status, body } = await app.admin(path, { ...fields });
      assert.deepEqual([status, body.error], [400, error]);
    };
    const RULE = 'must have no control characters, such as tabs and line breaks';

    it('of a destination has no control characters, and is kept as requests are sent to it', async () => {
      const { destinationId } = await mustSucceed(
        app.admin('/createDestination', { url: 'https://hook.example/', types: ['*'] }),
      );
      for (const url of WITH_CONTROLS) {
        await refused('/createDestination', { url, types: ['*'] }, `url ${RULE}`);
        await refused('/updateDestination', { destinationId, url }, `url ${RULE}`);
      }
      for (const [url, kept] of UNDERSTOOD) {
        const made = await mustSucceed(app.admin('/createDestination', { url, types: ['*'] }));
        assert.equal(made.destination.url, kept);
        const changed = await mustSucceed(app.admin('/updateDestination', { destinationId, url }));
        assert.equal(changed.destination.url, kept);
        const found = await mustSucceed(app.admin('/getDestination', { destinationId }));
        assert.equal(found.destination.url, kept);
      }
      const long = `https://hook.example/${'ü'.repeat(1_000)}`;
      const { status } = await app.admin('/createDestination', { url: long, types: ['*'] });
      assert.equal(status, 400, 'the kept address is bounded, too');
    });

    it('of the page of support has no control characters, and is kept as the link leads', async () => {
      for (const supportUrl of WITH_CONTROLS)
        await refused('/updateBrand', { name: 'Shop', supportUrl }, `supportUrl ${RULE}`);
      for (const [supportUrl, kept] of UNDERSTOOD.slice(0, 2))
        assert.equal(
          (await mustSucceed(app.admin('/updateBrand', { name: 'Shop', supportUrl }))).brand.supportUrl,
          kept,
        );
    });
  });

describe('an address in the configuration', () => {
  for (const [name, value] of [
    ['LATCHKEY_SMTP_URL', 'smtp://mail.ex\tample.com'],
    ['LATCHKEY_PUBLIC_URL', 'https://licenses.ex\nample.com'],
    ['DATABASE_URL', 'postgres://db.example.com/latch\tkey'],
  ] as const)
    it(`(${name}) has no control characters`, () => {
      assert.throws(
        () => loadConfig({ [name]: value }),
        (error: Error) => error.message.includes(`${name} must have no control characters`),
      );
    });
});
