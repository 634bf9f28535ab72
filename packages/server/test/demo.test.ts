/** The demo beside a running service: the data it stores, where it looks for the service, and how it fails. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { systemClock } from '../src/ground/base/clock.ts';
import { readConfig } from '../src/runtime/config/read-config.ts';
import { openCertificate } from '../src/runtime/http/certificate.ts';
import { ADMIN_SECRET, startApp, WEBHOOK_SECRET } from './support/app.ts';
import { runProgram } from './support/command.ts';
import { engines } from './support/databases.ts';
import { fixedPort } from './support/fixed-port.ts';
import { listen } from './support/listen.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const demo = (environment: Readonly<Record<string, string>>, args: readonly string[] = []) =>
  runProgram('scripts/demo.ts', args, environment);

const SECRETS = { LATCHKEY_ADMIN_SECRET: ADMIN_SECRET, LATCHKEY_WEBHOOK_SECRET: WEBHOOK_SECRET };

/** A data directory with a certificate for localhost in it. */
async function dataDirectory(test: TestContext) {
  const directory = temporaryFolder(test);
  const made = await openCertificate(readConfig({ LATCHKEY_DATA_DIR: directory }), systemClock());
  return { directory, made };
}

for (const engine of engines)
  describe(`the demo on ${engine}`, () => {
    it('finds the service by PORT and the data directory or by its URL, and stores its answers each time', async (test) => {
      const { directory } = await dataDirectory(test);
      writeFileSync(join(directory, 'admin-secret'), `${ADMIN_SECRET}\n`);
      writeFileSync(join(directory, 'webhook-secret'), `${WEBHOOK_SECRET}\n`);
      const settings = { HOST: 'localhost', LATCHKEY_DATA_DIR: directory, LATCHKEY_COUNTRY_HEADER: 'x-country' };
      const app = await startApp(engine, settings);
      test.after(() => app.stop());
      const url = `https://localhost:${app.port}`;
      for (const [before, place] of [
        { PORT: String(app.port), LATCHKEY_DATA_DIR: directory },
        { ...SECRETS, LATCHKEY_URL: url, NODE_EXTRA_CA_CERTS: join(directory, 'tls-cert.pem') },
      ].entries()) {
        const round = before + 1;
        const { code, out, err } = await demo(place);
        assert.deepEqual([code, err], [0, '']);
        assert.ok(out.startsWith(`Stores in the service at ${url}, where it stays:\n`));
        assert.match(out, /API key {5}lk_/);
        const said =
          /(\d+) products, (\d+) variants and (\d+) trial code, .*\n +(\d+) API key, (\d+) licenses, (\d+) studio orders with (\d+) seats/;
        const [products, variants, codes, ...ofEach] = said.exec(out)!.slice(1).map(Number);
        const [keys, licenses, orders, seats] = ofEach.map((count) => count * round);
        const ordered = (await app.webhook('/listStudioOrders', { creatorId: 'lumen-audio' })).body.orders;
        const stored = {
          products: (await app.admin('/listProducts')).body.products.length,
          variants: (
            await Promise.all(
              ['tapehead', 'glasshouse', 'framewright'].map((productId) => app.admin('/listVariants', { productId })),
            )
          ).reduce((sum, { body }) => sum + body.variants.length, 0),
          codes: (await app.admin('/listDiscountCodes')).body.codes.length,
          keys: (await app.admin('/listApiKeys', { creatorId: 'lumen-audio' })).body.keys.length,
          licenses: (await app.admin('/listLicenses')).body.licenses.length,
          orders: ordered.length,
          seats: ordered.reduce((sum: number, { seatCount }: { seatCount: number }) => sum + seatCount, 0),
        };
        assert.deepEqual(stored, { products, variants, codes, keys, licenses, orders, seats });
        const revoked = await app.admin('/listLicenses', { status: 'revoked' });
        assert.equal(revoked.body.count, 2 * round, 'a refund and a chargeback each time');
        const { body } = await app.admin('/listLicenses', { productId: 'tapehead', email: 'ada@example.com' });
        const ada = (await app.admin('/getLicense', { licenseKey: body.licenses[0].key })).body;
        const countries = ada.activations.map((each: { lastCountry: string }) => each.lastCountry);
        assert.deepEqual([countries.sort(), ada.violations[0].type], [['DE', 'FR'], 'machine_limit']);
      }
    });
  });

describe('the demo', () => {
  it('shows help and ends with 0, refuses other arguments with 2, and stores nothing then', async () => {
    const help = await demo({}, ['--help']);
    assert.deepEqual([help.code, help.err], [0, '']);
    assert.match(help.out, /^Usage: npm run demo\n/);
    const history = [
      ['--days', '3'],
      ['--history', '--days', '0'],
      ['--history', '--days', '366'],
    ];
    for (const args of [['now'], ...history]) {
      const refused = await demo({}, args);
      assert.deepEqual([refused.code, refused.out], [2, ''], args.join(' '));
      assert.match(refused.err, /^Usage: npm run demo\n/);
    }
  });

  /** Ends with 1 and one sentence. */
  async function failsWith(sentence: RegExp, environment: Readonly<Record<string, string>>): Promise<void> {
    const { code, err } = await demo(environment);
    assert.equal(code, 1, err);
    assert.match(err, sentence);
    assert.equal(err.trimEnd().split('\n').length, 1, err);
    assert.doesNotMatch(err, new RegExp(`${ADMIN_SECRET}|${WEBHOOK_SECRET}`));
  }

  it('names in a sentence the place of missing secrets', async (test) => {
    const { directory } = await dataDirectory(test);
    await failsWith(/admin-secret is not there: start the service with npm start, or set LATCHKEY_ADMIN_SECRET\.$/m, {
      LATCHKEY_DATA_DIR: directory,
    });
  });

  it('says in a sentence that nothing answers', async (test) => {
    const { directory } = await dataDirectory(test);
    const port = await fixedPort();
    await failsWith(new RegExp(`^Nothing answers at https://localhost:${port}: start the service with npm start`), {
      ...SECRETS,
      PORT: String(port),
      LATCHKEY_DATA_DIR: directory,
    });
  });

  it('says in a sentence that the service is behind a proxy', async () => {
    await failsWith(/^The service is behind a proxy: set LATCHKEY_URL/, {
      ...SECRETS,
      LATCHKEY_TRUST_PROXY: '127.0.0.1',
    });
  });

  it('says in a sentence that something else answers, or that it is not trusted', async (test) => {
    const { directory, made } = await dataDirectory(test);
    const server = createServer({ cert: made.certificate, key: made.key }, (_request, response) => {
      response.end('<p>hello</p>');
    });
    const port = await listen(server, 'localhost');
    test.after(() => server.close());
    const known = { ...SECRETS, PORT: String(port), LATCHKEY_DATA_DIR: directory };
    await failsWith(/^What answers at .* is not Latchkey/, known);
    await failsWith(/^The certificate at .* is not trusted \(DEPTH_ZERO_SELF_SIGNED_CERT\)/, {
      ...SECRETS,
      LATCHKEY_URL: `https://localhost:${port}`,
    });
  });

  it('says in a sentence that its secret is refused', async (test) => {
    const { directory } = await dataDirectory(test);
    const app = await startApp('sqlite', { HOST: 'localhost', LATCHKEY_DATA_DIR: directory });
    test.after(() => app.stop());
    await failsWith(/^\/createProduct was refused with 401: Unauthorized$/m, {
      LATCHKEY_ADMIN_SECRET: 'another-secret-altogether',
      LATCHKEY_WEBHOOK_SECRET: WEBHOOK_SECRET,
      PORT: String(app.port),
      LATCHKEY_DATA_DIR: directory,
    });
  });
});
