/** The requests of one destination that are under way at once: more of them while its answers are quick. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { AttemptResult } from '../../../src/webhooks/deliveries/request.ts';
import type { Sender } from '../../../src/webhooks/deliveries/sender.ts';
import { answered, DELIVERED, licensesOf, SendingWorld } from '../../support/sending.ts';

const QUICK: Partial<AttemptResult> = { ...DELIVERED, durationMs: 5_000 };
const SLOW: Partial<AttemptResult> = { ...DELIVERED, durationMs: 5_001 };
const REFUSED = answered(422);

describe('the requests of a destination under way', () => {
  let world: SendingWorld;
  let sender: Sender;
  let waiting: ((answer: Partial<AttemptResult>) => void)[];
  beforeEach(async () => {
    world = await SendingWorld.open('sqlite');
    waiting = [];
    world.answer = () => new Promise((resolve) => waiting.push(resolve));
    await world.destination();
    await world.record(200, licensesOf(200));
    sender = world.sender();
  });
  afterEach(() => world.close());

  /** Begins the requests that may begin; returns the number of those under way. */
  async function begun(): Promise<number> {
    world.elapsed += 1000;
    await sender.look();
    return sender.state.underWay;
  }

  /** Answers all requests under way: the `first` ones each with its own answer, the others with `rest`. */
  async function answer(rest: Partial<AttemptResult>, ...first: readonly Partial<AttemptResult>[]): Promise<void> {
    for (const [at, resolve] of waiting.splice(0).entries()) resolve(first[at] ?? rest);
    while (sender.state.underWay > 0) await sender.requestEnds();
  }

  it('are two at first, one more with each quick success, and at most sixteen', async () => {
    const numbers = [];
    for (let round = 0; round < 5; round++) {
      numbers.push(await begun());
      await answer(QUICK);
    }
    assert.deepEqual(numbers, [2, 4, 8, 16, 16]);
  });

  it('stay as many after a slow success, and are half as many after a refusal, at least two', async () => {
    assert.equal(await begun(), 2);
    await answer(QUICK);
    assert.equal(await begun(), 4);
    await answer(SLOW);
    assert.equal(await begun(), 4);
    await answer(SLOW, SLOW, REFUSED);
    assert.equal(await begun(), 2);
    await answer(SLOW, SLOW, REFUSED);
    assert.equal(await begun(), 2);
    await answer(QUICK);
  });
});
