import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { PostgresWatch } from '../../src/storage/postgres/postgres-watch.ts';

/** A server whose replies the test sets, and a watch that looks on command. */
class WatchedServer {
  hasAnswered = false;
  isBusy = true;
  /** Milliseconds that have passed. */
  elapsed = 0;
  readonly said: string[] = [];
  asked = 0;
  rested = 0;
  #question: PromiseWithResolvers<'serves' | 'refuses'> | undefined;
  readonly watch = new PostgresWatch(
    {
      haveAnswered: () => this.hasAnswered,
      isBusy: () => this.isBusy,
      probe: {
        ask: () => {
          this.asked += 1;
          this.#question = Promise.withResolvers();
          return this.#question.promise;
        },
        rest: () => {
          this.rested += 1;
        },
      },
      away: (reason) => this.said.push(reason),
      back: () => this.said.push('back'),
    },
    { lookIntervalMs: 1_000_000, looksUntilAsked: 3, looksUntilAway: 6, pauseMs: 1 },
    () => this.elapsed,
  );

  look(times: number): void {
    for (let left = times; left > 0; left -= 1) this.watch.look();
  }

  /** Replies to the pending question, and lets the watch process the reply. */
  async answer(said: 'serves' | 'refuses' | 'nothing'): Promise<void> {
    const { asked } = this;
    if (said === 'nothing') this.#question!.reject(new Error('connect ECONNREFUSED'));
    else this.#question!.resolve(said);
    while (said !== 'serves' && this.watch.awayBecause !== null && this.asked === asked)
      await new Promise((resolve) => setTimeout(resolve, 1));
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('the watch of PostgreSQL', () => {
  let server: WatchedServer;
  beforeEach(() => {
    server = new WatchedServer();
  });
  afterEach(() => server.watch.stop());

  it('asks the server once on another connection after some checks without an answer', () => {
    server.look(2);
    assert.deepEqual([server.asked, server.watch.isSilent], [0, false]);
    server.look(2);
    assert.deepEqual([server.asked, server.watch.isSilent], [1, true]);
  });

  it('is silent only after all those checks, even if a busy process checks late', () => {
    server.hasAnswered = true;
    server.look(1);
    server.hasAnswered = false;
    server.elapsed = 4_000_000;
    server.look(1);
    assert.equal(server.watch.isSilent, false);
    server.look(1);
    assert.deepEqual([server.watch.isSilent, server.asked], [true, 0]);
    server.hasAnswered = true;
    server.look(1);
    server.hasAnswered = false;
    server.look(2);
    assert.equal(server.watch.isSilent, false);
  });

  it('says that it is away when that is not answered either, and once only', () => {
    server.look(5);
    assert.deepEqual(server.said, []);
    server.look(5);
    assert.equal(server.said.length, 1);
    assert.match(server.watch.awayBecause ?? '', /^PostgreSQL has answered nothing for 6000 seconds/);
  });

  it('finds a server that answers that question there, however long the work waits', async () => {
    for (let round = 0; round < 10; round += 1) {
      server.look(5);
      await server.answer('serves');
    }
    assert.deepEqual([server.said, server.asked], [[], 10]);
  });

  it('finds a server that refuses a connection there: it has said something', async () => {
    server.look(5);
    await server.answer('refuses');
    server.look(2);
    assert.deepEqual(server.said, []);
  });

  it('finds a server away whose host refuses connections while those that are open are silent', async () => {
    server.look(5);
    await server.answer('nothing');
    server.look(1);
    assert.equal(server.said.length, 1);
  });

  it('restarts with any answer, and when nothing is under way', () => {
    server.look(5);
    server.hasAnswered = true;
    server.look(1);
    server.hasAnswered = false;
    server.look(5);
    server.isBusy = false;
    server.look(1);
    server.isBusy = true;
    server.look(5);
    assert.deepEqual(server.said, []);
  });

  it('asks one question after the other while the server is away, until one is answered', async () => {
    server.watch.setAway('it refuses connections');
    for (const said of ['nothing', 'refuses', 'nothing'] as const) await server.answer(said);
    server.look(10);
    await server.answer('serves');
    assert.deepEqual([server.said, server.asked], [['it refuses connections', 'back'], 4]);
    assert.equal(server.watch.awayBecause, null);
  });
});
