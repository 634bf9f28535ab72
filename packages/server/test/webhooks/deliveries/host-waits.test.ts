/** A third party that is no receiver is asked no sooner than the schedule says, whatever destination names it. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { MINUTE_MS, SECOND_MS } from '../../../src/ground/base/clock.ts';
import type { Sender } from '../../../src/webhooks/deliveries/sender.ts';
import { engines } from '../../support/databases.ts';
import { answered, DELIVERED, licensesOf, NO_ANSWER, SendingWorld } from '../../support/sending.ts';

const HOST = 'third.example';
const licenses = licensesOf(40);

for (const engine of engines)
  describe(`a host that is no receiver, on ${engine},`, () => {
    let world: SendingWorld;
    let sender: Sender;
    beforeEach(async () => {
      world = await SendingWorld.open(engine);
      sender = world.sender();
    });
    afterEach(() => world.close());

    /** The seconds since `from` at which the host was asked. */
    const askedAt = (from: number) =>
      world.sent.filter(({ host }) => host.startsWith(HOST)).map(({ at }) => (at - from) / SECOND_MS);
    /** Lets a minute pass, second by second, and does something at each. */
    const forAMinute = async (change: (second: number) => Promise<unknown>) => {
      for (let second = 1; second <= 60; second++) {
        world.now += SECOND_MS;
        world.elapsed += SECOND_MS;
        await change(second);
        await world.recordAndDrain(sender, 2, licenses, 'ada');
      }
    };

    /** Two events are under way at once to a destination at first; then 5 s, 30 s and 2 minutes pass. */
    const ON_SCHEDULE = [0, 0, 5, 35];

    it('is asked by the schedule while its URL changes and it is paused and resumed', async () => {
      world.answer = () => ({ ...answered(503), retryAfterMs: 0 });
      const destinationId = await world.destination(HOST, { creatorId: 'ada' });
      const from = world.now;
      await world.recordAndDrain(sender, 4, licenses, 'ada');
      await forAMinute(async (second) => {
        await world.setUrl(destinationId, `https://${HOST}${second % 2 === 0 ? ':8443' : '.'}/hook?q=${second}`);
        if (second % 10 === 0)
          for (const state of ['paused', 'active'] as const) await world.setState(destinationId, state);
      });
      assert.deepEqual(askedAt(from), ON_SCHEDULE);
    });

    it('is asked by the schedule while its destination is made again, and by twenty of them', async () => {
      world.answer = () => answered(503);
      const made = [await world.destination(HOST, { creatorId: 'ada' })];
      const from = world.now;
      await world.recordAndDrain(sender, 4, licenses, 'ada');
      await forAMinute(async (second) => {
        if (made.length === 20) await world.remove(made.shift() ?? '');
        made.push(await world.destination(HOST, { creatorId: 'ada', url: `https://${HOST}/${second}` }));
      });
      assert.deepEqual(askedAt(from), ON_SCHEDULE);
    });

    it('counts as failing after five refusals by destinations that were made one after the other', async () => {
      world.answer = () => answered(404);
      for (let number = 0; number < 30; number++) {
        const destinationId = await world.destination(HOST, { creatorId: 'ada' });
        await world.recordAndDrain(sender, 1, licenses, 'ada');
        await world.remove(destinationId);
      }
      assert.equal(world.sent.length, 5);
    });

    it('delays no destination of the same owner or of another at this host that works', async () => {
      world.answer = ({ licenseKey }) => (licenseKey.startsWith('bad') ? NO_ANSWER : DELIVERED);
      await world.destination(HOST, { productIds: ['good'] });
      await world.recordAndDrain(sender, 1, ['good'], null, 'good');
      await world.destination(HOST, { productIds: ['bad'] });
      await world.destination(HOST, { creatorId: 'bo' });
      for (let number = 1; number <= 10; number++) {
        await world.recordAndDrain(sender, 1, ['bad'], null, 'bad');
        await world.recordAndDrain(sender, 1, ['good'], null, 'good');
        await world.recordAndDrain(sender, 1, ['of bo'], 'bo');
        assert.equal(world.delivered().length, 2 * number + 1);
        // A sender that begins knows from the database which of them work.
        if (number === 5) {
          await sender.stop();
          sender = world.sender();
        }
      }
    });

    it('is asked once a second at most by the failing destinations of all owners together', async () => {
      world.answer = () => answered(503);
      const sender = world.sender({ betweenTriesOfHostMs: 1_000 });
      const owners = licensesOf(12, 'owner');
      for (const creatorId of owners) await world.destination(HOST, { creatorId });
      for (const creatorId of owners) await world.record(1, licenses, creatorId);
      await world.drain(sender);
      const before = world.sent.length;
      assert.equal(before, 12, 'each is tried once');
      world.now += MINUTE_MS;
      world.elapsed += 20_000;
      for (let second = 1; second <= 12; second++) {
        for (let round = 0; round < 3; round++) {
          await sender.look();
          while (sender.state.underWay > 0) await sender.requestEnds();
        }
        assert.equal(world.sent.length - before, second);
        world.elapsed += SECOND_MS;
      }
    });

    it('is asked at once when a test was delivered', async () => {
      world.answer = () => answered(503);
      const destinationId = await world.destination(HOST, { creatorId: 'ada' });
      await world.recordAndDrain(sender, 1, licenses, 'ada');
      await world.pass(MINUTE_MS, sender);
      const before = world.sent.length;
      world.answer = () => DELIVERED;
      await world.setUrl(destinationId, `https://${HOST}/right`);
      await world.drain(sender);
      assert.equal(world.sent.length, before);
      await world.test(destinationId);
      await world.drain(sender);
      assert.deepEqual(
        world.delivered().map(({ type }) => type),
        ['ping', 'license.updated'],
      );
    });
  });
