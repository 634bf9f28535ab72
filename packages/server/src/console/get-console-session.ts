import Type from 'typebox';
import { type Endpoint, endpoint } from '../endpoint/endpoint.ts';
import { MADE_BY_SERVICE } from '../endpoint/example-values.ts';
import { nullable, oneOf, resource } from '../endpoint/field-types.ts';
import { refuse } from '../endpoint/refusals.ts';
import { type Role, sessionMayCall } from '../endpoint/roles.ts';
import { findSession } from './session-store.ts';
import { sessionFields, sessionView } from './views.ts';

/** The paths that a session may call. */
export type CallablePaths = (role: Role | null) => readonly string[];

/** The paths of these endpoints that sessions may call by POST, in their order. */
export function callablePathsOf(endpoints: readonly Endpoint[]): CallablePaths {
  return (role) =>
    endpoints.filter((each) => each.methods.includes('POST') && sessionMayCall(role, each)).map(({ path }) => path);
}

/**
 * POST /getConsoleSession (rules 4.13.2).
 *
 * @param callablePaths of all endpoints of the service
 */
export function getConsoleSessionOf(callablePaths: CallablePaths): Endpoint {
  return endpoint({
    path: '/getConsoleSession',
    methods: ['POST'],
    access: 'console',
    needs: 'viewer',
    summary: 'Who is signed in',
    description:
      "Answers the owner of the cookie's session, the facts about the service that the console shows, and in `can` " +
      'the endpoints that the session may call. All others are refused with 401 or 403, regardless of the page.',
    example: {
      after: ['/createConsoleSession'],
      request: {},
      reply: {
        success: true,
        kind: 'operator',
        role: 'viewer',
        creatorId: null,
        name: 'Bea',
        expiresAt: '2027-03-02T09:30:00.000Z',
        sessionId: MADE_BY_SERVICE.consoleSessionId,
        service: {
          version: MADE_BY_SERVICE.version,
          engine: MADE_BY_SERVICE.engine,
          label: null,
          countriesKnown: false,
          floatingTimeoutSeconds: 900,
          eventRetentionSeconds: 34_560_000,
        },
        can: [...callablePaths('viewer')],
      },
    },
    fields: Type.Object({}),
    missing: '',
    reply: Type.Object({
      success: Type.Literal(true),
      ...sessionFields,
      sessionId: Type.String({ description: 'Identifies the session; unrelated to its cookie.' }),
      service: resource('ConsoleService', 'The facts about the service that the console shows.', {
        version: Type.String({ description: 'Version of the service.' }),
        engine: oneOf('Its database.', ['sqlite', 'postgres']),
        label: nullable(
          Type.String({ description: "The operator's name for this installation; null if it has none." }),
        ),
        countriesKnown: Type.Boolean({ description: 'Whether the countries of machines are known.' }),
        floatingTimeoutSeconds: Type.Integer({
          description: 'How long a floating session lasts without a sign of life.',
        }),
        eventRetentionSeconds: Type.Integer({ description: 'Retention of events.' }),
      }),
      can: Type.Array(Type.String(), { description: 'Paths of the endpoints that the session may call.' }),
    }),
    refusals: ['unauthorized'],
  }).read(async (sql, { caller, ruleContext: { settings } }) => {
    const id = caller.kind === 'admin' || caller.kind === 'creator' ? caller.session?.sessionId : undefined;
    const session = id === undefined ? undefined : await findSession(sql, id);
    // The session existed a statement ago: somebody has just ended it.
    if (session === undefined || settings.console === null) return refuse('unauthorized');
    const { version, engine, label, areCountriesKnown } = settings.console;
    return {
      success: true,
      ...sessionView(session),
      sessionId: session.sessionId,
      service: {
        version,
        engine,
        label,
        countriesKnown: areCountriesKnown,
        floatingTimeoutSeconds: settings.floatingTimeoutMs / 1000,
        eventRetentionSeconds: settings.eventRetentionMs / 1000,
      },
      can: callablePaths(session.role),
    };
  });
}
