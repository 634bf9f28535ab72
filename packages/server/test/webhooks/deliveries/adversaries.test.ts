/** Hostile receivers, clocks and transactions: bounds of their cost, and facts that they never change. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { DAY_MS, HOUR_MS, MINUTE_MS, toTimestamp } from '../../../src/ground/base/clock.ts';
import { statement } from '../../../src/storage/contract/storage.ts';
import { listDeliveriesOf } from '../../../src/webhooks/deliveries/listing-store.ts';
import { countDestinationStates } from '../../../src/webhooks/destinations/count-store.ts';
import { engines } from '../../support/databases.ts';
import {
  addingDeliveries,
  answered,
  assertEachOnce,
  DELIVERED,
  licensesOf,
  NO_ANSWER,
  numbers,
  SendingWorld,
} from '../../support/sending.ts';

const holdFeed = statement('test_adversaries.hold_feed', 'lock table event_feed in row exclusive mode');
const addWaiting = addingDeliveries('test_adversaries.add_waiting', [1, 980]);
const addMostWaiting = addingDeliveries('test_adversaries.add_most_waiting', [1, 1_000]);
const settleWaiting = statement('test_adversaries.settle_waiting', 'delete from delivery where destination_id = $1');
const forgetFailure = statement(
  'test_adversaries.forget_failure',
  'update destination_progress set failing_since = null where destination_id = $1',
);
const countReasons = statement(
  'test_adversaries.count_reasons',
  `select count(*) as "count" from event
   where type = 'destination.failing' and after_facts like '%"reason":"too_many_refused"%'`,
);
// Each has its own time, by which the oldest are deleted.
const addFailed = addingDeliveries('test_adversaries.add_failed', [1_001, 2_100], {
  state: 'failed',
  dueAt: '$2 || n',
});
const addAttempts = statement(
  'test_adversaries.add_attempts',
  `insert into delivery_attempt (destination_id, attempt_id, event_id, type, at, duration_ms, outcome)
   select $1, '0' || n, 'evt_1', 'license.updated', $2, 5, 'refused' from ${numbers(1_001, 1_600)}`,
);

for (const engine of engines)
  describe(`sending on ${engine} meets`, () => {
    let world: SendingWorld;
    beforeEach(async () => {
      world = await SendingWorld.open(engine);
    });
    afterEach(() => world.close());
    const failing = async () => (await world.storage.read((sql) => countDestinationStates(sql))).failing;

    it('a receiver that refuses every other event: 1,000 wait, and the others follow once some are settled', async () => {
      const destinationId = await world.destination();
      const tomorrow = toTimestamp(world.now + DAY_MS);
      await world.storage.transaction((tx) => tx.run(addWaiting, destinationId, tomorrow));
      assert.equal(await world.count('waiting'), 980);
      world.answer = ({ licenseKey }) => (licenseKey.startsWith('bad') ? answered(422) : DELIVERED);
      const sender = world.sender();
      const licenses = licensesOf(40, 'good').flatMap((good, at) => [good, `bad ${at}`]);
      await world.recordAndDrain(sender, licenses.length, licenses);
      assert.equal(await world.count('waiting'), 1_000);
      assert.deepEqual(world.heard, ['failing'], 'the feed is not read for it');
      assert.equal(await failing(), 1);
      world.answer = () => DELIVERED;
      await world.pass(10 * MINUTE_MS, sender);
      assertEachOnce(world.delivered(), licenses.length);
      assert.equal(await world.count('waiting'), 980);
      assert.deepEqual(world.heard, ['failing', 'back']);
      assert.equal(await failing(), 0);
    });

    it('a receiver for which 1,000 events wait: it fails, its owner is told why, and it is disabled', async () => {
      const destinationId = await world.destination();
      const tomorrow = toTimestamp(world.now + DAY_MS);
      await world.storage.transaction((tx) => tx.run(addMostWaiting, destinationId, tomorrow));
      const bounds = { giveUpMs: 20 * HOUR_MS };
      const one = world.sender(bounds);
      await world.drain(one);
      assert.equal(await failing(), 0, 'no further event waits');
      await world.recordAndDrain(one, 3);
      assert.equal(await failing(), 1);
      await world.pass(14 * MINUTE_MS, one, 7 * MINUTE_MS);
      assert.equal(await world.count('alarms'), 0);
      await world.pass(MINUTE_MS, one);
      assert.equal(await world.count('alarms'), 1);
      assert.equal((await world.storage.read((sql) => sql.first<{ count: number }>(countReasons)))?.count, 1);
      await one.stop();
      const other = world.sender(bounds);
      await world.pass(19 * HOUR_MS, other, HOUR_MS);
      assert.deepEqual([await failing(), await world.count('disabled'), await world.count('alarms')], [1, 0, 1]);
      await world.pass(HOUR_MS, other, HOUR_MS);
      assert.deepEqual([await failing(), await world.count('disabled')], [0, 1]);
      assert.deepEqual(world.heard, ['failing', 'disabled']);
      assert.equal(world.sent.length, 0);
      await world.storage.transaction(async (tx) => {
        await tx.run(forgetFailure, destinationId);
        await tx.run(settleWaiting, destinationId);
      });
      await world.setState(destinationId, 'active');
      await world.drain(other);
      assertEachOnce(world.delivered(), 3);
    });

    it('a receiver that refuses an event ten times: of the failed deliveries 1,000 are kept', async () => {
      const destinationId = await world.destination();
      await world.storage.transaction((tx) => tx.run(addFailed, destinationId, toTimestamp(world.now - DAY_MS)));
      assert.equal(await world.count('failed'), 1_100);
      await world.record(2, ['bad', 'good']);
      world.answer = ({ licenseKey }) => (licenseKey === 'bad' ? answered(500) : DELIVERED);
      // The last attempt is made some milliseconds after its time.
      await world.pass(4 * DAY_MS, world.sender(), HOUR_MS + 1);
      assert.equal(await world.count('failed'), 1_000);
      const [latest] = await world.storage.read((sql) =>
        listDeliveriesOf(sql, destinationId, 'failed', { dueAt: '~', eventId: '~' }, 1),
      );
      const refusedAt = world.sent.findLast(({ licenseKey }) => licenseKey === 'bad')!.at;
      assert.equal(latest?.dueAt, toTimestamp(refusedAt), 'a failed delivery shows when it failed');
      assert.deepEqual(world.heard, ['failed']);
    });

    if (engine === 'postgres')
      it('a transaction that stays open: events wait, the state says so, and each is sent once afterwards', async () => {
        await world.destination();
        const sender = world.sender();
        await world.recordAndDrain(sender, 10);
        const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
        const open = world.storage.transaction(async (tx) => {
          await tx.run(holdFeed);
          begun.resolve();
          await ended.promise;
        });
        try {
          await begun.promise;
          await world.recordAndDrain(sender, 10);
          assert.equal(world.sent.length, 10);
          assert.ok(sender.state.heldBackMs > 0);
          assert.ok(world.heard.includes('heldBack'));
        } finally {
          ended.resolve();
          await open;
        }
        await world.drain(sender);
        assertEachOnce(world.delivered(), 20);
        assert.equal(sender.state.heldBackMs, 0);
      });
  });

// The following concerns state in memory, so one engine is enough.
describe('the sender meets', () => {
  let world: SendingWorld;
  beforeEach(async () => {
    world = await SendingWorld.open('sqlite');
  });
  afterEach(() => world.close());

  it('a receiver that is down for a week while events come: it costs 20 rows and the kept attempts', async () => {
    const destinationId = await world.destination();
    await world.storage.transaction((tx) => tx.run(addAttempts, destinationId, toTimestamp(world.now)));
    world.answer = () => NO_ANSWER;
    const sender = world.sender({ giveUpMs: 30 * DAY_MS });
    const licenses = licensesOf(30);
    for (let day = 0; day < 7; day++) {
      await world.record(60, licenses);
      await world.pass(DAY_MS, sender, 3 * HOUR_MS);
      const waiting = await world.count('waiting');
      assert.ok(waiting <= 20, `${waiting} rows of deliveries on day ${day}`);
    }
    assert.ok(world.sent.length > 50, 'enough requests that old attempts are deleted');
    const attempts = await world.count('attempts');
    assert.ok(attempts >= 500 && attempts <= 550, `${attempts} rows of attempts`);
    world.answer = () => DELIVERED;
    await world.pass(HOUR_MS / 2, sender, HOUR_MS / 4);
    assertEachOnce(world.delivered(), 420);
    assert.deepEqual([await world.count('waiting'), await world.count('failed')], [0, 0]);
  });

  it('receivers that answer after more than two seconds: they get their events, and others do not wait for them', async () => {
    const [quick, slow] = [2_000, 2_001].map((durationMs) => ({ ...DELIVERED, durationMs }));
    const gate = Promise.withResolvers<void>();
    let isHeld = false;
    const creators = ['ada', 'bo', 'cy', 'di', 'ed', 'fay', 'gus', 'hal', 'ida', 'jo'];
    for (const creatorId of creators)
      for (let number = 0; number < 10; number++)
        await world.destination(`${number}.${creatorId}.example`, { creatorId });
    await world.destination('quick.example');
    const sender = world.sender({ perSecond: Number.POSITIVE_INFINITY });
    world.answer = async ({ host }) => {
      if (host === 'quick.example') return quick!;
      if (isHeld) await gate.promise;
      return slow!;
    };
    // The first answers tell which receivers are slow.
    for (const creatorId of creators) await world.record(5, undefined, creatorId);
    await world.drain(sender);
    assert.equal(world.sent.length, 50 + 10 * 50);
    isHeld = true;
    for (const creatorId of creators) await world.record(10, licensesOf(10), creatorId);
    for (let turn = 0; turn < 30; turn++) {
      world.elapsed += 1_000;
      await sender.look();
      // Lets the answers that are not held arrive.
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.equal(world.delivered('quick.example').length, 50 + 100);
    const { underWay } = sender.state;
    assert.ok(underWay > 100 && underWay <= 128, `${underWay} requests wait for slow receivers`);
    gate.resolve();
    await world.drain(sender);
    assert.equal(world.delivered().length, 11 * 150);
    assert.ok(!world.heard.includes('failing'));
  });

  for (const status of [429, 503])
    it(`${status} with Retry-After: it waits as long as it is told, and then sends all in order`, async () => {
      await world.destination();
      let isBusy = true;
      world.answer = () => (isBusy ? { ...answered(status), retryAfterMs: 42_000 } : DELIVERED);
      const sender = world.sender();
      await world.recordAndDrain(sender, 60, licensesOf(20));
      const tried = world.sent.length;
      await world.pass(41_000, sender, 1_000);
      assert.equal(world.sent.length, tried);
      isBusy = false;
      await world.pass(1_000, sender);
      assertEachOnce(world.delivered(), 60);
      assert.deepEqual(world.heard, ['failing', 'back']);
    });

  for (const [name, offMs] of [
    ['an hour ahead', HOUR_MS],
    ['an hour behind', -HOUR_MS],
  ] as const)
    it(`a clock that is ${name} and is put right: every event once`, async () => {
      await world.destination();
      const sender = world.sender();
      const licenses = licensesOf(5);
      let refusals = 0;
      world.answer = () => (++refusals % 7 === 0 ? answered(500) : DELIVERED);
      for (const move of [0, offMs, -offMs]) {
        world.now += move;
        await world.recordAndDrain(sender, 30, licenses);
      }
      world.answer = () => DELIVERED;
      // A wait that began while the clock was ahead ends that much later.
      await world.pass(2 * HOUR_MS, sender, HOUR_MS / 4);
      const ids = world.delivered().map(({ id }) => id);
      assert.deepEqual([ids.length, new Set(ids).size], [90, 90]);
      assert.equal(await world.count('waiting'), 0);
    });

  it('a receiver whose clock is wrong, and says so', async () => {
    await world.destination();
    world.answer = () => ({ ...DELIVERED, receiverTime: world.now + 59_000 });
    const sender = world.sender();
    await world.recordAndDrain(sender, 1);
    assert.deepEqual(world.heard, []);
    world.answer = () => ({ ...DELIVERED, receiverTime: world.now - 61_000 });
    await world.recordAndDrain(sender, 1);
    assert.deepEqual(world.heard, ['clockDiffers']);
  });

  for (const step of ['readFeed', 'messages'] as const)
    it(`a standstill of its node in ${step}: it begins no request that may outlast its lease`, async () => {
      await world.destination();
      await world.record(5);
      let isStandingStill = true;
      const sender = world.sender({}, (real) => ({
        ...real,
        async [step](...args: never[]) {
          const result = await (real[step] as (...args: never[]) => Promise<never>)(...args);
          if (isStandingStill) world.elapsed += 12_500;
          return result;
        },
      }));
      await sender.look();
      assert.equal(world.sent.length, 0);
      isStandingStill = false;
      await world.drain(sender);
      assertEachOnce(world.delivered(), 5);
    });

  it('receivers that all answer 503: the node reaches them, so it goes on sending', async () => {
    for (const name of ['one', 'two', 'three', 'four']) await world.destination(`${name}.example`);
    world.answer = () => answered(503);
    const sender = world.sender();
    await world.recordAndDrain(sender, 3);
    world.elapsed += 2 * MINUTE_MS;
    await world.pass(10 * MINUTE_MS, sender);
    assert.equal(sender.state.isSending, true);
  });

  it('a lost way out, which each attempt shows anew: after a minute the node leaves sending to others', async () => {
    for (const name of ['one', 'two', 'three']) await world.destination(`${name}.example`);
    world.answer = () => NO_ANSWER;
    const sender = world.sender();
    await world.record(3);
    for (let attempt = 0; attempt < 7; attempt++) {
      assert.equal(sender.state.isSending, attempt > 0);
      await world.drain(sender);
      world.elapsed += 10_000;
      world.now += HOUR_MS;
    }
    assert.equal(sender.state.isSending, false);
    assert.ok(world.sent.length > 3 * 5, 'it was tried again and again');
  });

  it('a lost way out that comes back within a minute: the node keeps sending', async () => {
    for (const name of ['one', 'two', 'three']) await world.destination(`${name}.example`);
    world.answer = () => NO_ANSWER;
    const sender = world.sender();
    await world.recordAndDrain(sender, 3);
    world.elapsed += MINUTE_MS / 2;
    world.answer = () => DELIVERED;
    await world.pass(MINUTE_MS, sender);
    world.answer = () => NO_ANSWER;
    await world.recordAndDrain(sender, 3);
    world.elapsed += MINUTE_MS / 2;
    await world.pass(MINUTE_MS, sender);
    assert.equal(sender.state.isSending, true, 'half a minute without an answer is not a minute');
  });
});
