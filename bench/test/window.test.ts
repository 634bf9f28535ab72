import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import { createServer as createSocketServer, type Server as SocketServer } from 'node:net';
import { describe, it } from 'node:test';
import { listen } from '../../packages/server/test/support/listen.ts';
import { type ExpectedFields, RequestPool } from '../src/pool.ts';
import { CONNECTIONS, windowOn } from './support/window.ts';

/** A pool of one request with `usesMax` uses. */
function poolOf(usesMax: number, fields: ExpectedFields = { valid: true }): RequestPool {
  const request = 'POST /verify HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}';
  return new RequestPool(Buffer.from(`${request}\u001f${JSON.stringify(fields)}\u001e`), usesMax);
}

/** Runs a window on a server and closes the server. */
async function windowAt(server: SocketServer, pool: RequestPool, fixedAnswer: string | null = null) {
  const figures = await windowOn({ port: await listen(server), certificate: null }, pool, fixedAnswer);
  server.close();
  return figures;
}

/** A server that gives the same response to every request. */
function answering(answer: (response: ServerResponse) => void) {
  return createServer((request, response) => {
    request.resume();
    request.on('end', () => answer(response));
  });
}

describe('a window', () => {
  it('counts right answers, one latency each, and finds no error', async () => {
    const server = answering((response) => response.end('{"valid":true}'));
    const { requests, seconds, latencyCounts, errors } = await windowAt(server, poolOf(1000));
    assert.ok(requests > 0 && seconds > 0);
    assert.equal(
      latencyCounts.reduce((sum, count) => sum + count, 0),
      requests,
    );
    assert.deepEqual(errors, { count: 0, reported: [] });
  });

  it('sends each request no more often than it may be, and ends', async () => {
    let seen = 0;
    const server = answering((response) => {
      seen += 1;
      response.end('{"valid":true}');
    });
    const { isUsedUp, errors } = await windowAt(server, poolOf(100));
    assert.equal(seen, 100);
    assert.equal(isUsedUp, true);
    assert.equal(errors.count, 0);
  });

  it('finds every wrong status', async () => {
    const server = answering((response) => {
      response.statusCode = 404;
      response.end('{"valid":false,"error":"License not found"}');
    });
    const { errors } = await windowAt(server, poolOf(100));
    assert.equal(errors.count, 100);
    assert.equal(errors.reported[0], 'status 404: License not found');
  });

  it('finds wrong fields in a sample of the answers', async () => {
    const server = answering((response) => response.end('{"valid":false}'));
    const { errors } = await windowAt(server, poolOf(320));
    assert.equal(errors.count, 10);
    assert.equal(errors.reported[0], 'valid is false instead of true');
  });

  it('finds another body than the fixed one', async () => {
    const server = answering((response) => response.end('{"valid":true}'));
    const { errors } = await windowAt(server, poolOf(320), '{"valid":true,"more":1}');
    assert.equal(errors.count, 10);
  });

  it('puts together an answer that comes in pieces', async () => {
    const server = createSocketServer({ noDelay: true }, (socket) => {
      socket.on('data', () => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Le');
        setTimeout(() => {
          socket.write('ngth: 14\r\n\r\n{"valid"');
          setTimeout(() => socket.write(':true}'), 2);
        }, 2);
      });
      socket.on('error', () => {});
    });
    const { requests, errors } = await windowAt(server, poolOf(40, { valid: true }));
    assert.ok(requests > 0);
    assert.deepEqual(errors, { count: 0, reported: [] });
  });

  it('reports when the server closes the connections', async () => {
    const server = createSocketServer((socket) => {
      socket.on('data', () => socket.end());
      socket.on('error', () => {});
    });
    const { requests, errors } = await windowAt(server, poolOf(Number.POSITIVE_INFINITY));
    assert.equal(requests, 0);
    assert.equal(errors.count, CONNECTIONS);
    assert.equal(errors.reported[0], 'the server closed the connection');
  });

  it('reports more answers than requests', async () => {
    const server = createSocketServer((socket) => {
      socket.on('data', () => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}HTTP/1.1'));
      socket.on('error', () => {});
    });
    const { errors } = await windowAt(server, poolOf(Number.POSITIVE_INFINITY));
    assert.equal(errors.count, CONNECTIONS);
    assert.match(errors.reported[0] ?? '', /more than one answer/);
  });
});
