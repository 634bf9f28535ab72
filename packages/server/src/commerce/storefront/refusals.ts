/** Refusals of events of a storefront. */
import { type CodesOf, refusal, refusals } from '../../platform/endpoint/refusals.ts';

export const storefrontRefusals = refusals('storefront', {
  duration_missing: refusal(400, 'durationDays is required: neither the event nor the variant gives a period', {
    means: 'Neither the renewal nor the variant has a period.',
    remedy:
      'Send `durationDays`, `durationMonths` or `expiresAt`, or set a duration on the variant, and deliver the event again.',
    console: ['The request does not say how long the license lasts.', 'Give the variant a duration.'],
  }),
  event_id_reused: refusal(409, 'eventId was already used for another purchase or product', {
    means: 'An event of this type and `eventId` was applied to another `purchaseId` or `productId`.',
    remedy:
      'Use an `eventId` for one event only. If one event is about several purchases, add the `purchaseId` to its id.',
    console: ['The event id belongs to another purchase.', 'Nothing was changed.'],
  }),
});

declare module '../../platform/endpoint/refusals.ts' {
  interface Refusals extends CodesOf<typeof storefrontRefusals> {}
}
