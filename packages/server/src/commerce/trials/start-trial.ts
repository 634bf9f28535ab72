import Type, { type Static } from 'typebox';
import { daysAfter, toTimestamp } from '../../ground/base/clock.ts';
import {
  activationReply,
  activationReplyFields,
  admitActivationAttempt,
  bindMachine,
  machineLimitFields,
  withLimitFacts,
} from '../../licensing/client-endpoints/activate.ts';
import { loadIdleMachine } from '../../licensing/client-endpoints/idle-machines.ts';
import { decideOnOneMachine } from '../../licensing/client-endpoints/machine-batch.ts';
import { loadUsers, saveUsers } from '../../licensing/client-endpoints/user-changes.ts';
import { issueLicense } from '../../licensing/licenses/issue.ts';
import { findKeyInForce } from '../../licensing/licenses/replacement.ts';
import { buildFields, uncoveredFields } from '../../licensing/licenses/updates.ts';
import { fingerprintField } from '../../licensing/machines/machine-fields.ts';
import { userField } from '../../licensing/machines/user.ts';
import { lockProduct } from '../../licensing/products/store.ts';
import type { Variant } from '../../licensing/products/variant.ts';
import { findVariant, listVariants } from '../../licensing/products/variant-store.ts';
import { endpoint, type Request } from '../../platform/endpoint/endpoint.ts';
import { EXAMPLE, MADE_BY_SERVICE } from '../../platform/endpoint/example-values.ts';
import { email, machineName, productIdField, success, text } from '../../platform/endpoint/field-types.ts';
import { isRefusal, type Refusal, refuse } from '../../platform/endpoint/refusals.ts';
import type { Sql, Tx } from '../../storage/contract/storage.ts';
import { countTrial } from './limits.ts';
import { findTrial, insertTrials } from './store.ts';
import { machineHash, type Trial } from './trial.ts';

const fields = Type.Object({
  productId: productIdField,
  machineFingerprint: fingerprintField,
  hostname: machineName('Human-readable machine name.'),
  variant: Type.Optional(text("Name of the variant; by default the product's only one that offers a trial.")),
  email: Type.Optional(email('The customer, where the app knows one.')),
  user: Type.Optional(
    userField('The person who uses the machine, as at /activate; required where the variant has `maxUsers`.'),
  ),
  ...buildFields,
});

/** Everybody may start a trial, of any creator's product. */
const EVERYTHING = { creatorId: null } as const;
/** Maximum number of variants that are looked through for the one that offers a trial. */
const VARIANTS_LOOKED_AT = 200;

/** POST /startTrial (rules 4.20). */
export const startTrial = endpoint({
  path: '/startTrial',
  access: 'client',
  summary: 'Start the trial of a machine, without a key',
  description:
    'Issues a license for the `defaultTrialDays` of a variant with `trialWithoutKey`, binds the machine to it and ' +
    'answers as /activate does, with the key. A machine has one trial of a product, for good: a repeated call answers ' +
    'the same key while the trial runs, and counts as an attempt to activate it. The trials that start within an hour ' +
    'are limited for each network (an IPv4 address, an IPv6 /64) and each product.',
  example: {
    after: ['/createProduct'],
    beforehand: [
      {
        to: '/createVariant',
        request: {
          productId: EXAMPLE.productId,
          name: 'try',
          maxMachines: 1,
          defaultTrialDays: 14,
          trialWithoutKey: true,
        },
      },
    ],
    request: {
      productId: EXAMPLE.productId,
      machineFingerprint: EXAMPLE.machineFingerprint,
      hostname: EXAMPLE.hostname,
    },
    reply: {
      success: true,
      licenseKey: MADE_BY_SERVICE.keylessTrialKey,
      token: MADE_BY_SERVICE.trialToken,
      expiresAt: '2027-03-31T09:30:00.000Z',
      machinesUsed: 1,
      maxMachines: 1,
      status: 'active',
      variant: 'try',
      message: 'License activated',
      licenseExpiresAt: '2027-03-15T09:30:00.000Z',
      licenseType: 'per-machine',
    },
  },
  fields,
  missing: 'Missing required fields',
  reply: success({
    licenseKey: Type.String({ description: 'Key of the license; later calls of the app send it.' }),
    ...activationReplyFields,
  }),
  refusals: [
    'product_not_found',
    'variant_not_found',
    'product_archived',
    'trial_not_offered',
    'trial_rate',
    'product_trial_rate',
    'trial_over',
    'license_not_found',
    'license_replaced',
    'license_revoked',
    'license_expired',
    'wrong_product',
    'activation_rate',
    'update_not_covered',
    'user_required',
    'user_limit',
    'machine_limit',
  ],
  refusalFields: { update_not_covered: uncoveredFields, machine_limit: machineLimitFields },
}).write(async (tx, request) => {
  const trial = await trialOf(tx, request);
  if (isRefusal(trial)) return trial;
  const { fields: given, now, ruleContext } = request;
  const { machineFingerprint } = given;
  return decideOnOneMachine(tx, { licenseKey: trial.licenseKey, machineFingerprint }, request, async (changes) => {
    if (changes.license.terms.releaseIdleDays !== null && !changes.hasSlotFor(machineFingerprint))
      await loadIdleMachine(tx, changes, now, ruleContext.believedTime);
    const call = {
      licenseKey: trial.licenseKey,
      fingerprint: machineFingerprint,
      user: given.user,
      bindsMachine: true,
    };
    const licenses = new Map([[trial.licenseKey, changes]]);
    await loadUsers(tx, [call], licenses);
    const refusal = admitActivationAttempt(changes, given, request);
    await saveUsers(tx, licenses.values());
    if (refusal?.refused === 'license_expired') return refuse('trial_over');
    if (refusal !== null) return withLimitFacts(refusal, changes.license, now, ruleContext.settings);
    const bound = bindMachine(changes, given, request, ruleContext.settings);
    return {
      ...activationReply(changes.license, bound, now, ruleContext),
      licenseKey: trial.licenseKey,
    };
  });
});

type StartRefusal = Refusal<
  | 'product_not_found'
  | 'variant_not_found'
  | 'product_archived'
  | 'trial_not_offered'
  | 'invalid_field'
  | 'trial_rate'
  | 'product_trial_rate'
>;

/** The trial of the machine, started if it has none. */
async function trialOf(tx: Tx, request: Request<Static<typeof fields>>): Promise<Trial | StartRefusal> {
  const { fields: given, now, address, origin, ruleContext } = request;
  const { productId } = given;
  const machine = { productId, machineHash: machineHash(productId, given.machineFingerprint) };
  const known = await findTrial(tx, machine);
  if (known !== undefined) return { ...known, licenseKey: await findKeyInForce(tx, known.licenseKey) };
  const product = await lockProduct(tx, productId, EVERYTHING);
  if (product === undefined) return refuse('product_not_found');
  // Another call of the machine may have started it before the product was locked.
  const started = await findTrial(tx, machine);
  if (started !== undefined) return started;
  if (product.status === 'archived') return refuse('product_archived');
  const variant = await offeringVariant(tx, productId, given.variant);
  if (isRefusal(variant)) return variant;
  const refusal = await countTrial(tx, { address, productId }, ruleContext.settings.keylessTrials, now);
  if (refusal !== null) return refusal;
  const license = await issueLicense(
    tx,
    {
      email: given.email ?? '',
      productId,
      variant: variant.name,
      expiresAt: daysAfter(now, variant.defaultTrialDays),
      // A grace bridges a late payment, and nobody pays for a trial.
      graceDays: 0,
    },
    origin,
    { reason: 'trial' },
  );
  const trial = { ...machine, licenseKey: license.licenseKey, startedAt: toTimestamp(now), paidAt: null };
  await insertTrials(tx, [trial]);
  return trial;
}

/** A variant that offers trials. */
type OfferingVariant = Variant & { readonly defaultTrialDays: number };

/** The named variant, or the only active one of the product that offers trials. */
async function offeringVariant(
  sql: Sql,
  productId: string,
  name: string | undefined,
): Promise<OfferingVariant | Refusal<'variant_not_found' | 'trial_not_offered' | 'invalid_field'>> {
  if (name !== undefined) {
    const named = await findVariant(sql, productId, name);
    if (named === undefined) return refuse('variant_not_found');
    return offersTrials(named) ? named : refuse('trial_not_offered');
  }
  const variants = await listVariants(sql, productId, false, '', VARIANTS_LOOKED_AT);
  const [only, ...others] = variants.filter(offersTrials);
  if (only === undefined) return refuse('trial_not_offered');
  if (others.length === 0) return only;
  return refuse('invalid_field', { details: { message: 'variant must be given: several variants offer a trial' } });
}

function offersTrials(variant: Variant): variant is OfferingVariant {
  return variant.terms.trialWithoutKey === true && variant.defaultTrialDays !== null;
}
