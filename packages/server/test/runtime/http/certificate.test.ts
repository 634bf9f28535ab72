import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:https';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { DAY_MS, systemClock } from '../../../src/ground/base/clock.ts';
import { ConfigError } from '../../../src/runtime/config/config.ts';
import { readConfig } from '../../../src/runtime/config/read-config.ts';
import {
  type Certificate,
  checkCertificate,
  openCertificate,
  renewWhereDue,
} from '../../../src/runtime/http/certificate.ts';
import { listen } from '../../support/listen.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const root = temporaryFolder();
const now = systemClock();

/** The configuration of an empty data directory. */
function fresh() {
  const directory = mkdtempSync(join(root, 'data-'));
  return { directory, config: readConfig({ LATCHKEY_DATA_DIR: directory }) };
}

/** The certificate that a service with a trusted clock opens. */
async function renewed(config: ReturnType<typeof readConfig>, at: number): Promise<Certificate> {
  const opened = await openCertificate(config, at);
  return (await renewWhereDue(opened, at)) ?? opened;
}

/** Serves `ok` with the certificate while `visit` runs. */
async function serving(made: Certificate, visit: (port: number) => Promise<void>): Promise<void> {
  const server = createServer({ cert: made.certificate, key: made.key }, (_request, response) => response.end('ok'));
  const port = await listen(server);
  try {
    await visit(port);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

/** Resolves with the body once the connection was made and the certificate accepted for `servername`. */
function visit(port: number, servername: string, ca?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { host: servername };
    const options = { host: '127.0.0.1', port, headers, agent: false as const, ...(ca === undefined ? {} : { ca }) };
    request({ ...options, ...(servername === '127.0.0.1' ? {} : { servername }) }, (response) => {
      response.setEncoding('utf8').on('data', resolve);
    })
      .on('error', reject)
      .end();
  });
}

describe('a self-signed certificate', () => {
  test('is made on the first start, for localhost and both loopback addresses, with a key for the owner alone', async () => {
    const { directory, config } = fresh();
    const made = await openCertificate(config, now);
    const parsed = new X509Certificate(made.certificate);
    assert.equal(parsed.checkHost('localhost'), 'localhost');
    assert.equal(parsed.checkIP('127.0.0.1'), '127.0.0.1');
    assert.equal(parsed.checkIP('::1'), '::1');
    assert.equal(parsed.checkHost('example.com'), undefined);
    assert.equal(parsed.publicKey.asymmetricKeyDetails?.namedCurve, 'prime256v1');
    assert.equal(parsed.ca, false);
    assert.deepEqual(readdirSync(directory).sort(), ['tls-cert.pem', 'tls-key.pem']);
    assert.equal(statSync(join(directory, 'tls-key.pem')).mode & 0o777, 0o600);
    assert.equal(made.certificateFile, join(directory, 'tls-cert.pem'));
    assert.equal(readFileSync(made.certificateFile, 'utf8'), made.certificate);
    assert.equal(made.isSelfSigned, true);
    assert.deepEqual(made.notices, []);
  });

  test('lasts no longer than the 825 days that every client accepts, and has begun already', async () => {
    const { config } = fresh();
    const parsed = new X509Certificate((await openCertificate(config, now)).certificate);
    assert.ok(parsed.validToDate.getTime() - parsed.validFromDate.getTime() <= 825 * DAY_MS);
    assert.ok(parsed.validToDate.getTime() > now + 700 * DAY_MS);
    assert.ok(parsed.validFromDate.getTime() < now);
  });

  test('is accepted by clients that trust it, under each of its names, and by no others', async () => {
    const { config } = fresh();
    const made = await openCertificate(config, now);
    await serving(made, async (port) => {
      assert.equal(await visit(port, 'localhost', made.certificate), 'ok');
      assert.equal(await visit(port, '127.0.0.1', made.certificate), 'ok');
      await assert.rejects(visit(port, 'example.com', made.certificate), { code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
      await assert.rejects(visit(port, 'localhost'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
    });
  });

  const hasCurl = process.env.PATH?.split(':').some((path) => existsSync(join(path, 'curl')));
  const noCurl = hasCurl ? false : 'install curl to run it';
  test('is accepted by curl --cacert', { skip: noCurl }, async () => {
    const { config } = fresh();
    const made = await openCertificate(config, now);
    await serving(made, async (port) => {
      const url = `https://localhost:${port}/`;
      const run = promisify(execFile);
      const { stdout } = await run('curl', ['-sS', '--ipv4', '--noproxy', '*', '--cacert', made.certificateFile, url]);
      assert.equal(stdout, 'ok');
      await assert.rejects(run('curl', ['-sS', '--ipv4', '--noproxy', '*', url]), { code: 60 });
    });
  });

  test('is kept over restarts until 30 days before its end', async () => {
    const { config } = fresh();
    const made = await openCertificate(config, now);
    assert.deepEqual(await openCertificate(config, made.endsAt - 31 * DAY_MS), made);
  });

  for (const [when, daysBefore, said] of [
    ['within 30 days of its end', 29, /tls-cert\.pem was to expire on .* and was replaced/],
    ['after its end', -1, /tls-cert\.pem expired on .* and was replaced/],
    ['while it is not valid yet', 1000, /tls-cert\.pem was not valid before .* and was replaced/],
  ] as const) {
    test(`is renewed with the same key ${when}, and the operator is informed`, async () => {
      const { config } = fresh();
      const made = await openCertificate(config, now);
      const later = made.endsAt - daysBefore * DAY_MS;
      const remade = await renewed(config, later);
      assert.ok(remade.endsAt > later + 700 * DAY_MS);
      assert.equal(remade.key, made.key);
      assert.notEqual(remade.certificate, made.certificate);
      assert.match(remade.notices.join(), said);
      assert.deepEqual((await openCertificate(config, later)).notices, []);
      assert.equal(await renewWhereDue(remade, later), null);
    });
  }

  test('is kept, with a notice, while it is not valid yet and nobody has said that the clock is believed', async () => {
    const { config } = fresh();
    const made = await openCertificate(config, now + 730 * DAY_MS);
    const opened = await openCertificate(config, now);
    assert.equal(opened.certificate, made.certificate);
    const said =
      /tls-cert\.pem is not valid before .*replaces the certificate within a minute after it believes the clock/;
    assert.match(opened.notices.join(), said);
    assert.match(checkCertificate(config, now).join(), said);
    assert.deepEqual(checkCertificate(config, now + 730 * DAY_MS), []);
  });

  test('is replaced when it is damaged or belongs to another key', async () => {
    const { directory, config } = fresh();
    const other = await openCertificate(fresh().config, now);
    await openCertificate(config, now);
    for (const [contents, reason] of [
      ['', /could not be read/],
      [other.certificate, /did not belong to the key beside it/],
    ] as const) {
      writeFileSync(join(directory, 'tls-cert.pem'), contents);
      const remade = await openCertificate(config, now);
      assert.match(remade.notices.join(), reason);
      assert.ok(new X509Certificate(remade.certificate).checkPrivateKey(createPrivateKey(remade.key)));
    }
  });

  test('a damaged key is an error that says what to remove', async () => {
    const { directory, config } = fresh();
    writeFileSync(join(directory, 'tls-key.pem'), 'damaged');
    await assert.rejects(openCertificate(config, now), /tls-key\.pem holds no private key; remove it and /);
  });

  test('starts that happen together end up with one pair', async () => {
    const { directory, config } = fresh();
    const made = await Promise.all(Array.from({ length: 8 }, () => openCertificate(config, now)));
    for (const each of made) assert.deepEqual(each, made[0]);
    assert.deepEqual(readdirSync(directory).sort(), ['tls-cert.pem', 'tls-key.pem']);
  });
});

describe("the operator's certificate", async () => {
  const first = await openCertificate(fresh().config, now);
  const second = await openCertificate(fresh().config, now);
  const files = mkdtempSync(join(root, 'given-'));

  function given(certificate: string, key: string) {
    const certificateFile = join(files, 'fullchain.pem');
    const keyFile = join(files, 'privkey.pem');
    writeFileSync(certificateFile, certificate);
    writeFileSync(keyFile, key, { mode: 0o600 });
    const directory = join(files, 'never-made');
    const environment = { LATCHKEY_TLS_CERT_FILE: certificateFile, LATCHKEY_TLS_KEY_FILE: keyFile };
    return readConfig({ ...environment, LATCHKEY_DATA_DIR: directory });
  }

  test('is read with its chain, and nothing is written', async () => {
    const chain = first.certificate + second.certificate;
    assert.deepEqual(await openCertificate(given(chain, first.key), now), {
      certificate: chain,
      key: first.key,
      certificateFile: join(files, 'fullchain.pem'),
      keyFile: join(files, 'privkey.pem'),
      isSelfSigned: false,
      startsAt: first.startsAt,
      endsAt: first.endsAt,
      notices: [],
    });
    assert.deepEqual(readdirSync(files).sort(), ['fullchain.pem', 'privkey.pem']);
  });

  test('comes with a notice when it ends within 30 days or has ended', async () => {
    const config = given(first.certificate, first.key);
    assert.match((await openCertificate(config, first.endsAt - 29 * DAY_MS)).notices.join(), / expires on /);
    assert.match((await openCertificate(config, first.endsAt)).notices.join(), / expired on /);
  });

  test('comes with a notice while it is not valid yet, in a start and in check', async () => {
    const config = given(first.certificate, first.key);
    const said = /fullchain\.pem is not valid before .*Correct this machine's clock if it is behind, or replace/;
    assert.match((await openCertificate(config, first.startsAt - 1)).notices.join(), said);
    assert.match(checkCertificate(config, first.startsAt - 1).join(), said);
    assert.deepEqual((await openCertificate(config, first.startsAt)).notices, []);
  });

  const isWindows = process.platform === 'win32' && 'files have no such mode on Windows';
  test('comes with a notice when others can read its key, which is left as it is', { skip: isWindows }, async () => {
    const config = given(first.certificate, first.key);
    const { keyFile } = config.tlsFiles!;
    chmodSync(keyFile, 0o644);
    const { notices } = await openCertificate(config, now);
    assert.equal(notices.length, 1);
    assert.ok(notices[0]?.startsWith(`${keyFile} is open to other users of this machine (mode 0644)`));
    assert.equal(statSync(keyFile).mode & 0o777, 0o644);
    chmodSync(keyFile, 0o600);
  });

  const errors: [string, string, string, RegExp][] = [
    ['a key of another certificate', first.certificate, second.key, /^LATCHKEY_TLS_KEY_FILE .* does not belong to /],
    ['no certificate', 'nothing', first.key, /^LATCHKEY_TLS_CERT_FILE .* holds no PEM certificate$/],
    ['no key', first.certificate, 'nothing', /^LATCHKEY_TLS_KEY_FILE .* holds no PEM private key/],
    ['the two files swapped', first.key, first.certificate, /^LATCHKEY_TLS_CERT_FILE .*\nLATCHKEY_TLS_KEY_FILE /],
  ];
  for (const [kind, certificate, key, message] of errors) {
    test(`${kind} is an error, and no key is shown`, async () => {
      await assert.rejects(openCertificate(given(certificate, key), now), (error) => {
        assert.ok(error instanceof ConfigError);
        assert.match(error.message, message);
        assert.doesNotMatch(error.message, /BEGIN|[A-Za-z\d+/]{60}/);
        return true;
      });
    });
  }
});
