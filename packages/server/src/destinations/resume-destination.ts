import Type from 'typebox';
import { endpoint } from '../endpoint/endpoint.ts';
import { MADE_BY_SERVICE } from '../endpoint/example-values.ts';
import { oneOf } from '../endpoint/field-types.ts';
import { isRefusal } from '../endpoint/refusals.ts';
import { findLastPosition } from '../events/feed-store.ts';
import { changeDestination } from './change.ts';
import { changedReply, lockDestination } from './change-one.ts';
import { changedDestinationSchema, destinationIdField, exampleDestination } from './fields.ts';
import { saveProgress } from './store.ts';

/** POST /resumeDestination (rules 12.2). */
export const resumeDestination = endpoint({
  path: '/resumeDestination',
  methods: ['POST'],
  access: 'admin',
  summary: 'Resume a destination of events',
  description:
    'Sends events again: from where it stopped, or with `from: now` only what happens from now on. Events are kept for ' +
    'the time of LATCHKEY_EVENT_RETENTION. A destination that fails is tried at once.',
  example: {
    after: ['/createDestination'],
    beforehand: [{ to: '/pauseDestination', request: { destinationId: MADE_BY_SERVICE.destinationId } }],
    request: { destinationId: MADE_BY_SERVICE.destinationId },
    reply: { success: true, destination: exampleDestination },
  },
  fields: Type.Object({
    destinationId: destinationIdField,
    from: Type.Optional(oneOf('Where to go on; `stopped` by default.', ['stopped', 'now'], 'ResumeFrom')),
  }),
  missing: 'Missing destinationId',
  reply: changedDestinationSchema,
  refusals: ['destination_not_found'],
}).write(async (tx, request) => {
  const { fields, origin } = request;
  const found = await lockDestination(tx, request);
  if (isRefusal(found)) return found;
  const { destination } = found;
  const position = fields.from === 'now' ? await findLastPosition(tx) : found.progress.position;
  const progress = { ...found.progress, position, failingSince: null, failures: 0, nextTryAt: null };
  await saveProgress(tx, [progress]);
  if (destination.state === 'active') return changedReply({ destination, progress });
  const changed = await changeDestination(tx, origin, 'destination.resumed', destination, {
    ...destination,
    state: 'active',
    stateReason: null,
  });
  return changedReply({ destination: changed, progress });
});
