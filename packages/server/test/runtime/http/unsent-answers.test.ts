/** Bytes that readers have not taken are bounded: per connection, per network and for the process. */
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { ReceivedRequest } from '../../../src/runtime/http/body.ts';
import { createMetricsListener } from '../../../src/runtime/http/metrics-listener.ts';
import { directPeer } from '../../../src/runtime/http/peer.ts';
import { PIECE_BYTES, UnsentAnswers, type UnsentBounds } from '../../../src/runtime/http/unsent-answers.ts';
import { startListening } from './listening.ts';
import { answersOf, requestBytes, Wire } from './wire.ts';

const MIB = 1024 ** 2;
/** More than the system buffers of an unread reply, on both sides of a connection. */
const LONG = 16 * MIB;
const body = Buffer.alloc(LONG, 'x');
const NO_BOUND: UnsentBounds = { most: Number.POSITIVE_INFINITY, maxOfNetwork: null };

/** A service with long replies, and its counters; time stands still until the test moves it. */
async function start(test: TestContext, bounds: Partial<UnsentBounds>, { isShared = false, tls = false } = {}) {
  let now = 0;
  let cut = 0;
  const sockets: Socket[] = [];
  const unsent = new UnsentAnswers(
    { ...NO_BOUND, ...bounds },
    () => (cut += 1),
    () => now,
  );
  const listening = await startListening(
    test,
    (request: ReceivedRequest, response: ServerResponse) => {
      request.resume();
      request.mayBeLong = true;
      sockets.push(request.socket);
      response.writeHead(200, { 'Content-Length': LONG });
      // The path is the client's address.
      const address = request.url === '/unknown' ? null : (request.url ?? '').slice(1);
      unsent.send(response, { body, isShared, address });
    },
    { tls, unsent },
  );
  /** A reader that reads nothing until the test lets it. */
  const reader = async (address: string, requests = 1) => {
    const before = sockets.length;
    const wire = await Wire.open(listening.port, { tls });
    wire.pause();
    wire.write(
      Buffer.concat(Array.from({ length: requests }, () => requestBytes(`/${address}`, '', { method: 'GET' }))),
    );
    while (sockets.length === before) await turn();
    return wire;
  };
  return {
    unsent,
    sockets,
    reader,
    cut: () => cut,
    pass(milliseconds: number) {
      now += milliseconds;
    },
  };
}

/**
 * Resolves when the service has closed a connection. Reads first, because a client that reads nothing does not notice.
 */
async function ended(wire: Wire): Promise<void> {
  wire.resume();
  await wire.closed;
}

/** Reads all replies, and returns their sizes in bytes. */
async function read(wire: Wire, count = 1): Promise<number[]> {
  wire.resume();
  return (await answersOf(wire, count)).map(({ body: text }) => text.length);
}

for (const tls of [false, true])
  describe(`answers that nobody reads, over ${tls ? 'TLS' : 'plain connections'}`, { timeout: 120_000 }, () => {
    it('are bounded for a network: its slowest reader is cut, and the others get their answers', async (test) => {
      const { unsent, reader, cut, pass } = await start(test, { maxOfNetwork: 3 * LONG }, { tls });
      const first = await reader('203.0.113.1');
      pass(1_000);
      const others = [await reader('203.0.113.1'), await reader('203.0.113.2')];
      pass(1_000);
      others.push(await reader('203.0.113.1'), await reader('2001:db8::1'));
      assert.equal(cut(), 0);
      others.push(await reader('203.0.113.1'));
      await ended(first);
      assert.equal(cut(), 1);
      assert.equal(unsent.bytes, 5 * LONG);
      for (const each of others) assert.deepEqual(await read(each), [LONG]);
      assert.equal(unsent.bytes, 0);
      for (const each of others) each.end();
    });

    it('are bounded for the whole process', async (test) => {
      const { reader, cut, pass } = await start(test, { most: 2 * LONG }, { tls });
      const first = await reader('203.0.113.1');
      pass(1_000);
      const second = await reader('unknown');
      pass(1_000);
      const third = await reader('203.0.113.2');
      await ended(first);
      const fourth = await reader('203.0.113.2');
      await ended(second);
      assert.equal(cut(), 2);
      for (const each of [third, fourth]) {
        assert.deepEqual(await read(each), [LONG]);
        each.end();
      }
    });

    it('of one reader alone are never cut, however long they are', async (test) => {
      const { reader, cut } = await start(test, { most: MIB, maxOfNetwork: MIB }, { tls });
      const wire = await reader('203.0.113.1', 3);
      assert.deepEqual(await read(wire, 3), [LONG, LONG, LONG]);
      assert.equal(cut(), 0);
      wire.end();
    });

    it('that come to many from one place in memory cost a piece each', async (test) => {
      const { unsent, sockets, reader } = await start(test, {}, { isShared: true, tls });
      const wires = [];
      for (let count = 0; count < 50; count += 1) wires.push(await reader('203.0.113.1', 10));
      // Besides the piece, a reader has at most nine requests that wait.
      assert.ok(unsent.bytes >= 50 * PIECE_BYTES && unsent.bytes <= 50 * (PIECE_BYTES + 9 * 5_000));
      for (const socket of sockets) assert.ok(socket.writableLength <= PIECE_BYTES + 1_000);
      // No call begins behind a long reply.
      assert.equal(sockets.length, 50);
      for (const wire of wires) wire.end();
      await Promise.all(wires.map(({ closed }) => closed));
      while (unsent.bytes > 0) await turn();
    });
  });

describe('requests that wait behind an answer that nobody reads', { timeout: 120_000 }, () => {
  /** Fit into one TLS record, which arrives as a whole and is parsed at once. */
  const REQUESTS = 200;
  /** Less than each of them counts. */
  const LEAST_BYTES = 4_000;

  it('count as well: the slowest reader is cut', async (test) => {
    const most = 1.5 * REQUESTS * LEAST_BYTES;
    const { unsent, sockets, reader, cut, pass } = await start(test, { most }, { isShared: true, tls: true });
    const first = await reader('a', REQUESTS);
    assert.ok(unsent.bytes > (REQUESTS - 1) * LEAST_BYTES, `${unsent.bytes} bytes`);
    pass(1_000);
    const second = await reader('b', REQUESTS);
    await ended(first);
    assert.deepEqual([cut(), sockets.length], [1, 2]);
    assert.ok(unsent.bytes > (REQUESTS - 1) * LEAST_BYTES && unsent.bytes <= most, `${unsent.bytes} bytes`);
    second.end();
    await second.closed;
    while (unsent.bytes > 0) await turn();
  });

  it('of one connection alone are all answered', async (test) => {
    const short = Buffer.alloc(2 * PIECE_BYTES, 'x');
    let cut = 0;
    const unsent = new UnsentAnswers({ most: 1, maxOfNetwork: 1 }, () => (cut += 1));
    const listening = await startListening(
      test,
      (request, response) => {
        request.resume();
        request.mayBeLong = true;
        response.writeHead(200, { 'Content-Length': short.length });
        unsent.send(response, { body: short, isShared: true, address: '203.0.113.1' });
      },
      { unsent },
    );
    const wire = await Wire.open(listening.port);
    wire.write(Buffer.concat(Array.from({ length: 1_000 }, () => requestBytes('/', '', { method: 'GET' }))));
    for (const { body: text } of await answersOf(wire, 1_000)) assert.equal(text.length, short.length);
    assert.deepEqual([unsent.bytes, cut], [0, 0]);
    wire.end();
  });
});

describe('the slowest reader', { timeout: 120_000 }, () => {
  it('is the one that has taken least of its answer for the time it had', async (test) => {
    const { unsent, sockets, reader, pass } = await start(test, { most: 2 * LONG });
    const slow = await reader('203.0.113.1');
    const fast = await reader('203.0.113.2');
    pass(10_000);
    fast.resume();
    const [slowSocket, fastSocket] = sockets as [Socket, Socket];
    while ((unsent.slownessOf(fastSocket) ?? 0) * 2 > (unsent.slownessOf(slowSocket) ?? 0)) await turn();
    const third = await reader('203.0.113.3');
    await ended(slow);
    assert.deepEqual([await read(fast), await read(third)], [[LONG], [LONG]]);
    for (const each of [fast, third]) each.end();
  });

  it('makes room for its network when it has been at it for long, and not before', async (test) => {
    const { unsent, reader, cut, pass } = await start(test, {});
    const slow = await reader('203.0.113.1');
    pass(4_999);
    unsent.makeRoomIn('203.0.113.1');
    assert.equal(cut(), 0);
    pass(1);
    unsent.makeRoomIn('203.0.113.2');
    unsent.makeRoomIn(null);
    assert.equal(cut(), 0);
    unsent.makeRoomIn('203.0.113.1');
    await ended(slow);
    assert.equal(cut(), 1);
  });
});

describe('usual answers that nobody reads', { timeout: 120_000 }, () => {
  /** No call begins behind this many unsent bytes of its connection. */
  const MAX_BEHIND = 256 * 1024;
  const licenseFile = Buffer.alloc(1_500, 'x');
  const metrics = 'x'.repeat(100_000);
  const scrapes = createMetricsListener({
    scrape: async () => metrics,
    contentType: 'text/plain',
    peerOf: directPeer,
    names: () => ['localhost'],
    onFailure: (error) => assert.fail(String(error)),
  });
  const kinds = [
    {
      title: 'license files',
      listener: (_: ReceivedRequest, response: ServerResponse) => void response.end(licenseFile),
      bytes: licenseFile.length,
      callsPerConnection: 64,
    },
    { title: 'scrapes of the metrics', listener: scrapes, bytes: metrics.length, callsPerConnection: 4 },
  ];

  for (const { title, listener, bytes, callsPerConnection } of kinds)
    it(`are bounded for a reader that asks for ${title} on and on`, async (test) => {
      const calls = Math.ceil(LONG / bytes);
      let begun = 0;
      let socket: Socket | undefined;
      const counted = (request: ReceivedRequest, response: ServerResponse) => {
        begun += 1;
        ({ socket } = request);
        request.resume();
        listener(request, response);
      };
      const listening = await startListening(test, counted, { tls: false, callsPerConnection });
      const wire = await Wire.open(listening.port, { tls: false });
      wire.pause();
      wire.write(Buffer.concat(Array.from({ length: calls }, () => requestBytes('/metrics', '', { method: 'GET' }))));
      const unsent = () => socket?.writableLength ?? 0;
      while (unsent() === 0) await turn();
      for (let turns = 0; turns < 100; turns += 1) await turn();
      const most = MAX_BEHIND + callsPerConnection * (bytes + 1_000);
      assert.ok(unsent() <= most && begun < calls, `${unsent()} bytes after ${begun} of ${calls} calls`);
      wire.resume();
      for (const { status } of await answersOf(wire, calls)) assert.equal(status, 200);
      wire.end();
    });

  it('are found while unsent, and count until they are sent', async (test) => {
    let cut = 0;
    const unsent = new UnsentAnswers({ most: 3 * LONG, maxOfNetwork: null }, () => (cut += 1));
    const sockets: Socket[] = [];
    const listening = await startListening(
      test,
      (request, response) => {
        sockets.push(request.socket);
        response.end(body);
      },
      { tls: false },
    );
    const wires = [];
    for (let count = 0; count < 2; count += 1) {
      const wire = await Wire.open(listening.port, { tls: false });
      wire.pause();
      wire.write(requestBytes('/', '', { method: 'GET' }));
      wires.push(wire);
      while (sockets.length <= count) await turn();
    }
    unsent.look(sockets, () => null);
    assert.ok(unsent.bytes > LONG / 2 && unsent.bytes < 2 * LONG + 2_000);
    const [one, other] = wires as [Wire, Wire];
    assert.deepEqual(await read(one), [LONG]);
    while (sockets[0]!.writableLength > 0) await turn();
    unsent.look(sockets, () => null);
    assert.ok(unsent.bytes <= LONG + 1_000);
    other.end();
    await other.closed;
    while (!sockets[1]!.destroyed) await turn();
    unsent.look(sockets, () => null);
    assert.deepEqual([unsent.bytes, cut], [0, 0]);
    one.end();
  });
});
