/** One attempt, against real HTTPS receivers and a real name server. */
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { createServer, Socket } from 'node:net';
import { after, before, beforeEach, describe, it } from 'node:test';
import { createServer as createTlsServer } from 'node:tls';
import { HOUR_MS, systemClock } from '../../../src/ground/base/clock.ts';
import { type AttemptRequest, type RequestSettings, Requests } from '../../../src/webhooks/deliveries/request.ts';
import { literalOf, PUBLIC_ADDRESSES } from '../../../src/webhooks/destinations/address-policy.ts';
import { listen } from '../../support/listen.ts';
import { type NameServer, startNameServer } from '../../support/name-server.ts';
import { certificateOf, type Receiver, startReceiver } from '../../support/receiver.ts';

const ADDRESS = '127.1.0.1';
const NAME = 'receiver.example';
/** The fields of a result that nothing is known about. */
const UNKNOWN = { status: null, certificateFault: null, receiverTime: null };
let names: NameServer;
let certificate: { cert: string; key: string };
let receiver: Receiver;
let settings: RequestSettings;
let requests: Requests;

before(async () => {
  names = await startNameServer();
  certificate = await certificateOf([NAME, 'pool.example'], [ADDRESS, '127.0.0.1']);
  receiver = await startReceiver(ADDRESS, certificate);
  settings = {
    policy: { ...PUBLIC_ADDRESSES, testAddresses: [ADDRESS] },
    nameServers: [names.address],
    additionalCa: certificate.cert,
    // The bounds are long enough for a busy machine in every test that awaits an answer.
    timeoutMs: 60_000,
    nameTimeoutMs: 20_000,
  };
  requests = new Requests(settings);
});
beforeEach(() => {
  receiver.received.length = 0;
  receiver.answer = (_request, response) => response.writeHead(204).end();
  names.zone.clear();
  names.asked.clear();
});
after(async () => {
  requests.close();
  await receiver.close();
  names.close();
});

/** Makes a request to the first address of a host. */
async function attempt(request: Partial<AttemptRequest> = {}, by = requests) {
  const { url = receiver.url } = request;
  const literal = literalOf(new URL(url));
  const addresses = literal === null ? await by.lookUp(new URL(url).hostname) : [literal];
  return by.attempt({
    url,
    headers: { 'content-type': 'application/json' },
    body: '{}',
    isOperators: false,
    target: { address: addresses[0] ?? null, addresses, isLast: true },
    ...request,
  });
}
const outcomeOf = async (request: Partial<AttemptRequest>, by = requests) => (await attempt(request, by)).outcome;
const named = (name: string, port = receiver.port) => ({ url: `https://${name}:${port}/hook` });

/** Requests with a short timeout, for receivers that never end. */
async function withShortTime(answer: (response: ServerResponse) => void): Promise<string> {
  const hasty = new Requests({ ...settings, timeoutMs: 300 });
  receiver.answer = (_request, response) => answer(response);
  const { outcome } = await attempt({}, hasty);
  hasty.close();
  return outcome;
}

describe('an attempt', () => {
  it('sends the body and the headers as they are', async () => {
    receiver.answer = (_request, response) => response.writeHead(202, { date: '' }).end('thank you');
    const body = '{"name":"Zoë 🎛"}';
    const result = await attempt({ body, headers: { 'content-type': 'application/json', 'webhook-id': 'evt_1' } });
    const { durationMs: _durationMs, ...rest } = result;
    assert.deepEqual(rest, { ...UNKNOWN, outcome: 'delivered', status: 202 });
    const [received] = receiver.received;
    assert.equal(received?.body, body);
    assert.equal(received?.headers['content-length'], String(Buffer.byteLength(body)));
    assert.equal(received?.headers['accept-encoding'], 'identity');
    assert.equal(received?.headers['webhook-id'], 'evt_1');
  });

  it('is delivered with 2xx alone, and follows no redirect', async () => {
    for (const status of [200, 201, 299, 300, 301, 302, 307, 308, 400, 401, 404, 410, 429, 500, 503]) {
      receiver.answer = (_request, response) =>
        response.writeHead(status, { location: `https://127.1.0.2:${receiver.port}/inside` }).end();
      const { outcome, status: seen } = await attempt();
      assert.deepEqual([outcome, seen], [status < 300 ? 'delivered' : 'status', status]);
    }
    assert.equal(receiver.received.length, 15);
  });

  it('reports the time that a receiver asks for, and its clock', async () => {
    const date = new Date(Math.floor(systemClock() / 1000) * 1000 + HOUR_MS);
    const answers = [
      ['42', 42_000],
      [new Date(date.getTime() + 90_000).toUTCString(), 90_000],
      [new Date(date.getTime() - 90_000).toUTCString(), 0],
      ['soon', undefined],
      ['-1', 0],
    ] as const;
    for (const [header, expected] of answers) {
      receiver.answer = (_request, response) =>
        response.writeHead(429, { 'retry-after': header, date: date.toUTCString() }).end();
      const { retryAfterMs, receiverTime } = await attempt();
      assert.equal(header === '-1' ? 0 : retryAfterMs, expected);
      assert.equal(receiverTime, date.getTime());
    }
  });

  it('whose connection closes before its address is known is refused, and sends nothing', async (context) => {
    // The system knows the peer of an open connection only.
    context.mock.method(Socket.prototype as Socket & { _getpeername(): object }, '_getpeername', () => ({}));
    const fresh = new Requests(settings);
    assert.equal(await outcomeOf({}, fresh), 'refused');
    fresh.close();
    assert.equal(receiver.received.length, 0);
  });

  it('connects for at most 2.5 seconds where another address can be tried', async (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] });
    const outcomes = [];
    for (const [milliseconds, isLast] of [
      [2_499, false],
      [2_500, false],
      [2_500, true],
    ] as const) {
      const fresh = new Requests(settings);
      const attempted = outcomeOf({ target: { address: ADDRESS, addresses: [ADDRESS], isLast } }, fresh);
      // It has begun to connect, and is connected once the event loop turns.
      for (let tick = 0; tick < 20; tick++) await new Promise<void>((resolve) => process.nextTick(resolve));
      context.mock.timers.tick(milliseconds);
      outcomes.push(await attempted);
      fresh.close();
    }
    assert.deepEqual(outcomes, ['delivered', 'refused', 'delivered']);
  });

  it('keeps its connection for the next', async () => {
    const made = receiver.connections();
    await attempt();
    await attempt();
    assert.ok(receiver.connections() - made <= 1);
  });

  it('leaves its connection open only while few others are idle, of all names and owners together', async () => {
    const few = new Requests(settings, 2);
    names.zone.set(NAME, [[ADDRESS]]);
    names.zone.set('pool.example', [[ADDRESS]]);
    const made = receiver.connections();
    const all = [{ ...named(NAME), isOperators: true }, named('pool.example'), {}];
    for (const request of [...all, ...all]) {
      assert.equal(await outcomeOf(request, few), 'delivered');
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.equal(receiver.connections() - made, 4, 'only the third one is made again');
    few.close();
  });
});

describe('a hostile receiver', () => {
  it('that never answers, or sends byte after byte, costs no more than the time of an attempt', async () => {
    assert.equal(await withShortTime(() => {}), 'timeout');
    const timers: NodeJS.Timeout[] = [];
    const slowly = (response: ServerResponse) => {
      response.writeHead(200);
      timers.push(setInterval(() => response.write('.'), 20));
    };
    assert.equal(await withShortTime(slowly), 'timeout');
    const processing = (response: ServerResponse) => timers.push(setInterval(() => response.writeProcessing(), 60));
    assert.equal(await withShortTime(processing), 'timeout');
    for (const timer of timers) clearInterval(timer);
  });

  it('that sends a gigabyte is delivered to, and not read on', async () => {
    let sent = 0;
    receiver.answer = (_request, response) => {
      response.writeHead(200, { 'content-length': 2 ** 30 });
      const chunk = Buffer.alloc(65_536, 'x');
      const write = () => {
        let isTaken = true;
        while (isTaken && !response.destroyed) {
          isTaken = response.write(chunk);
          sent += chunk.length;
        }
        if (!response.destroyed) response.once('drain', write);
      };
      write();
    };
    const result = await attempt();
    assert.equal(result.outcome, 'delivered');
    // The buffers of the system take some megabytes.
    assert.ok(sent < 2 ** 26, `${sent} bytes were sent`);
  });

  describe('that sends without end', () => {
    /** Far more than a bound and the buffers of the system. */
    const ENOUGH_BYTES = 2 ** 26;
    let flood: { readonly head: string; readonly piece: string };
    let sent = 0;
    let raw: ReturnType<typeof createTlsServer>;
    let plain: ReturnType<typeof createServer>;
    let urls: readonly string[];

    /** Sends the flood after each request, and answers with 204 if all of it was taken. */
    const flooding = (socket: Socket) => {
      socket.on('error', () => {});
      socket.on('data', () => {
        sent = 0;
        socket.write(flood.head);
        const chunk = flood.piece.repeat(Math.ceil(65_536 / flood.piece.length));
        const write = () => {
          for (let isTaken = true; isTaken && sent < ENOUGH_BYTES && socket.writable; sent += chunk.length)
            isTaken = socket.write(chunk);
          if (sent >= ENOUGH_BYTES) socket.end('HTTP/1.1 204 No Content\r\n\r\n');
          else socket.once('drain', write);
        };
        write();
      });
    };
    before(async () => {
      raw = createTlsServer(certificate, flooding);
      plain = createServer(flooding);
      urls = [
        `https://${ADDRESS}:${await listen(raw, ADDRESS)}/`,
        `http://${ADDRESS}:${await listen(plain, ADDRESS)}/`,
      ];
    });
    after(() => {
      raw.close();
      plain.close();
    });

    for (const [what, head, piece, outcome] of [
      ['100 Continue', '', 'HTTP/1.1 100 Continue\r\n\r\n', 'refused'],
      ['103 Early Hints', '', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n', 'refused'],
      ['empty lines', '', '\r\n', 'refused'],
      [
        'chunk extensions',
        'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n',
        `1;${'x'.repeat(10_000)}\r\ny\r\n`,
        'delivered',
      ],
    ] as const)
      it(`${what} is not read on`, async () => {
        flood = { head, piece };
        const policy = { ...settings.policy, operatorNetworks: ['127.1.0.0/16'] };
        const trusting = new Requests({ ...settings, policy });
        for (const url of urls) {
          assert.equal(await outcomeOf({ url, isOperators: true }, trusting), outcome, url);
          assert.ok(sent < ENOUGH_BYTES / 2, `${sent} bytes were sent`);
        }
        trusting.close();
      });
  });

  it('that sends a few informational answers before its own is delivered to', async () => {
    receiver.answer = (_request, response) => {
      for (let count = 0; count < 8; count += 1) response.writeProcessing();
      response.writeHead(204).end();
    };
    assert.equal(await outcomeOf({}), 'delivered');
    receiver.answer = (_request, response) => {
      for (let count = 0; count < 9; count += 1) response.writeProcessing();
      response.writeHead(204).end();
    };
    assert.equal(await outcomeOf({}), 'refused');
  });

  it('that sends over a connection which waits for its next request loses it', async () => {
    const sockets: Socket[] = [];
    const closed = Promise.withResolvers<void>();
    const chatty = createTlsServer(certificate, (socket) => {
      sockets.push(socket);
      socket.on('error', () => {});
      socket.on('close', () => closed.resolve());
      socket.on('data', () => socket.write('HTTP/1.1 204 No Content\r\n\r\n'));
    });
    const url = `https://${ADDRESS}:${await listen(chatty, ADDRESS)}/`;
    assert.equal(await outcomeOf({ url }), 'delivered');
    const [socket] = sockets;
    const write = () => {
      while (socket?.writable === true && socket.write('\r\n'.repeat(10_000)));
    };
    socket?.on('drain', write);
    write();
    await closed.promise;
    chatty.close();
  });

  it('that sends endless headers, no HTTP, or half an answer, has refused', async () => {
    let answer = (write: (text: string) => boolean, _end: () => void): void => void write('');
    const raw = createTlsServer(certificate, (socket) => {
      socket.on('error', () => {});
      socket.once('data', () =>
        answer(
          (text) => socket.writable && socket.write(text),
          () => socket.destroy(),
        ),
      );
    });
    const url = { url: `https://${ADDRESS}:${await listen(raw, ADDRESS)}/` };
    answer = (write) => {
      write('HTTP/1.1 200 OK\r\n');
      for (let index = 0; index < 100_000 && write(`x-${index}: ${'y'.repeat(50)}\r\n`); index += 1);
    };
    assert.equal(await outcomeOf(url), 'refused');
    answer = (write) => void write('SSH-2.0-OpenSSH_9.9\r\n\r\n');
    assert.equal(await outcomeOf(url), 'refused');
    answer = (write, end) => {
      write('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf');
      setImmediate(end);
    };
    assert.equal(await outcomeOf(url), 'refused');
    answer = (_write, end) => end();
    assert.equal(await outcomeOf(url), 'refused');
    raw.close();
  });

  it('with a broken certificate is named as that', async () => {
    const expired = await certificateOf([], [ADDRESS], -1);
    const other = await certificateOf(['other.example'], []);
    for (const [each, ca, fault] of [
      [expired, expired.cert, 'CERT_HAS_EXPIRED'],
      [other, other.cert, 'ERR_TLS_CERT_ALTNAME_INVALID'],
      [certificate, null, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ] as const) {
      const bad = await startReceiver(ADDRESS, each);
      const trusting = new Requests({ ...settings, additionalCa: ca });
      const { outcome, certificateFault } = await attempt({ url: bad.url }, trusting);
      assert.deepEqual([outcome, certificateFault], ['certificate', fault]);
      assert.equal(bad.received.length, 0);
      trusting.close();
      await bad.close();
    }
  });
});

describe('an address that is not allowed', () => {
  /** Counts connections to a loopback address that no policy allows. */
  let inside: ReturnType<typeof createServer>;
  let connections = 0;
  let port = 0;
  before(async () => {
    inside = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    port = await listen(inside, '0.0.0.0');
  });
  after(() => inside.close());

  it('is never connected to, in whatever way a destination names it, and all are answered alike', async () => {
    names.zone.set('loopback.example', [['127.0.0.1']]);
    names.zone.set('metadata.example', [['169.254.169.254']]);
    names.zone.set('mixed.example', [[ADDRESS, '10.0.0.1']]);
    names.zone.set('local.example', [[ADDRESS, '127.0.0.1']]);
    names.zone.set('local6.example', [[ADDRESS, '::1']]);
    names.zone.set('mapped.example', [[ADDRESS, '::ffff:10.0.0.1']]);
    const urls = ['127.0.0.1', '127.1', '2130706433', '0x7f.1', '[::1]', '[::ffff:127.0.0.1]', '[::ffff:10.0.0.1]'];
    const results = [];
    for (const host of [...urls, ...names.zone.keys()]) results.push(await attempt(named(host, port)));
    for (const { durationMs: _durationMs, ...rest } of results)
      assert.deepEqual(rest, { ...UNKNOWN, outcome: 'address_not_allowed' });
    assert.equal(results.length, 13);
    assert.equal(connections, 0);
  });

  it('is refused when a name turns to it between two connections', async () => {
    names.zone.set(NAME, [[ADDRESS], ['127.0.0.1']]);
    assert.equal(await outcomeOf({ url: named(NAME).url, headers: { connection: 'close' } }), 'delivered');
    assert.equal(await outcomeOf(named(NAME, port)), 'address_not_allowed');
    assert.equal(names.asked.get(NAME), 2);
    assert.equal(connections, 0);
  });

  it('is not reached by a redirect', async () => {
    for (const inside of [`https://127.0.0.1:${port}/`, `http://[::ffff:127.0.0.1]:${port}/`, `//127.0.0.1:${port}/`]) {
      receiver.answer = (_request, response) => response.writeHead(307, { location: inside }).end();
      assert.equal(await outcomeOf({}), 'status');
    }
    assert.equal(connections, 0);
  });

  it('is not reached by a creator over a connection that the operator may have', async () => {
    names.zone.set('pool.example', [['127.0.0.1']]);
    const internal = await startReceiver('127.0.0.1', certificate, 'pool.example');
    const policy = { ...settings.policy, operatorNetworks: ['127.0.0.0/8'] };
    const mixed = new Requests({ ...settings, policy });
    const operators = await attempt({ url: internal.url, isOperators: true }, mixed);
    assert.equal(operators.outcome, 'delivered');
    assert.equal(await outcomeOf({ url: internal.url }, mixed), 'address_not_allowed');
    assert.equal(internal.received.length, 1);
    mixed.close();
    await internal.close();
  });

  it('is told apart from a name without an address, and from a port where nobody listens', async () => {
    assert.equal(await outcomeOf(named('nobody.example')), 'name_not_found');
    const gone = await startReceiver(ADDRESS, certificate);
    await gone.close();
    assert.equal(await outcomeOf({ url: gone.url }), 'refused');
  });
});
