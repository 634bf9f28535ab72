/** The guarantees for a site: bounded bodies of a declared type, answers in its own form, its failures and counts. */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { describe, it, type TestContext } from 'node:test';
import Type from 'typebox';
import { systemClock } from '../../../src/ground/base/clock.ts';
import { text } from '../../../src/platform/endpoint/field-types.ts';
import { inner } from '../../../src/platform/endpoint/inner.ts';
import type { Site } from '../../../src/platform/sites/site.ts';
import type { Call } from '../../../src/runtime/dispatch/call.ts';
import { createAdmission } from '../../../src/runtime/http/admission.ts';
import type { AnsweredRequest } from '../../../src/runtime/http/answered.ts';
import { createCors } from '../../../src/runtime/http/cors.ts';
import { createListener } from '../../../src/runtime/http/listener.ts';
import { directPeer } from '../../../src/runtime/http/peer.ts';
import { UnsentAnswers } from '../../../src/runtime/http/unsent-answers.ts';
import { startListening } from './listening.ts';

const FORM = 'application/x-www-form-urlencoded';

const greet = inner(
  'greet',
  { kind: 'customer' },
  { fields: Type.Object({ name: text('A name.', 10) }), reply: Type.Object({}) },
  [],
).read(async () => ({}));

/** A service with one site below /site, whose dispatcher answers every call with its fields. */
async function serve(test: TestContext, answer: Site['answer'], { callsPerNetwork = 8 } = {}) {
  const observed: AnsweredRequest[] = [];
  const calls: Call[] = [];
  const unsent = new UnsentAnswers({ most: 1024 * 1024, maxOfNetwork: null });
  const listener = createListener({
    endpoints: new Map(),
    sites: [{ countedPaths: [], has: (path) => path.startsWith('/site'), answer }],
    prefix: null,
    takesSessions: false,
    unsent,
    secrets: { admin: [], webhook: [] },
    countryOf: () => 'DE',
    clock: systemClock,
    observe: (answered) => observed.push(answered),
    peerOf: directPeer,
    cors: createCors('*'),
    admission: createAdmission(
      { callsPerNetwork, wrongSecretsPerMinute: null } as Parameters<typeof createAdmission>[0],
      systemClock,
      () => {},
      () => {},
    ),
    readForVisitor: () => assert.fail('no site reads'),
    tellingDispatcher: { dispatch: () => assert.fail('no endpoint reports facts') },
    dispatcher: {
      dispatch(call, done) {
        calls.push(call);
        done({ status: 200, body: JSON.stringify(call.read) });
      },
      close: async () => {},
    },
  });
  const listening = await startListening(test, listener, { tls: false });

  /** Sends a request on a connection of its own. */
  const send = (method: string, path: string, body: string | Buffer = '', headers: Record<string, string> = {}) =>
    new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; body: string }>((resolve, reject) => {
      const sent = request(
        { host: '127.0.0.1', port: listening.port, method, path, headers, agent: false },
        async (response) => {
          const pieces = await response.toArray();
          const text = Buffer.concat(pieces).toString();
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text });
        },
      );
      sent.on('error', reject);
      sent.end(body);
    });
  return { listening, send, observed, calls };
}

describe('a site', { timeout: 60_000 }, () => {
  it('gets the bytes of a body of its type, and nothing of another type or beyond its bound', async (test) => {
    const seen: unknown[] = [];
    const { send } = await serve(test, async (visit) => {
      const body = await visit.readBody({ contentType: FORM, maxBytes: 16 });
      seen.push(Buffer.isBuffer(body) ? body.toString('latin1') : body);
      visit.send({ status: 200, headers: ['Content-Type', 'text/plain'], body: '' });
    });
    await send('POST', '/site', Buffer.from([0x61, 0xff, 0x00]), { 'Content-Type': `${FORM}; charset=utf-8` });
    await send('POST', '/site', 'a'.repeat(16), { 'Content-Type': FORM.toUpperCase() });
    await send('POST', '/site', 'a'.repeat(17), { 'Content-Type': FORM });
    await send('POST', '/site', 'a'.repeat(100_000), { 'Content-Type': FORM });
    await send('POST', '/site', '{}', { 'Content-Type': 'application/json' });
    await send('POST', '/site', 'a');
    assert.deepEqual(seen, ['a\u00ff\0', 'a'.repeat(16), 'tooLarge', 'tooLarge', 'otherType', 'otherType']);
  });

  it('answers in its own form, and the answer is told to the log', async (test) => {
    const { send, observed } = await serve(test, (visit) => {
      const headers = ['Content-Type', 'text/html; charset=utf-8', 'Set-Cookie', 'a=1', 'Set-Cookie', 'b=2'];
      visit.send({ status: 303, headers: [...headers, 'Location', '/site/'], body: '<p>é' });
    });
    const answer = await send('GET', '/site/page?secret=1', '', { 'X-Request-Id': 'mine' });
    assert.equal(answer.status, 303);
    assert.equal(answer.body, '<p>é');
    assert.equal(answer.headers['content-length'], '5');
    assert.equal(answer.headers['x-request-id'], 'mine');
    assert.equal(answer.headers['strict-transport-security'], 'max-age=31536000');
    assert.deepEqual(answer.headers['set-cookie'], ['a=1', 'b=2']);
    assert.equal(observed.length, 1);
    const { path, status, endpoint, code, address } = observed[0]!;
    assert.deepEqual(
      { path, status, endpoint, code, address },
      {
        ...{ path: '/site/page', status: 303, endpoint: null, code: null, address: '127.0.0.1' },
      },
    );
    const head = await send('HEAD', '/site');
    assert.deepEqual([head.status, head.body, head.headers['content-length']], [303, '', '5']);
  });

  it('that fails is answered 500 without the reason, which the log gets, and the service goes on', async (test) => {
    const { send, observed } = await serve(test, async (visit) => {
      if (visit.path === '/site/throws') throw new Error('secret reason');
      if (visit.path === '/site/header') visit.send({ status: 200, headers: ['Location', 'a\nb'], body: '' });
      visit.send({ status: 200, headers: ['Content-Type', 'text/plain'], body: 'fine' });
    });
    for (const path of ['/site/throws', '/site/header']) {
      const failed = await send('GET', path);
      assert.equal(failed.status, 500, path);
      assert.deepEqual(JSON.parse(failed.body), { success: false, error: 'Unexpected server failure' });
    }
    assert.equal((await send('GET', '/site')).body, 'fine');
    assert.deepEqual(
      observed.map(({ status, code, failure }) => [status, code, failure?.includes('secret reason') ?? null]),
      [
        [500, 'unexpected', true],
        [500, 'unexpected', false],
        [200, null, null],
      ],
    );
  });

  it('calls endpoints with the address and country of the visitor', async (test) => {
    const { send, calls } = await serve(test, async (visit) => {
      const { outcome } = await visit.call(greet, { name: 'Ada', unknown: 1 });
      visit.sendOutcome(outcome);
    });
    assert.equal((await send('GET', '/site')).body, '{"fields":{"name":"Ada"}}');
    const [{ path, credential, requestContext, idempotency }] = calls as [Call];
    assert.deepEqual([path, credential, idempotency], ['/inner/greet', { kind: 'none' }, null]);
    assert.deepEqual([requestContext.address, requestContext.country], ['127.0.0.1', 'DE']);
  });

  it('counts as a call of its network until its work is done, even if the visitor leaves', async (test) => {
    const begun = Promise.withResolvers<void>();
    const work = Promise.withResolvers<void>();
    const { listening, send } = await serve(
      test,
      async (visit) => {
        const busy = visit.countAsCall();
        if (busy !== null) return visit.refuse(busy);
        begun.resolve();
        await work.promise;
        visit.send({ status: 200, headers: ['Content-Type', 'text/plain'], body: '' });
      },
      { callsPerNetwork: 1 },
    );
    const leaving = request({ host: '127.0.0.1', port: listening.port, path: '/site', agent: false });
    leaving.on('error', () => {});
    leaving.end();
    await begun.promise;
    leaving.socket?.resetAndDestroy();
    while (listening.connectionCount() > 0) await new Promise((resolve) => setImmediate(resolve));
    const busy = await send('GET', '/site');
    assert.deepEqual([busy.status, busy.headers['latchkey-code']], [503, 'network_busy']);
    work.resolve();
    while ((await send('GET', '/site')).status === 503) await new Promise((resolve) => setImmediate(resolve));
  });
});
