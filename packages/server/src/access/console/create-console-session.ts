import Type from 'typebox';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { MADE_BY_SERVICE } from '../../platform/endpoint/example-values.ts';
import { flag, success, text } from '../../platform/endpoint/field-types.ts';
import { refuse } from '../../platform/endpoint/refusals.ts';
import { addSession } from './change.ts';
import { beginSession } from './session.ts';
import { takeCode } from './sign-in-store.ts';
import { sessionFields, sessionView } from './views.ts';

/** Maximum length of a self-chosen name, because every line of the activity list shows it. */
export const LONGEST_NAME = 100;

/** POST /createConsoleSession (rules 4.13.1). */
export const createConsoleSession = endpoint({
  path: '/createConsoleSession',
  access: 'signIn',
  summary: 'Sign in to the console',
  description:
    'Exchanges a secret for a session: the answer sets the cookie `__Host-latchkey` of the console. The `secret` is the admin secret (role owner), an operator key (its role) or an API key (its ' +
    'creator). In its place, `code` is that of a sign-in link, which signs in the owner once. A session lasts 24 hours ' +
    'at most and ends 12 hours after its last call; with `keep` it lasts 7 days. It also ends when the key is revoked ' +
    'and, except for creators, when the admin secret changes. A key has 20 sessions at most: a further one ends the one ' +
    'that was used longest ago. It signs in 30 times an hour at most; the admin secret has no such limit. An `Idempotency-Key` has no effect here.',
  example: {
    after: ['/createOperatorKey'],
    request: { secret: MADE_BY_SERVICE.operatorKey },
    reply: {
      success: true,
      kind: 'operator',
      role: 'viewer',
      creatorId: null,
      name: 'Bea',
      signedInBy: 'operator_key',
      expiresAt: '2027-03-02T09:30:00.000Z',
    },
  },
  fields: Type.Object({
    secret: Type.Optional(text('The admin secret, an operator key or an API key.', 1024)),
    code: Type.Optional(text('The code of a sign-in link, in place of a secret.')),
    name: Type.Optional(
      text(
        'Your name in the activity list. Used with the admin secret and with a link; keys have names.',
        LONGEST_NAME,
      ),
    ),
    keep: Type.Optional(flag('Keep me signed in for 7 days.')),
  }),
  reply: success({ ...sessionFields }),
  refusals: ['unauthorized', 'sign_in_rate', 'secret_sign_in_off'],
}).write(async (tx, { fields: { name, keep }, caller, origin, address, ruleContext }) => {
  const { console: settings } = ruleContext.settings;
  if (caller.kind !== 'newcomer' || settings === null) return refuse('unauthorized');
  const { person, signIn } = caller;
  if (signIn.by.kind === 'adminSecret' && !settings.takesAdminSecret) return refuse('secret_sign_in_off');
  if (signIn.by.kind === 'code' && !(await takeCode(tx, signIn.by.hash))) return refuse('unauthorized');
  const { newSessionId: sessionId, userAgent } = signIn;
  const begun = {
    sessionId,
    person,
    givenName: name?.trim() || null,
    isKept: keep ?? false,
    now: origin.now,
    address,
    userAgent,
  };
  const session = beginSession(begun, settings);
  const refusal = await addSession(tx, origin, session);
  if (refusal !== null) return refusal;
  return { success: true, ...sessionView(session) };
});
