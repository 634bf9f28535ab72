/**
 * Many requests on one connection: a limited number is processed at once, and replies come in the order of requests.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Held, startListening } from './listening.ts';
import { answersOf, requestBytes, Wire } from './wire.ts';

const GARBAGE = 'this is no request\r\n\r\n';
const NOT_VALID = { success: false, error: 'Request is not valid HTTP' };

/** Requests for /0, /1, /2, in one piece. */
const numbered = (count: number, body = '') =>
  Buffer.concat(Array.from({ length: count }, (_, index) => requestBytes(`/${index}`, body)));
const paths = (count: number) => Array.from({ length: count }, (_, index) => `/${index}`);

for (const tls of [true, false])
  describe(`calls of one connection ${tls ? 'with TLS' : 'without TLS'}`, () => {
    it('are under way at once up to the limit, and all answered in their order', async (test) => {
      const held = new Held();
      const { port } = await startListening(test, held.listener, { tls, callsPerConnection: 4 });
      const wire = await Wire.open(port, { tls });
      wire.write(numbered(1000, '{"a":1}'));
      await held.until(4);
      held.open();
      const answers = await answersOf(wire, 1000);
      wire.end();
      assert.deepEqual(
        answers.map(({ status, body }) => [status, body]),
        paths(1000).map((path) => [200, path]),
      );
      assert.deepEqual(held.started, paths(1000));
      assert.equal(held.most, 4);
    });

    it('count until they are answered, also where a later one is ready first', async (test) => {
      const held = new Held();
      const { port } = await startListening(test, held.listener, { tls, callsPerConnection: 3 });
      const wire = await Wire.open(port, { tls });
      wire.write(numbered(6));
      await held.until(3);
      // The second and third wait for the first, and keep their places.
      held.releaseLast();
      held.releaseLast();
      const other = await Wire.open(port, { tls });
      other.write(requestBytes('/other'));
      await held.until(2);
      held.releaseLast();
      await other.answer();
      assert.deepEqual(held.started, ['/0', '/1', '/2', '/other']);
      held.open();
      assert.deepEqual(
        (await answersOf(wire, 6)).map(({ body }) => body),
        paths(6),
      );
      wire.end();
      other.end();
    });

    it('are not limited together with those of another connection', async (test) => {
      const held = new Held();
      const { port } = await startListening(test, held.listener, { tls, callsPerConnection: 2 });
      const wires = await Promise.all(Array.from({ length: 5 }, () => Wire.open(port, { tls })));
      for (const wire of wires) wire.write(numbered(3));
      await held.until(10);
      held.open();
      for (const wire of wires) assert.equal((await answersOf(wire, 3)).length, 3);
      assert.equal(held.most, 10);
      for (const wire of wires) wire.end();
    });

    it('are as many as are sent where the limit is off', async (test) => {
      const held = new Held();
      const { port } = await startListening(test, held.listener, { tls, callsPerConnection: null });
      const wire = await Wire.open(port, { tls });
      wire.write(numbered(300));
      await held.until(300);
      held.open();
      assert.equal((await answersOf(wire, 300)).length, 300);
      wire.end();
    });

    it('are read one at a time if the limit is one, with bodies in any pieces', async (test) => {
      const held = new Held();
      const { port } = await startListening(test, held.listener, { tls, callsPerConnection: 1 });
      const wire = await Wire.open(port, { tls });
      held.open();
      const bytes = numbered(40, 'x'.repeat(300));
      for (let from = 0; from < bytes.length; from += 97) {
        wire.write(bytes.subarray(from, from + 97));
        await new Promise(setImmediate);
      }
      assert.deepEqual(
        (await answersOf(wire, 40)).map(({ body }) => body),
        paths(40),
      );
      assert.equal(held.most, 1);
      wire.end();
    });

    it('are not read far ahead of the calls under way', async (test) => {
      const size = 20_000;
      let ahead = 0;
      let read = 0;
      const { port } = await startListening(
        test,
        (request, response) => {
          read += size;
          ahead = Math.max(ahead, request.socket.bytesRead - read);
          request.resume();
          request.on('end', () => setImmediate(() => response.end('done')));
        },
        { tls, callsPerConnection: 2 },
      );
      const wire = await Wire.open(port, { tls });
      const one = requestBytes('/x', 'x'.repeat(size));
      wire.write(Buffer.concat(Array.from({ length: 400 }, () => one)));
      await answersOf(wire, 400);
      wire.end();
      // 8 MB were sent. The service reads ahead only the buffers of one socket and one stream, some 64 KiB each.
      assert.ok(ahead < 512 * 1024, `${ahead} bytes were read ahead`);
    });

    for (const callsPerConnection of [64, null])
      it(`are never taken for invalid while node does not read, the limit ${callsPerConnection ?? 'off'}`, async (test) => {
        const large = 'x'.repeat(60_000);
        const { port } = await startListening(
          test,
          (request, response) => {
            request.resume();
            request.on('end', () => setImmediate(() => response.end(large)));
          },
          { tls, callsPerConnection },
        );
        const bytes = numbered(500, 'x'.repeat(500));
        // The chunk size decides whether bytes arrive just when Node.js has paused: many chunks and few.
        for (const piece of [200, 1500, 16_384, 70_000, bytes.length]) {
          const wire = await Wire.open(port, { tls });
          const answers = answersOf(wire, 500);
          for (let from = 0; from < bytes.length; from += piece) {
            wire.write(bytes.subarray(from, from + piece));
            // A slow client lets replies pile up.
            if (Math.floor(from / piece) % 8 === 0) wire.pause();
            await new Promise(setImmediate);
            wire.resume();
          }
          assert.deepEqual(new Set((await answers).map(({ status }) => status)), new Set([200]));
          wire.end();
        }
      });

    it('are answered before the refusal of garbage behind them, which comes last', async (test) => {
      const held = new Held();
      const { port } = await startListening(test, held.listener, { tls, callsPerConnection: 2 });
      const wire = await Wire.open(port, { tls });
      wire.write(Buffer.concat([numbered(5), Buffer.from(GARBAGE), numbered(5)]));
      await held.until(2);
      held.open();
      assert.deepEqual(
        (await answersOf(wire, 5)).map(({ body }) => body),
        paths(5),
      );
      const last = await wire.answer();
      assert.deepEqual([last.status, last.body], [400, NOT_VALID]);
      await wire.closed;
      assert.deepEqual(held.started, paths(5));
    });

    it('are answered where garbage comes in the body of the last', async (test) => {
      const held = new Held();
      const { port } = await startListening(test, held.listener, { tls });
      const wire = await Wire.open(port, { tls });
      const broken = requestBytes('/broken', '', { headers: ['Transfer-Encoding: chunked'] });
      wire.write(Buffer.concat([numbered(2), broken, Buffer.from('many\r\n')]));
      await held.until(2);
      held.open();
      const answers = await answersOf(wire, 3);
      assert.deepEqual(
        answers.map(({ status, body }) => [status, body]),
        [
          [200, '/0'],
          [200, '/1'],
          [400, NOT_VALID],
        ],
      );
      await wire.closed;
    });

    it('end with the answer to the request that asks to close, even if others follow', async (test) => {
      const held = new Held();
      const { port } = await startListening(test, held.listener, { tls });
      const wire = await Wire.open(port, { tls });
      const last = requestBytes('/last', '', { headers: ['Connection: close'] });
      wire.write(Buffer.concat([last, numbered(1), Buffer.from(GARBAGE)]));
      await held.until(1);
      held.open();
      const answer = await wire.answer();
      assert.deepEqual([answer.status, answer.body, answer.headers.connection], [200, '/last', 'close']);
      await assert.rejects(wire.answer(), /ended after ""/);
      assert.deepEqual(held.started, ['/last']);
    });

    it('are answered to a client that has finished writing', async (test) => {
      const held = new Held();
      const { port } = await startListening(test, held.listener, { tls, callsPerConnection: 2 });
      const wire = await Wire.open(port, { tls });
      wire.write(numbered(5));
      wire.finishWriting();
      await held.until(2);
      held.open();
      assert.deepEqual(
        (await answersOf(wire, 5)).map(({ body }) => body),
        paths(5),
      );
      await wire.closed;
    });

    it('are all answered by a service that stops, and the last answer says that it closes', async (test) => {
      const held = new Held();
      const listening = await startListening(test, held.listener, { tls, callsPerConnection: 2 });
      const wire = await Wire.open(listening.port, { tls });
      wire.write(numbered(5));
      await held.until(2);
      const closed = listening.close(60_000);
      held.open();
      const answers = await answersOf(wire, 5);
      assert.deepEqual(
        answers.map(({ body }) => body),
        paths(5),
      );
      assert.deepEqual(
        answers.map(({ headers }) => headers.connection),
        [...Array(4).fill('keep-alive'), 'close'],
      );
      await Promise.all([closed, wire.closed]);
    });

    it('that begin while the service stops are all answered, and only the last answer closes', async (test) => {
      const held = new Held();
      const listening = await startListening(test, held.listener, { tls });
      const wire = await Wire.open(listening.port, { tls });
      const other = await Wire.open(listening.port, { tls });
      const [head, rest] = [numbered(3).subarray(0, 10), numbered(3).subarray(10)];
      wire.write(head);
      other.write(requestBytes('/other'));
      await held.until(1);
      const closed = listening.close(60_000);
      wire.write(rest);
      await held.until(4);
      held.open();
      const answers = await answersOf(wire, 3);
      assert.deepEqual(
        answers.map(({ body, headers }) => [body, headers.connection]),
        [
          ['/0', 'keep-alive'],
          ['/1', 'keep-alive'],
          ['/2', 'close'],
        ],
      );
      await other.answer();
      await Promise.all([closed, wire.closed]);
    });

    it('are not acted on behind an answer that closes the connection', async (test) => {
      const started: string[] = [];
      const large = 'x'.repeat(32 * 1024 * 1024);
      const listening = await startListening(
        test,
        (request, response) => {
          started.push(request.url ?? '');
          request.resume();
          request.on('end', () => response.end(request.url === '/large' ? large : 'small'));
        },
        { tls },
      );
      const wires = await Promise.all(Array.from({ length: 4 }, () => Wire.open(listening.port, { tls })));
      const [wire, ...others] = wires;
      assert.ok(wire !== undefined);
      // Each has begun a request, so that none of them is idle when the service stops.
      for (const each of wires) each.write('POST ');
      const asked = await Wire.open(listening.port, { tls });
      asked.write(requestBytes('/asked'));
      await asked.answer();
      const closed = listening.close(60_000);
      wire.pause();
      wire.write(requestBytes('/large').subarray(5));
      const answerOf = async (other: Wire | undefined) => {
        other?.write(requestBytes('/other').subarray(5));
        return other?.answer();
      };
      await answerOf(others[0]);
      wire.write(requestBytes('/behind'));
      await answerOf(others[1]);
      await answerOf(others[2]);
      wire.resume();
      const answer = await wire.answer();
      assert.deepEqual([answer.body.length, answer.headers.connection], [large.length, 'close']);
      await Promise.all([closed, wire.closed]);
      assert.ok(!started.includes('/behind'), started.join());
    });
  });
