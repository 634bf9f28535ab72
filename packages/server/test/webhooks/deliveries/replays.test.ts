/** Replays whose events are refused, that are stopped, and that meet events which were given up. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { DAY_MS, HOUR_MS, MINUTE_MS, toTimestamp } from '../../../src/ground/base/clock.ts';
import { statement } from '../../../src/storage/contract/storage.ts';
import { engines } from '../../support/databases.ts';
import { addingDeliveries, answered, DELIVERED, licensesOf, NO_ANSWER, SendingWorld } from '../../support/sending.ts';
import { sendingAgain } from '../../support/sending-again.ts';

const addRefused = addingDeliveries('test_replays.add_refused', [1, 990], { cause: 'replay' });
const settleRefused = statement(
  'test_replays.settle_refused',
  "delete from delivery where destination_id = $1 and event_id like 'evt\\_%' escape '\\' and length(event_id) < 10",
);

for (const engine of engines)
  describe(`a replay on ${engine}`, () => {
    let world: SendingWorld;
    beforeEach(async () => {
      world = await SendingWorld.open(engine);
    });
    afterEach(() => world.close());
    const { deliver, resend, replay, replayOf } = sendingAgain(() => world);
    const anHourAgo = () => toTimestamp(world.now - HOUR_MS);

    it('goes on while many of its events wait for another attempt', async () => {
      const { destinationId, sender } = await deliver(240, licensesOf(240));
      await replay(destinationId, { since: anHourAgo() });
      world.answer = ({ licenseKey }) => (Number(licenseKey.slice(8)) % 2 === 1 ? answered(422) : DELIVERED);
      const isRefused = ({ outcome }: { outcome: string }) => outcome === 'status';
      await world.drain(sender);
      assert.equal(world.delivered().length, 240 + 120);
      assert.equal(world.sent.filter(isRefused).length, 120);
      assert.equal(await replayOf(destinationId), null);
      world.answer = () => DELIVERED;
      await world.pass(MINUTE_MS, sender, 10_000);
      assert.equal(world.delivered().length, 2 * 240);
      assert.equal(await world.count('waiting'), 0);
    });

    it('waits while its destination is failing, and goes on once that is back', async () => {
      const { destinationId, sender } = await deliver(20, licensesOf(20));
      world.answer = () => NO_ANSWER;
      await world.recordAndDrain(sender, 1);
      await replay(destinationId, { since: anHourAgo() });
      // The sender learns of the replay, would read for it, and would save that it has.
      for (let looks = 0; looks < 3; looks++) await world.drain(sender);
      assert.equal((await replayOf(destinationId))?.sent, 0);
      world.answer = () => DELIVERED;
      await world.pass(MINUTE_MS, sender);
      assert.equal(world.delivered().length, 20 + 1 + 20);
      assert.equal(await replayOf(destinationId), null);
    });

    it('waits while 1,000 of its events have been refused, and goes on once some are settled', async () => {
      const { destinationId } = await deliver(60, licensesOf(60));
      world.now += 16_000;
      const tomorrow = toTimestamp(world.now + DAY_MS);
      await world.storage.transaction((tx) => tx.run(addRefused, destinationId, tomorrow));
      await replay(destinationId, { since: anHourAgo() });
      const sender = world.sender();
      world.answer = ({ licenseKey }) => (Number(licenseKey.slice(8)) % 2 === 1 ? answered(422) : DELIVERED);
      await world.drain(sender);
      assert.equal(await world.count('waiting'), 1_000);
      assert.notEqual(await replayOf(destinationId), null);
      await sender.stop();
      await world.storage.transaction((tx) => tx.run(settleRefused, destinationId));
      world.answer = () => DELIVERED;
      const other = world.sender();
      await world.pass(MINUTE_MS, other, 10_000);
      assert.equal(world.delivered().length, 2 * 60);
      assert.equal(await replayOf(destinationId), null);
      assert.equal(await world.count('waiting'), 0);
    });

    it('that was read to its end and is stopped sends nothing more', async () => {
      const { destinationId, sender } = await deliver(40, licensesOf(40));
      world.answer = () => NO_ANSWER;
      await replay(destinationId, { since: anHourAgo() });
      await world.drain(sender);
      await replay(destinationId, { stop: true });
      const sent = world.sent.length;
      world.answer = () => DELIVERED;
      await world.pass(MINUTE_MS, sender, 10_000);
      // At most the request that was under way at the stop still arrives.
      assert.ok(world.sent.length <= sent + 1, `${world.sent.length - sent} requests after the stop`);
      assert.equal(await world.count('waiting'), 0);
    });

    it('that is stopped does not come back with the result of a request under way', async () => {
      const { destinationId, sender } = await deliver(9, licensesOf(9));
      world.answer = ({ licenseKey }) => (licenseKey === 'license 4' ? answered(500) : DELIVERED);
      await replay(destinationId, { since: anHourAgo() });
      await world.drain(sender);
      assert.equal(await world.count('waiting'), 1);
      const gate = Promise.withResolvers<void>();
      world.answer = () => gate.promise.then(() => answered(500));
      world.now += MINUTE_MS;
      world.elapsed += 100;
      await sender.look();
      assert.equal(sender.state.underWay, 1);
      await replay(destinationId, { stop: true });
      gate.resolve();
      await sender.requestEnds();
      await world.drain(sender);
      assert.equal(await world.count('waiting'), 0);
      const sent = world.sent.length;
      await world.pass(4 * DAY_MS, sender, 6 * HOUR_MS);
      assert.equal(world.sent.length, sent);
    });

    it('that finds nothing ends by itself', async () => {
      const { destinationId, sender } = await deliver(3);
      // The time of the events that a replay reads beside its span has passed.
      world.now += HOUR_MS;
      await replay(destinationId, { since: toTimestamp(world.now) });
      await world.drain(sender);
      assert.equal(await replayOf(destinationId), null);
      assert.equal((await replay(destinationId, { since: toTimestamp(world.now) })).refused, undefined);
      await world.drain(sender);
      assert.equal(world.delivered().length, 3);
    });

    it('keeps the attempts of a refused event after it was read to its end, also for another node', async () => {
      const { destinationId, sender } = await deliver(3, licensesOf(3));
      world.answer = ({ licenseKey }) => (licenseKey === 'license 1' ? answered(500) : DELIVERED);
      await replay(destinationId, { since: anHourAgo() });
      await world.pass(2 * DAY_MS, sender, HOUR_MS);
      await sender.stop();
      await world.pass(2 * DAY_MS, world.sender(), HOUR_MS);
      assert.equal(world.sent.filter(({ outcome }) => outcome === 'status').length, 10);
      assert.deepEqual([await world.count('waiting'), await world.count('failed')], [0, 1]);
    });

    it('is not repeated if its last write was committed and its answer lost', async () => {
      const { destinationId } = await deliver(20, licensesOf(20));
      world.now += 16_000;
      await replay(destinationId, { since: anHourAgo() });
      world.answer = ({ licenseKey }) => (licenseKey === 'license 7' ? answered(500) : DELIVERED);
      let isLost = false;
      const sender = world.sender({}, (real) => ({
        ...real,
        async save(saved) {
          const result = await real.save(saved);
          if (isLost || !saved.replays.some(({ isOver }) => isOver)) return result;
          isLost = true;
          throw new Error('the answer was lost');
        },
      }));
      for (let turn = 0; turn < 3; turn++) await world.drain(sender).catch(() => {});
      assert.equal(isLost, true);
      await world.pass(4 * DAY_MS, sender, HOUR_MS);
      assert.equal(world.delivered().length, 20 + 19);
      assert.deepEqual([await world.count('waiting'), await world.count('failed')], [0, 1]);
    });

    for (const isFirst of [true, false])
      it(`settles an event that had been given up, ${isFirst ? 'before' : 'after'} it is stored again`, async () => {
        const destinationId = await world.destination();
        await world.record(3, ['A', 'B', 'C']);
        world.answer = ({ licenseKey }) => (licenseKey === 'A' ? answered(500) : DELIVERED);
        const sender = world.sender();
        await world.pass(4 * DAY_MS, sender, HOUR_MS);
        assert.equal(await world.count('failed'), 1);
        const since = toTimestamp(world.now - 5 * DAY_MS);
        await replay(destinationId, { since });
        if (!isFirst) {
          world.answer = () => NO_ANSWER;
          await world.drain(sender);
          await world.pass(MINUTE_MS, sender, 10_000);
          assert.deepEqual([await world.count('waiting'), await world.count('failed')], [3, 0]);
        }
        world.answer = () => DELIVERED;
        await world.pass(HOUR_MS, sender, MINUTE_MS);
        assert.equal(world.delivered().length, 2 + 3);
        assert.deepEqual([await world.count('waiting'), await world.count('failed')], [0, 0]);
      });

    it('that is stopped takes along an event that had been given up', async () => {
      const destinationId = await world.destination();
      await world.record(3, ['A', 'B', 'C']);
      world.answer = ({ licenseKey }) => (licenseKey === 'B' ? answered(500) : DELIVERED);
      const sender = world.sender();
      await world.pass(4 * DAY_MS, sender, HOUR_MS);
      world.answer = () => NO_ANSWER;
      await replay(destinationId, { since: toTimestamp(world.now - 5 * DAY_MS) });
      await world.pass(MINUTE_MS, sender, 10_000);
      await replay(destinationId, { stop: true });
      await world.pass(MINUTE_MS, sender, 10_000);
      assert.equal(await world.count('waiting'), 0);
    });

    it('leaves an event to be sent that is requested again after it was stopped', async () => {
      const { destinationId, sender } = await deliver(1);
      const [{ id } = { id: '' }] = world.delivered();
      world.answer = () => answered(500);
      await replay(destinationId, { since: anHourAgo() });
      await world.drain(sender);
      await replay(destinationId, { stop: true });
      assert.equal((await resend(destinationId, [id])).queued, 1);
      world.answer = () => DELIVERED;
      await world.pass(MINUTE_MS, sender, 10_000);
      assert.equal(world.delivered().length, 2);
      assert.equal(await world.count('waiting'), 0);
    });
  });
