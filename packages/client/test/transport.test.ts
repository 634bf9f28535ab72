/** Requests with node:https: trust, and broken answers. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createPublicKey } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { startedApp } from '../../server/test/support/started-app.ts';
import { createLatchkey, httpsTransport, memoryStorage, pinOf } from '../src/node.ts';
import { fetchTransport } from '../src/transport.ts';
import { type Certificate, certificateFor, startBrokenServer } from './support/broken-server.ts';

const pinOfCertificate = ({ cert }: Certificate) =>
  pinOf(createPublicKey(cert).export({ type: 'spki', format: 'der' }));

const answerOf = (bytes: number) => `HTTP/1.1 200 OK\r\nContent-Length: ${bytes}\r\n\r\n${' '.repeat(bytes)}`;

const run = promisify(execFile);

/** Sends one request, and prints the status of the answer or the kind of the failure. */
const PROGRAM = `
  import { httpsTransport } from ${JSON.stringify(new URL('../src/node.ts', import.meta.url).href)};
  const { URL_OF_TEST: url, CA_OF_TEST: ca, TRUST_SYSTEM: trustSystem } = process.env;
  const body = '{"licenseKey":"none","productId":"app"}';
  const trust = { ...(ca === undefined ? {} : { ca }), ...(trustSystem ? { trustSystem: true } : {}) };
  await httpsTransport(trust)({ url, body, timeoutMs: 10000 }).then(
    ({ status }) => console.log(status),
    ({ kind }) => console.log(kind),
  );
`;

describe('requests by node:https', () => {
  let ca: string;
  let pin: string;
  let own: Certificate;
  const app = startedApp('sqlite');
  before(async () => {
    ca = await readFile(join(app.directory, 'tls-cert.pem'), 'utf8');
    pin = pinOfCertificate({ cert: ca, key: '' });
    own = await certificateFor('127.0.0.1');
  });

  const ask = (trust: Parameters<typeof httpsTransport>[0], url = `https://127.0.0.1:${app.port}`, timeoutMs = 5000) =>
    httpsTransport(trust)({ url: `${url}/verify`, body: '{"licenseKey":"none","productId":"app"}', timeoutMs });

  it('reach a server whose certificate the given authority signed', async () => {
    const answer = await ask({ ca });
    assert.equal(answer.status, 404);
    assert.equal(answer.headers['latchkey-code'], 'license_not_found');
    assert.equal(JSON.parse(answer.text).error, 'License not found');
  });

  it('send nothing to a server that nobody vouches for', async () => {
    const server = await startBrokenServer(own, (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'));
    await assert.rejects(ask({}, server.url), { name: 'TransportFailure', kind: 'tls' });
    await assert.rejects(ask({ ca }, server.url), { kind: 'tls' });
    await assert.rejects(ask({ pins: [pin] }, server.url), { kind: 'tls' });
    assert.equal(server.asked(), 0);
    await server.stop();
  });

  it('reach a server that signed itself by the pin of its key, one of several', async () => {
    assert.equal((await ask({ pins: ['AAAA', pin] })).status, 404);
  });

  for (const [name, trust] of [
    ['a pin', () => ({ pins: [pin] })],
    ['an authority', () => ({ ca })],
  ] as const)
    it(`verify a license against the real server, as an app does that trusts ${name}`, async (test) => {
      const directory = await mkdtemp(join(tmpdir(), 'latchkey-transport-'));
      test.after(() => rm(directory, { recursive: true }));
      const latchkey = createLatchkey({
        server: `https://127.0.0.1:${app.port}`,
        productId: 'app',
        ...trust(),
        directory,
        storage: memoryStorage(),
        fingerprint: 'desk',
      });
      await latchkey.start();
      assert.equal((await latchkey.activate(await app.license())).status, 'licensed');
      assert.equal((await latchkey.check()).status, 'licensed');
      await latchkey.deactivate();
      await latchkey.close();
    });

  const answers: Readonly<Record<string, [(socket: Socket) => void, kind: string]>> = {
    'breaks off': [
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"valid":');
        setImmediate(() => socket.destroy());
      },
      'network',
    ],
    'comes a byte at a time': [
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n');
        const timer = setInterval(() => socket.write(' '), 100);
        socket.on('close', () => clearInterval(timer));
      },
      'timeout',
    ],
    'never comes': [() => {}, 'timeout'],
    'is too large': [
      (socket) => socket.end(`HTTP/1.1 200 OK\r\nContent-Length: 70000\r\n\r\n${' '.repeat(70_000)}`),
      'network',
    ],
    'is not HTTP': [(socket) => socket.end('220 mail.example ESMTP\r\n'), 'network'],
    'is a connection that closes': [(socket) => socket.end(), 'network'],
  };
  for (const [name, [answer, kind]] of Object.entries(answers))
    it(`fail where the answer ${name}`, async () => {
      const server = await startBrokenServer(own, answer);
      const timeoutMs = kind === 'timeout' ? 300 : 5000;
      await assert.rejects(ask({ ca: own.cert }, server.url, timeoutMs), { name: 'TransportFailure', kind });
      await server.stop();
    });

  for (const [name, trust] of [
    ['an authority', () => ({ ca: own.cert })],
    ['a pin', () => ({ pins: [pin] })],
  ] as const)
    it(`end at their limit, and close the connection, if the server never finishes TLS and ${name} is trusted`, async () => {
      const server = createServer();
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const closed = once(server, 'connection').then(([socket]: Socket[]) => {
        socket?.resume().on('error', () => {});
        return socket && once(socket, 'close');
      });
      const { port } = server.address() as AddressInfo;
      await assert.rejects(ask(trust(), `https://127.0.0.1:${port}`, 300), {
        name: 'TransportFailure',
        kind: 'timeout',
      });
      await closed;
      server.close();
    });

  it('take an answer of 64 KiB, and none that is longer', async () => {
    for (const bytes of [65_536, 65_537]) {
      const server = await startBrokenServer(own, (socket) => socket.end(answerOf(bytes)));
      const answer = ask({ ca: own.cert }, server.url);
      if (bytes === 65_536) assert.equal((await answer).text.length, bytes);
      else await assert.rejects(answer, { kind: 'network', message: 'the answer is larger than 65536 bytes' });
      await server.stop();
    }
  });

  it('follow no redirect', async () => {
    const elsewhere = await startBrokenServer(own, (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'));
    const server = await startBrokenServer(own, (socket) =>
      socket.end(`HTTP/1.1 307 Moved\r\nLocation: ${elsewhere.url}/verify\r\nContent-Length: 0\r\n\r\n`),
    );
    assert.equal((await ask({ ca: own.cert }, server.url)).status, 307);
    assert.equal(elsewhere.asked(), 0);
    await Promise.all([server.stop(), elsewhere.stop()]);
  });

  it('go through the proxy of the environment if Node.js is told so, and to the server itself if not', async () => {
    const asked: (string | undefined)[] = [];
    const proxy = createHttpServer().on('connect', (request: IncomingMessage, socket: Socket, head: Buffer) => {
      asked.push(request.url);
      const onward = connect(app.port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
        onward.write(head);
        onward.pipe(socket).pipe(onward);
      });
      for (const each of [socket, onward]) each.on('error', () => {});
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const { port } = proxy.address() as AddressInfo;
    for (const [switchedOn, awaited] of [
      ['1', [`127.0.0.1:${app.port}`]],
      ['0', []],
    ] as const) {
      asked.length = 0;
      const said = await run(process.execPath, ['--input-type=module', '--eval', PROGRAM], {
        env: {
          ...process.env,
          NODE_USE_ENV_PROXY: switchedOn,
          HTTPS_PROXY: `http://127.0.0.1:${port}`,
          NO_PROXY: '',
          no_proxy: '',
          URL_OF_TEST: `https://127.0.0.1:${app.port}/verify`,
          CA_OF_TEST: ca,
        },
      });
      assert.equal(said.stdout.trim(), '404', said.stderr);
      assert.deepEqual(asked, awaited);
    }
    proxy.close();
  });

  it('trust the authorities of the system if the app says so', async () => {
    const server = await startBrokenServer(own, (socket) => socket.end('HTTP/1.1 404 Not Found\r\n\r\n'));
    const directory = await mkdtemp(join(tmpdir(), 'latchkey-authorities-'));
    const file = join(directory, 'system.pem');
    await writeFile(file, own.cert);
    for (const [trustSystem, awaited] of [
      ['yes', '404'],
      ['', 'tls'],
    ] as const) {
      const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', PROGRAM], {
        env: { ...process.env, SSL_CERT_FILE: file, URL_OF_TEST: `${server.url}/verify`, TRUST_SYSTEM: trustSystem },
      });
      assert.equal(stdout.trim(), awaited);
    }
    await rm(directory, { recursive: true });
    await server.stop();
  });

  it('fail where nobody listens', async () => {
    await assert.rejects(ask({}, 'https://127.0.0.1:1'), { name: 'TransportFailure', kind: 'network' });
  });
});

describe('requests by fetch', () => {
  it('fail where the certificate is not trusted, and send nothing', async () => {
    const server = await startBrokenServer(await certificateFor('127.0.0.1'), (socket) =>
      socket.end('HTTP/1.1 200 OK\r\n\r\n{}'),
    );
    const request = { url: `${server.url}/verify`, body: '{}', timeoutMs: 2000 };
    await assert.rejects(fetchTransport(request), { name: 'TransportFailure', kind: 'network' });
    assert.equal(server.asked(), 0);
    await server.stop();
  });

  it('take an answer of 64 KiB, and none that is longer', async () => {
    for (const bytes of [65_536, 65_537]) {
      const server = createServer((socket) => {
        socket.on('error', () => {}).once('data', () => socket.end(answerOf(bytes)));
      });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const answer = fetchTransport({ url: `http://127.0.0.1:${port}/verify`, body: null, timeoutMs: 5000 });
      if (bytes === 65_536) assert.equal((await answer).text.length, bytes);
      else await assert.rejects(answer, { kind: 'network', message: 'the answer is larger than 65536 bytes' });
      server.close();
    }
  });
});
