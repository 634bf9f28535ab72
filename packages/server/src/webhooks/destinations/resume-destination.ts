import Type from 'typebox';
import { fromTimestamp, momentOf } from '../../ground/base/clock.ts';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { MADE_BY_SERVICE } from '../../platform/endpoint/example-values.ts';
import { isRefusal, refuse } from '../../platform/endpoint/refusals.ts';
import { findLastPosition } from '../../platform/events/feed-store.ts';
import type { Tx } from '../../storage/contract/storage.ts';
import { changeDestination } from './change.ts';
import { changedReply, lockSeenDestination, wasUpdatedAtField } from './change-one.ts';
import { changedDestinationSchema, changedExample, destinationIdField } from './fields.ts';
import { positionSince } from './moment-position.ts';
import { endReplay } from './replay-store.ts';
import { forgetLaterDeliveries, saveProgress } from './store.ts';
import { noteChange } from './turn-store.ts';

const FROM_ERROR = 'must be stopped, now or an ISO 8601 timestamp, for example 2027-01-31T00:00:00Z';

/** POST /resumeDestination (rules 12.2). */
export const resumeDestination = endpoint({
  path: '/resumeDestination',
  access: 'admin',
  summary: 'Resume a destination of events',
  description:
    'Sends events again: from where it stopped; with `from: now` only later changes; with a timestamp all events since ' +
    'then, also those that were sent before, as for a receiver that was restored from a backup. Events of the minutes ' +
    'before the timestamp may be sent, too. The service keeps events for the time of LATCHKEY_EVENT_RETENTION, and from ' +
    'before the first destination it has none to send. A destination that failed is tried as soon as its host may be asked again, at most 15 minutes ' +
    'later, or at once after a test that was delivered. ' +
    'With `wasUpdatedAt`, a destination that was changed since is left as it is: the answer is 409 with the author of ' +
    'that change.',
  example: {
    after: ['/createDestination'],
    beforehand: [{ to: '/pauseDestination', request: { destinationId: MADE_BY_SERVICE.destinationId } }],
    request: { destinationId: MADE_BY_SERVICE.destinationId },
    reply: { success: true, destination: changedExample(2) },
  },
  fields: Type.Object({
    destinationId: destinationIdField,
    from: Type.Optional(
      Type.String({
        description: 'Where to go on: `stopped` by default, `now`, or a timestamp.',
        maxLength: 40,
        errorText: FROM_ERROR,
      }),
    ),
    wasUpdatedAt: Type.Optional(wasUpdatedAtField),
  }),
  reply: changedDestinationSchema,
  refusals: ['destination_not_found', 'changed_meanwhile'],
}).write(async (tx, request) => {
  const { fields, origin } = request;
  const { from = 'stopped' } = fields;
  const since = from === 'stopped' || from === 'now' ? null : momentOf(from);
  if (from !== 'stopped' && from !== 'now' && since === null)
    return refuse('invalid_field', { details: { message: `from ${FROM_ERROR}` } });
  const found = await lockSeenDestination(tx, request);
  if (isRefusal(found)) return found;
  const { destination } = found;
  let { position } = found.progress;
  if (from === 'now') position = await findLastPosition(tx);
  if (since !== null) position = await beginAgain(tx, destination.destinationId, fromTimestamp(since));
  const progress = { ...found.progress, position, failingSince: null, failures: 0, nextTryAt: null };
  await saveProgress(tx, [progress]);
  if (destination.state === 'active') {
    await noteChange(tx, destination.destinationId);
    return changedReply(tx, { destination, progress }, origin.now);
  }
  const changed = await changeDestination(tx, origin, 'destination.resumed', destination, {
    ...destination,
    state: 'active',
    stateReason: null,
  });
  return changedReply(tx, { destination: changed, progress }, origin.now);
});

/** Forgets the results of the events since a moment, which are sent again, and returns the position before them. */
async function beginAgain(tx: Tx, destinationId: string, since: number): Promise<number> {
  const position = await positionSince(tx, since);
  await endReplay(tx, destinationId);
  await forgetLaterDeliveries(tx, destinationId, position);
  return position;
}
