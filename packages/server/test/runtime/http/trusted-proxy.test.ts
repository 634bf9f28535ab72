/**
 * Behind proxies that end TLS: plain HTTP from these proxies only, and only for requests that reached them by HTTPS.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { readConfig } from '../../../src/runtime/config/read-config.ts';
import { ADMIN_SECRET, type Answer, startApp, type TestApp, WEBHOOK_SECRET } from '../../support/app.ts';
import { writeMmdb } from '../../support/mmdb-writer.ts';
import { requestBytes, Wire } from './wire.ts';

/** Networks of the client and of an attacker who spoofs another address. */
const COUNTRIES = {
  '203.0.113.0/24': { country: { iso_code: 'DE' } },
  '198.51.100.0/24': { country: { iso_code: 'FR' } },
};
const HTTPS = 'X-Forwarded-Proto: https';

describe('behind trusted proxies', () => {
  let app: TestApp;
  let directory: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'latchkey-proxy-'));
    const geoipFile = join(directory, 'countries.mmdb');
    await writeFile(geoipFile, writeMmdb(4, COUNTRIES));
    app = await startApp('sqlite', { LATCHKEY_TRUST_PROXY: '127.0.0.1, 10.0.0.0/8', LATCHKEY_GEOIP_FILE: geoipFile });
  });
  after(async () => {
    await app.stop();
    await rm(directory, { recursive: true });
  });

  const forwarded = (path: string, body: unknown, headers: readonly string[]): Promise<Answer> =>
    Wire.exchange(app.port, requestBytes(path, JSON.stringify(body), { headers }), { tls: false });

  it('serves requests that came by HTTPS', async () => {
    const answer = await forwarded('/verify', {}, [HTTPS]);
    assert.deepEqual([answer.status, answer.body.error], [400, 'Missing licenseKey or productId']);
    const { status } = await forwarded('/listStudioOrders', { courseId: 'c' }, [
      HTTPS,
      `x-webhook-secret: ${WEBHOOK_SECRET}`,
    ]);
    assert.equal(status, 200);
  });

  it('426 for requests by HTTP, and without a sign of HTTPS', async () => {
    for (const headers of [
      [],
      ['X-Forwarded-Proto: http'],
      ['X-Forwarded-Proto: https, http'],
      ['Forwarded: proto=https'],
    ])
      for (const path of ['/verify', '/createLicense', '/nowhere']) {
        const answer = await forwarded(path, {}, headers);
        assert.equal(answer.status, 426, `${path} ${headers}`);
        const isSaid = headers.some((header) => header.startsWith('X-Forwarded-Proto'));
        const error = `HTTPS is required${isSaid ? '' : ': the proxy sent no X-Forwarded-Proto header'}`;
        assert.deepEqual(answer.body, { success: false, error });
      }
  });

  it('the proxy nearest to the service says how a request came', async () => {
    assert.equal((await forwarded('/verify', {}, ['X-Forwarded-Proto: http, https'])).status, 400);
  });

  /** The country recorded for a machine that activates a new license through these hops. */
  async function lastCountryVia(machineFingerprint: string, chain: string): Promise<string | null> {
    const order = { email: 'ada@example.com', productId: 'app', adminSecret: ADMIN_SECRET };
    const { licenseKey } = (await forwarded('/createLicense', order, [HTTPS])).body;
    const fields = { licenseKey, machineFingerprint, hostname: 'host', productId: 'app' };
    const activated = await forwarded('/activate', fields, [HTTPS, `X-Forwarded-For: ${chain}`]);
    assert.equal(activated.status, 200, JSON.stringify(activated.body));
    const { body } = await forwarded('/getLicense', { licenseKey, adminSecret: ADMIN_SECRET }, [HTTPS]);
    return body.activations[0].lastCountry;
  }

  it("takes the last address before the proxies as the client's, not a forged one", async () => {
    assert.equal(await lastCountryVia('one', '203.0.113.7'), 'DE');
    assert.equal(await lastCountryVia('two', '198.51.100.1, 203.0.113.7'), 'DE');
    assert.equal(await lastCountryVia('three', '198.51.100.1, 203.0.113.7, 10.1.2.3'), 'DE');
    assert.equal(await lastCountryVia('four', 'nonsense, 203.0.113.7'), 'DE');
    assert.equal(await lastCountryVia('five', '::ffff:203.0.113.7'), 'DE');
    assert.equal(await lastCountryVia('six', '198.51.100.1, ::ffff:cb00:7107'), 'DE');
    assert.equal(await lastCountryVia('seven', '198.51.100.1, 203.0.113.7:5100, [::ffff:10.1.2.3]:443'), 'DE');
  });

  it('takes nobody for the client where the last entry before the proxies is no address, or there is none', async () => {
    for (const [at, chain] of ['198.51.100.1, unknown', '198.51.100.1, _hidden, 10.1.2.3', '10.1.2.3', ''].entries())
      assert.equal(await lastCountryVia(`nobody ${at}`, chain), null, chain);
  });
});

describe('behind proxies that state the address in a header of their own', () => {
  const PROXY = { LATCHKEY_TRUST_PROXY: '127.0.0.1', LATCHKEY_ADDRESS_HEADER: 'CF-Connecting-IP' };

  it('the one address in it counts, and no entry of X-Forwarded-For', async (test) => {
    const app = await startApp('sqlite', { ...PROXY, LATCHKEY_WRONG_SECRET_RATE: '2' });
    test.after(() => app.stop());
    const guess = async (...headers: readonly string[]) => {
      const body = JSON.stringify({ adminSecret: 'wrong' });
      const request = requestBytes('/listLicenses', body, { headers: [HTTPS, ...headers] });
      return (await Wire.exchange(app.port, request, { tls: false })).status;
    };
    const from = (address: string, hop: number) =>
      guess(`CF-Connecting-IP: ${address}`, `X-Forwarded-For: 198.51.100.${hop}`);
    for (const address of ['203.0.113.7', '2001:db8::7'])
      assert.deepEqual([await from(address, 1), await from(address, 2), await from(address, 3)], [401, 401, 429]);
    // Without one address the caller is unknown, and no limit of a network counts.
    const unknown = [[], ['CF-Connecting-IP: 203.0.113.7, 203.0.113.8'], ['CF-Connecting-IP: nonsense']];
    for (const headers of unknown)
      for (let times = 0; times < 3; times++)
        assert.equal(await guess(...headers, 'X-Forwarded-For: 203.0.113.7'), 401);
  });

  it('needs the proxies to be named', () => {
    const { LATCHKEY_ADDRESS_HEADER } = PROXY;
    assert.throws(() => readConfig({ LATCHKEY_ADDRESS_HEADER }), /LATCHKEY_TRUST_PROXY must be set too/);
    assert.throws(() => readConfig({ ...PROXY, LATCHKEY_ADDRESS_HEADER: 'a b' }), /LATCHKEY_ADDRESS_HEADER is "a b"/);
  });
});

describe('in front of somebody else', () => {
  it('403 for a peer that is no trusted proxy, with any headers', async () => {
    const app = await startApp('sqlite', { LATCHKEY_TRUST_PROXY: '10.0.0.0/8' });
    for (const headers of [[], [HTTPS], [HTTPS, 'X-Forwarded-For: 10.1.2.3']]) {
      const answer = await Wire.exchange(app.port, requestBytes('/verify', '{}', { headers }), { tls: false });
      assert.equal(answer.status, 403);
      assert.deepEqual(answer.body, { success: false, error: 'Plain HTTP is served to trusted proxies only' });
    }
    await app.stop();
  });

  it('ignores forwarding headers if no proxy is trusted', async () => {
    const app = await startApp('sqlite');
    const headers = [HTTPS, 'X-Forwarded-For: 10.1.2.3'];
    const plain = await Wire.exchange(app.port, requestBytes('/verify', '{}', { headers }), { tls: false });
    assert.equal(plain.status, 426);
    await app.stop();
  });
});
