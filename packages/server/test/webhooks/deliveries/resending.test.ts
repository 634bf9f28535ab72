/** Deliveries that a person requests, on a real database with simulated receivers: their order, share and limits. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { DAY_MS, HOUR_MS, MINUTE_MS, toTimestamp } from '../../../src/ground/base/clock.ts';
import { statement } from '../../../src/storage/contract/storage.ts';
import { engines } from '../../support/databases.ts';
import {
  addingDeliveries,
  answered,
  assertOrdered,
  DELIVERED,
  licensesOf,
  NO_ANSWER,
  numbers,
  SendingWorld,
  type SentEvent,
} from '../../support/sending.ts';
import { sendingAgain } from '../../support/sending-again.ts';

const addUnread = statement(
  'test_resending.add_unread',
  `insert into event_feed (event_id) select 'evt_' || n from ${numbers(1, 10_001)}`,
);
const addWaiting = addingDeliveries('test_resending.add_waiting', [1, 1_000]);

const idsOf = (events: readonly SentEvent[]) => events.map(({ id }) => id);

for (const engine of engines)
  describe(`sending again on ${engine}`, () => {
    let world: SendingWorld;
    beforeEach(async () => {
      world = await SendingWorld.open(engine);
    });
    afterEach(() => world.close());

    const { deliver, resend, replay, replayOf } = sendingAgain(() => world);

    /** Answers each request a little later, and fails if two are of one license; counts the requested ones at once. */
    const watchRequested = (requested: ReadonlySet<string>) => {
      const seen = { underWay: 0, most: 0 };
      const busy = new Set<string>();
      world.answer = async ({ id, licenseKey }) => {
        assert.ok(!busy.has(licenseKey), `two events of ${licenseKey} at once`);
        busy.add(licenseKey);
        if (requested.has(id)) seen.most = Math.max(seen.most, ++seen.underWay);
        await new Promise((resolve) => setImmediate(resolve));
        if (requested.has(id)) seen.underWay -= 1;
        busy.delete(licenseKey);
        return DELIVERED;
      };
      return seen;
    };

    it('takes at most a quarter of the requests, one of a license at a time, and delays no change', async () => {
      const destinationId = await world.destination();
      const licenses = licensesOf(60);
      await world.record(60, licenses);
      await world.record(20, licenses.slice(0, 10));
      const sender = world.sender();
      await world.drain(sender);
      const old = idsOf(world.delivered());
      assert.equal(new Set(old).size, 80);
      assert.deepEqual(await resend(destinationId, old), { success: true, queued: 80 });
      await world.record(40, licenses.slice(0, 40));
      const known = new Set(old);
      const seen = watchRequested(known);
      await world.drain(sender);
      const after = world.delivered().slice(80);
      assert.equal(after.length, 120);
      assert.ok(seen.most <= 4, `${seen.most} of 16 requests at once`);
      for (const [licenseKey, events] of Map.groupBy(after, (each) => each.licenseKey)) {
        const changed = events.findIndex(({ id }) => !known.has(id));
        assert.ok(changed <= 0, `a change of ${licenseKey} waited for an older event`);
      }
      assert.equal(await world.count('waiting'), 0);
    });

    it('survives a crash, and follows once a receiver that was away is back', async () => {
      const { destinationId, sender: first } = await deliver(30);
      const old = idsOf(world.delivered());
      await resend(destinationId, old);
      world.answer = () => NO_ANSWER;
      await world.drain(first);
      await first.stop();
      world.answer = () => DELIVERED;
      await world.pass(60_000, world.sender(), 10_000);
      assert.deepEqual(idsOf(world.delivered()).toSorted(), [...old, ...old].toSorted());
    });

    it('replays a span of time once, beside changes, with a quarter of the requests', async () => {
      const destinationId = await world.destination();
      const licenses = licensesOf(50);
      await world.record(100, licenses);
      world.now += HOUR_MS;
      const since = toTimestamp(world.now);
      await world.record(300, licenses);
      world.now += HOUR_MS;
      const until = toTimestamp(world.now);
      await world.record(50, licenses);
      const sender = world.sender();
      await world.drain(sender);
      const before = world.delivered();
      assert.equal(before.length, 450);
      const span = new Set(idsOf(before.filter(({ number }) => number >= 3 && number <= 8)));
      assert.equal(span.size, 300);
      assert.equal((await replay(destinationId, { since, until })).refused, undefined);
      await world.record(60, licenses);
      const seen = watchRequested(span);
      await world.drain(sender);
      const after = world.delivered().slice(450);
      const ids = new Set(idsOf(after));
      assert.deepEqual([after.length, ids.size, span.isSubsetOf(ids)], [360, 360, true]);
      assert.ok(seen.most <= 4, `${seen.most} of 16 requests at once`);
      assertOrdered(after.filter(({ id }) => span.has(id)));
      assert.equal(await replayOf(destinationId), null);
      assert.equal(await world.count('waiting'), 0);
    });

    it('goes on with a replay after a crash at any step, and on another node', async () => {
      const { destinationId } = await deliver(150);
      world.now += 16_000;
      await replay(destinationId, { since: toTimestamp(world.now - HOUR_MS) });
      let killedAfter = 0;
      while ((await replayOf(destinationId)) !== null || (await world.count('waiting')) > 0) {
        let left = killedAfter++;
        const step = () => {
          if (left-- <= 0) throw new Error('killed');
        };
        const sender = world.sender({}, (real) => ({
          ...real,
          readFeed: async (...args) => [step(), real.readFeed(...args)][1] as never,
          async save(saved) {
            step();
            const result = await real.save(saved);
            step();
            return result;
          },
        }));
        await world.drain(sender).catch(() => {});
        world.now += 16_000;
      }
      const counts = Map.groupBy(world.delivered(), ({ id }) => id);
      assert.equal(counts.size, 150);
      for (const [id, deliveries] of counts) assert.ok(deliveries.length >= 2, `${id} was not replayed`);
    });

    it('has one replay at a time, which ends when it is stopped or when the destination begins again', async () => {
      const { destinationId, sender } = await deliver(400);
      const since = toTimestamp(world.now - HOUR_MS);
      const answers = await Promise.all(Array.from({ length: 5 }, () => replay(destinationId, { since })));
      const outcomes = answers.map(({ refused = 'begun' }) => refused).toSorted();
      assert.deepEqual(outcomes, ['begun', ...Array(4).fill('replay_under_way')]);
      world.answer = () => NO_ANSWER;
      await world.drain(sender);
      assert.ok((await replayOf(destinationId)) !== null);
      await replay(destinationId, { stop: true });
      world.answer = () => DELIVERED;
      await world.pass(MINUTE_MS, sender, 10_000);
      assert.ok(world.delivered().length < 420, `${world.delivered().length} deliveries`);
      assert.equal(await world.count('waiting'), 0);
      assert.equal((await replay(destinationId, { since })).refused, undefined);
    });

    it('replays only what was given up, if that is asked for', async () => {
      const destinationId = await world.destination();
      await world.record(3, ['A', 'B', 'C']);
      world.answer = ({ licenseKey }) => (licenseKey === 'B' ? answered(500) : DELIVERED);
      const sender = world.sender();
      await world.pass(4 * DAY_MS, sender, HOUR_MS);
      assert.equal(await world.count('failed'), 1);
      world.answer = () => DELIVERED;
      const since = toTimestamp(world.now - 5 * DAY_MS);
      const none = await replay(destinationId, { since, failedOnly: true, types: ['product.*'] });
      assert.equal(none.replay?.sent, 0);
      assert.equal((await replay(destinationId, { since, failedOnly: true })).replay?.sent, 1);
      await world.drain(sender);
      const licenses = world.delivered().map(({ licenseKey }) => licenseKey);
      assert.deepEqual(licenses.toSorted(), ['A', 'B', 'C']);
      assert.equal(await world.count('failed'), 0);
      assert.equal((await replay(destinationId, { since, until: since })).refused, 'invalid_field');
      assert.equal((await replay(destinationId, {})).refused, 'missing_fields');
    });

    it('is refused for events that may have yet to be sent, and beyond 1,000 waiting ones', async () => {
      const { destinationId } = await deliver(1);
      const [{ id } = { id: '' }] = world.delivered();
      await world.storage.transaction((tx) => tx.run(addWaiting, destinationId, toTimestamp(world.now)));
      assert.equal((await resend(destinationId, [id])).refused, 'too_many_waiting');
      await world.storage.transaction((tx) => tx.run(addUnread));
      assert.equal((await resend(destinationId, [id])).refused, 'destination_catching_up');
    });
  });
