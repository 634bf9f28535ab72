/** The seller in the examples of the reference: Stripe, and the event of one of its customers. */

export const SOURCE_EXAMPLE = 'stripe';
export const PRICE_EXAMPLE = 'price_1MoBy5LkdIwHu7ix';

export const DELIVERY_EXAMPLE = {
  id: 'evt_1SxG2kLkdIwHu7ix',
  type: 'customer.updated',
  created: 1_803_893_400,
  livemode: true,
  data: { object: { id: 'cus_NffrFeUfNV2Hib', email: 'ada@example.com', preferred_locales: ['de'] } },
};
