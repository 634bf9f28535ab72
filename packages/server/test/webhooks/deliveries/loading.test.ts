/** A change of a destination costs as much beside many others as beside none: the sender loads those that changed. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { type Statement, statement } from '../../../src/storage/contract/storage.ts';
import type { DeliveryStore } from '../../../src/webhooks/deliveries/store.ts';
import { sendablesIn } from '../../../src/webhooks/destinations/store.ts';
import { lockDestinations, noteChange } from '../../../src/webhooks/destinations/turn-store.ts';
import { type Engine, engines } from '../../support/databases.ts';
import { answered, SendingWorld } from '../../support/sending.ts';

/** More than one read loads. */
const DESTINATIONS = 230;

const setVersion = statement('test.set_version', 'update destination_turn set version = $1');
const countChanges = statement('test.count_changes', 'select count(*) as "count" from destination_change');
const move = statement(
  'test.move',
  'update destination_progress set position = position + 1 where destination_id = $1',
);

/** A world with many destinations, and the ids that its sender has loaded since the last question. */
async function opened(test: TestContext, engine: Engine) {
  const world = await SendingWorld.open(engine);
  test.after(() => world.close());
  const destinationIds: string[] = [];
  for (let number = 0; number < DESTINATIONS; number++)
    destinationIds.push(await world.destination(`${number}.example`, { types: ['license.updated'] }));
  let loaded: string[] = [];
  let reads = 0;
  let failure: Error | null = null;
  const noted =
    <Given extends unknown[]>(load: (...given: Given) => Promise<string>) =>
    async (...given: Given) => {
      const text = await load(...given);
      reads += 1;
      loaded.push(...sendablesIn(text).map(({ destination }) => destination.destinationId));
      return text;
    };
  const wrap = (real: DeliveryStore): DeliveryStore => ({
    ...real,
    loadPage: noted(real.loadPage),
    loadNamed: noted(real.loadNamed),
    readFeed: (...given) => (failure === null ? real.readFeed(...given) : Promise.reject(failure)),
  });
  const sender = world.sender({}, wrap);
  await world.drain(sender);
  assert.equal(loaded.length, DESTINATIONS);
  const [one = '', two = ''] = destinationIds;
  return {
    ...{ world, sender, one, two },
    /** Runs rounds; returns the ids that they loaded, and the number of reads that loaded them. */
    async load() {
      [loaded, reads] = [[], 0];
      await world.drain(sender);
      return { loaded, reads };
    },
    /** Lets reads of the feed fail; null lets them succeed again. */
    fail(next: Error | null) {
      failure = next;
    },
    /** Changes the database by hand. */
    run: (changed: Statement, ...values: (string | number)[]) =>
      world.storage.transaction(async (tx) => {
        await lockDestinations(tx);
        await tx.run(changed, ...values);
      }),
  };
}

for (const engine of engines)
  describe(`loading destinations on ${engine}`, () => {
    it('loads the one that changed, with one read, and nothing without a change', async (test) => {
      const { world, load, one, two } = await opened(test, engine);
      assert.deepEqual(await load(), { loaded: [], reads: 0 });
      await world.setState(one, 'paused');
      assert.deepEqual(await load(), { loaded: [], reads: 1 });
      await world.record(1);
      await world.setState(one, 'active');
      await world.setProducts(two, ['another']);
      const { loaded, reads } = await load();
      assert.deepEqual([loaded.sort(), reads], [[one, two].sort(), 1]);
      assert.equal(world.delivered().length, DESTINATIONS);
      const three = await world.destination('new.example');
      assert.deepEqual(await load(), { loaded: [three], reads: 1 });
      await world.record(1);
      assert.deepEqual(await load(), { loaded: [], reads: 0 });
      assert.equal(world.delivered('new.example').length, 1);
    });

    it('sends nothing more to one that was deleted, at rest or while an event waits', async (test) => {
      const { world, load, one, two } = await opened(test, engine);
      world.answer = ({ host }) => (host === '1.example' ? answered(422) : { outcome: 'delivered', status: 204 });
      await world.record(1);
      await load();
      for (const destinationId of [one, two]) await world.remove(destinationId);
      assert.deepEqual(await load(), { loaded: [], reads: 1 });
      const before = world.sent.length;
      await world.record(1);
      world.now += 600_000;
      await load();
      assert.equal(world.sent.length - before, DESTINATIONS - 2);
    });

    it('loads one that another writer moved', async (test) => {
      const { world, load, run, one } = await opened(test, engine);
      await run(move, one);
      await world.record(3);
      const { loaded } = await load();
      assert.deepEqual(loaded, [one]);
    });

    it('loads all once it has missed more changes than are noted, and after the database went back', async (test) => {
      const { world, load, run, one } = await opened(test, engine);
      const noteMany = (count: number) =>
        world.storage.transaction(async (tx) => {
          await lockDestinations(tx);
          for (let number = 0; number < count; number++) await noteChange(tx, one);
        });
      await noteMany(1_000);
      assert.deepEqual((await load()).loaded, [one]);
      await noteMany(1_001);
      assert.equal((await load()).loaded.length, DESTINATIONS);
      assert.deepEqual(await world.storage.read((sql) => sql.first(countChanges)), { count: 1_000 });
      await run(setVersion, 5);
      assert.equal((await load()).loaded.length, DESTINATIONS);
    });

    it('loads all after a failure of the database, whose standby may lack changes', async (test) => {
      const { world, sender, load, fail } = await opened(test, engine);
      await world.record(1);
      fail(new Error('The database is away'));
      await assert.rejects(load(), /is away/);
      fail(null);
      assert.equal((await load()).loaded.length, DESTINATIONS);
      assert.equal(sender.state.isSending, true);
      assert.equal(world.delivered().length, DESTINATIONS);
    });
  });
