/** Checks before a request reaches an endpoint: methods, sizes, malformed HTTP, headers, connections, health. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { endpoints } from '../../../src/app.ts';
import { type Answer, startApp, WEBHOOK_SECRET } from '../../support/app.ts';
import { engines, freshDatabase } from '../../support/databases.ts';
import { startedApp } from '../../support/started-app.ts';
import { requestBytes, Wire } from './wire.ts';

const KIBIBYTE = 1024;
/** Headers of every answer. */
const SECURITY_HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
};
const VERIFY = JSON.stringify({ licenseKey: 'AAAAA-BBBBB-CCCCC-DDDDD-EEEEE', productId: 'app' });

describe('the transport', () => {
  const app = startedApp('sqlite');

  const exchange = (bytes: string | Buffer, options?: { tls?: boolean }) => Wire.exchange(app.port, bytes, options);

  function isRefused(answer: Answer, status: number, error: string): void {
    assert.equal(answer.status, status);
    assert.deepEqual(answer.body, { success: false, error });
    assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
  }

  it('404 for a path that is no endpoint, with any method', async () => {
    for (const path of ['/Verify', '/verify/', '//verify', '/verify%20', '/constructor', '/__proto__', '/..%2fverify'])
      for (const method of ['GET', 'POST', 'PUT'])
        isRefused(await app.send(path, undefined, { method }), 404, 'Not found');
  });

  it('405 with the methods there are, for every endpoint', async () => {
    const wire = await Wire.open(app.port);
    for (const { path, methods, flag } of endpoints)
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'TRACE']) {
        if ((methods as readonly string[]).includes(method)) continue;
        wire.write(requestBytes(path, '', { method }));
        const answer = await wire.answer({ method });
        assert.equal(answer.status, 405, `${method} ${path}`);
        assert.equal(answer.headers.allow, methods.join(', '));
        if (method !== 'HEAD') assert.deepEqual(answer.body, { [flag]: false, error: 'Method not allowed' });
      }
    wire.end();
  });

  it('405 for health documents names GET and HEAD', async () => {
    for (const path of ['/healthz', '/readyz']) {
      const answer = await app.send(path, {});
      isRefused(answer, 405, 'Method not allowed');
      assert.equal(answer.headers.allow, 'GET, HEAD');
    }
  });

  it('takes a body of 64 KiB and refuses one byte more, however it is sent', async () => {
    const filled = (bytes: number) => VERIFY.replace('}', `,"x":"${'x'.repeat(bytes - VERIFY.length - 7)}"}`);
    const right = filled(64 * KIBIBYTE);
    const large = filled(64 * KIBIBYTE + 1);
    assert.deepEqual([right.length, large.length], [65_536, 65_537]);
    assert.equal((await app.send('/verify', right)).status, 404);
    const refused = await app.send('/verify', large);
    assert.deepEqual([refused.status, refused.body], [413, { valid: false, error: 'Body is larger than 64 KiB' }]);
    const chunked = { method: 'POST', headers: ['Transfer-Encoding: chunked'] };
    const inChunks = (body: string) =>
      Buffer.concat([
        requestBytes('/verify', '', chunked),
        ...(body.match(/.{1,1000}/gs) ?? []).map((part) => Buffer.from(`${part.length.toString(16)}\r\n${part}\r\n`)),
        Buffer.from('0\r\n\r\n'),
      ]);
    assert.equal((await exchange(inChunks(right))).status, 404);
    assert.equal((await exchange(inChunks(large))).status, 413);
  });

  it('reads up to 16 MiB of a body that it refuses, so that the sender reads why, and cuts the connection beyond', async () => {
    const most = 16 * KIBIBYTE ** 2;
    assert.equal((await exchange(requestBytes('/verify', Buffer.alloc(most, 'x')))).status, 413);
    await assert.rejects(exchange(requestBytes('/verify', Buffer.alloc(most + 1, 'x'))), /ended after ""/);
  });

  it('426 for plain HTTP, in JSON', async () => {
    for (const bytes of [
      requestBytes('/verify', VERIFY),
      requestBytes('/healthz', '', { method: 'GET' }),
      'nonsense\r\n',
    ]) {
      const answer = await exchange(bytes, { tls: false });
      isRefused(answer, 426, 'HTTPS is required');
      assert.match(String(answer.headers.upgrade), /^TLS\//);
      assert.equal(answer.headers.connection, 'close');
      // In the clear it must not be sent (RFC 6797, section 7.2).
      assert.equal(answer.headers['strict-transport-security'], undefined);
    }
  });

  it('400 in JSON for bytes that are not HTTP, and the connection ends', async () => {
    for (const bytes of [
      'nonsense\r\n\r\n',
      'POST /verify\r\n\r\n',
      'POST /verify HTTP/1.1\r\nHost localhost\r\n\r\n',
      'POST /verify HTTP/1.1\r\nHost: localhost\r\nContent-Length: many\r\n\r\n',
      'POST /verify HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n',
      'POST /verify HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nmany\r\n',
      'POST /verify HTTP/1.1\r\nHost: localhost\r\nX-Bad: \0\r\n\r\n',
      Buffer.from([0, 1, 2, 3, 13, 10, 13, 10]),
    ]) {
      const wire = await Wire.open(app.port);
      wire.write(bytes);
      isRefused(await wire.answer(), 400, 'Request is not valid HTTP');
      await wire.closed;
    }
  });

  it('400 for a request without Host', async () => {
    isRefused(await exchange('GET /healthz HTTP/1.1\r\n\r\n'), 400, 'Request is not valid HTTP');
  });

  it('400 for a request with two headers Host, alike or not, also in the absolute form', async () => {
    const line = 'GET /readyz HTTP/1.1';
    for (const head of [
      `${line}\r\nHost: localhost\r\nHost: elsewhere`,
      `${line}\r\nhost: localhost\r\nX-A: b\r\nHOST: localhost`,
      'GET https://localhost/readyz HTTP/1.1\r\nHost: localhost\r\nHost: elsewhere',
      'GET /readyz HTTP/1.0\r\nHost: localhost\r\nHost: elsewhere',
    ])
      isRefused(await exchange(`${head}\r\n\r\n`), 400, 'Request is not valid HTTP');
    assert.equal((await exchange(`${line}\r\nHost: localhost\r\n\r\n`)).status, 200);
  });

  it('431 for headers or a path that are larger than 16 KiB', async () => {
    const error = 'Request line and headers are larger than 16 KiB or 100 headers';
    const large = 'x'.repeat(17 * KIBIBYTE);
    isRefused(await exchange(requestBytes(`/getLicense?licenseKey=${large}`, '', { method: 'GET' })), 431, error);
    isRefused(await exchange(requestBytes('/verify', VERIFY, { headers: [`X-Api-Key: ${large}`] })), 431, error);
  });

  it('an expectation that it does not know changes nothing', async () => {
    const answer = await exchange(requestBytes('/verify', VERIFY, { headers: ['Expect: the-unexpected'] }));
    assert.equal(answer.status, 404);
    assert.equal(answer.body.error, 'License not found');
  });

  it('sends the security headers with every kind of answer', async () => {
    const webhook = [`x-webhook-secret: ${WEBHOOK_SECRET}`];
    const kinds: [number, string | Buffer][] = [
      [200, requestBytes('/healthz', '', { method: 'GET' })],
      [200, requestBytes('/readyz', '', { method: 'GET' })],
      [200, requestBytes('/listStudioOrders?courseId=c', '', { method: 'GET', headers: webhook })],
      [400, requestBytes('/verify', '{}')],
      [400, requestBytes('/verify', '{')],
      [400, 'nonsense\r\n\r\n'],
      [401, requestBytes('/createLicense', '{}')],
      [404, requestBytes('/verify', VERIFY)],
      [404, requestBytes('/nowhere')],
      [405, requestBytes('/verify', '', { method: 'GET' })],
      [413, requestBytes('/verify', 'x'.repeat(70_000))],
      [431, requestBytes('/verify', '', { headers: [`X-Large: ${'x'.repeat(20_000)}`] })],
    ];
    for (const [status, bytes] of kinds) {
      const answer = await exchange(bytes);
      assert.equal(answer.status, status);
      assert.equal(answer.headers['strict-transport-security'], 'max-age=31536000');
      for (const [name, value] of Object.entries(SECURITY_HEADERS))
        assert.equal(answer.headers[name], value, `${status} ${name}`);
    }
    const page = await exchange(requestBytes('/docs', '', { method: 'GET' }));
    assert.equal(page.headers['strict-transport-security'], 'max-age=31536000');
    assert.equal(page.headers['x-content-type-options'], 'nosniff');
    assert.match(String(page.headers['content-security-policy']), /^default-src 'none'; .*frame-ancestors 'none'(;|$)/);
    const plain = await exchange(requestBytes('/verify', VERIFY), { tls: false });
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) assert.equal(plain.headers[name], value);
  });

  it('says with a 401 that it takes bearer tokens', async () => {
    assert.equal((await app.send('/createLicense', {})).headers['www-authenticate'], 'Bearer');
  });

  it('echoes a request id that a log can hold, and makes one otherwise', async () => {
    for (const given of ['abc-123', 'A.b_c', 'x'.repeat(64)]) {
      const answer = await app.send('/verify', VERIFY, { headers: { 'X-Request-Id': given } });
      assert.equal(answer.headers['x-request-id'], given);
      assert.match(String(answer.headers['latchkey-request-id']), /^[\w-]{14}$/);
    }
    const own = await app.send('/verify', VERIFY);
    assert.equal(own.headers['latchkey-request-id'], undefined, 'there is one id where the caller sent none');
    const made = new Set<unknown>();
    for (const given of ['', 'x'.repeat(65), 'a b', '{"a":1}', 'é', '<script>'])
      for (const path of ['/verify', '/healthz', '/nowhere']) {
        const method = path === '/healthz' ? 'GET' : 'POST';
        const answer = await app.send(path, undefined, { method, headers: { 'X-Request-Id': given } });
        assert.match(String(answer.headers['x-request-id']), /^[\w-]{8,}$/);
        made.add(answer.headers['x-request-id']);
      }
    assert.equal(made.size, 18);
  });

  it('answers one request after another on one connection, refusals too', async () => {
    const wire = await Wire.open(app.port);
    const statuses: number[] = [];
    for (const bytes of [
      requestBytes('/verify', VERIFY),
      requestBytes('/verify', '{'),
      requestBytes('/nowhere', '{"a":1}'),
      requestBytes('/verify', 'x'.repeat(70_000)),
      requestBytes('/verify', '{}', { method: 'PUT' }),
      requestBytes('/createLicense', '{}'),
      requestBytes('/healthz', '{"a":1}', { method: 'GET' }),
      requestBytes('/verify', VERIFY),
    ]) {
      wire.write(bytes);
      statuses.push((await wire.answer()).status);
    }
    wire.end();
    assert.deepEqual(statuses, [404, 400, 404, 413, 405, 401, 200, 404]);
  });

  it('answers requests that come in one packet in their order', async () => {
    const wire = await Wire.open(app.port);
    const key = (await app.license()) as string;
    const create = requestBytes('/createStudioOrder', '{}', { headers: [`x-webhook-secret: ${WEBHOOK_SECRET}`] });
    const known = requestBytes('/verify', JSON.stringify({ licenseKey: key, productId: 'app' }));
    wire.write(Buffer.concat([known, create, requestBytes('/verify', VERIFY), known]));
    const statuses = [];
    for (let count = 0; count < 4; count += 1) statuses.push((await wire.answer()).status);
    wire.end();
    assert.deepEqual(statuses, [200, 400, 404, 200]);
  });

  it('closes the connection of a client that asks for it', async () => {
    const wire = await Wire.open(app.port);
    wire.write(requestBytes('/verify', VERIFY, { headers: ['Connection: close'] }));
    assert.equal((await wire.answer()).headers.connection, 'close');
    await wire.closed;
  });

  it('a client that leaves in the middle of its request takes nobody along', async () => {
    for (const bytes of ['', 'PO', 'POST /verify HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"a"'])
      for (const tls of [true, false]) {
        const wire = await Wire.open(app.port, { tls });
        wire.write(bytes);
        wire.end();
        await wire.closed;
      }
    assert.equal((await app.send('/healthz', undefined, { method: 'GET' })).status, 200);
  });

  it('/healthz and /readyz answer GET and HEAD to anybody', async () => {
    for (const [path, said] of Object.entries({
      '/healthz': { success: true, status: 'ok' },
      '/readyz': { success: true, status: 'ready', writes: true },
    })) {
      const got = await app.send(path, undefined, { method: 'GET' });
      assert.deepEqual([got.status, got.body], [200, said]);
      const wire = await Wire.open(app.port);
      wire.write(requestBytes(path, '', { method: 'HEAD' }));
      const headed = await wire.answer({ method: 'HEAD' });
      assert.equal(headed.status, 200);
      assert.equal(headed.headers['content-length'], got.headers['content-length']);
      wire.write(requestBytes(path, '', { method: 'GET' }));
      assert.deepEqual((await wire.answer()).body, said);
      wire.end();
    }
  });
});

describe('a request that does not arrive in time', () => {
  it('is refused with 408, and its connection closed, while others are answered', async () => {
    const app = await startApp('sqlite', { LATCHKEY_REQUEST_TIMEOUT: '1s' });
    const whole = requestBytes('/verify', VERIFY);
    const halves = [whole.indexOf('\r\n') + 2, whole.length - 10];
    const wires = await Promise.all(halves.map(() => Wire.open(app.port)));
    for (const [index, wire] of wires.entries()) wire.write(whole.subarray(0, halves[index]));
    assert.equal((await Wire.exchange(app.port, whole)).status, 404);
    for (const wire of wires) {
      const { status, body } = await wire.answer();
      assert.deepEqual([status, body], [408, { success: false, error: 'Request took too long to arrive' }]);
      await wire.closed;
    }
    await app.stop();
  });
});

for (const engine of engines)
  describe(`health on ${engine}`, () => {
    it('/readyz answers 200 while the database does', async () => {
      const app = await startApp(engine);
      assert.equal((await app.send('/readyz', undefined, { method: 'GET' })).status, 200);
      await app.stop();
    });
  });

describe('health without a database', () => {
  it('/readyz answers 503 and /healthz 200', async () => {
    const database = await freshDatabase('postgres');
    const app = await startApp('postgres', {}, database);
    await database.remove();
    const ready = await app.send('/readyz', undefined, { method: 'GET' });
    assert.deepEqual([ready.status, ready.body], [503, { success: false, error: 'Not ready' }]);
    assert.equal((await app.send('/healthz', undefined, { method: 'GET' })).status, 200);
    await app.stop();
  });
});
