/** Deliveries that a person requests, on a real database with simulated receivers: their order, share and limits. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { DAY_MS, HOUR_MS, MINUTE_MS, toTimestamp } from '../../src/base/clock.ts';
import { statement } from '../../src/storage/storage.ts';
import { engines } from '../support/databases.ts';
import { answered, DELIVERED, NO_ANSWER, SendingWorld } from '../support/sending.ts';
import { sendingAgain } from '../support/sending-again.ts';

const addUnread = statement(
  'test_resending.add_unread',
  `insert into event_feed (event_id) select 'evt_' || n from
     (with recursive counted(n) as (select 1 union all select n + 1 from counted where n < 10001) select n from counted) numbers`,
);
const addWaiting = statement(
  'test_resending.add_waiting',
  `insert into delivery (destination_id, event_id, position, license_key, state, attempts, due_at, first_at, last_at)
   select $1, 'evt_' || n, 0, null, 'waiting', 1, $2, $2, $2 from
     (with recursive counted(n) as (select 1 union all select n + 1 from counted where n < 1000) select n from counted) numbers`,
);

for (const engine of engines)
  describe(`sending again on ${engine}`, () => {
    let world: SendingWorld;
    beforeEach(async () => {
      world = await SendingWorld.open(engine);
    });
    afterEach(() => world.close());

    const { resend, replay, replayOf } = sendingAgain(() => world);

    it('takes at most a quarter of the requests, one of a license at a time, and delays no change', async () => {
      const destinationId = await world.destination();
      const licenses = Array.from({ length: 60 }, (_, index) => `license ${index}`);
      await world.record(60, licenses);
      await world.record(20, licenses.slice(0, 10));
      const sender = world.sender();
      await world.drain(sender);
      const old = world.delivered().map(({ id }) => id);
      assert.equal(new Set(old).size, 80);
      assert.deepEqual(await resend(destinationId, old), { success: true, queued: 80 });
      await world.record(40, licenses.slice(0, 40));
      const known = new Set(old);
      let [most, requested] = [0, 0];
      const busy = new Set<string>();
      world.answer = async ({ id, licenseKey }) => {
        assert.ok(!busy.has(licenseKey), `two events of ${licenseKey} at once`);
        busy.add(licenseKey);
        if (known.has(id)) most = Math.max(most, ++requested);
        await new Promise((resolve) => setImmediate(resolve));
        if (known.has(id)) requested -= 1;
        busy.delete(licenseKey);
        return DELIVERED;
      };
      await world.drain(sender);
      const after = world.delivered().slice(80);
      assert.equal(after.length, 120);
      assert.ok(most <= 4, `${most} of 16 requests at once`);
      for (const [licenseKey, events] of Map.groupBy(after, (each) => each.licenseKey)) {
        const changed = events.findIndex(({ id }) => !known.has(id));
        assert.ok(changed <= 0, `a change of ${licenseKey} waited for an older event`);
      }
      assert.equal(await world.count('waiting'), 0);
    });

    it('survives a crash, and follows once a receiver that was away is back', async () => {
      const destinationId = await world.destination();
      await world.record(30);
      const first = world.sender();
      await world.drain(first);
      const old = world.delivered().map(({ id }) => id);
      await resend(destinationId, old);
      world.answer = () => NO_ANSWER;
      await world.drain(first);
      await first.stop();
      world.answer = () => DELIVERED;
      await world.pass(60_000, world.sender(), 10_000);
      assert.deepEqual(
        world
          .delivered()
          .map(({ id }) => id)
          .toSorted(),
        [...old, ...old].toSorted(),
      );
    });

    it('replays a span of time once, beside changes, with a quarter of the requests', async () => {
      const destinationId = await world.destination();
      const licenses = Array.from({ length: 50 }, (_, index) => `license ${index}`);
      await world.record(100, licenses);
      world.now += HOUR_MS;
      const since = toTimestamp(world.now);
      await world.record(300, licenses);
      world.now += HOUR_MS;
      const until = toTimestamp(world.now);
      await world.record(50, licenses);
      const sender = world.sender();
      await world.drain(sender);
      const before = world.delivered().map(({ id }) => id);
      assert.equal(before.length, 450);
      const span = new Set(
        world
          .delivered()
          .filter(({ number }) => number >= 3 && number <= 8)
          .map(({ id }) => id),
      );
      assert.equal(span.size, 300);
      assert.equal((await replay(destinationId, { since, until })).refused, undefined);
      const fresh = new Set<string>();
      await world.record(60, licenses);
      const busy = new Set<string>();
      let [most, requested] = [0, 0];
      world.answer = async ({ id, licenseKey }) => {
        assert.ok(!busy.has(licenseKey), `two events of ${licenseKey} at once`);
        busy.add(licenseKey);
        if (span.has(id)) most = Math.max(most, ++requested);
        else fresh.add(id);
        await new Promise((resolve) => setImmediate(resolve));
        if (span.has(id)) requested -= 1;
        busy.delete(licenseKey);
        return DELIVERED;
      };
      await world.drain(sender);
      const after = world.delivered().slice(450);
      assert.equal(after.length, 360);
      assert.deepEqual(new Set(after.map(({ id }) => id)), span.union(fresh));
      assert.ok(most <= 4, `${most} of 16 requests at once`);
      for (const events of Map.groupBy(after, (each) => each.licenseKey).values()) {
        const replayed = events.filter(({ id }) => span.has(id)).map(({ number }) => number);
        assert.deepEqual(
          replayed,
          replayed.toSorted((one, other) => one - other),
        );
      }
      assert.equal(await replayOf(destinationId), null);
      assert.equal(await world.count('waiting'), 0);
    });

    it('goes on with a replay after a crash at any step, and on another node', async () => {
      const destinationId = await world.destination();
      await world.record(150);
      await world.drain(world.sender());
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
      const destinationId = await world.destination();
      await world.record(400);
      const sender = world.sender();
      await world.drain(sender);
      const since = toTimestamp(world.now - HOUR_MS);
      const answers = await Promise.all(Array.from({ length: 5 }, () => replay(destinationId, { since })));
      assert.deepEqual(answers.map(({ refused = 'begun' }) => refused).toSorted(), [
        'begun',
        ...Array(4).fill('replay_under_way'),
      ]);
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
      assert.deepEqual(
        world
          .delivered()
          .map(({ licenseKey }) => licenseKey)
          .toSorted(),
        ['A', 'B', 'C'],
      );
      assert.equal(await world.count('failed'), 0);
      assert.equal((await replay(destinationId, { since, until: since })).refused, 'invalid_field');
      assert.equal((await replay(destinationId, {})).refused, 'missing_fields');
    });

    it('is refused for events that may have yet to be sent, and beyond 1,000 waiting ones', async () => {
      const destinationId = await world.destination();
      await world.record(1);
      const sender = world.sender();
      await world.drain(sender);
      const [{ id } = { id: '' }] = world.delivered();
      await world.storage.transaction((tx) => tx.run(addWaiting, destinationId, toTimestamp(world.now)));
      assert.equal((await resend(destinationId, [id])).refused, 'too_many_waiting');
      await world.storage.transaction((tx) => tx.run(addUnread));
      assert.equal((await resend(destinationId, [id])).refused, 'destination_catching_up');
    });
  });
