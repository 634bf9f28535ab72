import Type from 'typebox';
import { daysAfter } from '../clock.ts';
import { endpoint } from '../endpoint/endpoint.ts';
import { email, productIdField, timestamp } from '../endpoint/vocabulary.ts';
import { issueLicense } from '../licenses/issue.ts';
import { isRefusal, type Refusal, refuse } from '../refusals.ts';
import type { Tx } from '../storage/storage.ts';
import { redeemDiscountCode } from './change.ts';
import { codeField } from './discount-code.ts';
import { findGuesses, lockGuesses, saveGuesses } from './guess-store.ts';
import { GUESSES_PER_HOUR, guessesAfter, guessingPauseSeconds, networkOf } from './guessing.ts';
import { lockRedeemableCode } from './redeem.ts';

/** POST /redeemTrialCode (specification, "Admin: discount codes"). */
export const redeemTrialCode = endpoint({
  path: '/redeemTrialCode',
  methods: ['POST'],
  access: 'client',
  summary: 'Redeem a trial code for a license',
  description:
    'Issues a license that lasts the trial days of the code. Needs no credential: the code is one. A code works once ' +
    'per e-mail address and at most maxUses times. An archived product gives no trials: `not_applicable`. A network ' +
    `address that named ${GUESSES_PER_HOUR} codes which do not exist within an hour is refused with 429 until that ` +
    'hour has passed; codes that exist never count.',
  fields: Type.Object({
    code: codeField,
    productId: productIdField,
    email: email('Who tries the product; compared without case.'),
  }),
  missing: 'Missing code, productId or email',
  reply: Type.Object({
    success: Type.Literal(true),
    licenseKey: Type.String(),
    trialDays: Type.Integer(),
    expiresAt: timestamp('When the trial ends.'),
  }),
  refusals: [
    'redemption_rate',
    'code_unknown',
    'code_deactivated',
    'code_expired',
    'code_not_applicable',
    'code_already_redeemed',
    'code_max_uses',
  ],
}).write(async (tx, { fields, now, address, origin }) => {
  const network = networkOf(address);
  const retryAfterSeconds = guessingPauseSeconds(await findGuesses(tx, network), now);
  if (retryAfterSeconds !== null) return refuse('redemption_rate', { retryAfterSeconds });
  const code = await lockRedeemableCode(tx, { ...fields, isPurchase: false }, now);
  if (isRefusal(code)) return code.refused === 'code_unknown' ? refuseGuess(tx, network, now) : code;
  const { trialDays } = code;
  const expiresAt = daysAfter(now, trialDays);
  const { email: customer, productId } = fields;
  const license = await issueLicense(tx, { email: customer, productId, expiresAt, discountCode: code.code }, origin);
  await redeemDiscountCode(tx, origin, code, license);
  return { success: true, licenseKey: license.licenseKey, trialDays, expiresAt };
});

/** Counts a code that does not exist. Of guesses that arrive at once each is counted, and no more are told apart. */
async function refuseGuess(tx: Tx, network: string, now: number): Promise<Refusal<'redemption_rate' | 'code_unknown'>> {
  const guesses = await lockGuesses(tx, network, now);
  const retryAfterSeconds = guessingPauseSeconds(guesses, now);
  if (retryAfterSeconds !== null) return refuse('redemption_rate', { retryAfterSeconds });
  await saveGuesses(tx, network, guessesAfter(guesses, now), now);
  return refuse('code_unknown');
}
