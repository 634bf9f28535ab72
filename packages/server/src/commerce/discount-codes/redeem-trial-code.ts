import Type from 'typebox';
import { daysAfter } from '../../ground/base/clock.ts';
import { networksOf } from '../../ground/base/network-address.ts';
import { issueLicense } from '../../licensing/licenses/issue.ts';
import { findProduct } from '../../licensing/products/store.ts';
import { type Caller, scopeOf } from '../../platform/endpoint/caller.ts';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { EXAMPLE, MADE_BY_SERVICE } from '../../platform/endpoint/example-values.ts';
import { email, productIdField, success, timestamp } from '../../platform/endpoint/field-types.ts';
import { isRefusal } from '../../platform/endpoint/refusals.ts';
import type { Sql } from '../../storage/contract/storage.ts';
import { redeemDiscountCode } from './change.ts';
import { codeField, type DiscountCode } from './discount-code.ts';
import { countInNetworks, GUESSES_PER_HOUR, refusalOfNetworks } from './network-limit.ts';
import { lockRedeemableCode } from './redeem.ts';

/** POST /redeemTrialCode (rules 4.7.5). */
export const redeemTrialCode = endpoint({
  path: '/redeemTrialCode',
  access: 'anyone',
  summary: 'Redeem a trial code for a license',
  description:
    'Issues a license that lasts the trial days of the code. Needs no credential: the code is one. A code works once ' +
    'per e-mail address and at most maxUses times. An archived product gives no trials: `not_applicable`. A network ' +
    `(an IPv4 address, an IPv6 /64) that named ${GUESSES_PER_HOUR} codes which do not exist within an hour is refused ` +
    'with 429 until that hour has passed; codes that exist never count. The trials that one network redeems in an hour ' +
    'are limited, 60 unless the operator chose otherwise. A storefront that redeems for its customers shows the webhook ' +
    'secret: neither limit holds for it nor for the admin secret, and that of trials not for an API key that owns the ' +
    'code or its product. A wrong credential counts as none.',
  example: {
    after: ['/createDiscountCode'],
    request: { code: EXAMPLE.discountCode, productId: EXAMPLE.productId, email: EXAMPLE.email },
    reply: {
      success: true,
      licenseKey: MADE_BY_SERVICE.trialLicenseKey,
      trialDays: 14,
      expiresAt: '2027-03-15T09:30:00.000Z',
    },
  },
  fields: Type.Object({
    code: codeField,
    productId: productIdField,
    email: email('Who tries the product; compared without case.'),
  }),
  reply: success({
    licenseKey: Type.String({ description: 'Key of the new license.' }),
    trialDays: Type.Integer({ description: 'Length of the trial.' }),
    expiresAt: timestamp('When the trial ends.'),
  }),
  refusals: [
    'redemption_rate',
    'trial_rate',
    'code_unknown',
    'code_deactivated',
    'code_expired',
    'code_not_applicable',
    'code_already_redeemed',
    'code_max_uses',
  ],
}).write(async (tx, { fields, now, address, caller, origin, ruleContext }) => {
  const { trialsPerHour } = ruleContext.settings;
  const isTrusted = caller.kind === 'admin' || caller.kind === 'webhook';
  const networks = isTrusted || address === null ? [] : networksOf(address);
  const guessed = await refusalOfNetworks(tx, 'guesses', networks, GUESSES_PER_HOUR, now);
  if (guessed !== null) return guessed;
  // Checked before the code is locked, so that refused callers block nobody; checked again when the trial is counted.
  if (trialsPerHour !== null && caller.kind === 'client') {
    const refusal = await refusalOfNetworks(tx, 'trials', networks, trialsPerHour, now);
    if (refusal !== null) return refusal;
  }
  const code = await lockRedeemableCode(tx, { ...fields, isPurchase: false }, now);
  if (isRefusal(code)) {
    if (code.refused !== 'code_unknown') return code;
    return (await countInNetworks(tx, 'guesses', networks, GUESSES_PER_HOUR, now)) ?? code;
  }
  if (trialsPerHour !== null && !(await ownsCode(tx, code, caller))) {
    const refusal = await countInNetworks(tx, 'trials', networks, trialsPerHour, now);
    if (refusal !== null) return refusal;
  }
  const { trialDays } = code;
  const expiresAt = daysAfter(now, trialDays);
  const { email: customer, productId } = fields;
  const order = { email: customer, productId, expiresAt, discountCode: code.code };
  const license = await issueLicense(tx, order, origin, { reason: 'trial_code' });
  await redeemDiscountCode(tx, origin, code, license);
  return { success: true, licenseKey: license.licenseKey, trialDays, expiresAt };
});

/** Whether the caller is the creator of the code or of its product. */
async function ownsCode(sql: Sql, { creatorId, productId }: DiscountCode, caller: Caller): Promise<boolean> {
  if (caller.kind !== 'creator') return false;
  if (creatorId === caller.creatorId) return true;
  return productId !== null && (await findProduct(sql, productId, scopeOf(caller))) !== undefined;
}
