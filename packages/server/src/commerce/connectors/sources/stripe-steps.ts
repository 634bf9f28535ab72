/** The steps of a vendor at Stripe. */

const EVENTS =
  'checkout.session.completed, checkout.session.async_payment_succeeded, invoice.paid, invoice_payment.paid, ' +
  'charge.refunded, refund.failed, charge.dispute.created, charge.dispute.closed, customer.updated, ' +
  'customer.subscription.updated, customer.subscription.deleted';

export const STRIPE_STEPS: readonly string[] = [
  'In Workbench, open Webhooks, add a destination and choose the type Webhook endpoint.',
  `Select these events: ${EVENTS}.`,
  'Enter {url} as the endpoint URL.',
  'Copy the signing secret, which begins with whsec_, into this connector as its signing secret.',
  'Make a restricted key that reads Checkout Sessions, Invoices, Customers and Events, and enter it as the API key of this connector. It is needed where a sale names neither a mapped payment link nor latchkey_variant.',
];
