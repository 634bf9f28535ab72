/** A sender that stops: the state that it saves, and how long the others wait for it. Receivers are simulated. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { Sender } from '../../../src/webhooks/deliveries/sender.ts';
import type { DeliveryStore } from '../../../src/webhooks/deliveries/store.ts';
import { engines } from '../../support/databases.ts';
import { DELIVERED, NO_ANSWER, SendingWorld } from '../../support/sending.ts';

for (const engine of engines)
  describe(`a sender that stops on ${engine}`, () => {
    let world: SendingWorld;
    beforeEach(async () => {
      world = await SendingWorld.open(engine);
    });
    afterEach(() => world.close());

    let isAway = false;
    /** Its writes fail while the database is away. */
    const failing = (real: DeliveryStore): DeliveryStore => ({
      ...real,
      save: (saved) => (isAway ? Promise.reject(new Error('the database is away')) : real.save(saved)),
    });
    /** Runs a round of a sender whose write fails. */
    const lookInVain = async (sender: Sender) => {
      isAway = true;
      await assert.rejects(sender.look());
      isAway = false;
    };
    /** Lets all receivers answer, that of one host only when it is released. Returns a function that releases it. */
    const hold = (held: string, answer: typeof DELIVERED) => {
      const gate = Promise.withResolvers<typeof DELIVERED>();
      world.answer = ({ host }) => (host === held ? gate.promise : answer);
      return () => gate.resolve(answer);
    };

    it('keeps the lease and saves its results while a receiver does not answer, so nothing is sent twice', async () => {
      await world.destination('quick.example');
      await world.destination('hanging.example');
      const release = hold('hanging.example', DELIVERED);
      let next = Promise.withResolvers<void>();
      const announcing = (real: DeliveryStore): DeliveryStore => ({
        ...real,
        async save(saved) {
          const result = await real.save(saved);
          next.resolve();
          return result;
        },
      });
      const [one, two] = [world.sender({}, announcing), world.sender()];
      await world.record(1);
      await one.look();
      assert.equal(world.sent.length, 2);
      while (world.delivered('quick.example').length === 0) await turn();
      const stopped = one.stop();
      for (let step = 0; step < 5; step++) {
        next = Promise.withResolvers();
        world.now += 6_000;
        world.elapsed += 6_000;
        await next.promise;
        await two.look();
        assert.equal(two.state.isSending, false);
      }
      release();
      await stopped;
      await world.drain(two);
      assert.equal(two.state.isSending, true);
      assert.equal(world.delivered().length, 2);
    });

    it('saves what came after a write that failed', async () => {
      for (const name of ['one', 'two']) await world.destination(`${name}.example`);
      const release = hold('two.example', DELIVERED);
      const sender = world.sender({}, failing);
      await world.record(1);
      await sender.look();
      while (world.delivered('one.example').length === 0) await turn();
      world.elapsed += 100;
      await lookInVain(sender);
      release();
      while (world.delivered('two.example').length === 0) await turn();
      await sender.stop();
      await world.drain(world.sender());
      assert.equal(world.delivered().length, 2);
    });

    it('because it reaches no receiver, saves what came after a write that failed', async () => {
      for (const name of ['one', 'two', 'three', 'four']) await world.destination(`${name}.example`);
      const release = hold('four.example', NO_ANSWER);
      const sender = world.sender({ unreachedMs: 1_000 }, failing);
      await world.record(1);
      await sender.look();
      while (world.sent.filter(({ outcome }) => outcome === NO_ANSWER.outcome).length < 3) await turn();
      await lookInVain(sender);
      release();
      while (sender.state.underWay > 0) await sender.requestEnds();
      world.elapsed += 2_000;
      await sender.look();
      assert.equal(sender.state.isSending, false);
      assert.deepEqual([world.sent.length, await world.count('attempts')], [4, 4]);
    });
  });
