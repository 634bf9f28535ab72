/** A sender that stops: the state that it saves, and how long the others wait for it. Receivers are simulated. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { DeliveryStore } from '../../src/deliveries/store.ts';
import { engines } from '../support/databases.ts';
import { DELIVERED, NO_ANSWER, SendingWorld } from '../support/sending.ts';

/** A database whose writes fail for a while. */
class FailingWrites {
  #isAway = false;

  of(real: DeliveryStore): DeliveryStore {
    const save: DeliveryStore['save'] = (saved) =>
      this.#isAway ? Promise.reject(new Error('the database is away')) : real.save(saved);
    return { ...real, save };
  }

  async failDuring(work: () => Promise<void>): Promise<void> {
    this.#isAway = true;
    await work();
    this.#isAway = false;
  }
}

for (const engine of engines)
  describe(`a sender that stops on ${engine}`, () => {
    let world: SendingWorld;
    beforeEach(async () => {
      world = await SendingWorld.open(engine);
    });
    afterEach(() => world.close());

    it('keeps the lease and saves its results while a receiver does not answer, so nothing is sent twice', async () => {
      await world.destination('quick.example');
      await world.destination('hanging.example');
      const gate = Promise.withResolvers<void>();
      world.answer = async ({ host }) => {
        if (host === 'hanging.example') await gate.promise;
        return DELIVERED;
      };
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
      gate.resolve();
      await stopped;
      await world.drain(two);
      assert.equal(two.state.isSending, true);
      assert.equal(world.delivered().length, 2);
    });

    it('saves what came after a write that failed', async () => {
      for (const name of ['one', 'two']) await world.destination(`${name}.example`);
      const gate = Promise.withResolvers<void>();
      world.answer = async ({ host }) => {
        if (host === 'two.example') await gate.promise;
        return DELIVERED;
      };
      const store = new FailingWrites();
      const sender = world.sender({}, (real) => store.of(real));
      await world.record(1);
      await sender.look();
      while (world.delivered('one.example').length === 0) await turn();
      world.elapsed += 100;
      await store.failDuring(() => assert.rejects(sender.look()));
      gate.resolve();
      while (world.delivered('two.example').length === 0) await turn();
      await sender.stop();
      await world.drain(world.sender());
      assert.equal(world.delivered().length, 2);
    });

    it('because it reaches no receiver, saves what came after a write that failed', async () => {
      for (const name of ['one', 'two', 'three', 'four']) await world.destination(`${name}.example`);
      const gate = Promise.withResolvers<void>();
      let unanswered = 0;
      world.answer = async ({ host }) => {
        if (host === 'four.example') await gate.promise;
        unanswered += 1;
        return NO_ANSWER;
      };
      const store = new FailingWrites();
      const sender = world.sender({ unreachedMs: 1_000 }, (real) => store.of(real));
      await world.record(1);
      await sender.look();
      while (unanswered < 3) await turn();
      await store.failDuring(() => assert.rejects(sender.look()));
      gate.resolve();
      while (sender.state.underWay > 0) await sender.requestEnds();
      world.elapsed += 2_000;
      await sender.look();
      assert.equal(sender.state.isSending, false);
      assert.deepEqual([world.sent.length, await world.count('attempts')], [4, 4]);
    });
  });
