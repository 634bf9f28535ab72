/** Refusals of trials without a key. */
import { type CodesOf, refusal, refusals } from '../../platform/endpoint/refusals.ts';

export const trialRefusals = refusals('trials', {
  trial_not_offered: refusal(403, 'This product offers no trial', {
    means: 'The variant, or every variant of the product, has no `trialWithoutKey`.',
    remedy: 'Set `trialWithoutKey` and `defaultTrialDays` of a variant.',
    app: 'Offers no trial, and asks for a license key.',
    console: ['The product offers no trial without a key.', 'Let one of its variants offer it.'],
  }),
  trial_over: refusal(403, 'Trial has ended', {
    means: 'This machine had its trial of the product. A machine has one, for good.',
    remedy: 'Sell a license, or extend the license of the trial with /updateLicense.',
    app: 'Says that the trial has ended, and offers to buy a license.',
    console: ['The trial of this machine has ended.', 'Extend its license, or sell one.'],
  }),
  product_trial_rate: refusal(429, 'Too many trials of this product. Try again later.', { code: 'trial_rate' }),
});

declare module '../../platform/endpoint/refusals.ts' {
  interface Refusals extends CodesOf<typeof trialRefusals> {}
}
