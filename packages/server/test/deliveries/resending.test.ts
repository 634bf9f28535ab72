/** Deliveries that a person requests, on a real database with simulated receivers: their order, share and limits. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { toTimestamp } from '../../src/base/clock.ts';
import { resendEvents } from '../../src/deliveries/resend-events.ts';
import { statement } from '../../src/storage/storage.ts';
import { ruleContextOf } from '../support/contexts.ts';
import { engines } from '../support/databases.ts';
import { DELIVERED, NO_ANSWER, SendingWorld } from '../support/sending.ts';

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

    const resend = async (destinationId: string, eventIds: readonly string[]) => {
      const { work } = resendEvents;
      assert.ok(work.kind === 'write');
      const fields = { destinationId, eventIds };
      const origin = { actor: { kind: 'operator' } as const, requestId: null, now: world.now };
      const request = { fields, origin, scope: { creatorId: null }, ruleContext: ruleContextOf() };
      const answer = await world.storage.transaction((tx) => work.act(tx, request as never));
      return answer as { readonly queued?: number; readonly refused?: string };
    };

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
