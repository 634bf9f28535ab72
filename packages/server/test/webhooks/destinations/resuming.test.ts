/** Changes of destinations while their sender saves. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { HOUR_MS, toTimestamp } from '../../../src/ground/base/clock.ts';
import { statement } from '../../../src/storage/contract/storage.ts';
import { replayEvents } from '../../../src/webhooks/deliveries/replay-events.ts';
import { resumeAll } from '../../../src/webhooks/destinations/change-many.ts';
import { findReplay } from '../../../src/webhooks/destinations/replay-store.ts';
import { resumeDestination } from '../../../src/webhooks/destinations/resume-destination.ts';
import { listInState } from '../../../src/webhooks/destinations/store.ts';
import { lockDestinations } from '../../../src/webhooks/destinations/turn-store.ts';
import { besideOpenChange } from '../../support/lock-waits.ts';
import { SendingWorld } from '../../support/sending.ts';
import { callAsOperator } from '../../support/sending-again.ts';

const PAST = 7;
const move = statement('test_resuming.move', 'update destination_progress set position = $2 where destination_id = $1');
const findPosition = statement(
  'test_resuming.find_position',
  'select p.position as "position" from destination_progress p where p.destination_id = $1',
);

// SQLite runs one transaction after the other.
describe('while the sender moves a destination on postgres', () => {
  let world: SendingWorld;
  let destinationId: string;
  beforeEach(async () => {
    world = await SendingWorld.open('postgres');
    destinationId = await world.destination();
    await world.record(10);
  });
  afterEach(() => world.close());

  const position = async () =>
    (await world.storage.read((sql) => sql.first<{ position: number }>(findPosition, destinationId)))?.position;

  /** Makes a change that begins before, and ends after the commit of a move. */
  function duringMove<Result>(change: () => Promise<Result>): Promise<Result> {
    return besideOpenChange(world.database, world.storage, (tx) => tx.run(move, destinationId, PAST), change);
  }

  it('a destination is resumed from where it stopped then', async () => {
    await world.setState(destinationId, 'paused');
    await duringMove(() => callAsOperator(world, resumeDestination as never, { destinationId }));
    assert.equal(await position(), PAST);
    await world.drain(world.sender());
    assert.equal(world.delivered().length, 11 - PAST);
  });

  it('all destinations are resumed from where they stopped then', async () => {
    await world.setState(destinationId, 'paused');
    const origin = { actor: { kind: 'command', name: 'test' }, requestId: null, now: world.now } as const;
    await duringMove(() =>
      world.storage.transaction(async (tx) => {
        await lockDestinations(tx);
        await resumeAll(tx, origin, await listInState(tx, 'paused'));
      }),
    );
    assert.equal(await position(), PAST);
  });

  it('a replay ends where the destination is then', async () => {
    const since = toTimestamp(world.now - HOUR_MS);
    await duringMove(() => callAsOperator(world, replayEvents as never, { destinationId, since }));
    assert.equal((await world.storage.read((sql) => findReplay(sql, destinationId)))?.toPosition, PAST);
  });
});
