/** The memory of destinations at rest, in bytes of the heap: a count that does not depend on the machine. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { readDeliveries } from '../../../src/webhooks/deliveries/delivery-store.ts';
import { LoadedDestinations } from '../../../src/webhooks/deliveries/load-destinations.ts';
import { Outboxes } from '../../../src/webhooks/deliveries/outboxes.ts';
import { Replays } from '../../../src/webhooks/deliveries/replays.ts';
import { engines } from '../../support/databases.ts';
import { SendingWorld } from '../../support/sending.ts';

const DESTINATIONS = 2_000;
/** 10,000 destinations take at most 10 MB of the thread. */
const MAX_BYTES = 1_000;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

function heapBytes(): number {
  collect();
  return getHeapStatistics().used_heap_size;
}

for (const engine of engines)
  describe(`destinations on ${engine}`, () => {
    it(`take at most ${MAX_BYTES} bytes each while they rest`, async (test) => {
      const world = await SendingWorld.open(engine);
      test.after(() => world.close());
      let last = '';
      for (let number = 0; number < DESTINATIONS; number++)
        last = await world.destination('one.example', { creatorId: `creator-${Math.floor(number / 20)}` });
      const store = readDeliveries(world.storage, () => world.now);
      const load = async (outboxes: Outboxes) => {
        await new LoadedDestinations({ store, opens: () => true, outboxes, replays: new Replays() }).load();
      };
      // The first loads compile the code.
      for (let time = 0; time < 3; time++) await load(new Outboxes());
      const outboxes = new Outboxes();
      const before = heapBytes();
      await load(outboxes);
      const bytes = (heapBytes() - before) / DESTINATIONS;
      assert.equal(outboxes.busy.size, 0);
      assert.ok(bytes <= MAX_BYTES, `${bytes} bytes of each destination`);
      assert.ok(outboxes.open(last), 'all are loaded');
    });
  });
