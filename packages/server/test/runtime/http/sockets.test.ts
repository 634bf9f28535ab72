/** Limits of a connection: time in each state, bytes sent, and the way in which the service closes it. */
import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import tlsModule, { connect as connectTls, type SecureVersion } from 'node:tls';
import { sendOutcome } from '../../../src/runtime/http/answers.ts';
import { Held, startListening } from './listening.ts';
import { requestBytes, Wire } from './wire.ts';

/** Shorter than a test waits; the other timeouts are so long that a test which meets them hangs and fails. */
const SHORT_MS = 50;
const LONG_MS = 600_000;
const LONG = {
  keepAliveMs: LONG_MS,
  stallMs: LONG_MS,
  handshakeMs: LONG_MS,
  headersMs: LONG_MS,
  lingerMs: LONG_MS,
  checkingIntervalMs: 20,
};
/** One timeout as short as a test can wait for, and all others too long to end it. */
const only = (name: keyof typeof LONG) => ({
  requestTimeoutMs: LONG_MS,
  timeouts: { ...LONG, [name]: SHORT_MS },
});

function answerAtOnce(request: IncomingMessage, response: ServerResponse): void {
  request.resume();
  request.on('end', () => response.end('done'));
}

/** A TCP connection that sends nothing; `closed` resolves when the service has closed it. */
async function openSilent(test: TestContext, port: number): Promise<{ socket: Socket; closed: Promise<void> }> {
  const socket = connect({ host: '127.0.0.1', port });
  test.after(() => socket.destroy());
  socket.on('error', () => {
    // A connection that is cut is closed next.
  });
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  await new Promise<void>((resolve) => socket.once('connect', resolve));
  socket.resume();
  return { socket, closed };
}

/** The first bytes of a TLS handshake: a record of 512 bytes is announced, and 8 of them arrive. */
const BEGUN_HANDSHAKE = Buffer.from([22, 3, 1, 2, 0, 1, 0, 1, 252, 3, 3, 0, 0]);

describe('a connection', { timeout: 60_000 }, () => {
  for (const tls of [true, false])
    it(`that waits for its next request is closed after the keep-alive time ${tls ? 'with' : 'without'} TLS`, async (test) => {
      const { port } = await startListening(test, answerAtOnce, { tls, ...only('keepAliveMs') });
      const wire = await Wire.open(port, { tls });
      for (let count = 0; count < 3; count += 1) {
        wire.write(requestBytes('/'));
        assert.equal((await wire.answer()).status, 200);
      }
      await wire.closed;
    });

  it('tells its client the keep-alive time while it stays open', async (test) => {
    const { port } = await startListening(test, (request, response) =>
      sendOutcome(response, { status: 200, body: '{}' }, request.url ?? ''),
    );
    const wire = await Wire.open(port);
    wire.write(requestBytes('/'));
    assert.equal((await wire.answer()).headers['keep-alive'], 'timeout=75');
    wire.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    const { headers } = await wire.answer();
    assert.deepEqual([headers['keep-alive'], headers.connection], [undefined, 'close']);
    await wire.closed;
  });

  it('that sends nothing at all is closed after the handshake time', async (test) => {
    const { port } = await startListening(test, answerAtOnce, only('handshakeMs'));
    await (await openSilent(test, port)).closed;
  });

  it('that begins its handshake and does not end it is closed after the handshake time', async (test) => {
    const { port } = await startListening(test, answerAtOnce, only('handshakeMs'));
    const { socket, closed } = await openSilent(test, port);
    socket.write(BEGUN_HANDSHAKE);
    await closed;
  });

  for (const tls of [true, false])
    it(`that sends no request is closed after the time for headers ${tls ? 'with' : 'without'} TLS`, async (test) => {
      const { port } = await startListening(test, answerAtOnce, { tls, ...only('headersMs') });
      const wire = await Wire.open(port, { tls });
      assert.equal((await wire.answer()).status, 408);
      wire.end();
    });

  it('that does not complete its headers in time is answered 408, however slowly bytes come', async (test) => {
    const { port } = await startListening(test, answerAtOnce, only('headersMs'));
    const wire = await Wire.open(port);
    wire.write('POST / HTTP/1.1\r\n');
    const slow = setInterval(() => wire.write('x'), 5);
    const { status, body } = await wire.answer();
    clearInterval(slow);
    wire.end();
    assert.deepEqual([status, body], [408, { success: false, error: 'Request took too long to arrive' }]);
  });

  it('whose body does not arrive is answered 408 after the time for requests', async (test) => {
    const { port } = await startListening(test, answerAtOnce, { requestTimeoutMs: SHORT_MS, timeouts: LONG });
    const wire = await Wire.open(port);
    wire.write(requestBytes('/', 'whole').subarray(0, -1));
    assert.equal((await wire.answer()).status, 408);
    wire.end();
  });

  it('does not call a request late that the limit on calls under way kept unread', async (test) => {
    const held = new Held();
    const { port } = await startListening(test, held.listener, {
      callsPerConnection: 2,
      // Longer than a busy machine takes from the beginning of the third request to its end.
      requestTimeoutMs: 10 * SHORT_MS,
      timeouts: LONG,
    });
    const wire = await Wire.open(port);
    wire.write(requestBytes('/1'));
    await held.until(1);
    // Two writes are two pieces for the service, which holds the connection back when it gets the second one.
    wire.write(Buffer.concat([requestBytes('/2'), requestBytes('/3').subarray(0, 5)]));
    wire.write(requestBytes('/3').subarray(5));
    await held.until(2);
    // Another late connection shows that the time is over.
    const other = await Wire.open(port);
    other.write('POST ');
    assert.equal((await other.answer()).status, 408);
    other.end();
    held.open();
    assert.deepEqual([(await wire.answer()).body, (await wire.answer()).body], ['/1', '/2']);
    await assert.rejects(wire.answer(), /ended after ""/);
  });

  it('on which nothing moves is cut, an answer that nobody takes included', async (test) => {
    const large = 'x'.repeat(64 * 1024 * 1024);
    let closed: () => void = () => {};
    const isClosed = new Promise<void>((resolve) => (closed = resolve));
    const { port } = await startListening(
      test,
      (request, response) => {
        request.socket.once('close', closed);
        response.end(large);
      },
      only('stallMs'),
    );
    const wire = await Wire.open(port);
    wire.pause();
    wire.write(requestBytes('/'));
    await isClosed;
    wire.end();
  });

  it('that has read a stalled answer to its end is not closed for it later', async (test) => {
    const large = Buffer.alloc(32 * 1024 * 1024);
    // A busy machine may not run the reader for a second.
    const stallMs = 3_000;
    const { port } = await startListening(
      test,
      (request, response) => response.end(request.url === '/large' ? large : 'done'),
      { requestTimeoutMs: LONG_MS, timeouts: { ...LONG, stallMs } },
    );
    const wire = await Wire.open(port);
    wire.pause();
    wire.write(requestBytes('/large'));
    // Long enough for a look to find the answer unsent, and shorter than the time that it may stall.
    await sleep(2 * SHORT_MS);
    wire.resume();
    assert.equal((await wire.answer()).status, 200);
    await sleep(stallMs + 2 * SHORT_MS);
    wire.write(requestBytes('/'));
    assert.equal((await wire.answer()).status, 200);
    wire.end();
  });

  for (const [what, bytes, tls] of [
    ['speaks HTTP where HTTPS is spoken', 'GET / HTTP/1.1\r\n', false],
    ['sends what is no request', 'no request\r\n\r\n', true],
  ] as const)
    it(`that ${what} is cut after the time to read why, if it stays`, async (test) => {
      const { port } = await startListening(test, answerAtOnce, only('lingerMs'));
      const wire = await Wire.open(port, { tls, allowHalfOpen: true });
      wire.write(bytes);
      assert.ok((await wire.answer()).status >= 400);
      // The client keeps its side open and keeps sending: it learns that it is cut off when it sends something.
      const going = setInterval(() => wire.write('more'), 10);
      await wire.closed;
      clearInterval(going);
    });
});

describe('headers', () => {
  it('may be a hundred and no more', async (test) => {
    const { port } = await startListening(test, answerAtOnce);
    // Host is the first header.
    const numbered = (count: number) => Array.from({ length: count - 1 }, (_, index) => `X-${index}: 1`);
    for (const [count, status] of [
      [100, 200],
      [101, 431],
    ] as const) {
      const bytes = requestBytes('/', '', { method: 'GET', headers: numbered(count) });
      assert.equal((await Wire.exchange(port, bytes)).status, status, `${count} headers`);
    }
  });

  it('may have 16 KiB with the request line, and not much more', async (test) => {
    const { port } = await startListening(test, answerAtOnce);
    const sized = (bytes: number) => {
      const bare = requestBytes('/', '', { method: 'GET', headers: ['X-Large: '] }).length;
      return requestBytes('/', '', { method: 'GET', headers: [`X-Large: ${'x'.repeat(bytes - bare)}`] });
    };
    assert.equal((await Wire.exchange(port, sized(16_000))).status, 200);
    assert.equal((await Wire.exchange(port, sized(16_500))).status, 431);
  });
});

describe('TLS', () => {
  function greet(port: number, version: SecureVersion): Promise<string> {
    return new Promise((resolve) => {
      const socket = connectTls({
        host: '127.0.0.1',
        port,
        rejectUnauthorized: false,
        minVersion: version,
        maxVersion: version,
      });
      socket.on('secureConnect', () => {
        resolve(String(socket.getProtocol()));
        socket.destroy();
      });
      socket.on('error', (error: NodeJS.ErrnoException) => resolve(String(error.code)));
    });
  }

  it('is spoken from version 1.2 on', async (test) => {
    // Otherwise the library refuses older versions on both sides, and the service's own rule is not tested.
    const { DEFAULT_CIPHERS: ciphers, DEFAULT_MIN_VERSION: version } = tlsModule;
    Object.assign(tlsModule, { DEFAULT_CIPHERS: 'DEFAULT@SECLEVEL=0', DEFAULT_MIN_VERSION: 'TLSv1' });
    test.after(() => Object.assign(tlsModule, { DEFAULT_CIPHERS: ciphers, DEFAULT_MIN_VERSION: version }));
    const { port } = await startListening(test, answerAtOnce);
    assert.equal(await greet(port, 'TLSv1.3'), 'TLSv1.3');
    assert.equal(await greet(port, 'TLSv1.2'), 'TLSv1.2');
    for (const old of ['TLSv1.1', 'TLSv1'] as const)
      assert.equal(await greet(port, old), 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION');
  });
});

describe('the end of the grace time', { timeout: 60_000 }, () => {
  const unhurried = { requestTimeoutMs: LONG_MS, timeouts: LONG };

  it('cuts every connection: silent, in its handshake, in its request and waiting for its answer', async (test) => {
    const held = new Held();
    const listening = await startListening(test, held.listener, unhurried);
    const silent = await openSilent(test, listening.port);
    const greeting = await openSilent(test, listening.port);
    greeting.socket.write(BEGUN_HANDSHAKE);
    const halfway = await Wire.open(listening.port);
    halfway.write('POST / HT');
    const waiting = await Wire.open(listening.port);
    waiting.write(requestBytes('/'));
    await held.until(1);
    await listening.close(SHORT_MS);
    await Promise.all([silent.closed, greeting.closed, halfway.closed, waiting.closed]);
  });

  it('cuts a connection whose handshake was completed after the service began to stop', async (test) => {
    const listening = await startListening(test, answerAtOnce, unhurried);
    const { socket, closed } = await openSilent(test, listening.port);
    const stopped = listening.close(500);
    await new Promise<void>((resolve) => {
      const spoken = connectTls({ socket, rejectUnauthorized: false }, () => resolve());
      spoken.on('error', () => {
        // A connection that is cut is closed next.
      });
    });
    await Promise.all([stopped, closed]);
  });

  it('does not wait if nothing is under way', async (test) => {
    const listening = await startListening(test, answerAtOnce, unhurried);
    const wire = await Wire.open(listening.port);
    wire.write(requestBytes('/'));
    await wire.answer();
    await Promise.all([listening.close(LONG_MS), wire.closed]);
  });
});
