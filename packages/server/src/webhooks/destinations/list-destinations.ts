import Type from 'typebox';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { oneOf, text } from '../../platform/endpoint/field-types.ts';
import {
  cursorAfter,
  cutPage,
  DEFAULT_LIMIT,
  pageFields,
  pageReply,
  readCursor,
} from '../../platform/endpoint/page.ts';
import { isRefusal } from '../../platform/endpoint/refusals.ts';
import { SHOWN_STATES } from './destination.ts';
import { destinationSchema, exampleDestination } from './fields.ts';
import { listDestinations as listStored } from './listing-store.ts';
import { withProgress } from './store.ts';
import { viewsOf } from './views.ts';

/** GET/POST /listDestinations (rules 12.2). */
export const listDestinations = endpoint({
  path: '/listDestinations',
  access: 'admin',
  needs: 'viewer',
  summary: 'List destinations of events, newest first',
  description:
    'Lists destinations without their secrets. An API key sees those of its creator. `nextCursor` is present when there ' +
    'are more; give it as `cursor` for the next page.',
  example: {
    after: ['/createDestination'],
    request: {},
    reply: { success: true, destinations: [exampleDestination], count: 1 },
  },
  fields: Type.Object({
    creatorId: Type.Optional(text('Only the destinations of this creator.')),
    state: Type.Optional(oneOf('Only the destinations in this state.', SHOWN_STATES)),
    ...pageFields('Destinations'),
  }),
  reply: pageReply('destinations', destinationSchema),
}).read(async (sql, { fields, scope, now }) => {
  const { state, limit = DEFAULT_LIMIT } = fields;
  const owner = scope.creatorId ?? fields.creatorId;
  const cursor = readCursor(fields.cursor);
  if (isRefusal(cursor)) return cursor;
  const found = await listStored(sql, { owner, state }, cursor, limit + 1);
  const { entries, next } = cutPage(found, limit, ({ createdAt, destinationId }) =>
    cursorAfter({ createdAt, id: destinationId }),
  );
  const destinations = await viewsOf(sql, await withProgress(sql, entries), now);
  return { success: true, destinations, count: destinations.length, ...next };
});
