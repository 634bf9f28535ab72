import Type from 'typebox';
import { toTimestamp } from '../../ground/base/clock.ts';
import { asUnderstood } from '../../ground/base/web-address.ts';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { EXAMPLE, MADE_BY_SERVICE } from '../../platform/endpoint/example-values.ts';
import { success, text } from '../../platform/endpoint/field-types.ts';
import { refuse } from '../../platform/endpoint/refusals.ts';
import { sealSecret } from '../../platform/sealing/seal.ts';
import { addDestination } from './change.ts';
import { type Destination, MAX_OF_CREATOR, MAX_OF_OPERATOR, mintDestinationId } from './destination.ts';
import { DEFAULT_RATE, destinationFields, destinationSchema, exampleDestination, refuseFields } from './fields.ts';
import { mintDestinationSecret } from './secret.ts';
import { countDestinations, withProgress } from './store.ts';
import { lockDestinations } from './turn-store.ts';
import { viewOf } from './views.ts';

/** POST /createDestination (rules 12.2). */
export const createDestination = endpoint({
  path: '/createDestination',
  access: 'admin',
  summary: 'Make a destination of events',
  description:
    'Every change that begins after this answer and fits the destination is sent to its address, signed as Standard ' +
    'Webhooks says. Only this answer contains the secret. Events contain neither license keys nor personal data unless ' +
    'the destination asks for them. A creator has at most 20 destinations, the operator 100.',
  example: {
    after: ['/createProduct'],
    request: {
      url: exampleDestination.url,
      types: ['license.*', 'activation.created'],
      description: 'Shop',
      productIds: [EXAMPLE.productId],
    },
    reply: {
      success: true,
      destinationId: MADE_BY_SERVICE.destinationId,
      secret: MADE_BY_SERVICE.destinationSecret,
      destination: exampleDestination,
    },
  },
  fields: Type.Object({
    url: destinationFields.url,
    types: destinationFields.types,
    description: Type.Optional(destinationFields.description),
    productIds: Type.Optional(destinationFields.productIds),
    includeLicenseKeys: Type.Optional(destinationFields.includeLicenseKeys),
    includePersonalData: Type.Optional(destinationFields.includePersonalData),
    requestsPerSecond: Type.Optional(destinationFields.requestsPerSecond),
    creatorId: Type.Optional(text('Owner; for adminSecret only, an API key has its own.')),
  }),
  reply: success({
    destinationId: Type.String({ description: 'Its identifier.' }),
    secret: Type.String({ description: 'Verifies what is sent; shown this once.' }),
    destination: destinationSchema,
  }),
  refusals: ['creator_mismatch', 'operator_creates_destinations', 'too_many_destinations', 'secrets_key_missing'],
}).write(async (tx, { fields, scope, origin, ruleContext: { settings } }) => {
  const { secretsKey } = settings;
  const { mayBeOfCreators } = settings.destinations;
  if (scope.creatorId !== null && fields.creatorId !== undefined && fields.creatorId !== scope.creatorId)
    return refuse('creator_mismatch');
  if (scope.creatorId !== null && !mayBeOfCreators) return refuse('operator_creates_destinations');
  const creatorId = scope.creatorId ?? fields.creatorId ?? null;
  const refusal = refuseFields(fields, creatorId === null, settings.destinations);
  if (refusal !== null) return refusal;
  if (secretsKey === null) return refuse('secrets_key_missing');
  await lockDestinations(tx);
  const most = creatorId === null ? MAX_OF_OPERATOR : MAX_OF_CREATOR;
  if ((await countDestinations(tx, creatorId)) >= most)
    return refuse('too_many_destinations', { details: { limit: most } });
  const destinationId = mintDestinationId(origin.now);
  const secret = mintDestinationSecret();
  const now = toTimestamp(origin.now);
  const destination: Destination = {
    destinationId,
    creatorId,
    url: asUnderstood(fields.url),
    description: fields.description ?? null,
    types: fields.types,
    productIds: fields.productIds ?? null,
    includeLicenseKeys: fields.includeLicenseKeys ?? false,
    includePersonalData: fields.includePersonalData ?? false,
    requestsPerSecond: fields.requestsPerSecond ?? DEFAULT_RATE,
    secret: sealSecret(secret, destinationId, secretsKey),
    previousSecret: null,
    previousEndsAt: null,
    state: 'active',
    stateReason: null,
    createdAt: now,
    updatedAt: now,
  };
  await addDestination(tx, origin, destination);
  const [made] = await withProgress(tx, [destination]);
  if (made === undefined) throw new Error('a new destination has no progress');
  return { success: true, destinationId, secret, destination: await viewOf(tx, made, origin.now) };
});
