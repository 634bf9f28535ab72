/**
 * Behind a proxy, health probes come without X-Forwarded-Proto: from the proxy, from this machine, from its network.
 */
import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { BlockList } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { proxiedPeer } from '../../../src/runtime/http/peer.ts';
import { type Answer, startApp, type TestApp } from '../../support/app.ts';
import { engines, freshDatabase } from '../../support/databases.ts';
import { startServerProcess } from '../../support/server-process.ts';
import { requestBytes, Wire } from './wire.ts';

const PROBES = ['/healthz', '/readyz'];
const MISSING = 'HTTPS is required: the proxy sent no X-Forwarded-Proto header';

/** A request over plain HTTP, without TLS. */
function sent(port: number, path: string, headers: readonly string[] = [], method = 'GET'): Promise<Answer> {
  return Wire.exchange(port, requestBytes(path, '', { method, headers }), { tls: false });
}

async function started(test: TestContext, engine: (typeof engines)[number], trusted: string): Promise<TestApp> {
  const app = await startApp(engine, { LATCHKEY_TRUST_PROXY: trusted });
  test.after(() => app.stop());
  return app;
}

for (const engine of engines)
  describe(`a health probe without X-Forwarded-Proto, on ${engine}`, () => {
    for (const [sender, trusted] of [
      ['a trusted proxy', '127.0.0.1'],
      ['a loopback address that is no trusted proxy', '203.0.113.0/24'],
    ] as const)
      it(`is answered if it comes from ${sender}`, async (test) => {
        const app = await started(test, engine, trusted);
        for (const path of PROBES) {
          assert.equal((await sent(app.port, path)).status, 200, path);
          assert.equal((await sent(app.port, `${path}?from=balancer`)).status, 200, path);
          assert.equal((await sent(app.port, path, ['X-Forwarded-Proto: '])).status, 200, path);
          assert.equal((await sent(app.port, path, [], 'POST')).status, 405, path);
        }
      });

    it('opens nothing else to an address that is no trusted proxy', async (test) => {
      const app = await started(test, engine, '203.0.113.0/24');
      for (const path of ['/docs', '/openapi.json', '/verify', '/', '/healthz/', '//readyz'])
        assert.equal((await sent(app.port, path)).status, 403, path);
      for (const path of PROBES)
        assert.equal((await sent(app.port, path, ['X-Forwarded-Proto: https'])).status, 403, path);
    });

    it('opens nothing else to a trusted proxy, and names the missing header', async (test) => {
      const app = await started(test, engine, '127.0.0.1');
      for (const path of ['/docs', '/openapi.json', '/verify', '/']) {
        const answer = await sent(app.port, path);
        assert.deepEqual([answer.status, answer.body], [426, { success: false, error: MISSING }], path);
      }
    });

    it('is refused where the proxy says that the client sent it by HTTP', async (test) => {
      const app = await started(test, engine, '127.0.0.1');
      for (const path of PROBES) {
        const answer = await sent(app.port, path, ['X-Forwarded-Proto: http']);
        assert.deepEqual([answer.status, answer.body.error], [426, 'HTTPS is required'], path);
      }
    });
  });

describe('the address a health probe comes from', () => {
  const trusted = new BlockList();
  trusted.addAddress('203.0.113.9');
  const peerOf = proxiedPeer({
    trusted,
    addressHeader: null,
    probePaths: new Set(PROBES),
    onProtocolMissing: () => {},
  });
  const outcomeFor = (remoteAddress: string, path: string) => {
    const peer = peerOf({ socket: { remoteAddress }, headers: {} } as unknown as IncomingMessage, path);
    return 'refused' in peer ? peer.refused : peer.address;
  };

  for (const address of ['127.0.0.1', '10.1.2.3', '172.16.0.1', '172.31.255.254', '192.168.7.7', '169.254.1.1'])
    it(`may be the private ${address}, in IPv6 clothes as well`, () => {
      assert.equal(outcomeFor(address, '/healthz'), address);
      assert.equal(outcomeFor(`::ffff:${address}`, '/readyz'), address);
      assert.equal(outcomeFor(address, '/docs'), 'forbidden_peer');
    });

  for (const address of ['::1', 'fd00::7', 'fe80::1'])
    it(`may be the private ${address}`, () => {
      assert.equal(outcomeFor(address, '/healthz'), address);
      assert.equal(outcomeFor(address, '/verify'), 'forbidden_peer');
    });

  it('may be that of the proxy, wherever that is', () => {
    assert.equal(outcomeFor('203.0.113.9', '/readyz'), '203.0.113.9');
  });

  for (const address of [
    '203.0.113.10',
    '8.8.8.8',
    '172.32.0.1',
    '100.64.0.1',
    '2001:db8::1',
    '2606:4700::1',
    'unknown',
  ])
    it(`must not be ${address}`, () => {
      assert.equal(outcomeFor(address, '/healthz'), 'forbidden_peer');
    });
});

describe('a proxy that sends no X-Forwarded-Proto', () => {
  it('is named in the log once, however many requests it forwards so, and each of them is logged', async (test) => {
    const { database } = await freshDatabase('sqlite', test);
    const server = await startServerProcess(database, { LATCHKEY_TRUST_PROXY: '127.0.0.1' });
    test.after(() => server.kill());
    await sent(server.port, '/healthz');
    for (let count = 0; count < 3; count++) assert.equal((await sent(server.port, '/verify')).status, 426);
    assert.equal((await sent(server.port, '/verify', ['X-Forwarded-Proto: http'])).status, 426);
    assert.equal(await server.stop(), 0);
    const warnings = server.log.filter(({ event }) => event === 'proxy.protocol_missing');
    assert.equal(warnings.length, 1);
    assert.match(String(warnings[0]?.warning), /must send X-Forwarded-Proto: https/);
    const codes = server.log.filter(({ event }) => event === 'request.refused').map(({ code }) => code);
    assert.deepEqual(codes, [...Array(3).fill('forwarded_proto_missing'), 'https_required']);
  });
});
