/** Every answer is logged, and the log stays short when much of the traffic is garbage. */
import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { describe, it, type TestContext } from 'node:test';
import { pino } from 'pino';
import { MINUTE_MS } from '../../../src/ground/base/clock.ts';
import { type AnsweredRequest, requestLineOf } from '../../../src/runtime/http/answered.ts';
import { createRequestLog } from '../../../src/runtime/http/request-log.ts';
import { ADMIN_SECRET, type Answer, TestClock } from '../../support/app.ts';
import { type ServerProcess, startServerProcess } from '../../support/server-process.ts';
import { answersOf, requestBytes, Wire } from './wire.ts';

type Line = Readonly<Record<string, unknown>>;

/** A service as a process of its own, on SQLite. */
async function startService(test: TestContext, environment: Readonly<Record<string, string>> = {}) {
  const usual = { LATCHKEY_REQUEST_TIMEOUT: '1s' };
  // The file lies in the data directory that the process is given.
  const service = await startServerProcess({ engine: 'sqlite', file: '' }, { ...usual, ...environment });
  test.after(() => service.kill());
  return service;
}

/** Ends a service and waits until all of its log is there. */
async function stopped(service: ServerProcess): Promise<void> {
  assert.equal(await service.stop(), 0);
  while (service.log.at(-1)?.event !== 'service.stopped') await new Promise((resolve) => setImmediate(resolve));
}

/** The lines about requests. */
const requestsIn = (log: readonly Line[]) => log.filter(({ event }) => String(event).startsWith('request.'));

/** The one line about an answer, without the parts that vary. */
function lineOf(log: readonly Line[], answer: Answer): Line {
  const requestId = answer.headers['x-request-id'];
  assert.equal(typeof requestId, 'string');
  const lines = requestsIn(log).filter((line) => (line.callerRequestId ?? line.requestId) === requestId);
  assert.equal(lines.length, 1, `${lines.length} lines about ${requestId}`);
  const { level, time, pid, port, requestId: own, callerRequestId: _id, ...line } = lines[0]!;
  assert.match(String(own), /^[\w-]{14}$/, 'the service has an id of its own');
  return line;
}

describe('the log of a service', { timeout: 60_000 }, () => {
  it('has a line for each request that the transport refused, with its known facts', async (test) => {
    const service = await startService(test);
    const { port } = service;
    const address = '127.0.0.1';
    const named = requestBytes('/activate?x=secret', '{"a":1}', { headers: ['X-Request-Id: mine.1'] });
    const broken = Buffer.from(
      'POST /verify/unknown-path-with-a-secret HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nmany\r\n',
    );
    const large = requestBytes('/verify', '{}', { headers: [`X-Large: ${'x'.repeat(17_000)}`] });
    const tooMany = requestBytes('/verify', '{}', { headers: Array.from({ length: 120 }, (_, at) => `X-${at}: 1`) });
    const refusedAs = (status: number, code: string) => ({ event: 'request.refused', status, code, address });
    const plain = { tls: false };
    const expected: [Line, Answer][] = [
      [refusedAs(400, 'malformed_http'), await Wire.exchange(port, 'nonsense\r\n\r\n')],
      [refusedAs(431, 'headers_too_large'), await Wire.exchange(port, large)],
      [refusedAs(431, 'headers_too_large'), await Wire.exchange(port, tooMany)],
      [refusedAs(408, 'request_timeout'), await Wire.exchange(port, 'POST /verify HTTP/1.1\r\nHost:')],
      [
        { ...refusedAs(408, 'request_timeout'), method: 'POST', path: '/activate' },
        await Wire.exchange(port, named.subarray(0, -1)),
      ],
      [
        // Not 404: the answer to the path would have been sent a moment later.
        { ...refusedAs(400, 'malformed_http'), method: 'POST', path: '/verify/…' },
        await Wire.exchange(port, broken),
      ],
      [refusedAs(426, 'https_required'), await Wire.exchange(port, 'SSH-2.0-Go\r\n', plain)],
      [
        { ...refusedAs(426, 'https_required'), method: 'GET', path: '/getLicense' },
        await Wire.exchange(port, requestBytes('/getLicense?apiKey=secret', '', { method: 'GET' }), plain),
      ],
    ];
    await stopped(service);
    for (const [line, answer] of expected) {
      assert.deepEqual(lineOf(service.log, answer), line);
      assert.deepEqual([answer.status, answer.headers['latchkey-code']], [line.status, line.code]);
    }
    assert.equal(requestsIn(service.log).length, expected.length);
    assert.equal(expected[4]?.[1].headers['x-request-id'], 'mine.1');
    assert.ok(!JSON.stringify(service.log).includes('secret'));
  });

  it('names the request whose body is malformed, and the requests before it, each once and in order', async (test) => {
    const service = await startService(test);
    const wire = await Wire.open(service.port);
    const chunked = 'POST /verify HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nmany\r\n';
    wire.write(Buffer.concat([requestBytes('/verify', '{}'), Buffer.from(chunked)]));
    const [missing, malformed] = await answersOf(wire, 2);
    await wire.closed;
    await stopped(service);
    const common = { event: 'request.refused', method: 'POST', path: '/verify', status: 400, address: '127.0.0.1' };
    const { durationMs, ...line } = lineOf(service.log, missing!);
    assert.deepEqual(line, { ...common, code: 'missing_fields' });
    assert.equal(typeof durationMs, 'number');
    assert.deepEqual(lineOf(service.log, malformed!), { ...common, code: 'malformed_http' });
    assert.equal(requestsIn(service.log).length, 2);
  });

  it("has the client's address, not the proxy's, for a request whose body is malformed", async (test) => {
    const service = await startService(test, { LATCHKEY_TRUST_PROXY: '127.0.0.1' });
    const broken =
      'POST /verify HTTP/1.1\r\nHost: a\r\nX-Forwarded-Proto: https\r\nX-Forwarded-For: 203.0.113.7\r\n' +
      'Transfer-Encoding: chunked\r\n\r\nmany\r\n';
    const answer = await Wire.exchange(service.port, broken, { tls: false });
    await stopped(service);
    const { code, address } = lineOf(service.log, answer);
    assert.deepEqual([code, address], ['malformed_http', '203.0.113.7']);
  });

  it('is not flooded by connections that send garbage: beyond sixty a minute they are counted', async (test) => {
    const service = await startService(test);
    const COUNT = 150;
    for (let sent = 0; sent < COUNT; sent += 10)
      await Promise.all(
        Array.from({ length: 10 }, async (_, at) => {
          const answer = await Wire.exchange(service.port, 'garbage\r\n\r\n', { tls: at % 2 === 0 });
          assert.equal(answer.status, at % 2 === 0 ? 400 : 426);
        }),
      );
    // A valid request has its own line, however much garbage there is.
    const refused = await Wire.exchange(service.port, requestBytes('/verify', '{}'));
    await stopped(service);
    assert.equal(lineOf(service.log, refused).code, 'missing_fields');
    const requests = requestsIn(service.log);
    const counts = requests.filter(({ event }) => event === 'request.refusals_counted');
    const counted = counts
      .flatMap(({ codes }) => Object.values(codes as Record<string, number>))
      .reduce((sum, count) => sum + count, 0);
    const written = requests.filter(({ code }) => code === 'malformed_http' || code === 'https_required').length;
    assert.equal(written + counted, COUNT);
    assert.ok(written === 60 || counts.length > 1, `${written} lines`);
    assert.ok(counted > 0);
  });

  it('logs successes of documents and client endpoints at level debug only, other calls always', async (test) => {
    const verbose = await startService(test, { LATCHKEY_LOG_LEVEL: 'debug' });
    const usual = await startService(test);
    for (const service of [verbose, usual]) {
      const answers = await Promise.all(
        ['/healthz', '/docs'].map((path) => service.send(path, undefined, { method: 'GET' })),
      );
      for (const { status } of answers) assert.equal(status, 200);
      assert.equal((await service.send('/docs', {})).status, 405);
      const order = { adminSecret: ADMIN_SECRET, email: 'ada@example.com', productId: 'app' };
      const { licenseKey } = (await service.send('/createLicense', order)).body;
      assert.equal((await service.send('/verify', { licenseKey, productId: 'app' })).status, 200);
      await stopped(service);
      const reported = requestsIn(service.log).map(({ path, status, code }) => [path, status, code]);
      const always = [
        ['/createLicense', 200, undefined],
        ['/docs', 405, 'method_not_allowed'],
      ];
      const verbosely = ['/docs', '/healthz', '/verify'].map((path) => [path, 200, undefined]);
      assert.deepEqual(reported.sort(), service === verbose ? [...always, ...verbosely].sort() : always);
    }
  });
});

describe('the request log', () => {
  /** A log whose lines are kept, and a clock for it. */
  function keptLog(level: string) {
    const lines: Line[] = [];
    const output = new Writable({
      write(chunk: Buffer, _encoding, done) {
        lines.push(JSON.parse(String(chunk)) as Line);
        done();
      },
    });
    const clock = new TestClock();
    return { lines, clock, log: createRequestLog(pino({ level }, output), clock.now) };
  }

  const ended = (code: AnsweredRequest['code'] = 'malformed_http'): AnsweredRequest => ({
    ...{
      requestId: 'id',
      callerRequestId: null,
      method: null,
      path: null,
      endpoint: null,
      status: 400,
      code,
      durationMs: null,
    },
    ...{ address: '192.0.2.1', isRead: false },
  });
  const events = (lines: readonly Line[]) => lines.map(({ event }) => event);

  it('writes sixty refusals a minute of connections that ended, then counts by code, and says so when it is over', () => {
    const { lines, clock, log } = keptLog('info');
    for (let count = 0; count < 100; count++) log.observe(ended(count % 4 === 0 ? 'https_required' : undefined));
    assert.deepEqual(events(lines), Array(60).fill('request.refused'));
    clock.move(MINUTE_MS - 1);
    log.observe(ended());
    assert.equal(lines.length, 60);
    clock.move(1);
    // Any refusal tells that the minute is over, also one of a request that was read.
    log.observe({ ...ended('license_not_found'), isRead: true, status: 404 });
    assert.deepEqual(events(lines.slice(60)), ['request.refusals_counted', 'request.refused']);
    assert.deepEqual(lines[60]?.codes, { https_required: 10, malformed_http: 31 });
    log.observe(ended());
    assert.equal(lines.length, 63);
    log.finish();
    assert.equal(lines.length, 63, 'nothing was left to tell');
  });

  it('reports its counts once when the service ends', () => {
    const { lines, log } = keptLog('info');
    for (let count = 0; count < 61; count++) log.observe(ended());
    log.finish();
    log.finish();
    assert.deepEqual(events(lines.slice(60)), ['request.refusals_counted']);
    assert.deepEqual(lines[60]?.codes, { malformed_http: 1 });
  });

  it('goes on after the clock was put back', () => {
    const { lines, clock, log } = keptLog('info');
    for (let count = 0; count < 61; count++) log.observe(ended());
    clock.move(-60 * MINUTE_MS);
    log.observe(ended());
    assert.deepEqual(events(lines.slice(60)), ['request.refusals_counted', 'request.refused']);
  });

  it('writes all of them at level debug, and none at level warn', () => {
    const verbose = keptLog('debug');
    const silent = keptLog('warn');
    for (const { log } of [verbose, silent]) {
      for (let count = 0; count < 100; count++) log.observe(ended());
      log.finish();
    }
    assert.equal(verbose.lines.length, 100);
    assert.equal(silent.lines.length, 0);
  });

  it('leaves out lines without a use: a /readyz that is not ready is logged at level debug', () => {
    const { lines, log } = keptLog('info');
    log.observe({ ...ended('not_ready'), method: 'GET', path: '/readyz', status: 503, isRead: true });
    assert.deepEqual(lines, []);
  });
});

describe('a request line', () => {
  it('is read from the first bytes of a connection only if it is one', () => {
    const lineOfText = (text: string) => requestLineOf(Buffer.from(text, 'latin1'));
    assert.deepEqual(lineOfText('GET /verify?a=b HTTP/1.1\r\nHost: a\r\n'), { method: 'GET', url: '/verify?a=b' });
    for (const text of [
      ...['', '\r\n', 'GET', 'GET /', 'GET / HTTP/1.1', 'get / HTTP/1.1\r\n', 'GET / HTTP/2\r\n', 'SSH-2.0-Go\r\n'],
      ...[
        'GET /\x7f HTTP/1.1\r\n',
        'GET /\xe9 HTTP/1.1\r\n',
        'GET verify HTTP/1.1\r\n',
        `GET /${'x'.repeat(1100)} HTTP/1.1\r\n`,
      ],
      `${'A'.repeat(21)} / HTTP/1.1\r\n`,
    ])
      assert.equal(lineOfText(text), null, JSON.stringify(text));
    const lineOfBytes = (bytes: number) => `GET /${'x'.repeat(bytes - 'GET / HTTP/1.1\r\n'.length)} HTTP/1.1\r\n`;
    assert.equal(lineOfText(lineOfBytes(1024))?.method, 'GET');
    assert.equal(lineOfText(lineOfBytes(1025)), null);
  });
});
