/** Access to the port of the metrics: it is open to this machine alone, or speaks TLS as the service does. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import selfsigned from 'selfsigned';
import type { ReceivedRequest } from '../../../src/runtime/http/body.ts';
import { createMetricsListener } from '../../../src/runtime/http/metrics-listener.ts';
import { directPeer } from '../../../src/runtime/http/peer.ts';
import { startListening } from '../../runtime/http/listening.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { ask } from './scrape.ts';

async function start(test: TestContext, environment: Readonly<Record<string, string>>): Promise<TestApp> {
  const app = await startApp('sqlite', { LATCHKEY_METRICS_PORT: '0', ...environment });
  test.after(() => app.stop());
  return app;
}

/** The status of a reply, or the code of the error in its place. */
async function outcomeOf(port: number, options: Parameters<typeof ask>[1] = {}): Promise<number | string> {
  try {
    return (await ask(port, options)).status;
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code);
  }
}

describe('metrics on an address that others reach', { timeout: 60_000 }, () => {
  it('speak TLS with the certificate of the service, and explain that to plain HTTP', async (test) => {
    const app = await start(test, { LATCHKEY_METRICS_HOST: '0.0.0.0' });
    const ca = readFileSync(join(app.directory, 'tls-cert.pem'), 'utf8');
    assert.equal(await outcomeOf(app.metricsPort!, { ca }), 200);
    assert.equal(await outcomeOf(app.metricsPort!), 426);
  });

  it('are plain behind a proxy, for this machine, private networks and requests that reached the proxy by HTTPS', async (test) => {
    // The test calls from 127.0.0.0/8: trusted in one app, and a stranger's network in the other.
    const behind = await start(test, { LATCHKEY_METRICS_HOST: '0.0.0.0', LATCHKEY_TRUST_PROXY: '127.0.0.1' });
    assert.equal(await outcomeOf(behind.metricsPort!), 200);
    assert.equal(await outcomeOf(behind.metricsPort!, { headers: { 'X-Forwarded-Proto': 'https' } }), 200);
    assert.equal(await outcomeOf(behind.metricsPort!, { headers: { 'X-Forwarded-Proto': 'http' } }), 426);
    const other = await start(test, { LATCHKEY_METRICS_HOST: '0.0.0.0', LATCHKEY_TRUST_PROXY: '203.0.113.1' });
    assert.equal(await outcomeOf(other.metricsPort!), 200);
    assert.equal(await outcomeOf(other.metricsPort!, { headers: { 'X-Forwarded-Proto': 'https' } }), 403);
  });
});

describe('metrics that a foreign page asks for through a browser', { timeout: 60_000 }, () => {
  const under = (host: string, more: Readonly<Record<string, string>> = {}) => ({ headers: { Host: host, ...more } });

  it('are refused under a name that is not of the service, and answered under its own and by address', async (test) => {
    const app = await start(test, { LATCHKEY_METRICS_NAMES: 'node-1,metrics.example' });
    const port = app.metricsPort!;
    const outcome = (host: string, more?: Readonly<Record<string, string>>) => outcomeOf(port, under(host, more));
    const own = ['localhost', 'LOCALHOST:9464', 'localhost.', '127.0.0.1', `127.0.0.1:${port}`, `[::1]:${port}`];
    for (const host of [...own, '192.0.2.7:9464', 'node-1', 'node-1:9464', 'metrics.example'])
      assert.equal(await outcome(host), 200, host);
    const foreign = [
      'rebound.example',
      `rebound.example:${port}`,
      'localhost.rebound.example',
      'node-1.rebound.example',
    ];
    for (const host of [...foreign, '127.0.0.1.rebound.example', '1.2.3', 'localhost:x', '[::1'])
      assert.equal(await outcome(host), 403, host);
    const { headers, text } = await ask(port, under('rebound.example'));
    assert.equal(headers['latchkey-code'], 'metrics_host');
    assert.ok(!text.includes('latchkey_'));
  });

  it('are answered under the names of the certificate', async (test) => {
    const { certificateFile, keyFile, ca } = await certificateFor(test, ['localhost', '*.metrics.example']);
    const app = await start(test, {
      LATCHKEY_METRICS_HOST: '0.0.0.0',
      LATCHKEY_TLS_CERT_FILE: certificateFile,
      LATCHKEY_TLS_KEY_FILE: keyFile,
    });
    const outcome = (host: string) => outcomeOf(app.metricsPort!, { ca, ...under(host) });
    assert.equal(await outcome('node-1.metrics.example:9464'), 200);
    for (const host of ['rebound.example', 'metrics.example', 'a.b.metrics.example'])
      assert.equal(await outcome(host), 403, host);
  });

  it('are refused where the browser says that the page is of another site', async (test) => {
    const app = await start(test, {});
    const outcome = (site: string) => outcomeOf(app.metricsPort!, under('localhost', { 'Sec-Fetch-Site': site }));
    assert.deepEqual(await Promise.all(['cross-site', 'none', 'same-origin'].map(outcome)), [403, 200, 200]);
  });
});

describe('scrapes', { timeout: 60_000 }, () => {
  it('that come while one is under way get what that one finds', async (test) => {
    const found: ((text: string) => void)[] = [];
    const scrape = () => new Promise<string>((resolve) => found.push(resolve));
    const { port } = await listenFor(test, scrape);
    const answers = Array.from({ length: 5 }, () => ask(port));
    while (found.length === 0) await new Promise((resolve) => setImmediate(resolve));
    // Those that are not there yet find the scrape that is under way.
    while (asked < 5) await new Promise((resolve) => setImmediate(resolve));
    assert.equal(found.length, 1);
    found[0]?.('a 1\n');
    assert.deepEqual(
      (await Promise.all(answers)).map(({ text }) => text),
      Array.from({ length: 5 }, () => 'a 1\n'),
    );
  });

  it('that fail are answered 500 without details, and the next one is tried', async (test) => {
    const failures: unknown[] = [];
    const texts = [null, 'a 1\n'];
    const scrape = async () => {
      const text = texts.shift();
      if (typeof text !== 'string') throw new Error('a secret reason');
      return text;
    };
    const { port } = await listenFor(test, scrape, (error) => failures.push(error));
    const failed = await ask(port);
    assert.equal(failed.status, 500);
    assert.ok(!failed.text.includes('secret'));
    assert.equal(failures.length, 1);
    assert.equal((await ask(port)).text, 'a 1\n');
  });

  it('come over a bounded number of connections: an earlier one makes room', async (test) => {
    const app = await start(test, {});
    const sockets = [];
    for (let count = 0; count < 40; count += 1) sockets.push(await opened(app.metricsPort!));
    await Promise.all(sockets.slice(0, 8).map(({ closed }) => closed));
    assert.equal(sockets.filter(({ socket }) => !socket.closed).length, 32);
    assert.equal((await ask(app.metricsPort!)).status, 200);
    for (const { socket } of sockets) socket.destroy();
  });
});

/** Requests that the listener of {@link listenFor} received. */
let asked = 0;

function listenFor(test: TestContext, scrape: () => Promise<string>, onFailure: (error: unknown) => void = () => {}) {
  asked = 0;
  const parts = { scrape, contentType: 'text/plain', peerOf: directPeer, names: () => [], onFailure };
  const listener = createMetricsListener(parts);
  const counting = (request: ReceivedRequest, response: ServerResponse) => {
    listener(request, response);
    asked += 1;
  };
  return startListening(test, counting, { tls: false });
}

async function opened(port: number) {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.resume();
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  await new Promise<void>((resolve) => socket.once('connect', () => resolve()));
  return { socket, closed };
}

/** Files of a certificate with these names, until the test ends. */
async function certificateFor(test: TestContext, names: readonly string[]) {
  const folder = temporaryFolder(test);
  const altNames = names.map((value) => ({ type: 2 as const, value }));
  const made = await selfsigned.generate([], { keyType: 'ec', extensions: [{ name: 'subjectAltName', altNames }] });
  const files = { certificateFile: join(folder, 'certificate.pem'), keyFile: join(folder, 'key.pem') };
  await writeFile(files.certificateFile, made.cert);
  await writeFile(files.keyFile, made.private);
  return { ...files, ca: made.cert };
}
