/**
 * Certificates that are replaced while the service runs, with real files and sockets, and warnings before they expire.
 */
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { connect, type TLSSocket } from 'node:tls';
import { DAY_MS, systemClock } from '../../../src/ground/base/clock.ts';
import { readConfig } from '../../../src/runtime/config/read-config.ts';
import { type Certificate, openCertificate } from '../../../src/runtime/http/certificate.ts';
import { watchCertificate } from '../../../src/runtime/http/certificate-watch.ts';
import { startApp, TestClock } from '../../support/app.ts';
import { startServerProcess } from '../../support/server-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const root = temporaryFolder();

/** A certificate and key in a directory of their own, with this many days left. */
async function madeIn(daysLeft = 729, now = systemClock()): Promise<{ directory: string; made: Certificate }> {
  const directory = mkdtempSync(join(root, 'made-'));
  const config = readConfig({ LATCHKEY_DATA_DIR: directory });
  return { directory, made: await openCertificate(config, now - (729 - daysLeft) * DAY_MS) };
}

/** The files that an operator configures, holding a copy of a certificate. */
function placed(made: Certificate) {
  const directory = mkdtempSync(join(root, 'placed-'));
  const files = { certificateFile: join(directory, 'cert.pem'), keyFile: join(directory, 'key.pem') };
  cpSync(made.certificateFile, files.certificateFile);
  cpSync(made.keyFile, files.keyFile);
  const environment = { LATCHKEY_TLS_CERT_FILE: files.certificateFile, LATCHKEY_TLS_KEY_FILE: files.keyFile };
  return { ...files, environment };
}

/** Replaces a file by a link to itself, which no program can follow. */
function loop(file: string): void {
  rmSync(file);
  symlinkSync(file, file);
}

const fingerprintOf = (pem: string) => new X509Certificate(pem).fingerprint256;

/** A connection after its handshake, and the certificate that the service showed. */
async function open(test: TestContext, port: number): Promise<{ socket: TLSSocket; fingerprint: string | undefined }> {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, servername: 'localhost' });
  test.after(() => socket.destroy());
  await new Promise<void>((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject));
  return { socket, fingerprint: socket.getPeerX509Certificate()?.fingerprint256 };
}

/** The status line of the reply to a request on a connection. */
function statusOn(socket: TLSSocket): Promise<string> {
  return new Promise((resolve) => {
    socket.once('data', (chunk: Buffer) => resolve(chunk.toString('latin1', 0, 15)));
    socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
  });
}

describe('a certificate that is replaced on disk', { timeout: 60_000 }, () => {
  it('is served to new connections of the service and of its metrics, while open ones live on', async (test) => {
    const [{ made: first }, { made: second }] = [await madeIn(), await madeIn()];
    const { certificateFile, keyFile, environment } = placed(first);
    const app = await startApp('sqlite', {
      ...environment,
      LATCHKEY_METRICS_PORT: '0',
      LATCHKEY_METRICS_HOST: '0.0.0.0',
    });
    test.after(() => app.stop());
    const before = await open(test, app.port);
    assert.equal(before.fingerprint, fingerprintOf(first.certificate));
    assert.equal(await statusOn(before.socket), 'HTTP/1.1 200 OK');
    writeFileSync(keyFile, second.key);
    app.reload();
    assert.equal((await open(test, app.port)).fingerprint, before.fingerprint, 'of half a pair nothing is taken');
    writeFileSync(certificateFile, second.certificate);
    app.reload();
    for (const port of [app.port, app.metricsPort!]) {
      const { fingerprint, socket } = await open(test, port);
      assert.equal(fingerprint, fingerprintOf(second.certificate));
      assert.match(String(socket.getProtocol()), /^TLSv1\.[23]$/);
    }
    assert.equal(await statusOn(before.socket), 'HTTP/1.1 200 OK');
  });

  it('is found by looking at its files now and then', async (test) => {
    const [{ made: first }, { made: second }] = [await madeIn(), await madeIn()];
    const { certificateFile, keyFile, environment } = placed(first);
    const app = await startApp('sqlite', environment, undefined, { certificateLookIntervalMs: 20 });
    test.after(() => app.stop());
    writeFileSync(certificateFile, second.certificate);
    writeFileSync(keyFile, second.key);
    while ((await open(test, app.port)).fingerprint !== fingerprintOf(second.certificate));
  });

  it('is read at SIGHUP, and the log has the result', async (test) => {
    const [{ made: first }, { made: second }] = [await madeIn(), await madeIn()];
    const { certificateFile, keyFile, environment } = placed(first);
    const service = await startServerProcess({ engine: 'sqlite', file: '' }, environment);
    test.after(() => service.kill());
    const lineOf = async (event: string) => {
      for (;;) {
        const line = service.log.find((each) => each.event === event);
        if (line !== undefined) return line;
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    writeFileSync(certificateFile, second.certificate.slice(0, 300));
    process.kill(service.pid, 'SIGHUP');
    const { errors } = await lineOf('certificate.refused');
    assert.match(String(errors), /holds no PEM certificate/);
    writeFileSync(certificateFile, second.certificate);
    writeFileSync(keyFile, second.key);
    process.kill(service.pid, 'SIGHUP');
    const line = await lineOf('certificate.replaced');
    assert.equal(line.endsAt, new Date(second.endsAt).toISOString());
    assert.equal((await open(test, service.port)).fingerprint, fingerprintOf(second.certificate));
    assert.ok(!JSON.stringify(service.log).includes('PRIVATE KEY'));
    assert.equal(await service.stop(), 0);
  });

  it('does not end the service where its files cannot be reached, and is served once they can', async (test) => {
    const [{ made: first }, { made: second }] = [await madeIn(), await madeIn()];
    const { certificateFile, keyFile, environment } = placed(first);
    const service = await startServerProcess({ engine: 'sqlite', file: '' }, environment);
    test.after(() => service.kill());
    let hasEnded = false;
    void service.ended.then(() => {
      hasEnded = true;
    });
    const hasLogged = async (event: string) => {
      while (!service.log.some((line) => line.event === event)) {
        assert.equal(hasEnded, false, 'the service has ended');
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    loop(certificateFile);
    process.kill(service.pid, 'SIGHUP');
    await hasLogged('certificate.refused');
    assert.equal((await open(test, service.port)).fingerprint, fingerprintOf(first.certificate));
    rmSync(certificateFile);
    writeFileSync(certificateFile, second.certificate);
    writeFileSync(keyFile, second.key);
    process.kill(service.pid, 'SIGHUP');
    await hasLogged('certificate.replaced');
    assert.equal((await open(test, service.port)).fingerprint, fingerprintOf(second.certificate));
  });
});

/** A watch on placed files, and its reports. */
async function watching(daysLeft: number, isBelieved = true) {
  const { made } = await madeIn(daysLeft);
  const files = placed(made);
  const clock = new TestClock();
  const reported: string[] = [];
  const opened = await openCertificate(readConfig(files.environment), clock.now());
  const watch = watchCertificate(opened, clock.now, {
    replaced: () => reported.push('replaced'),
    refused: (errors) => reported.push(...errors.map((error) => error.replace(/^(\w+) names .*?, which/, '$1'))),
    early: () => reported.push('not valid yet'),
    mayRenew: () => isBelieved,
    ending: (_certificate, daysLeft) => reported.push(`${daysLeft} days left`),
  });
  return { ...files, clock, reported, watch };
}

/** The same with a self-signed certificate, made at a moment. */
async function watchingOwn(madeAt: number, isBelieved = true) {
  const { made } = await madeIn(729, madeAt);
  const clock = new TestClock();
  const reported: string[] = [];
  const watch = watchCertificate(made, clock.now, {
    replaced: () => reported.push('replaced'),
    refused: (errors) => reported.push(...errors),
    early: () => reported.push('not valid yet'),
    mayRenew: () => isBelieved,
    ending: (_certificate, daysLeft) => reported.push(`${daysLeft} days left`),
  });
  return { clock, reported, watch };
}

describe('the watch of a certificate', () => {
  it('says nothing while nothing changes and the end is more than 30 days away', async () => {
    const { clock, reported, watch } = await watching(40);
    for (let day = 0; day < 9; day += 1) {
      watch.look();
      clock.move(DAY_MS);
    }
    assert.deepEqual(reported, []);
  });

  it('warns once a day from 30 days before the end, and goes on after it', async () => {
    const { clock, reported, watch } = await watching(31);
    for (let hour = 0; hour < 24 * 3; hour += 1) {
      watch.look();
      clock.move(DAY_MS / 24);
    }
    assert.equal(reported.length, 2, reported.join());
    clock.move(40 * DAY_MS);
    watch.look();
    assert.match(reported.at(-1)!, /^-\d+ days left$/);
  });

  it('says once a day that it is not valid yet, and keeps it while the clock is not believed', async () => {
    const { clock, reported, watch } = await watching(1_000, false);
    const served = watch.certificate;
    for (let hour = 0; hour < 24 * 3; hour += 1) {
      clock.move(DAY_MS / 24);
      watch.look();
    }
    assert.deepEqual(reported, ['not valid yet', 'not valid yet', 'not valid yet']);
    assert.equal(watch.certificate, served);
  });

  it('replaces a self-signed one that is not valid yet once the clock is believed, and serves it', async () => {
    const { clock, reported, watch } = await watchingOwn(systemClock() + 730 * DAY_MS);
    watch.look();
    while (reported.length === 0) await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(reported, ['replaced']);
    const { startsAt, endsAt } = watch.certificate;
    assert.ok(startsAt < clock.now() && endsAt > clock.now() + 700 * DAY_MS, new Date(startsAt).toISOString());
    watch.look();
    assert.deepEqual(reported, ['replaced']);
  });

  it('replaces a self-signed one neither while the clock is not believed nor because its end is near', async () => {
    const early = systemClock() + 730 * DAY_MS;
    const kept = [await watchingOwn(early, false), await watchingOwn(systemClock() - 725 * DAY_MS)];
    const replaced = await watchingOwn(early);
    for (const { watch } of [...kept, replaced]) watch.look();
    // The replacement that began last is the last to end.
    while (replaced.reported.length === 0) await new Promise((resolve) => setImmediate(resolve));
    for (const { reported, watch } of kept) {
      assert.deepEqual(reported, []);
      assert.equal(watch.certificate.certificate, readFileSync(watch.certificate.certificateFile, 'utf8'));
    }
  });

  it('replaces a self-signed one once, although it is looked at again meanwhile', async () => {
    const early = systemClock() + 730 * DAY_MS;
    const [one, later] = [await watchingOwn(early), await watchingOwn(early)];
    for (const { watch } of [one, one, later]) watch.look();
    for (const { reported } of [one, later])
      while (reported.length === 0) await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(one.reported, ['replaced']);
  });

  it('logs the fault of each unusable change once, and keeps the old one', async () => {
    const { certificateFile, keyFile, reported, watch } = await watching(400);
    const served = watch.certificate;
    writeFileSync(certificateFile, 'half a');
    for (let times = 0; times < 3; times += 1) watch.look();
    rmSync(keyFile);
    for (let times = 0; times < 3; times += 1) watch.look();
    assert.equal(reported.length, 2, reported.join('\n'));
    assert.match(reported[0]!, /^LATCHKEY_TLS_CERT_FILE holds no PEM certificate/);
    assert.match(reported[1]!, /ENOENT/);
    assert.equal(watch.certificate, served);
  });

  it('logs once that a file cannot be reached, and keeps the old one', async () => {
    const { certificateFile, keyFile, reported, watch } = await watching(400);
    const served = watch.certificate;
    loop(keyFile);
    for (let times = 0; times < 3; times += 1) watch.look();
    loop(certificateFile);
    for (let times = 0; times < 3; times += 1) watch.look();
    assert.equal(reported.length, 2, reported.join('\n'));
    for (const error of reported) assert.match(error, /ELOOP/);
    watch.reload();
    assert.equal(reported.length, 3);
    assert.equal(watch.certificate, served);
  });

  it('keeps the old one where a listener does not take the new one', async () => {
    const { made } = await madeIn();
    const { made: other } = await madeIn();
    const { certificateFile, keyFile, environment } = placed(made);
    const opened = await openCertificate(readConfig(environment), systemClock());
    const refused: string[] = [];
    const watch = watchCertificate(opened, systemClock, {
      replaced() {
        throw new Error('not taken');
      },
      refused: (errors) => refused.push(...errors),
      early: () => {},
      mayRenew: () => true,
      ending: () => {},
    });
    writeFileSync(certificateFile, other.certificate);
    writeFileSync(keyFile, other.key);
    watch.look();
    watch.look();
    assert.deepEqual(refused, ['Error: not taken']);
    assert.equal(watch.certificate, opened);
  });

  it('accepts a matching one again, and warns at once of a near end', async () => {
    const { certificateFile, keyFile, reported, watch } = await watching(400);
    const { made } = await madeIn(9.5);
    writeFileSync(certificateFile, readFileSync(made.certificateFile));
    writeFileSync(keyFile, readFileSync(made.keyFile));
    watch.look();
    assert.deepEqual(reported, ['replaced', '9 days left']);
    assert.equal(watch.certificate.key, made.key);
    watch.look();
    assert.equal(reported.length, 2);
  });

  it('does not call a file that was only touched a replacement', async () => {
    const { certificateFile, reported, watch } = await watching(400);
    writeFileSync(certificateFile, readFileSync(certificateFile));
    watch.look();
    watch.reload();
    assert.deepEqual(reported, []);
  });
});
