/** A stored refusal as replies show it. */
import Type from 'typebox';
import type { ReplyOf } from '../../platform/endpoint/endpoint.ts';
import { nullable, oneOf, resource, timestamp } from '../../platform/endpoint/field-types.ts';
import { codeOf, type RefusalCode, refusalCodes, textOf } from '../../platform/endpoint/refusals.ts';
import type { KeptRefusal } from './kept-refusal.ts';
import { OBSERVED_PATHS } from './metrics.ts';

const text = (description: string) => Type.String({ description });

/** The schema of {@link refusalView}. */
export const refusalSchema = resource(
  'KeptRefusal',
  'A call of an app that was refused. Repeats of one machine and code within an hour are one entry, with the values of the ' +
    'last repeat unless a field says otherwise.',
  {
    id: text('Identifier of the refusal.'),
    endpoint: oneOf('The endpoint that refused.', OBSERVED_PATHS, 'ClientEndpoint'),
    code: text('The code of the refusal.'),
    error: text('The text that the app received.'),
    machineFingerprint: nullable(text('The machine that was refused; null at /verify, which asks for none.')),
    hostname: nullable(text('Its name, where known.')),
    count: Type.Integer({ description: 'How often.' }),
    firstAt: timestamp('The first time.'),
    lastAt: timestamp('The last time.'),
    details: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]), {
      description:
        'The facts behind it: `limit`, `retryAfterSeconds`, the requested `productId`, `expiresAt`, the `meter` with `used` and `units`.',
    }),
    requestId: Type.String({ description: 'Identifier of the request.' }),
  },
);

export function refusalView(refusal: KeptRefusal): ReplyOf<typeof refusalSchema> {
  return {
    id: refusal.refusalId,
    endpoint: refusal.endpoint,
    code: refusal.code,
    error: refusalText(refusal),
    machineFingerprint: refusal.fingerprint,
    hostname: refusal.hostname,
    count: refusal.count,
    firstAt: refusal.firstAt,
    lastAt: refusal.lastAt,
    details: refusal.details ?? {},
    requestId: refusal.requestId,
  };
}

/** The error text that the app received. One code may have several texts: /heartbeat has its own. */
function refusalText({ code, endpoint, details }: KeptRefusal): string {
  const refused = refusalCodes.find((each) => codeOf(each) === code) as RefusalCode;
  const isHeartbeats = endpoint === '/heartbeat' && refused === 'invalid_token';
  return textOf({ refused: isHeartbeats ? 'invalid_heartbeat_token' : refused, details: details ?? {} });
}
