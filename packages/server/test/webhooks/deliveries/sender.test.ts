/** The sender on a real database: order, failures, the lease, and crashes. Receivers are simulated. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/ground/base/clock.ts';
import { readDeliveries } from '../../../src/webhooks/deliveries/delivery-store.ts';
import { addTest } from '../../../src/webhooks/deliveries/listing-store.ts';
import { LoadedDestinations } from '../../../src/webhooks/deliveries/load-destinations.ts';
import { Outboxes } from '../../../src/webhooks/deliveries/outboxes.ts';
import { Replays } from '../../../src/webhooks/deliveries/replays.ts';
import { SENDER_BOUNDS } from '../../../src/webhooks/deliveries/sender-bounds.ts';
import type { DeliveryStore } from '../../../src/webhooks/deliveries/store.ts';
import { countDestinationStates } from '../../../src/webhooks/destinations/count-store.ts';
import { engines } from '../../support/databases.ts';
import {
  answered,
  assertEachOnce,
  assertOrdered,
  DELIVERED,
  licensesOf,
  NO_ANSWER,
  SendingWorld,
} from '../../support/sending.ts';

/** Enough licenses that a destination's requests are seldom held up by their order. */
const MANY_LICENSES = licensesOf(40);

for (const engine of engines)
  describe(`the sender on ${engine}`, () => {
    let world: SendingWorld;
    beforeEach(async () => {
      world = await SendingWorld.open(engine);
    });
    afterEach(() => world.close());

    it('keeps the order of each license, however long each answer takes', async () => {
      await world.destination();
      await world.destination('two.example');
      let turn = 0;
      world.answer = async () => {
        for (let ticks = (turn++ * 7) % 5; ticks > 0; ticks--) await new Promise((resolve) => setImmediate(resolve));
        return DELIVERED;
      };
      await world.record(300, ['A', 'B', 'C', 'D', 'E', 'F', 'G']);
      await world.drain(world.sender());
      for (const host of ['one.example', 'two.example']) assertEachOnce(world.delivered(host), 300);
      assert.equal(await world.count('waiting'), 0);
    });

    it('sends all that waited once a receiver is back, in order, and a receiver that is away costs no rows', async () => {
      await world.destination();
      world.answer = () => NO_ANSWER;
      const sender = world.sender();
      await world.recordAndDrain(sender, 700, MANY_LICENSES);
      await world.pass(DAY_MS, sender, 2 * HOUR_MS);
      assert.ok((await world.count('waiting')) <= 20);
      assert.ok((await world.count('attempts')) <= 100);
      assert.equal(await world.count('failed'), 0);
      assert.equal(new Set(world.sent.map(({ id }) => id)).size > 1, true, 'it is tried with more than one event');
      world.answer = () => DELIVERED;
      await world.pass(20 * MINUTE_MS, sender, 10 * MINUTE_MS);
      assertEachOnce(world.delivered(), 700);
      assert.equal(await world.count('waiting'), 0);
      const attempts = await world.count('attempts');
      assert.ok(attempts >= 500 && attempts <= 600, `${attempts} attempts are kept`);
    });

    it('keeps as few attempts where it saves hundreds at once', async () => {
      await world.destination();
      await world.record(700, MANY_LICENSES);
      const sender = world.sender({ saveIntervalMs: MINUTE_MS });
      await world.drain(sender);
      await sender.stop();
      assertEachOnce(world.delivered(), 700);
      const attempts = await world.count('attempts');
      assert.ok(attempts >= 500 && attempts <= 600, `${attempts} attempts are kept`);
    });

    it('sends each event once when far more wait than it keeps in memory', async () => {
      for (const name of ['one', 'two', 'three']) await world.destination(`${name}.example`);
      const sender = world.sender({ pageSize: 40, maxPending: 30, pagesInRound: 3 });
      await world.drain(sender);
      for (let turn = 0; turn < 4; turn++) {
        await world.record(100, MANY_LICENSES);
        await sender.look();
        await world.record(10, MANY_LICENSES);
        await sender.look();
      }
      await world.drain(sender);
      for (const name of ['one', 'two', 'three']) assertEachOnce(world.delivered(`${name}.example`), 440);
    });

    it('reads the feed about once for all destinations when far more wait than it keeps in memory', async () => {
      const products = Array.from({ length: 10 }, (_, index) => `product-${index}`);
      for (const product of products) await world.destination(`${product}.example`, { productIds: [product] });
      // With room, it reads on where the others are full.
      await world.destination('idle.example', { productIds: ['another'] });
      let read = 0;
      const sender = world.sender({ pageSize: 50, maxPending: 20, perSecond: 100 }, (real) => ({
        ...real,
        async readFeed(...args) {
          const page = await real.readFeed(...args);
          read += page.entries.length;
          return page;
        },
      }));
      await sender.look();
      for (let turn = 0; turn < 60; turn++)
        for (const product of products) await world.record(1, MANY_LICENSES, null, product);
      await world.drain(sender);
      assertEachOnce(world.delivered(), 600);
      assert.ok(read <= 1.4 * 600, `${read} entries were read`);
    });

    it('delivers an event that was refused for a while, and forgets that it waited', async () => {
      await world.destination();
      await world.record(4, ['A', 'B']);
      let refusals = 0;
      world.answer = ({ licenseKey, number }) =>
        licenseKey === 'A' && number === 1 && refusals++ < 3 ? answered(500) : DELIVERED;
      const sender = world.sender();
      await world.drain(sender);
      assert.equal((await world.count('waiting')) > 0, true);
      // Another node continues from the stored deliveries, and waits for the time of the next attempt.
      await sender.stop();
      const sent = world.sent.length;
      const other = world.sender();
      await world.drain(other);
      assert.equal(world.sent.length, sent);
      await world.pass(HOUR_MS, other, 5 * MINUTE_MS);
      assert.equal(world.delivered().length, 4);
      assert.equal(await world.count('waiting'), 0);
    });

    it('reads nothing again that the node before it has read, for destinations with and without an event', async () => {
      await world.destination('one.example', { productIds: ['app'] });
      await world.destination('two.example', { productIds: ['another'] });
      await world.record(1, ['A'], null, 'app');
      const first = world.sender({ restsAfterMs: HOUR_MS });
      await world.drain(first);
      await world.recordAndDrain(first, 20);
      await first.stop();
      await world.record(1);
      const after: number[] = [];
      await world.drain(
        world.sender({}, (real) => ({
          ...real,
          readFeed(...args) {
            after.push(args[0]);
            return real.readFeed(...args);
          },
        })),
      );
      assert.equal(world.delivered('one.example').length, 1);
      assert.ok(after.length > 0 && Math.min(...after) >= 21, String(after));
    });

    it('takes a destination for failing after five refusals in a row of more than one event', async () => {
      await world.destination();
      world.answer = () => answered(500);
      const sender = world.sender();
      const refused = async (...licenses: string[]) => {
        await world.recordAndDrain(sender, licenses.length, licenses);
        return (await world.storage.read((sql) => countDestinationStates(sql))).failing;
      };
      assert.equal(await refused('A', 'B', 'C', 'D'), 0);
      assert.equal(await refused('E'), 1);
    });

    it('disables a destination at once that answers 410, and keeps what waits', async () => {
      const destinationId = await world.destination();
      await world.record(5, ['A']);
      world.answer = () => answered(410);
      const sender = world.sender();
      await world.drain(sender);
      assert.equal(world.sent.length, 1);
      assert.equal(await world.count('disabled'), 1);
      world.answer = () => DELIVERED;
      await world.setState(destinationId, 'active');
      await world.drain(sender);
      assert.equal(world.sent.length, 1, 'the host waits');
      await world.pass(MINUTE_MS, sender);
      assertEachOnce(world.delivered(), 5);
    });

    it('reports the age of the oldest event that it has not tried, and counts destinations by state', async () => {
      await world.destination('slow.example', { requestsPerSecond: 1 });
      await world.destination('paused.example', { state: 'paused' });
      await world.destination('dead.example');
      world.answer = ({ host }) => (host === 'dead.example' ? NO_ANSWER : DELIVERED);
      const sender = world.sender();
      await world.record(3);
      world.now += 5 * MINUTE_MS;
      await sender.look();
      assert.deepEqual([sender.state.isSending, sender.state.oldestMs], [true, 5 * MINUTE_MS]);
      await world.drain(sender);
      for (let turn = 0; turn < 3; turn++) {
        world.elapsed += MINUTE_MS;
        await world.drain(sender);
      }
      assert.equal(sender.state.oldestMs, 0, 'events of a failing destination do not count');
      const counts = await world.storage.read((sql) => countDestinationStates(sql));
      assert.deepEqual(counts, { active: 1, failing: 1, paused: 1, disabled: 0 });
    });

    it('sends nothing twice when a destination is paused while requests are under way', async () => {
      const destinationId = await world.destination();
      await world.record(20, ['A', 'B', 'C', 'D']);
      const held = Promise.withResolvers<typeof DELIVERED>();
      world.answer = () => held.promise;
      const sender = world.sender();
      await sender.look();
      const begun = world.sent.length;
      assert.ok(begun > 0);
      await world.setState(destinationId, 'paused');
      await sender.look();
      held.resolve(DELIVERED);
      await world.drain(sender);
      assert.equal(world.sent.length, begun);
      await world.setState(destinationId, 'active');
      await world.drain(sender);
      assertEachOnce(world.delivered(), 20);
    });

    it('leaves sending to one of two nodes, and the other goes on when it stops', async () => {
      await world.destination();
      const [one, two] = [world.sender(), world.sender()];
      await world.record(50);
      await world.drain(one, two);
      assertEachOnce(world.delivered(), 50);
      assert.deepEqual([one.state.isSending, two.state.isSending], [true, false]);
      await one.stop();
      await world.recordAndDrain(two, 50);
      assertEachOnce(world.delivered(), 100);
    });

    it('leaves sending to a node whose key opens the secrets', async () => {
      await world.destination();
      const [one, two] = [world.sender({}, undefined, null, Buffer.alloc(32, 2)), world.sender()];
      await world.record(9);
      await world.drain(one, two);
      assertEachOnce(world.delivered(), 9);
      assert.deepEqual([one.state.isSending, two.state.isSending], [false, true]);
    });

    it('lets another node go on after a crash, 15 seconds later, and saves nothing of a node that lost the lease', async () => {
      await world.destination();
      const [one, two] = [world.sender(), world.sender()];
      await world.record(9);
      await one.look();
      await one.look();
      // Node one stops while its requests are under way and their results unsaved.
      const begun = world.sent.length;
      await world.drain(two);
      assert.equal(world.sent.length, begun);
      world.now += 16_000;
      await world.drain(two);
      world.elapsed += 10_000;
      await world.drain(one);
      const ids = world.delivered().map(({ id }) => id);
      assert.equal(new Set(ids).size, 9);
      assert.ok(ids.length <= 9 + begun);
      assert.equal(two.state.isSending, true);
      assert.equal(one.state.isSending, false);
    });

    it('loses nothing when it is killed at any step, and repeats only what was under way', async () => {
      await world.destination();
      await world.record(60);
      let killedAfter = 0;
      for (; world.delivered().length === 0 || (await world.count('waiting')) > 0 || killedAfter < 14; killedAfter++) {
        let left = killedAfter;
        const dying = (real: DeliveryStore): DeliveryStore => ({
          ...real,
          readFeed: (...args) => (left-- <= 0 ? Promise.reject(new Error('killed')) : real.readFeed(...args)),
          messages: (...args) => (left-- <= 0 ? Promise.reject(new Error('killed')) : real.messages(...args)),
          async save(saved) {
            if (left-- <= 0) throw new Error('killed before the commit');
            const result = await real.save(saved);
            if (left-- <= 0) throw new Error('killed after the commit');
            return result;
          },
        });
        const sender = world.sender({}, dying);
        await world.drain(sender).catch(() => {});
        world.now += 16_000;
      }
      await world.drain(world.sender());
      const ids = world.delivered().map(({ id }) => id);
      assert.equal(new Set(ids).size, 60);
      assert.ok(ids.length <= 60 + 2 * 16 * killedAfter);
      const first = ids.map((id, index) => (ids.indexOf(id) === index ? world.delivered()[index] : undefined));
      assertOrdered(first.filter((each) => each !== undefined));
    });

    it('goes on after a failure of the database without sending anything twice', async () => {
      await world.destination();
      await world.record(60);
      let calls = 0;
      const flaky = (real: DeliveryStore): DeliveryStore => ({
        ...real,
        save: (saved) => (calls++ % 3 === 1 ? Promise.reject(new Error('the database is away')) : real.save(saved)),
        messages: (keys) =>
          calls++ % 4 === 1 ? Promise.reject(new Error('the database is away')) : real.messages(keys),
      });
      const sender = world.sender({}, flaky);
      for (let turn = 0; turn < 30; turn++) await world.drain(sender).catch(() => {});
      assertEachOnce(world.delivered(), 60);
    });

    it('keeps sending quickly to a healthy destination beside many that are dead', async () => {
      for (let number = 0; number < 40; number++)
        await world.destination(`dead-${number}.example`, { creatorId: `creator-${number % 3}`, types: ['*'] });
      await world.destination('alive.example');
      world.answer = ({ host }) => (host === 'alive.example' ? DELIVERED : NO_ANSWER);
      const sender = world.sender({ perSecondToFailing: 2 });
      for (let turn = 0; turn < 3; turn++) {
        for (const creator of [0, 1, 2]) await world.record(10, MANY_LICENSES, `creator-${creator}`);
        await world.drain(sender);
        assert.equal(world.delivered('alive.example').length, 30 * (turn + 1));
        world.now += 1_000;
      }
      assert.equal(new Set(world.sent.map(({ host }) => host)).size, 41, 'each dead destination is tried');
      assertEachOnce(world.delivered('alive.example'), 90);
    });
  });

// The following tests concern state in memory, so one engine is enough.
describe('the schedule of the sender', () => {
  let world: SendingWorld;
  beforeEach(async () => {
    world = await SendingWorld.open('sqlite');
  });
  afterEach(() => world.close());

  it('tries a destination that does not answer once at a time, ever less often', async () => {
    await world.destination();
    world.answer = () => NO_ANSWER;
    const sender = world.sender();
    await world.recordAndDrain(sender, 40, ['A', 'B']);
    const first = world.sent.length;
    assert.ok(first <= 2);
    await world.pass(HOUR_MS, sender, 5_000);
    const waits = world.sent.slice(first - 1).map(({ at }, index, all) => (at - (all[index - 1]?.at ?? at)) / 1000);
    assert.deepEqual(waits.slice(1, 8), [5, 30, 120, 300, 600, 900, 900]);
  });

  it('begins with the shortest wait again when a destination fails after a success', async () => {
    await world.destination();
    world.answer = () => NO_ANSWER;
    const sender = world.sender();
    await world.recordAndDrain(sender, 1);
    await world.pass(10 * MINUTE_MS, sender);
    world.answer = () => DELIVERED;
    await world.pass(15 * MINUTE_MS, sender);
    assert.equal(world.delivered().length, 1);
    world.answer = () => NO_ANSWER;
    await world.recordAndDrain(sender, 1);
    const tried = world.sent.length;
    await world.pass(5_000, sender, 5_000);
    assert.equal(world.sent.length, tried + 1);
  });

  it('holds nobody up for one event that is refused, and gives it up after ten attempts', async () => {
    await world.destination();
    await world.record(1, ['bad']);
    world.answer = ({ licenseKey, number }) => (licenseKey === 'bad' && number === 1 ? answered(500) : DELIVERED);
    await world.record(30, ['A', 'B', 'bad']);
    const sender = world.sender();
    await world.drain(sender);
    assert.equal(world.delivered().length, 20, 'later events of the same license wait');
    await world.pass(5 * MINUTE_MS, sender, 10_000);
    assert.equal(world.delivered().length, 30, 'after five minutes they pass');
    await world.pass(4 * DAY_MS, sender, 30 * MINUTE_MS);
    assert.equal(world.sent.filter(({ outcome }) => outcome === 'status').length, 10);
    assert.deepEqual([await world.count('waiting'), await world.count('failed')], [0, 1]);
    assertEachOnce(world.delivered(), 30);
  });

  it('treats a receiver that refuses every event as one that is away', async () => {
    await world.destination();
    world.answer = () => answered(500);
    const sender = world.sender();
    await world.recordAndDrain(sender, 100, ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I', 'J']);
    assert.ok(world.sent.length <= 10, `${world.sent.length} requests`);
    world.answer = () => DELIVERED;
    await world.pass(10 * MINUTE_MS, sender, 5_000);
    assert.equal(world.delivered().length, 100);
  });

  it('tells the owner after 15 minutes, a day and four days, and disables it after five days', async () => {
    const destinationId = await world.destination();
    await world.destination('owner.example', { types: ['destination.*'] });
    world.answer = ({ host }) => (host === 'owner.example' ? DELIVERED : NO_ANSWER);
    const sender = world.sender();
    await world.recordAndDrain(sender, 10);
    const alarms: number[] = [];
    for (const span of [10 * MINUTE_MS, 30 * MINUTE_MS, 24 * HOUR_MS, 3 * DAY_MS, 18 * HOUR_MS]) {
      await world.pass(span, sender, 10 * MINUTE_MS);
      alarms.push(await world.count('alarms'));
    }
    assert.deepEqual(alarms, [0, 1, 2, 3, 3]);
    assert.equal(await world.count('disabled'), 0);
    await world.pass(12 * HOUR_MS, sender, 10 * MINUTE_MS);
    assert.equal(await world.count('disabled'), 1);
    const types = world.delivered('owner.example').map(({ type }) => type);
    assert.deepEqual(types, [...Array(3).fill('destination.failing'), 'destination.disabled']);
    const requests = world.sent.length;
    await world.pass(DAY_MS, sender, HOUR_MS);
    assert.equal(world.sent.length, requests);
    world.answer = () => DELIVERED;
    await world.setState(destinationId, 'active');
    await world.pass(HOUR_MS, sender);
    assert.equal(new Set(world.delivered('one.example').map(({ id }) => id)).size, 10);
  });

  it('tells nobody of a destination whose first request after 15 minutes succeeds', async () => {
    await world.destination();
    world.answer = () => NO_ANSWER;
    const sender = world.sender();
    await world.recordAndDrain(sender, 1);
    // The fifth request is made after 9 minutes, the sixth after 19.
    await world.pass(17 * MINUTE_MS, sender);
    assert.equal(world.sent.length, 5);
    world.answer = () => DELIVERED;
    await world.pass(2 * MINUTE_MS, sender);
    assert.deepEqual(world.heard, ['failing', 'back']);
    assert.equal(await world.count('alarms'), 0);
  });

  for (const [name, aheadMs] of [
    ['eleven hours', 11 * HOUR_MS],
    ['thirty days', 30 * DAY_MS],
  ] as const)
    it(`is not stopped by a clock that was ${name} ahead and goes back`, async () => {
      await world.destination();
      let isDown = true;
      world.answer = () => (isDown ? NO_ANSWER : DELIVERED);
      const sender = world.sender();
      await world.record(5);
      world.now += aheadMs;
      await world.drain(sender);
      world.now -= aheadMs;
      isDown = false;
      await world.record(5);
      await world.pass(15 * MINUTE_MS, sender);
      assert.equal(new Set(world.delivered().map(({ id }) => id)).size, 10);
    });

  it('tries a receiver that was away for a moment before many that are gone', async () => {
    for (let number = 0; number < 20; number++) await world.destination(`gone-${number}.example`);
    world.answer = () => NO_ANSWER;
    const sender = world.sender({ perSecondToFailing: 20, unreachedMs: Number.POSITIVE_INFINITY });
    await world.record(1);
    for (let round = 0; round < 3; round++) {
      await world.drain(sender);
      world.now += 20 * MINUTE_MS;
      world.elapsed += 1_000;
    }
    await world.destination('back.example');
    let isAway = true;
    world.answer = ({ host }) => (host === 'back.example' && !isAway ? DELIVERED : NO_ANSWER);
    await world.record(1);
    world.elapsed += 10_000;
    await world.drain(sender);
    assert.equal(world.sent.filter(({ host }) => host === 'back.example').length, 1);
    isAway = false;
    // All of them are due, and only a few requests may begin.
    world.now += 20 * MINUTE_MS;
    world.elapsed += 100;
    await sender.look();
    while (sender.state.underWay > 0) await sender.requestEnds();
    assert.equal(world.delivered('back.example').length, 1);
  });

  it('leaves sending to another node for a minute once it has reached no receiver for a minute', async () => {
    for (const name of ['one', 'two', 'three']) await world.destination(`${name}.example`);
    const [cutOff, other] = [world.sender({}, undefined, () => NO_ANSWER), world.sender()];
    await world.record(3);
    await world.drain(cutOff, other);
    assert.deepEqual([cutOff.state.isSending, other.state.isSending], [true, false]);
    world.elapsed += MINUTE_MS;
    await world.pass(2 * MINUTE_MS, cutOff);
    assert.deepEqual([cutOff.state.isSending, world.delivered().length], [false, 0]);
    await world.drain(other);
    await world.pass(5 * MINUTE_MS, other);
    assert.equal(world.delivered().length, 9);
    await other.stop();
    world.elapsed += MINUTE_MS;
    await world.drain(cutOff);
    assert.equal(cutOff.state.isSending, true);
  });

  it('goes on sending while two of its destinations are dead', async () => {
    await world.destination('alive.example');
    for (const name of ['one', 'two']) await world.destination(`${name}.example`);
    world.answer = ({ host }) => (host === 'alive.example' ? DELIVERED : NO_ANSWER);
    const sender = world.sender();
    await world.recordAndDrain(sender, 1);
    world.elapsed += MINUTE_MS;
    await world.pass(2 * MINUTE_MS, sender);
    assert.equal(sender.state.isSending, true);
  });

  it('serves more destinations than it loads at once, which rest in between', async () => {
    const destinationIds: string[] = [];
    for (let number = 0; number < 130; number++)
      destinationIds.push(await world.destination(`${number}.example`, { creatorId: number === 7 ? 'ada' : null }));
    const sender = world.sender();
    for (let round = 1; round <= 2; round++) {
      await world.recordAndDrain(sender, 2, ['A', 'B']);
      assert.equal(world.delivered().length, round * 2 * 129);
    }
    for (let number = 0; number < 130; number++)
      assert.equal(new Set(world.delivered(`${number}.example`).map(({ id }) => id)).size, number === 7 ? 0 : 4);
    await world.setState(destinationIds[129] ?? '', 'paused');
    await world.recordAndDrain(sender, 1);
    assert.equal(world.delivered().length, 4 * 129 + 128);
    await world.setState(destinationIds[129] ?? '', 'active');
    await sender.stop();
    await world.drain(world.sender());
    assert.equal(world.delivered().length, 5 * 129);
  });

  it('follows the products that a destination names, at rest and while it sends', async () => {
    const [named, other] = [await world.destination('named.example', { productIds: ['x', 'y'] }), 'other.example'];
    await world.destination(other, { productIds: ['z'] });
    await world.destination('all.example');
    const sender = world.sender();
    const perHost = () => ['named.example', other, 'all.example'].map((host) => world.delivered(host).length);
    for (const productId of ['x', 'y', 'z', 'w', null]) await world.record(1, ['A'], null, productId);
    await world.drain(sender);
    assert.deepEqual(perHost(), [2, 1, 5]);
    // At rest.
    await world.setProducts(named, ['w']);
    await world.drain(sender);
    for (const productId of ['x', 'w']) await world.record(1, ['A'], null, productId);
    await world.drain(sender);
    assert.deepEqual(perHost(), [3, 1, 7]);
    // With an event that waits.
    world.answer = ({ host }) => (host === 'named.example' ? NO_ANSWER : DELIVERED);
    await world.recordAndDrain(sender, 1, ['A'], null, 'w');
    await world.setProducts(named, null);
    await world.drain(sender);
    world.answer = () => DELIVERED;
    for (const productId of ['x', 'z']) await world.record(1, ['B'], null, productId);
    await world.pass(2 * MINUTE_MS, sender);
    assert.deepEqual(perHost(), [6, 2, 10]);
  });

  it('keeps no outbox of a destination that rests', async () => {
    const [one, two] = [await world.destination('one.example'), await world.destination('two.example')];
    const read = readDeliveries(world.storage, () => world.now);
    const outboxes = new Outboxes();
    await new LoadedDestinations({ store: read, opens: () => true, outboxes, replays: new Replays() }).load();
    const open = () => [one, two].filter((each) => outboxes.get(each) !== undefined);
    assert.deepEqual(open(), []);
    await world.record(1);
    await outboxes.read(read, SENDER_BOUNDS, 0, () => {});
    assert.deepEqual(open(), [one, two]);
    const outbox = outboxes.get(one);
    const [delivery] = outbox?.startable(world.now, 0) ?? [];
    assert.ok(outbox !== undefined && delivery !== undefined);
    outbox.begin(delivery, 5_000);
    outboxes.rest(60_000, 10_000);
    assert.deepEqual(open(), [one, two], 'a request is under way, and an event waits');
    const delivered = { outcome: 'delivered', status: 204, durationMs: 5, certificateFault: null } as const;
    const request = { number: 1, last: 1, now: world.now, random: 0 };
    outboxes.change(outbox, () => outbox.note(delivery, { ...delivered, receiverTime: null }, request));
    outboxes.rest(60_000, 10_000);
    assert.deepEqual(open(), [one, two], 'its result is not saved');
    const [saved, ...others] = [...outboxes.toSave('none')].map((each) => each.takeChanges().progress);
    assert.deepEqual([saved?.destinationId, saved?.lastSuccessAt, others], [one, world.now, []]);
    outboxes.rest(14_999, 10_000);
    assert.deepEqual(open(), [one, two], 'its last request was a moment ago');
    outboxes.rest(15_000, 10_000);
    assert.deepEqual(open(), [two]);
    assert.equal(outboxes.open(one)?.progress.lastSuccessAt, world.now);
  });

  it('begins few requests at once to many receivers that never answer, and sends to a quick one beside them', async () => {
    await world.destination('alive.example');
    const perSecond = Number.POSITIVE_INFINITY;
    const sender = world.sender({ perSecond, perSecondToSlow: 100, perSecondToFailing: 12, atOnceOfOwner: 1_000 });
    await world.recordAndDrain(sender, 1);
    for (let number = 0; number < 200; number++) await world.destination(`dead-${number}.example`);
    const never = new Promise<never>(() => {});
    world.answer = ({ host }) => (host === 'alive.example' ? DELIVERED : never);
    const toDead = () => world.sent.length - world.delivered('alive.example').length;
    await world.record(40, MANY_LICENSES);
    const looks = async (count: number) => {
      for (let look = 0; look < count; look++) {
        await sender.look();
        for (let ticks = 0; ticks < 10; ticks++) await new Promise((resolve) => setImmediate(resolve));
      }
    };
    await looks(25);
    assert.equal(toDead(), 20);
    assertEachOnce(world.delivered('alive.example'), 41);
    for (let second = 0; second < 10; second++) {
      world.elapsed += 200;
      await looks(2);
      assert.equal(toDead(), Math.min(128, 20 * (second + 2)));
    }
  });

  it('begins no test while as many requests are under way as it may have at once', async () => {
    const destinationId = await world.destination();
    const held = Promise.withResolvers<typeof DELIVERED>();
    world.answer = () => held.promise;
    await world.storage.transaction(async (tx) => {
      for (let number = 0; number < 5; number++)
        await addTest(tx, { destinationId, eventId: `evt_${number}`, type: 'ping' }, world.now);
    });
    const sender = world.sender({ atOnce: 3 });
    await sender.look();
    assert.equal(sender.state.underWay, 3);
    held.resolve(DELIVERED);
    await world.drain(sender);
    assert.equal(world.delivered().length, 5);
  });

  it('sends 32 tests of one owner at once, and the test of another beside them', async () => {
    const [busy, other] = [
      await world.destination('busy.example', { creatorId: 'busy' }),
      await world.destination('other.example', { creatorId: 'other' }),
    ];
    const held = Promise.withResolvers<typeof DELIVERED>();
    world.answer = () => held.promise;
    await world.storage.transaction(async (tx) => {
      for (let number = 0; number < 150; number++)
        await addTest(tx, { destinationId: busy, eventId: `evt_${number}`, type: 'ping' }, world.now);
      await addTest(tx, { destinationId: other, eventId: 'evt_other', type: 'ping' }, world.now + 1);
    });
    const sender = world.sender({ atOnceOfAddress: 1_000 });
    await sender.look();
    const hosts = world.sent.map(({ host }) => host);
    assert.deepEqual(
      [hosts.filter((host) => host === 'busy.example').length, hosts.includes('other.example')],
      [32, true],
    );
    held.resolve(DELIVERED);
    await world.drain(sender);
    assert.equal(world.delivered().length, 151);
  });

  it('sends without a limit per second when there is none', async () => {
    await world.destination();
    await world.record(40, MANY_LICENSES);
    await world.drain(world.sender({ perSecond: Number.POSITIVE_INFINITY }));
    assertEachOnce(world.delivered(), 40);
  });

  it('sends within a second no more than a destination and the node allow', async () => {
    await world.destination('slow.example', { requestsPerSecond: 3 });
    await world.destination('quick.example');
    await world.record(40, MANY_LICENSES);
    const sender = world.sender({ perSecond: 30 });
    const looks = async (afterMs = 0) => {
      world.elapsed += afterMs;
      for (let turn = 0; turn < 20; turn++) {
        await sender.look();
        while (sender.state.underWay > 0) await sender.requestEnds();
      }
    };
    await looks();
    assert.equal(world.delivered('slow.example').length, 3);
    assert.equal(world.sent.length, 10, 'not all requests of a second at once');
    for (let tenth = 0; tenth < 10; tenth++) await looks(100);
    assert.equal(world.delivered('slow.example').length, 6);
    assert.equal(world.sent.length, 40);
    for (let tenth = 0; tenth < 10; tenth++) await looks(100);
    assertEachOnce(world.delivered('quick.example'), 40);
  });
});
