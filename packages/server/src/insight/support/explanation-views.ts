/** The parts of the reply of /explainLicense. */
import Type from 'typebox';
import { REVOCATIONS } from '../../licensing/licenses/license.ts';
import { OBSERVED_PATHS } from '../../licensing/observed-calls/metrics.ts';
import { nullable, oneOf, resource, timestamp } from '../../platform/endpoint/field-types.ts';
import { codeOf, type RefusalCode } from '../../platform/endpoint/refusals.ts';

/** The refusals of the client endpoints that an explanation can predict. */
const EXPLAINED = [
  'license_replaced',
  'license_revoked',
  'license_expired',
  'wrong_product',
  'machine_limit',
  'user_required',
  'user_limit',
  'machine_not_activated',
  'activation_rate',
  'invalid_token',
  'update_not_covered',
  'feature_missing',
  'meter_limit',
  'meter_not_found',
] as const satisfies readonly RefusalCode[];

/** The outcome of a call: `ok`, or the published code of a refusal. */
export type CheckOutcome = 'ok' | (typeof EXPLAINED)[number];

/** The outcome of a client endpoint's rule; null means success. */
export function outcomeOf(refusal: { readonly refused: RefusalCode } | null): CheckOutcome {
  return refusal === null ? 'ok' : (codeOf(refusal.refused) as CheckOutcome);
}

const outcome = (description: string) => oneOf(description, ['ok', ...EXPLAINED], 'CheckOutcome');
const text = (description: string) => Type.String({ description });
const endpointName = (description: string) => oneOf(description, OBSERVED_PATHS, 'ClientEndpoint');

/** Reasons for choosing the explained machine. */
export const CHOSEN = ['given', 'refused_last', 'seen_last', 'none_known'] as const;

export const explainedMachineSchema = resource('ExplainedMachine', 'The machine whose calls are explained.', {
  fingerprint: nullable(text('Identifier of the machine; null where none is known: a machine that is not bound.')),
  hostname: nullable(text('Name of the machine, where known.')),
  bound: Type.Boolean({ description: 'Whether the license is bound to it.' }),
  chosen: oneOf(
    'Why this machine: the request names it, it was refused last, or it was seen last; `none_known` if there is none.',
    CHOSEN,
    'MachineChoice',
  ),
  lastSeen: nullable(timestamp('Its last sign of life; null for one that is not bound.')),
  tokenExpiry: nullable(
    timestamp(
      'Expiry of its latest session token, with which its calls are explained; null for a machine that is not bound, ' +
        'which is taken to show an earlier token that has not expired.',
    ),
  ),
  sessionExpiresAt: nullable(timestamp('Until when its floating session lives; null without one.')),
});

const slotHolderSchema = resource('SlotHolder', 'A machine that takes a slot.', {
  fingerprint: text('Identifier of the machine.'),
  hostname: text('Name of the machine.'),
  lastSeen: timestamp('Its last sign of life.'),
  sessionExpiresAt: nullable(timestamp('Until when its floating session lives without a further sign of life.')),
});

const seatHolderSchema = resource('SeatHolder', 'A user who holds a seat.', {
  user: text('As the app named the user first.'),
  machines: Type.Integer({ description: 'Machines of the user.' }),
  lastSeen: timestamp('The last sign of life of a machine of the user.'),
});

/** Each field is present only for refusals that it concerns. */
export const becauseSchema = resource(
  'RefusalReason',
  'The facts that a refusal rests on; each where it has to do with it.',
  {
    limit: Type.Optional(
      Type.Integer({
        description: 'Number of slots, of users or of machines of a user, of attempts in an hour, or of units.',
      }),
    ),
    used: Type.Optional(
      Type.Integer({ description: 'Slots that are taken, or seats, or machines of the user, or units that are used.' }),
    ),
    meter: Type.Optional(text('Name of the meter.')),
    units: Type.Optional(Type.Integer({ description: 'Units of the explained use.' })),
    resetsAt: Type.Optional(nullable(timestamp('When the next period of the meter begins; null if none does.'))),
    usedBy: Type.Optional(
      Type.Array(slotHolderSchema, {
        description: 'Machines that take slots, 10 at most, those first that were not seen for longest.',
      }),
    ),
    user: Type.Optional(text('The user of the call or of the machine.')),
    users: Type.Optional(
      Type.Array(seatHolderSchema, {
        description: 'Users who hold the seats, 10 at most, those first that were not seen for longest.',
      }),
    ),
    attempts: Type.Optional(Type.Integer({ description: 'Attempts to activate in the last hour.' })),
    until: Type.Optional(
      timestamp(
        'When this ends: the next attempt is allowed if none is made before; or the first session of `usedBy` ends ' +
          'without a further sign of life.',
      ),
    ),
    retryAfterSeconds: Type.Optional(Type.Integer({ description: 'The value of `Retry-After` for an attempt now.' })),
    expiresAt: Type.Optional(timestamp('When the license expired.')),
    updatesUntil: Type.Optional(nullable(timestamp('Until when released builds are covered; null covers all.'))),
    maxVersion: Type.Optional(nullable(text('Newest covered version; null covers all.'))),
    buildDate: Type.Optional(timestamp('When the build of the app was made, where the app says so.')),
    version: Type.Optional(text('Version of the app, where the app says so.')),
    missing: Type.Optional(Type.Array(Type.String(), { description: 'Features that the license lacks.' })),
    revocation: Type.Optional(
      oneOf('Why the license is revoked; `plain` is without a reason.', REVOCATIONS, 'Revocation'),
    ),
    disputeReason: Type.Optional(
      nullable(oneOf('Set by a refund or chargeback.', ['refund', 'chargeback'], 'DisputeReason')),
    ),
    productId: Type.Optional(text('The product that was asked for.')),
    licenseProductId: Type.Optional(text('The product that the license is for.')),
    unlockedProducts: Type.Optional(Type.Array(Type.String(), { description: 'Further products that it opens.' })),
    tokenExpiry: Type.Optional(timestamp('When the latest session token expired.')),
    sessionActive: Type.Optional(Type.Boolean({ description: 'Whether the floating session of the machine lives.' })),
  },
);

/** The kinds of remedies. */
export const REMEDY_ACTIONS = [
  'resolve_violations',
  'reinstate',
  'activate_license',
  'extend_license',
  'extend_updates',
  'release_activation',
  'end_session',
  'release_user',
  'raise_limit',
  'adjust_usage',
  'reset_activations',
  'lift_activation_limit',
  'wait',
  'activate_machine',
] as const;

export const remedySchema = resource('Remedy', 'Something that changes the outcome of a call.', {
  action: oneOf('The kind of action.', REMEDY_ACTIONS, 'RemedyAction'),
  endpoint: nullable(text('The endpoint to call; null for waiting. /activate is called by the app.')),
  fields: Type.Record(Type.String(), Type.Unknown(), { description: 'The fields to send, besides the credential.' }),
  effect: text('Its effect, in words.'),
  outcome: outcome('The outcome of the explained call afterwards, if nothing else changes.'),
});

export const checkSchema = resource('EndpointCheck', 'The present answer of a client endpoint.', {
  endpoint: endpointName('The endpoint.'),
  outcome: outcome('The outcome of its call: `ok`, or the code of the refusal.'),
  status: Type.Integer({ description: 'Status of the answer.' }),
  error: nullable(text('The error text, exactly as the app gets it; null where the call succeeds.')),
  because: nullable(becauseSchema),
  sentence: text('The same in words, for support.'),
  remedies: Type.Array(remedySchema, {
    description: 'Actions that change the outcome, mildest first.',
  }),
});
