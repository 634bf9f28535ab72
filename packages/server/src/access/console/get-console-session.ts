import Type from 'typebox';
import { type Endpoint, endpoint, type ReplyOf } from '../../platform/endpoint/endpoint.ts';
import { MADE_BY_SERVICE } from '../../platform/endpoint/example-values.ts';
import { nullable, oneOf, resource, success } from '../../platform/endpoint/field-types.ts';
import { refuse } from '../../platform/endpoint/refusals.ts';
import type { Role } from '../../platform/endpoint/role.ts';
import { limitOfRole, sessionMayCall } from '../../platform/endpoint/roles.ts';
import { findSession } from './session-store.ts';
import { sessionFields, sessionView } from './views.ts';

const limitSchema = resource('ConsoleLimit', 'An endpoint that the session may call but not use in full.', {
  endpoint: Type.String({ description: 'Path of the endpoint.' }),
  fields: Type.Array(Type.String(), { description: 'The fields that the session may send.' }),
  extensionDays: Type.Integer({
    description: 'The number of days by which the session may extend a license, within as many days.',
  }),
});

/** The calls of a session: the paths of endpoints, and the limits of those that it may use in part. */
interface Allowed {
  readonly can: readonly string[];
  readonly limits: readonly ReplyOf<typeof limitSchema>[];
}

/** The calls of the sessions of a role; null is a creator's session. */
export type AllowedTo = (role: Role | null) => Allowed;

/** The calls of sessions by POST, in the order of these endpoints. */
export function allowedAmong(endpoints: readonly Endpoint[]): AllowedTo {
  return (role) => {
    const callable = endpoints.filter((each) => each.methods.includes('POST') && sessionMayCall(role, each));
    return {
      can: callable.map(({ path }) => path),
      limits: callable.flatMap((each) => {
        const limit = limitOfRole(role, each);
        return limit === undefined ? [] : [{ endpoint: each.path, ...limit }];
      }),
    };
  };
}

/**
 * POST /getConsoleSession (rules 4.13.2).
 *
 * @param allowedTo the endpoints of the service that sessions may call
 */
export function getConsoleSessionOf(allowedTo: AllowedTo): Endpoint {
  return endpoint({
    path: '/getConsoleSession',
    methods: ['POST'],
    access: 'console',
    needs: 'viewer',
    summary: 'Who is signed in',
    description:
      "Answers the owner of the cookie's session, the facts about the service that the console shows, and in `can` " +
      'the endpoints that the session may call. All others are refused with 401 or 403. ' +
      '`limits` lists the endpoints that its role may not use in full.',
    example: {
      after: ['/createConsoleSession'],
      request: {},
      reply: {
        success: true,
        kind: 'operator',
        role: 'viewer',
        creatorId: null,
        name: 'Bea',
        signedInBy: 'operator_key',
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
        can: [...allowedTo('viewer').can],
        limits: [],
      },
    },
    fields: Type.Object({}),
    reply: success({
      ...sessionFields,
      sessionId: Type.String({ description: 'Unrelated to its cookie.' }),
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
      limits: Type.Array(limitSchema, { description: 'The limits of the role; empty for owners and creators.' }),
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
      ...allowedTo(session.role),
    };
  });
}
