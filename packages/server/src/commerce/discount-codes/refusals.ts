/** Refusals about discount codes and their redemption. */
import { type CodesOf, NOT_YOURS, refusal, refusals } from '../../platform/endpoint/refusals.ts';

export const discountCodeRefusals = refusals('discount codes', {
  discount_code_not_found: refusal(404, 'Discount code not found', {
    means: 'The code does not exist, or belongs to another creator.',
    remedy: 'Look for a typing mistake.',
    console: ['There is no such code.', NOT_YOURS],
  }),
  discount_code_taken: refusal(409, 'Discount code already exists', {
    means: 'A code with this name exists, of this or of another creator.',
    remedy: 'Choose another name.',
    console: ['This code exists already.', 'Choose another one. Nothing was changed.'],
  }),
  code_unknown: refusal(404, 'invalid', {
    code: 'code_invalid',
    means: 'The code does not exist (404), or is inactive (400).',
    remedy: 'Ask the customer for another code.',
    console: ['The code is not valid.', 'It does not exist, or it was switched off.'],
  }),
  code_deactivated: refusal(400, 'invalid', { code: 'code_invalid' }),
  code_expired: refusal(400, 'expired', {
    means: 'The code has expired.',
    remedy: 'Ask the customer for another code.',
    console: ['The code has expired.', 'Give it a later day.'],
  }),
  code_max_uses: refusal(400, 'max_uses', {
    means: 'The code has no uses left.',
    remedy: 'Ask the customer for another code, or raise `maxUses` with /updateDiscountCode.',
    console: ['The code was used as often as it may be.', 'Allow more uses.'],
  }),
  code_not_applicable: refusal(400, 'not_applicable', {
    means: 'The code is for another product, or gives no trial.',
    remedy: 'Check the `productId` and the `trialDays` of the code.',
    console: ['The code is not for this product.', 'Choose a code of this product.'],
  }),
  code_already_redeemed: refusal(409, 'already_redeemed', {
    means: 'This e-mail address has already redeemed the code.',
    remedy: 'Send the customer the key of their license again.',
    console: ['This customer has redeemed the code already.', 'Nothing was changed.'],
  }),
  redemption_rate: refusal(429, 'Too many redemption attempts. Try again later.', {
    means: 'Too many unknown codes came from this network within an hour.',
    remedy: 'Wait for `Retry-After`. A storefront that calls for its customers sends the webhook secret.',
    console: ['Codes were tried too often from this network.', 'Wait, then try again.'],
  }),
  trial_rate: refusal(429, 'Too many trials from your network. Try again later.', {
    means: 'This network, or this product, got too many trials within an hour.',
    remedy: 'Wait for `Retry-After`. A storefront that redeems codes for its customers sends the webhook secret.',
    app: 'Does not lock a running app. Offers the trial again after `Retry-After`.',
    console: ['Too many trials came from this network.', 'Wait, then try again.'],
  }),
});

declare module '../../platform/endpoint/refusals.ts' {
  interface Refusals extends CodesOf<typeof discountCodeRefusals> {}
}
