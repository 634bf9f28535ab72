/** The port of a sender: it is woken once for all the events of a moment (rules 12.3). */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { MessageChannel } from 'node:worker_threads';
import { type StoreBehind, serveStore, storeBehind } from '../../../src/platform/senders/store-port.ts';

describe('the port of a sender', () => {
  let channel: MessageChannel;
  let wakes: number;
  let noteEvent: () => void;
  let behind: StoreBehind<{ ask(): Promise<void> }>;
  beforeEach(() => {
    channel = new MessageChannel();
    wakes = 0;
    noteEvent = serveStore(channel.port1, { ask: async () => {} });
    behind = storeBehind(channel.port2, ['ask'], () => {
      wakes += 1;
    });
  });
  afterEach(() => channel.port2.close());

  it('wakes the sender once for many events, and again for the next ones that it waits for', async () => {
    behind.awaitNews();
    // Messages keep their order, so the answer follows every wake before it.
    await behind.store.ask();
    for (let event = 0; event < 3; event += 1) noteEvent();
    await behind.store.ask();
    assert.equal(wakes, 1);
    behind.awaitNews();
    noteEvent();
    await behind.store.ask();
    assert.equal(wakes, 2);
  });

  it('wakes no sender that does not wait', async () => {
    await behind.store.ask();
    noteEvent();
    await behind.store.ask();
    assert.equal(wakes, 0);
  });

  it('wakes the sender until it knows whether the sender waits', async () => {
    noteEvent();
    await behind.store.ask();
    assert.equal(wakes, 1);
  });
});
