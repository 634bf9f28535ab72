/** Look-ups of receivers, and the limit of requests to one IP and port, with real receivers and a real name server. */
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:https';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { MINUTE_MS } from '../../../src/ground/base/clock.ts';
import { Addresses } from '../../../src/webhooks/deliveries/addresses.ts';
import { Requests } from '../../../src/webhooks/deliveries/request.ts';
import type { Sender } from '../../../src/webhooks/deliveries/sender.ts';
import { PUBLIC_ADDRESSES } from '../../../src/webhooks/destinations/address-policy.ts';
import { listen } from '../../support/listen.ts';
import { type NameServer, startNameServer } from '../../support/name-server.ts';
import { certificateOf } from '../../support/receiver.ts';
import { SendingWorld } from '../../support/sending.ts';

const [FIRST, SECOND] = ['127.1.0.3', '127.1.0.4'] as const;
/** Addresses at which nothing listens. */
const NOBODYS = ['127.1.0.5', '127.1.0.6', '127.1.0.7', '127.1.0.8'] as const;
const NAMES = ['one.example', 'two.example', 'pool.example'];
const AT_ONCE = 32;
/** Looks after which a test fails rather than waiting on. */
const MAX_LOOKS = 20_000;

/** Two receivers at one port, which hold their requests until {@link release}. */
let servers: Server[] = [];
let port = 0;
let isHolding = true;
let held: (() => void)[] = [];
/** Requests under way and the most at once, by address. */
let underWay: Record<string, number> = {};
let most: Record<string, number> = {};
let names: NameServer;
let requests: Requests;
let world: SendingWorld;

function release(): void {
  isHolding = false;
  for (const answer of held) answer();
  held = [];
}

before(async () => {
  names = await startNameServer();
  const certificate = await certificateOf(NAMES, [FIRST, SECOND]);
  for (const address of [FIRST, SECOND]) {
    const server = createServer(certificate, (request, response) => {
      underWay[address] = (underWay[address] ?? 0) + 1;
      most[address] = Math.max(most[address] ?? 0, underWay[address]);
      const answer = () => {
        underWay[address]! -= 1;
        response.writeHead(204).end();
      };
      request.resume().on('end', () => {
        if (isHolding) held.push(answer);
        else answer();
      });
    });
    port = await listen(server, address, port);
    servers.push(server);
  }
  requests = new Requests({
    policy: { ...PUBLIC_ADDRESSES, testAddresses: [FIRST, SECOND, ...NOBODYS] },
    nameServers: [names.address],
    additionalCa: certificate.cert,
    timeoutMs: 60_000,
    nameTimeoutMs: 20_000,
  });
});
after(() => {
  requests.close();
  names.close();
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  servers = [];
});

describe('requests to one address', () => {
  beforeEach(async () => {
    [isHolding, held, underWay, most] = [true, [], {}, {}];
    names.zone.clear();
    names.asked.clear();
    world = await SendingWorld.open('sqlite');
    const lookUp = (name: string) => requests.lookUp(name);
    const addresses = new Addresses({ lookUp, elapsed: () => world.elapsed, lookedUp: () => {} });
    world.network = { send: (request) => requests.attempt(request), addresses };
  });
  afterEach(() => world.close());

  /** Twelve destinations at a host, which are sent two requests at once each while none is answered. */
  const destinations = async (host: string) => {
    for (let each = 0; each < 12; each++) await world.destination(`${host}:${port}`);
  };
  /** A sender whose requests nothing but their address limits. */
  const sender = () =>
    world.sender({
      ...{ atOnceOfOwner: 1_000, atOnce: 1_000, reserved: 0 },
      ...{ perSecond: Number.POSITIVE_INFINITY, perSecondToSlow: 10_000 },
    });
  const begun = async (each: Sender, count: number) => {
    for (let look = 0; each.state.underWay < count && look < MAX_LOOKS; look++) {
      await each.look();
      await nextTurn();
    }
    assert.ok(each.state.underWay >= count, `${each.state.underWay} requests are under way`);
    // It would begin further ones now.
    for (let look = 0; look < 5; look++) await each.look();
    for (let turn = 0; held.length < count && turn < 100 * MAX_LOOKS; turn++) await nextTurn();
    assert.ok(held.length >= count);
    return each.state.underWay;
  };

  /** Answers all requests, and sends more until there are `attempts` attempts. */
  const attempted = async (each: Sender, attempts: number) => {
    release();
    for (let look = 0; (await world.count('attempts')) < attempts && look < MAX_LOOKS; look++) {
      world.elapsed += 100;
      await each.look();
      await nextTurn();
    }
    await world.drain(each);
    assert.equal(await world.count('attempts'), attempts);
  };
  /** The same for the last ones. */
  const finish = async (each: Sender, attempts: number) => {
    await attempted(each, attempts);
    assert.equal(await world.count('waiting'), 0);
  };

  it('are 32 at once, whatever names the address has', async () => {
    names.zone.set('one.example', [[FIRST]]);
    names.zone.set('two.example', [[FIRST]]);
    for (const host of ['one.example', 'two.example', FIRST]) await destinations(host);
    await world.record(2, ['A', 'B']);
    const sending = sender();
    assert.equal(await begun(sending, AT_ONCE), AT_ONCE);
    await finish(sending, 72);
    assert.deepEqual(most, { [FIRST]: AT_ONCE });
  });

  it('are 32 at each of the addresses of a name', async () => {
    names.zone.set('one.example', [[FIRST]]);
    names.zone.set('pool.example', [[FIRST, SECOND]]);
    for (const host of ['one.example', 'pool.example', 'pool.example', 'pool.example']) await destinations(host);
    await world.record(2, ['A', 'B']);
    const sending = sender();
    assert.equal(await begun(sending, 2 * AT_ONCE), 2 * AT_ONCE);
    await finish(sending, 96);
    assert.deepEqual(most, { [FIRST]: AT_ONCE, [SECOND]: AT_ONCE });
  });

  it('are 32 at the old and 32 at the new address of a name that moves', async () => {
    names.zone.set('one.example', [[FIRST], [SECOND]]);
    names.zone.set('two.example', [[FIRST]]);
    for (const host of ['one.example', 'one.example', 'one.example', 'two.example']) await destinations(host);
    await world.record(2, ['A', 'B']);
    const sending = sender();
    assert.equal(await begun(sending, AT_ONCE), AT_ONCE);
    world.elapsed += 11_000;
    assert.equal(await begun(sending, 2 * AT_ONCE), 2 * AT_ONCE);
    await finish(sending, 96);
    assert.deepEqual(most, { [FIRST]: AT_ONCE, [SECOND]: AT_ONCE });
  });

  it('go to another address of the name when one accepts no connection', async () => {
    names.zone.set('pool.example', [[NOBODYS[0], SECOND]]);
    await world.destination(`pool.example:${port}`);
    await world.record(1);
    await finish(sender(), 1);
    assert.deepEqual(most, { [SECOND]: 1 });
  });

  it('go to four addresses of the name at most, and to the others at the next attempt', async () => {
    names.zone.set('pool.example', [[...NOBODYS, SECOND]]);
    await world.destination(`pool.example:${port}`);
    await world.record(1);
    const sending = sender();
    await attempted(sending, 1);
    assert.deepEqual(most, {});
    world.now += MINUTE_MS;
    await finish(sending, 2);
    assert.deepEqual(most, { [SECOND]: 1 });
  });
});

describe('the look-up of a name', () => {
  let elapsed = 0;
  let asked: string[] = [];
  let found: readonly string[] = [];
  let addresses: Addresses;
  const url = new URL('https://one.example/hook');
  const of = async (each = url, isQuick = true) => {
    addresses.of(each, isQuick);
    await nextTurn();
    return addresses.of(each, isQuick);
  };
  it('fails with more than 64 addresses', async () => {
    const many = Array.from({ length: 65 }, (_, at) => `127.1.1.${at}`);
    names.zone.set('many.example', [many.slice(1), many]);
    assert.equal((await requests.lookUp('many.example')).length, 64);
    assert.equal((await requests.lookUp('many.example')).length, 0);
  });

  beforeEach(() => {
    [elapsed, asked, found] = [0, [], ['192.0.2.1', '192.0.2.2']];
    addresses = new Addresses({
      lookUp: async (name) => {
        asked.push(name);
        return found;
      },
      elapsed: () => elapsed,
      lookedUp: () => {},
    });
  });

  it('serves ten seconds of requests, and then further ones while it is repeated', async () => {
    assert.equal(addresses.of(url, true), null);
    assert.deepEqual(await of(), found);
    elapsed = 9_999;
    assert.deepEqual(await of(new URL('https://ONE.example.:8443/')), found);
    assert.equal(asked.length, 1);
    elapsed = 10_000;
    found = ['192.0.2.3', '192.0.2.2'];
    assert.deepEqual(addresses.of(url, true), ['192.0.2.1', '192.0.2.2']);
    assert.deepEqual(await of(), ['192.0.2.2', '192.0.2.3'], 'the order stays');
    assert.equal(asked.length, 2);
  });

  it('is trusted for five minutes while name servers do not answer, and a failure for three seconds', async () => {
    await of();
    found = [];
    elapsed = 5 * MINUTE_MS - 1;
    assert.equal((await of())?.length, 2);
    elapsed += 10_001;
    assert.deepEqual(await of(), []);
    elapsed += 3_000;
    assert.equal(addresses.of(url, true), null);
  });

  it('puts an address last that accepts no connection', async () => {
    await of();
    addresses.putLast(url, '192.0.2.1');
    assert.deepEqual(await of(), ['192.0.2.2', '192.0.2.1']);
  });

  it('takes sixteen addresses of a name, and forgets a name that is not used for five minutes', async () => {
    found = Array.from({ length: 64 }, (_, at) => `192.0.2.${at}`);
    assert.deepEqual(await of(), found.slice(0, 16));
    for (let count = 0; count < 100; count += 1) await of(new URL(`https://name-${count}.example/`));
    assert.equal(addresses.size, 101);
    elapsed = 6 * MINUTE_MS;
    await of(new URL('https://other.example/'));
    assert.equal(addresses.size, 1);
  });

  it('is not held up by many names that are looked up for slow receivers', async () => {
    let ended = 0;
    const never = new Promise<readonly string[]>(() => {});
    addresses = new Addresses({
      lookUp: (name) => {
        asked.push(name);
        return name.startsWith('slow') ? never : Promise.resolve(found);
      },
      elapsed: () => elapsed,
      lookedUp: () => void ended++,
    });
    for (let each = 0; each < 500; each++) addresses.of(new URL(`https://slow-${each}.example`), false);
    assert.equal(asked.length, 128);
    assert.deepEqual(await of(), found);
    assert.equal(ended, 1);
  });

  it('happens at most 192 times at once, of which the last 64 are for quick receivers', () => {
    for (const isQuick of [false, true])
      for (let each = 0; each < 250; each++) addresses.of(new URL(`https://${isQuick}-${each}.example`), isQuick);
    const quick = asked.filter((name) => name.startsWith('true'));
    assert.deepEqual([asked.length, quick.length], [192, 64]);
  });
});
