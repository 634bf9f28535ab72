/** The steps of a vendor at a seller, in order, for a new connector. */
import type { SourceName } from './source.ts';

interface Setup {
  /** `{url}` and `{secret}` stand for the values to paste. */
  readonly steps: readonly string[];
  /** Whether the vendor types the signing secret at the seller, so that the service makes one. */
  readonly makesSecret: boolean;
}

const STRIPE_EVENTS =
  'checkout.session.completed, checkout.session.async_payment_succeeded, invoice.paid, invoice_payment.paid, ' +
  'charge.refunded, refund.failed, charge.dispute.created, charge.dispute.closed, customer.updated, ' +
  'customer.subscription.updated, customer.subscription.deleted';

const SETUPS: Readonly<Record<SourceName, Setup>> = {
  stripe: {
    makesSecret: false,
    steps: [
      'In Workbench, open Webhooks, add a destination and choose the type Webhook endpoint.',
      `Select these events: ${STRIPE_EVENTS}.`,
      'Enter {url} as the endpoint URL.',
      'Copy the signing secret, which begins with whsec_, into this connector as its signing secret.',
      'Make a restricted key that reads Checkout Sessions, Invoices, Customers and Events, and enter it as the API key of this connector. It is needed where a sale names neither a mapped payment link nor latchkey_variant.',
    ],
  },
  lemonsqueezy: {
    makesSecret: true,
    steps: [
      'In Settings, open Webhooks and add one.',
      'Enter {url} as the callback URL.',
      'Enter {secret} as the signing secret.',
      'Select the events of orders, subscriptions, subscription payments and license keys.',
      'Lemon Squeezy tries for two and a half minutes only. After a longer outage, send the events of that time again from its page of the webhook.',
    ],
  },
  paddle: {
    makesSecret: false,
    steps: [
      'In Developer tools, open Notifications and add a destination of the type URL.',
      'Enter {url} as the URL.',
      'Select transaction.completed, adjustment.created, adjustment.updated, customer.created, customer.updated and the events of subscriptions.',
      'Copy the secret key of the destination into this connector as its signing secret.',
      'Make an API key that reads customers, and enter it as the API key of this connector. Without it, a sale waits for the event customer.created.',
    ],
  },
  gumroad: {
    makesSecret: false,
    steps: [
      'In Settings, open Advanced, make an application and generate an access token.',
      'Enter the token as the API key of this connector: Gumroad does not sign its pings, so every sale is read back.',
      'Enter {url} as the Ping endpoint.',
      'Subscribe the same address to refund, dispute, dispute_won, cancellation, subscription_updated, subscription_ended and subscription_restarted through the API of Gumroad.',
    ],
  },
  polar: {
    makesSecret: false,
    steps: [
      'In Settings, open Webhooks and add an endpoint with the format Raw.',
      'Enter {url} as the URL.',
      'Select order.paid, order.refunded, refund.created, refund.updated and the events of subscriptions and customers.',
      'Generate the secret, and copy it into this connector as its signing secret.',
    ],
  },
  fastspring: {
    makesSecret: true,
    steps: [
      'In Developer Tools, open Webhooks, then Configuration, and add a webhook with expansion enabled.',
      'Enter {url} as the URL.',
      'Enter {secret} as the HMAC SHA256 secret.',
      'Select order.completed, return.created and the events of subscriptions.',
    ],
  },
  woocommerce: {
    makesSecret: true,
    steps: [
      'In WooCommerce, open Settings, Advanced, Webhooks and add one for each of the topics Order updated and, with Subscriptions, Subscription updated.',
      'Enter {url} as the delivery URL.',
      'Enter {secret} as the secret.',
      'Choose the newest version of the API and the status Active. WooCommerce does not try again: look at this page after an outage, and save the missed orders once more.',
    ],
  },
  shopify: {
    makesSecret: false,
    steps: [
      'In Settings, open Notifications, then Webhooks.',
      'Make a webhook with the format JSON for each of Order payment, Refund create and the disputes.',
      'Enter {url} as the URL of each.',
      'Copy the signing secret from below the list into this connector as its signing secret.',
    ],
  },
};

/** Whether the service makes the signing secret of a seller's connector. */
export function makesSecret(source: SourceName): boolean {
  return SETUPS[source].makesSecret;
}

/** The steps at a seller. */
export function setupSteps(source: SourceName, url: string, secret: string | null): string[] {
  return SETUPS[source].steps.map((step) => step.replace('{url}', url).replace('{secret}', secret ?? 'the secret'));
}
