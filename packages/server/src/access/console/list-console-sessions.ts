import Type from 'typebox';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { EXAMPLE_NOW, MADE_BY_SERVICE } from '../../platform/endpoint/example-values.ts';
import { nullable, resource, timestamp } from '../../platform/endpoint/field-types.ts';
import {
  cursorAfter,
  cutPage,
  DEFAULT_LIMIT,
  pageFields,
  pageReply,
  readCursor,
} from '../../platform/endpoint/page.ts';
import { isRefusal } from '../../platform/endpoint/refusals.ts';
import { isOver } from './session.ts';
import { listSessions } from './session-store.ts';
import { sessionFields, sessionView } from './views.ts';

/** GET/POST /listConsoleSessions (rules 4.13.4). */
export const listConsoleSessions = endpoint({
  path: '/listConsoleSessions',
  access: 'superAdmin',
  summary: 'List who is signed in to the console, newest first',
  description:
    'Lists the sessions that are not over, of everybody. A page may have fewer than `limit` of them and still be ' +
    'followed by others: go by `nextCursor`.',
  example: {
    after: ['/createConsoleSession'],
    request: {},
    reply: {
      success: true,
      sessions: [
        {
          sessionId: MADE_BY_SERVICE.consoleSessionId,
          kind: 'operator',
          role: 'viewer',
          name: 'Bea',
          creatorId: null,
          signedInBy: 'operator_key',
          createdAt: EXAMPLE_NOW,
          lastSeenAt: EXAMPLE_NOW,
          address: '127.0.0.1',
          userAgent: null,
          expiresAt: '2027-03-02T09:30:00.000Z',
          isThisOne: false,
        },
      ],
      count: 1,
    },
  },
  fields: Type.Object(pageFields('Sessions')),
  reply: pageReply(
    'sessions',
    resource('ConsoleSession', 'Somebody who is signed in to the console.', {
      sessionId: Type.String({ description: 'Unrelated to its cookie.' }),
      ...sessionFields,
      createdAt: timestamp('When it began.'),
      lastSeenAt: timestamp('When it was used last, to five minutes.'),
      address: nullable(Type.String({ description: 'Network address from which it was begun.' })),
      userAgent: nullable(Type.String({ description: "The browser's User-Agent, at most 255 characters." })),
      isThisOne: Type.Boolean({ description: 'Whether it is the session of this call.' }),
    }),
  ),
}).read(async (sql, { fields, caller, now, ruleContext: { settings, believedTime } }) => {
  const { limit = DEFAULT_LIMIT } = fields;
  const cursor = readCursor(fields.cursor);
  if (isRefusal(cursor)) return cursor;
  const found = await listSessions(sql, cursor, limit + 1);
  const { entries, next } = cutPage(found, limit, ({ session: { createdAt, sessionId } }) =>
    cursorAfter({ createdAt, id: sessionId }),
  );
  const own = caller.kind === 'admin' ? caller.session?.sessionId : undefined;
  const validity = settings.console ?? { bindingKeys: [], providerDigest: null };
  const sessionNow = believedTime.sessionNow(now);
  const live = entries.filter(({ session, isKeyActive }) => isKeyActive && !isOver(session, sessionNow, validity));
  return {
    success: true,
    sessions: live.map(({ session }) => ({
      sessionId: session.sessionId,
      ...sessionView(session),
      createdAt: session.createdAt,
      lastSeenAt: session.lastSeenAt,
      address: session.address,
      userAgent: session.userAgent,
      isThisOne: session.sessionId === own,
    })),
    count: live.length,
    ...next,
  };
});
