import Type from 'typebox';
import { HOUR_MS, toTimestamp } from '../../ground/base/clock.ts';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { MADE_BY_SERVICE } from '../../platform/endpoint/example-values.ts';
import { nullable, success, timestamp, wholeNumber } from '../../platform/endpoint/field-types.ts';
import { isRefusal, refuse } from '../../platform/endpoint/refusals.ts';
import { sealSecret } from '../../platform/sealing/seal.ts';
import { changeDestination } from './change.ts';
import { lockDestination } from './change-one.ts';
import { destinationIdField } from './fields.ts';
import { mintDestinationSecret } from './secret.ts';

const DEFAULT_OVERLAP_HOURS = 24;
const LONGEST_OVERLAP_HOURS = 168;

/** POST /rotateDestinationSecret (rules 12.2). */
export const rotateDestinationSecret = endpoint({
  path: '/rotateDestinationSecret',
  access: 'admin',
  summary: 'Give a destination of events another secret',
  description:
    'Makes a new secret, which only this answer contains. For `overlapHours` the former one signs as well, so that the ' +
    'receiver can change over without a gap; a further rotation ends it.',
  example: {
    after: ['/createDestination'],
    request: { destinationId: MADE_BY_SERVICE.destinationId, overlapHours: 24 },
    reply: {
      success: true,
      secret: MADE_BY_SERVICE.destinationSecret,
      previousSecretEndsAt: '2027-03-02T09:30:00.000Z',
    },
  },
  fields: Type.Object({
    destinationId: destinationIdField,
    overlapHours: Type.Optional(
      wholeNumber(
        `For how long the former secret signs as well; ${DEFAULT_OVERLAP_HOURS} by default.`,
        0,
        LONGEST_OVERLAP_HOURS,
      ),
    ),
  }),
  reply: success({
    secret: Type.String({ description: 'The new secret, shown this once.' }),
    previousSecretEndsAt: nullable(timestamp('Until when the former secret signs as well; null: it ended.')),
  }),
  refusals: ['destination_not_found', 'secrets_key_missing'],
}).write(async (tx, request) => {
  const { fields, origin, ruleContext } = request;
  const { secretsKey } = ruleContext.settings;
  const { overlapHours = DEFAULT_OVERLAP_HOURS } = fields;
  const found = await lockDestination(tx, request);
  if (isRefusal(found)) return found;
  if (secretsKey === null) return refuse('secrets_key_missing');
  const { destination } = found;
  const { destinationId } = destination;
  const secret = mintDestinationSecret();
  const previousEndsAt = overlapHours === 0 ? null : toTimestamp(origin.now + overlapHours * HOUR_MS);
  await changeDestination(tx, origin, 'destination.secret_rotated', destination, {
    ...destination,
    secret: sealSecret(secret, destinationId, secretsKey),
    previousSecret: overlapHours === 0 ? null : destination.secret,
    previousEndsAt,
  });
  return { success: true, secret, previousSecretEndsAt: previousEndsAt };
});
