/** The endpoints with which a person requests deliveries, on the database of a {@link SendingWorld}. */
import assert from 'node:assert/strict';
import { replayEvents } from '../../src/webhooks/deliveries/replay-events.ts';
import { resendEvents } from '../../src/webhooks/deliveries/resend-events.ts';
import { findReplay } from '../../src/webhooks/destinations/replay-store.ts';
import { ruleContextOf } from './contexts.ts';
import type { SendingWorld } from './sending.ts';

type Fields = Readonly<Record<string, unknown>>;

interface Answer {
  readonly queued?: number;
  readonly refused?: string;
  readonly replay?: { readonly sent: number };
}

/** Calls an endpoint that changes something, as the operator. */
export async function callAsOperator(
  world: SendingWorld,
  { work }: Pick<typeof resendEvents, 'work'>,
  fields: Fields,
): Promise<Answer> {
  assert.ok(work.kind === 'write');
  const origin = { actor: { kind: 'operator' } as const, requestId: null, now: world.now };
  const request = { fields, origin, scope: { creatorId: null }, ruleContext: ruleContextOf() };
  return (await world.storage.transaction((tx) => work.act(tx, request as never))) as Answer;
}

/** Delivers events to a new destination, /resendEvents and /replayEvents, and the replay of a destination. */
export function sendingAgain(world: () => SendingWorld) {
  return {
    async deliver(...recorded: Parameters<SendingWorld['record']>) {
      const destinationId = await world().destination();
      const sender = world().sender();
      await world().recordAndDrain(sender, ...recorded);
      return { destinationId, sender };
    },
    resend: (destinationId: string, eventIds: readonly string[]) =>
      callAsOperator(world(), resendEvents, { destinationId, eventIds }),
    replay: (destinationId: string, fields: Fields) =>
      callAsOperator(world(), replayEvents as never, { destinationId, ...fields }),
    replayOf: (destinationId: string) => world().storage.read((sql) => findReplay(sql, destinationId)),
  };
}
