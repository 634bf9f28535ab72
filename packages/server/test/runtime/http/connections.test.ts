/** Connections are bounded, and newcomers are let in: the least used connection makes room. */
import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import {
  type ConnectionBound,
  type ConnectionBounds,
  Connections,
  type ConnectionUse,
} from '../../../src/runtime/http/connections.ts';
import { Held, startListening } from './listening.ts';
import { requestBytes, Wire } from './wire.ts';

const GET = requestBytes('/', '', { method: 'GET' });
const PATIENCE_MS = 10_000;

/** A connection, reduced to the parts that its bound uses. */
class FakeSocket extends EventEmitter {
  static #ports = 0;
  readonly remotePort = ++FakeSocket.#ports;
  readonly remoteAddress: string;
  isOpen = true;
  use: { isIdle: boolean; lastRequestAt: number } | null = null;
  slowness: number | null = null;
  constructor(remoteAddress: string) {
    super();
    this.remoteAddress = remoteAddress;
  }
  destroy(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.emit('close');
  }
}

/** Connections with a clock that the test moves. */
class World {
  now = 0;
  readonly closed: ConnectionBound[] = [];
  readonly connections: Connections;

  constructor(bounds: Partial<ConnectionBounds>) {
    const given = { most: 1e9, maxOfNetwork: 3, patienceMs: PATIENCE_MS, isProxy: () => false, ...bounds };
    const facts = {
      useOf: (socket: Socket): ConnectionUse | null => (socket as unknown as FakeSocket).use,
      slownessOf: (socket: Socket) => (socket as unknown as FakeSocket).slowness,
      onClosed: (bound: ConnectionBound) => this.closed.push(bound),
    };
    this.connections = new Connections(given, facts, () => this.now);
  }

  /** Opens a connection, a moment after the one before. */
  open(address = '203.0.113.1'): FakeSocket {
    this.now += 1;
    const socket = new FakeSocket(address);
    this.connections.add(socket as unknown as Socket, false);
    return socket;
  }

  /** The same, with a reply that has been flushed. */
  idle(address?: string): FakeSocket {
    const socket = this.open(address);
    socket.use = { isIdle: true, lastRequestAt: this.now };
    return socket;
  }
}

const openOf = (sockets: readonly FakeSocket[]) => sockets.map(({ isOpen }) => isOpen);

describe('connections of a network', () => {
  it('at their maximum number lose the longest idle one to the newcomer', () => {
    const world = new World({});
    const sockets = [world.idle(), world.idle(), world.idle()];
    sockets[0]!.use!.lastRequestAt = world.now;
    const newcomer = world.idle();
    assert.deepEqual(openOf([...sockets, newcomer]), [true, false, true, true]);
    assert.deepEqual([world.connections.count, world.closed], [3, ['network']]);
  });

  it('are closed by slowest reading when none is idle, and last when they have waited long for an answer', () => {
    const world = new World({ maxOfNetwork: 4 });
    const sockets = [world.open(), world.open(), world.open(), world.open()];
    const [late, slow, slower, idle] = sockets as [FakeSocket, FakeSocket, FakeSocket, FakeSocket];
    for (const each of [late, slow, slower]) each.use = { isIdle: false, lastRequestAt: world.now };
    [slow.slowness, slower.slowness] = [1, 2];
    idle.use = { isIdle: true, lastRequestAt: world.now };
    const seen = [];
    for (let count = 0; count < 4; count += 1) {
      const newcomer = world.open();
      newcomer.use = { isIdle: false, lastRequestAt: world.now };
      seen.push(openOf(sockets));
    }
    assert.deepEqual(seen, [
      [true, true, true, false],
      [true, true, false, false],
      [true, false, false, false],
      [true, false, false, false],
    ]);
    world.now += PATIENCE_MS;
    world.connections.look();
    assert.equal(late.isOpen, false);
    assert.equal(world.connections.count, 4);
  });

  it('that have just come are left alone, and closed when they have not asked anything for long', () => {
    const world = new World({});
    const sockets = Array.from({ length: 20 }, () => world.open());
    assert.equal(world.connections.count, 20);
    world.now += PATIENCE_MS;
    world.connections.look();
    assert.deepEqual(openOf(sockets), [...Array(17).fill(false), true, true, true]);
  });

  it('that were all new at first lose an idle one a tenth of a second later', () => {
    const world = new World({});
    const sockets = Array.from({ length: 4 }, () => world.open());
    sockets[2]!.use = { isIdle: true, lastRequestAt: world.now };
    world.now += 100;
    world.connections.look();
    assert.deepEqual(openOf(sockets), [true, true, false, true]);
  });

  it('count for an IPv6 /64, and for its /48 sixteen times', () => {
    const world = new World({});
    for (let count = 0; count < 5; count += 1) world.idle('2001:db8:1:1::1');
    assert.equal(world.connections.count, 3);
    for (let network = 2; network < 60; network += 1) world.idle(`2001:db8:1:${network}::1`);
    assert.equal(world.connections.count, 3 * 16);
  });

  it('of proxies, and where the bound is off, are as many as come', () => {
    const behind = new World({ isProxy: (address) => address === '10.0.0.1' });
    for (let count = 0; count < 50; count += 1) behind.idle('10.0.0.1');
    assert.equal(behind.connections.count, 50);
    for (let count = 0; count < 50; count += 1) behind.idle('10.0.0.2');
    assert.equal(behind.connections.count, 53);
    const off = new World({ maxOfNetwork: null });
    for (let count = 0; count < 50; count += 1) off.idle();
    assert.equal(off.connections.count, 50);
  });

  it('of a campus of 10,000 apps serve every one of them', () => {
    const world = new World({ maxOfNetwork: 2_000 });
    let answered = 0;
    const busy: FakeSocket[] = [];
    /** Connections that wait for a reply get it, and stay open. */
    const answer = () => {
      for (const each of busy.splice(0)) {
        if (each.isOpen) answered += 1;
        each.use = { isIdle: true, lastRequestAt: world.now };
      }
    };
    for (let app = 0; app < 10_000; app += 1) {
      const socket = world.open();
      busy.push(socket);
      socket.use = { isIdle: false, lastRequestAt: world.now };
      // More calls at once than the network may have connections.
      if (app % 3_000 === 2_999) answer();
    }
    answer();
    world.now += PATIENCE_MS;
    world.connections.look();
    assert.deepEqual([answered, world.connections.count], [10_000, 2_000]);
  });
});

describe('connections altogether', () => {
  it('at their maximum number lose one of the network with the most, even if all are new', () => {
    const world = new World({ most: 10, maxOfNetwork: null });
    const few = [world.idle('198.51.100.1'), world.idle('198.51.100.2')];
    const many = Array.from({ length: 8 }, () => world.open('203.0.113.1'));
    const newcomer = world.open('198.51.100.3');
    assert.deepEqual(openOf([...few, newcomer]), [true, true, true]);
    assert.deepEqual(openOf(many), [false, ...Array(7).fill(true)]);
    assert.deepEqual([world.connections.count, world.closed], [10, ['connections']]);
  });

  it('take one of a proxy only if there are no others', () => {
    const world = new World({ most: 5, isProxy: (address) => address === '10.0.0.1' });
    const stranger = world.idle('198.51.100.1');
    const proxied = Array.from({ length: 5 }, () => world.idle('10.0.0.1'));
    assert.deepEqual([stranger.isOpen, ...openOf(proxied)], [false, ...Array(5).fill(true)]);
    const newcomer = world.idle('10.0.0.1');
    assert.deepEqual(openOf([...proxied, newcomer]), [false, ...Array(5).fill(true)]);
  });
});

for (const tls of [false, true])
  describe(`a service with few connections, ${tls ? 'over TLS' : 'in the clear'}`, { timeout: 120_000 }, () => {
    it('answers each of a hundred apps behind one address, also when they come at once', async (test) => {
      const options = { tls, maxConnectionsOfNetwork: 10 };
      const listening = await startListening(test, (_request, response) => response.end('served'), options);
      const app = async () => {
        const wire = await Wire.open(listening.port, { tls });
        wire.write(GET);
        assert.equal((await wire.answer()).status, 200);
        return wire;
      };
      const wires: Wire[] = [];
      for (let count = 0; count < 50; count += 1) wires.push(await app());
      assert.ok(listening.connectionCount() <= 10);
      wires.push(...(await Promise.all(Array.from({ length: 50 }, app))));
      for (const wire of wires) wire.end();
    });

    it('closes an idle connection, and none that waits for its answer', async (test) => {
      const held = new Held();
      const listening = await startListening(test, held.listener, { tls, maxConnectionsOfNetwork: 3 });
      const open = () => Wire.open(listening.port, { tls });
      const idle = await open();
      idle.write(GET);
      await held.until(1);
      held.release();
      await idle.answer();
      const waiting = [await open(), await open(), await open(), await open()];
      for (const wire of waiting) wire.write(GET);
      await idle.closed;
      await held.until(4);
      held.open();
      for (const wire of waiting) assert.equal((await wire.answer()).status, 200);
      for (const wire of waiting) wire.end();
      while (listening.connectionCount() > 0) await turn();
    });
  });
