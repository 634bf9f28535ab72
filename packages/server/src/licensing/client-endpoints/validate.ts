import Type from 'typebox';
import { DAY_MS, toTimestamp } from '../../ground/base/clock.ts';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { EXAMPLE } from '../../platform/endpoint/example-values.ts';
import { flag, nullable, timestamp } from '../../platform/endpoint/field-types.ts';
import { isRefusal } from '../../platform/endpoint/refusals.ts';
import { refusalForTerms } from '../licenses/asked-terms.ts';
import { exampleSession } from '../licenses/examples.ts';
import { daysRemaining, statusAt, storedLicenseKey, type UsedLicense } from '../licenses/license.ts';
import { askedFeatures, missingFields, termReplies, termsReply } from '../licenses/terms.ts';
import { buildFields, uncoveredFields } from '../licenses/updates.ts';
import { licenseStatusSchema, licenseTypeSchema } from '../licenses/views.ts';
import { sessionExpiryOf } from '../machines/activation.ts';
import { sessionExpiryReplies, sessionFields } from '../machines/machine-fields.ts';
import { claimsFor } from '../session-tokens/token.ts';
import { decidedOnMachine } from './machine-batch.ts';
import { checkSessionToken } from './session-token-check.ts';

/** A token this close to its expiry is replaced (rules 8.1). */
const REFRESH_WINDOW_MS = 7 * DAY_MS;

/** The session check of /validate. */
export const validateCheck = {
  endpoint: '/validate',
  invalidToken: 'invalid_token',
  tokenMismatch: 'token_mismatch',
  machineMissing: 'machine_not_activated',
  needsSlot: true,
} as const;

export const validate = endpoint({
  path: '/validate',
  access: 'client',
  flag: 'valid',
  summary: 'Check a session token, for each application launch',
  description:
    'Checks the session token of a machine and moves its lastSeen. Within 7 days of its expiry the token is replaced: ' +
    'newToken is then present, and the previous one stays good until it expires. A floating session lives on. Repeating a ' +
    'call is safe: it answers how things are then. With `acceptsReplacement`, a machine whose key was ' +
    'replaced gets its new `licenseKey` and `sessionToken`.',
  example: {
    after: ['/activate'],
    request: exampleSession,
    reply: {
      valid: true,
      expiresAt: '2027-03-31T09:30:00.000Z',
      status: 'active',
      email: EXAMPLE.email,
      productId: EXAMPLE.productId,
      variant: EXAMPLE.variant,
      licenseExpiresAt: '2028-03-01T09:30:00.000Z',
      daysRemaining: 366,
      licenseType: 'per-machine',
    },
  },
  fields: Type.Object({
    ...sessionFields.properties,
    ...buildFields,
    features: askedFeatures,
    acceptsReplacement: Type.Optional(flag('Whether the app stores another key and token if its key was replaced.')),
  }),
  missing: 'Missing required fields',
  reply: Type.Object({
    valid: Type.Literal(true),
    newToken: Type.Optional(Type.String({ description: 'Present only when the token was replaced.' })),
    licenseKey: Type.Optional(
      Type.String({
        description: 'The key to use from now on; present only when the given one was replaced.',
      }),
    ),
    sessionToken: Type.Optional(Type.String({ description: 'The token for `licenseKey`; only with that.' })),
    expiresAt: timestamp('When the token to use from now on expires.'),
    status: licenseStatusSchema,
    email: Type.String({ description: 'E-mail address of the customer.' }),
    productId: Type.String({ description: 'Product of the license.' }),
    variant: Type.String({ description: 'Name of the variant.' }),
    licenseExpiresAt: nullable(timestamp('When the license expires; null for a perpetual one.')),
    daysRemaining: nullable(Type.Integer({ description: 'Days until then; null for a perpetual license.' })),
    licenseType: licenseTypeSchema,
    ...sessionExpiryReplies,
    ...termReplies,
  }),
  refusals: [
    'license_not_found',
    'invalid_token',
    'token_mismatch',
    'license_replaced',
    'license_revoked',
    'license_expired',
    'machine_not_activated',
    'update_not_covered',
    'feature_missing',
  ],
  refusalFields: { update_not_covered: uncoveredFields, feature_missing: missingFields },
}).batched(
  decidedOnMachine('/validate', (changes, fields, requestContext, ruleContext) => {
    const session = checkSessionToken(changes, fields, requestContext, ruleContext, validateCheck);
    if (isRefusal(session)) return session;
    const { machine, tokenExpiresAt } = session;
    const { now } = requestContext;
    const { license } = changes;
    const refusal = refusalForTerms(license, fields, now);
    if (refusal !== null) return refusal;
    const { tokenLifetimeMs, floatingTimeoutMs } = ruleContext.settings;
    const claims = claimsFor(machine.activationId, license.licenseKey, machine.fingerprint, now, tokenLifetimeMs);
    const isMoved = storedLicenseKey(fields.licenseKey) !== license.licenseKey;
    const isRefreshed = isMoved || tokenExpiresAt - now <= REFRESH_WINDOW_MS;
    const expiresAt = toTimestamp(isRefreshed ? claims.exp * 1000 : tokenExpiresAt);
    const refreshed = isRefreshed ? { ...machine, tokenExpiry: expiresAt } : machine;
    const kept = changes.keep(refreshed, requestContext, floatingTimeoutMs);
    return {
      valid: true,
      ...(isRefreshed ? tokenReply(license, ruleContext.tokenKeys.sign(claims, now), isMoved) : {}),
      expiresAt,
      status: statusAt(license, now),
      email: license.email,
      productId: license.productId,
      variant: license.variant,
      licenseExpiresAt: license.expiresAt,
      daysRemaining: daysRemaining(license.expiresAt, now),
      licenseType: license.licenseType,
      ...sessionExpiryOf(kept, floatingTimeoutMs),
      ...termsReply(license, now),
    };
  }),
);

/** The new token of a machine; with the key that it is for, where the license moved to that. */
function tokenReply({ licenseKey }: Pick<UsedLicense, 'licenseKey'>, token: string, isMoved: boolean) {
  return isMoved ? { licenseKey, sessionToken: token } : { newToken: token };
}
