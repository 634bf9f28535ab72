import Type, { type Static } from 'typebox';
import { toTimestamp } from '../../ground/base/clock.ts';
import { mintId } from '../../ground/base/random.ts';
import { endpoint, type RequestContext } from '../../platform/endpoint/endpoint.ts';
import { EXAMPLE, MADE_BY_SERVICE } from '../../platform/endpoint/example-values.ts';
import {
  licenseKeyField,
  machineName,
  nullable,
  productIdField,
  success,
  timestamp,
} from '../../platform/endpoint/field-types.ts';
import { type Refusal, type RefusalCode, refuse } from '../../platform/endpoint/refusals.ts';
import type { RuleContext, Settings } from '../../platform/endpoint/rule-context.ts';
import {
  coversProduct,
  type License,
  refusalForStatus,
  slotLimit,
  slotsUsed,
  statusAt,
  type UsedLicense,
} from '../licenses/license.ts';
import { termReplies, termsReply } from '../licenses/terms.ts';
import { buildFields, refusalForBuild, uncoveredFields } from '../licenses/updates.ts';
import { licenseStatusSchema, licenseTypeSchema } from '../licenses/views.ts';
import { sessionExpiryOf } from '../machines/activation.ts';
import { fingerprintField, sessionExpiryReplies } from '../machines/machine-fields.ts';
import { userField } from '../machines/user.ts';
import { countsSessions, type LicenseType } from '../products/license-type.ts';
import { claimsFor } from '../session-tokens/token.ts';
import { type LicenseChanges, newActivation } from './license-changes.ts';
import { decidedOnMachine } from './machine-batch.ts';
import { countAttempt, refusalForUser, userAfter } from './named-users.ts';

const fields = Type.Object({
  licenseKey: licenseKeyField,
  machineFingerprint: fingerprintField,
  hostname: machineName('Human-readable machine name.'),
  productId: productIdField,
  user: Type.Optional(
    userField(
      'The person who uses the machine: an e-mail address or another name, compared as addresses are. Required where ' +
        'the license has `maxUsers`; a bound machine keeps its user without it.',
    ),
  ),
  ...buildFields,
});

/** The fields a machine sends to request a slot. */
export type ActivationFields = Omit<Static<typeof fields>, 'licenseKey'>;

/**
 * Counts an activation attempt. If no slot is free, an idle machine makes room.
 *
 * @returns the refusal, or null when the attempt may proceed
 */
export function admitActivationAttempt(
  changes: LicenseChanges,
  given: ActivationFields,
  requestContext: RequestContext,
) {
  const { now } = requestContext;
  const { machineFingerprint: fingerprint, hostname } = given;
  const retryAfterSeconds = countAttempt(changes, given, now);
  if (retryAfterSeconds !== null) {
    changes.observe({ type: 'activation_rate', fingerprint, hostname }, requestContext);
    return refuse('activation_rate', { retryAfterSeconds });
  }
  if (!coversProduct(changes.license, given.productId)) return refuse('wrong_product');
  const refusal = refusalForStatus(changes.license, now);
  if (refusal !== null) return refusal;
  const uncovered = refusalForBuild(changes.license, given);
  if (uncovered !== null) return uncovered;
  const unseated = refusalForUser(changes, given);
  if (unseated !== null) {
    const limit = unseated.details?.limit;
    if (unseated.refused === 'machine_limit' && typeof limit === 'number' && changes.machine(fingerprint) === undefined)
      changes.observe({ type: 'machine_limit', limit, fingerprint, hostname }, requestContext);
    return unseated;
  }
  if (!changes.hasSlotFor(fingerprint) && !changes.makeRoom(requestContext)) {
    const limit = slotLimit(changes.license);
    // A bound machine without a slot waits for a seat of a floating license, which is ordinary use of it.
    if (changes.machine(fingerprint) === undefined)
      changes.observe({ type: 'machine_limit', limit, fingerprint, hostname }, requestContext);
    return refuse('machine_limit', { details: { limit } });
  }
  return null;
}

/** Binds an accepted machine or updates it; `claims` are for its next token. */
export function bindMachine(
  changes: LicenseChanges,
  given: ActivationFields,
  requestContext: RequestContext,
  { tokenLifetimeMs, floatingTimeoutMs }: Pick<Settings, 'tokenLifetimeMs' | 'floatingTimeoutMs'>,
) {
  const { now } = requestContext;
  const { machineFingerprint: fingerprint, hostname } = given;
  const bound = changes.machine(fingerprint);
  const machine = bound ?? newActivation(changes.license, fingerprint, hostname, mintId(), now, given.user);
  const claims = claimsFor(machine.activationId, changes.license.licenseKey, fingerprint, now, tokenLifetimeMs);
  const tokenExpiry = toTimestamp(claims.exp * 1000);
  const kept = changes.keep(
    { ...machine, ...userAfter(machine, given), hostname, tokenExpiry },
    requestContext,
    floatingTimeoutMs,
  );
  return { machine: kept, claims, isNew: bound === undefined };
}

/** The facts with which an app decides whether to wait for a slot. */
export const machineLimitFields = Type.Object({
  licenseType: licenseTypeSchema,
  until: nullable(
    timestamp(
      'Floating licenses: until when the present sessions live at the longest without a further sign of life; null for ' +
        'licenses of other types, whose slots do not become free by themselves.',
    ),
  ),
});

function fullFactsOf(licenseType: LicenseType, now: number, settings: Pick<Settings, 'floatingTimeoutMs'>) {
  const until = countsSessions(licenseType) ? toTimestamp(now + settings.floatingTimeoutMs) : null;
  return { licenseType, until } satisfies Static<typeof machineLimitFields>;
}

/** A refusal of {@link admitActivationAttempt}, with the facts of a full license. */
export function withLimitFacts<Code extends RefusalCode>(
  refusal: Refusal<Code>,
  { licenseType }: Pick<License, 'licenseType'>,
  now: number,
  settings: Pick<Settings, 'floatingTimeoutMs'>,
): Refusal<Code> {
  return refusal.refused === 'machine_limit' && refusal.extra === undefined
    ? { ...refusal, extra: fullFactsOf(licenseType, now, settings) }
    : refusal;
}

/** The fields of a reply to an accepted activation, besides `success`. */
export const activationReplyFields = {
  token: Type.String({ description: 'Session token; opaque.' }),
  expiresAt: timestamp('When the session token expires.'),
  machinesUsed: Type.Integer({ description: 'Slots taken; live sessions for a floating license.' }),
  maxMachines: Type.Integer({ description: 'Number of slots; -1 is unlimited.' }),
  status: licenseStatusSchema,
  variant: Type.String({ description: 'Name of the variant.' }),
  message: Type.String({ description: 'What happened, for people.' }),
  licenseExpiresAt: nullable(timestamp('When the license expires; null for a perpetual one.')),
  licenseType: licenseTypeSchema,
  ...sessionExpiryReplies,
  ...termReplies,
};

/** The reply to an accepted activation, with the next token of the machine. */
export function activationReply(
  license: UsedLicense,
  { machine, claims, isNew }: ReturnType<typeof bindMachine>,
  now: number,
  { tokenKeys, settings }: Pick<RuleContext, 'tokenKeys' | 'settings'>,
) {
  return {
    success: true,
    token: tokenKeys.sign(claims, now),
    expiresAt: machine.tokenExpiry,
    machinesUsed: slotsUsed(license),
    maxMachines: slotLimit(license),
    status: statusAt(license, now),
    variant: license.variant,
    message: isNew ? 'License activated' : 'Machine was already activated',
    licenseExpiresAt: license.expiresAt,
    licenseType: license.licenseType,
    ...sessionExpiryOf(machine, settings.floatingTimeoutMs),
    ...termsReply(license, now),
  } as const;
}

export const activate = endpoint({
  path: '/activate',
  access: 'client',
  summary: 'Bind a license key to a machine',
  description:
    'Binds a license key to a machine and returns a session token. A machine that is already bound takes no further ' +
    'slot, gets a new token, and its hostname is updated. If no slot is free and the license has `releaseIdleDays`, the ' +
    'machine seen the longest ago makes room. At most 15 attempts per hour and license, or user ' +
    'of a license with `maxUsers`. Repeating a call ' +
    'is safe: it counts as another attempt and answers a new token; earlier tokens stay valid.',
  example: {
    after: ['/createLicense'],
    request: {
      licenseKey: MADE_BY_SERVICE.licenseKey,
      machineFingerprint: EXAMPLE.machineFingerprint,
      hostname: EXAMPLE.hostname,
      productId: EXAMPLE.productId,
    },
    reply: {
      success: true,
      token: MADE_BY_SERVICE.token,
      expiresAt: '2027-03-31T09:30:00.000Z',
      machinesUsed: 1,
      maxMachines: 3,
      status: 'active',
      variant: EXAMPLE.variant,
      message: 'License activated',
      licenseExpiresAt: '2028-03-01T09:30:00.000Z',
      licenseType: 'per-machine',
    },
  },
  fields,
  missing: 'Missing required fields',
  reply: success(activationReplyFields),
  refusals: [
    'license_not_found',
    'activation_rate',
    'wrong_product',
    'license_replaced',
    'license_revoked',
    'license_expired',
    'update_not_covered',
    'user_required',
    'user_limit',
    'machine_limit',
  ],
  refusalFields: { update_not_covered: uncoveredFields, machine_limit: machineLimitFields },
}).batched(
  decidedOnMachine('/activate', (changes, given, requestContext, ruleContext) => {
    const refusal = admitActivationAttempt(changes, given, requestContext);
    const { now } = requestContext;
    if (refusal !== null) return withLimitFacts(refusal, changes.license, now, ruleContext.settings);
    const bound = bindMachine(changes, given, requestContext, ruleContext.settings);
    return activationReply(changes.license, bound, now, ruleContext);
  }),
);
