import Type from 'typebox';
import type { Caller } from '../../platform/endpoint/caller.ts';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { MADE_BY_SERVICE } from '../../platform/endpoint/example-values.ts';
import { flag, success, text } from '../../platform/endpoint/field-types.ts';
import { refuse } from '../../platform/endpoint/refusals.ts';
import { endSession } from './change.ts';
import type { ConsoleSession } from './session.ts';
import { findSession } from './session-store.ts';

const MISSING = 'Missing sessionId';

/** POST /endConsoleSession (rules 4.13.3). */
export const endConsoleSession = endpoint({
  path: '/endConsoleSession',
  access: 'admin',
  needs: 'viewer',
  endsSession: true,
  summary: 'Sign out of the console',
  description:
    'Ends a console session: the next call with its cookie is refused. Without `sessionId` it is the session of the ' +
    'caller, and the answer takes the cookie away. Owners end any session, creators those of their own, everybody else ' +
    'those of their own key.',
  example: {
    after: ['/listConsoleSessions'],
    request: { sessionId: MADE_BY_SERVICE.consoleSessionId },
    reply: { success: true, ended: true },
  },
  fields: Type.Object({
    sessionId: Type.Optional(text("From /listConsoleSessions; the caller's own by default.", 64)),
  }),
  missing: MISSING,
  reply: success({
    ended: flag('Always true: a session that has ended is not found.'),
  }),
  refusals: ['console_session_not_found'],
}).write(async (tx, { fields, caller, origin }) => {
  const own = caller.kind === 'admin' || caller.kind === 'creator' ? caller.session?.sessionId : undefined;
  const sessionId = fields.sessionId ?? own;
  if (sessionId === undefined) return refuse('missing_fields', { details: { message: MISSING } });
  const session = await findSession(tx, sessionId);
  if (session === undefined || !mayEnd(caller, session)) return refuse('console_session_not_found');
  if (!(await endSession(tx, origin, session))) return refuse('console_session_not_found');
  return { success: true, ended: true };
});

function mayEnd(caller: Caller, { source, creatorId }: ConsoleSession): boolean {
  if (caller.kind === 'creator') return creatorId === caller.creatorId;
  if (caller.kind !== 'admin') return false;
  return caller.session === undefined || caller.session.role === 'owner' || source === caller.session.source;
}
