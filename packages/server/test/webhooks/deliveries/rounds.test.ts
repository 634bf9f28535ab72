/** The rounds of a sender: their work, and the time between them, which is longer after a long one (rules 12.3). */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { restAfter, startRounds } from '../../../src/platform/senders/rounds.ts';
import { engines } from '../../support/databases.ts';
import { answered, DELIVERED, licensesOf, SendingWorld } from '../../support/sending.ts';

describe('the rounds of a sender', () => {
  /** The parts of rounds that rest as long as they may. */
  const quiet = { awaitNews: () => {}, changes: () => 0, ends: () => null, intervalMs: 60_000, failed: assert.fail };

  it('leave three quarters of the time to others, but never wait for long, and join the events of a moment', () => {
    assert.deepEqual(
      [0, 2, 5, 20, 1_000].map((milliseconds) => restAfter(milliseconds, 0, false)),
      [10, 10, 15, 60, 200],
    );
    assert.deepEqual(
      [0, 2, 5, 20, 1_000].map((milliseconds) => restAfter(milliseconds, 0, true)),
      [40, 40, 40, 60, 200],
    );
  });

  it('rest longer the more changes they find, because apps need the CPU then', () => {
    assert.deepEqual(
      [0, 20, 21, 100, 400, 10_000].map((changes) => restAfter(2, changes, false)),
      [10, 10, 10.5, 50, 200, 200],
    );
    assert.deepEqual(
      [80, 81, 10_000].map((changes) => restAfter(2, changes, true)),
      [40, 40.5, 200],
    );
  });

  it('count the changes of a round only if it has read all', async () => {
    const seen = Promise.withResolvers<void>();
    const steps: string[] = [];
    const rounds = startRounds({
      ...quiet,
      async look() {
        steps.push('looks');
        return steps.length < 3;
      },
      changes() {
        steps.push('counts');
        return 0;
      },
      ends: () => {
        if (steps.length === 3) seen.resolve();
        return Promise.resolve();
      },
    });
    await seen.promise;
    await nextTurn();
    await rounds.stop();
    assert.deepEqual(steps.slice(0, 4), ['looks', 'looks', 'looks', 'counts']);
  });

  it('ask for news before they look, so that no news is missed', async () => {
    const steps: string[] = [];
    const seen = Promise.withResolvers<void>();
    const rounds = startRounds({
      ...quiet,
      awaitNews: () => steps.push('awaits news'),
      async look() {
        steps.push('looks');
        if (steps.length >= 4) seen.resolve();
        return true;
      },
    });
    await seen.promise;
    await rounds.stop();
    assert.deepEqual(steps.slice(0, 4), ['awaits news', 'looks', 'awaits news', 'looks']);
  });

  it('begin at once after a quiet moment', async () => {
    let looks = 0;
    const rounds = startRounds({
      ...quiet,
      async look() {
        looks += 1;
        return false;
      },
    });
    await nextTurn();
    // Blocks this thread, so no timer fires meanwhile.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, restAfter(0, 0, true));
    rounds.wake();
    for (let turn = 0; turn < 5; turn++) await nextTurn();
    assert.equal(looks, 2);
    await rounds.stop();
  });

  it('go on after a failure, which they report once', async () => {
    const failures: string[] = [];
    let looks = 0;
    const seen = Promise.withResolvers<void>();
    const rounds = startRounds({
      ...quiet,
      async look() {
        looks += 1;
        if (looks === 4) seen.resolve();
        throw new Error('the database is away');
      },
      intervalMs: 1,
      failed: (failure) => failures.push(failure),
    });
    const waking = setInterval(rounds.wake, 1);
    await seen.promise;
    clearInterval(waking);
    await nextTurn();
    await rounds.stop();
    assert.deepEqual(failures, ['Error: the database is away']);
  });
});

for (const engine of engines)
  describe(`a round of a sender on ${engine}`, () => {
    async function openWorld(test: TestContext): Promise<SendingWorld> {
      const world = await SendingWorld.open(engine);
      test.after(() => world.close());
      return world;
    }

    it('is followed by the end of a request only if one is under way', async (test) => {
      const world = await openWorld(test);
      await world.destination();
      await world.record(1);
      const answer = Promise.withResolvers<typeof DELIVERED>();
      world.answer = () => answer.promise;
      const sender = world.sender();
      await sender.look();
      const ends = sender.requestEnds();
      assert.ok(ends !== null);
      answer.resolve(DELIVERED);
      await ends;
      assert.equal(sender.requestEnds(), null);
    });

    it('counts the changes that no round has read before', async (test) => {
      const world = await openWorld(test);
      await world.destination('one.example', { productIds: ['another'] });
      const sender = world.sender({ pageSize: 3, pagesInRound: 2 });
      const changes: number[] = [];
      for (const recorded of [0, 2, 0, 7, 0, 0]) {
        await world.record(recorded);
        world.elapsed += 100;
        await sender.look();
        changes.push(sender.changes);
      }
      assert.deepEqual(changes, [0, 2, 0, 6, 1, 0]);
    });

    it('asks whether there is news only while nothing waits, and then reads nothing else without any', async (test) => {
      const world = await openWorld(test);
      let reads: string[] = [];
      const noted =
        <Given extends unknown[], Found>(name: string, read: (...given: Given) => Found) =>
        (...given: Given) => {
          reads.push(name);
          return read(...given);
        };
      const sender = world.sender({}, (real) => ({
        ...real,
        news: noted('news', real.news),
        changesSince: noted('load', real.changesSince),
        readFeed: noted('readFeed', real.readFeed),
      }));
      const readsOfRound = async () => {
        reads = [];
        world.elapsed += 100;
        await sender.look();
        while (sender.state.underWay > 0) await sender.requestEnds();
        return new Set(reads);
      };
      await world.destination();
      await world.record(1);
      world.answer = () => answered(422);
      const busy = new Set(['load', 'readFeed']);
      assert.deepEqual(await readsOfRound(), busy, 'nothing is loaded yet');
      assert.equal(world.sent.length, 1);
      assert.deepEqual(await readsOfRound(), busy, 'the event waits for another attempt');
      world.answer = () => DELIVERED;
      await world.pass(600_000, sender);
      assert.equal(world.delivered().length, 1);
      assert.deepEqual(await readsOfRound(), new Set(['news']));
    });

    it('reads further events for a full destination once others leave room in memory', async (test) => {
      const world = await openWorld(test);
      await world.destination('many.example', { productIds: ['many'] });
      await world.destination('few.example', { productIds: ['few'] });
      const answers: (() => void)[] = [];
      world.answer = ({ host }) =>
        new Promise((resolve) => {
          if (host === 'many.example') answers.push(() => resolve(DELIVERED));
        });
      const sender = world.sender({ maxPending: 20, maxPendingInAll: 20 });
      const sentToFew = async () => {
        world.elapsed += 100;
        await sender.look();
        return world.sent.filter(({ host }) => host === 'few.example').length;
      };
      const licenses = licensesOf(20);
      await world.record(20, licenses, null, 'many');
      assert.equal(await sentToFew(), 0);
      await world.record(5, licenses, null, 'few');
      assert.equal(await sentToFew(), 1);
      assert.equal(await sentToFew(), 1, 'the memory is full');
      for (const deliver of answers.splice(0)) deliver();
      while (sender.state.underWay > 1) await sender.requestEnds();
      assert.equal(await sentToFew(), 2);
    });
  });
