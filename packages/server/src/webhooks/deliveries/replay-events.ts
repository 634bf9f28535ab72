import Type from 'typebox';
import { fromTimestamp, toTimestamp } from '../../ground/base/clock.ts';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { MADE_BY_SERVICE } from '../../platform/endpoint/example-values.ts';
import { flag, nullable, success, timestamp } from '../../platform/endpoint/field-types.ts';
import { isRefusal, refuse } from '../../platform/endpoint/refusals.ts';
import { eventIdBound } from '../../platform/events/event.ts';
import type { Tx } from '../../storage/contract/storage.ts';
import { lockDestination } from '../destinations/change-one.ts';
import { includesType } from '../destinations/destination.ts';
import { destinationFields, destinationIdField, refuseFields } from '../destinations/fields.ts';
import { exampleReplay, type Replay, replayOf, replaySchema, replayView } from '../destinations/replay.ts';
import { endReplay, findReplay, insertReplay } from '../destinations/replay-store.ts';
import { noteChange } from '../destinations/turn-store.ts';
import { insertResent, listFailedIds } from './resend-store.ts';
import { findEventsById } from './store.ts';

const MISSING = 'Missing destinationId or since';

/** POST /replayEvents (rules 12.6). */
export const replayEvents = endpoint({
  path: '/replayEvents',
  access: 'admin',
  needs: 'support',
  summary: 'Send past events to a destination again',
  description:
    'Sends the events of a span of time again, or with `failedOnly` those of them that were given up, beside the changes ' +
    'that happen meanwhile. Events that have yet to be sent are left out, and so is what was recorded before the first ' +
    'destination. It takes at most a quarter of the requests, goes on after a restart, and waits while the destination ' +
    'fails or is paused. A destination has one replay at a time; `stop` ends it. /getDestination shows how far it is.',
  example: {
    after: ['/createDestination'],
    request: {
      destinationId: MADE_BY_SERVICE.destinationId,
      since: exampleReplay.since,
      types: exampleReplay.types,
    },
    reply: { success: true, replay: exampleReplay },
  },
  fields: Type.Object({
    destinationId: destinationIdField,
    since: Type.Optional(timestamp('Time of the first events. Required, except with `stop`.')),
    until: Type.Optional(timestamp('Only events before this time.')),
    types: Type.Optional(destinationFields.types),
    failedOnly: Type.Optional(flag('Only events that were given up.')),
    stop: Type.Optional(flag('Ends the replay under way, if there is one.')),
  }),
  missing: MISSING,
  reply: success({ replay: nullable(replaySchema) }),
  refusals: ['destination_not_found', 'replay_under_way'],
}).write(async (tx, request) => {
  const { fields, origin, ruleContext } = request;
  const { destinationId, since, until = null, types = null, failedOnly = false, stop = false } = fields;
  const found = await lockDestination(tx, request);
  if (isRefusal(found)) return found;
  if (stop) {
    await endReplay(tx, destinationId);
    await noteChange(tx, destinationId);
    return { success: true, replay: null };
  }
  if (since === undefined) return refuse('missing_fields', { details: { message: MISSING } });
  if (until !== null && until <= since)
    return refuse('invalid_field', { details: { message: 'until must be later than since' } });
  const { destination, progress } = found;
  const isOperators = destination.creatorId === null;
  const refusal = types === null ? null : refuseFields({ types }, isOperators, ruleContext.settings.destinations);
  if (refusal !== null) return refusal;
  if ((await findReplay(tx, destinationId)) !== null) return refuse('replay_under_way');
  const asked = { destinationId, since, until, types };
  if (failedOnly) {
    const sent = await resendFailed(tx, asked, origin.now);
    return { success: true, replay: { since, until, types, failedOnly, sent, askedAt: toTimestamp(origin.now) } };
  }
  const replay = await replayOf(tx, asked, progress.position, origin.now);
  await insertReplay(tx, replay);
  await noteChange(tx, destinationId);
  return { success: true, replay: replayView(replay) };
});

/** Requests failed deliveries again; their number is bounded. Returns the number of events. */
async function resendFailed(
  tx: Tx,
  { destinationId, since, until, types }: Pick<Replay, 'destinationId' | 'since' | 'until' | 'types'>,
  now: number,
): Promise<number> {
  const end = until === null ? '~' : eventIdBound(fromTimestamp(until));
  const failed = await listFailedIds(tx, destinationId, eventIdBound(fromTimestamp(since)), end);
  const found = [...(await findEventsById(tx, failed)).values()];
  const events = found.filter(({ type }) => types === null || includesType(types, type));
  if (events.length === 0) return 0;
  await insertResent(tx, destinationId, events, now);
  await noteChange(tx, destinationId);
  return events.length;
}
