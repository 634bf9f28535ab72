/**
 * The sellers' own libraries judge the signatures of the sources: both accept and refuse the same requests, but for the
 * differences that are declared here. FastSpring, WooCommerce and Gumroad have no such library.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it, mock } from 'node:test';
import { Environment, LogLevel, Paddle } from '@paddle/paddle-node-sdk';
import { webhooks as polarWebhooks } from '@polar-sh/sdk/2026-10';
import { ApiVersion, shopifyApi } from '@shopify/shopify-api';
import '@shopify/shopify-api/adapters/node';
import { whatwgWebhooksHandler } from 'lemonsqueezy-webhooks';
import { validateEvent, WebhookVerificationError } from 'polar-sdk-0/webhooks.js';
import { WebhookVerificationError as StandardError, Webhook } from 'standardwebhooks';
import Stripe from 'stripe';
import type { Seller } from '../packages/server/scripts/shops/sellers/seller.ts';
import { SELLERS } from '../packages/server/scripts/shops/sellers/sellers.ts';
import type { Delivery } from '../packages/server/src/commerce/connectors/sources/source.ts';
import { alteredDeliveries } from '../packages/server/test/commerce/connectors/sources/altered-deliveries.ts';

const NOW = Date.UTC(2027, 0, 4, 9, 30, 12, 345);
const ALTERED = 500;
const BUYER = { number: 7, email: 'zoe@example.com' };

interface Judge {
  readonly seller: string;
  readonly library: string;
  /** Whether the library takes the delivery for the seller's. */
  accepts(delivery: Delivery, secret: string): Promise<boolean>;
  /** Reasons for which the source refuses a request that the library accepts. */
  readonly stricter: readonly string[];
  /** Seconds by which a signature may be late, and early, for the library; null where it does not look. */
  readonly age: { readonly late: number | null; readonly early: number | null } | null;
}

/** A header as a server hands it to a library: several of one name are joined. */
const header = ({ headers }: Delivery, name: string): string => headers[name]?.join(', ') ?? '';
const all = (delivery: Delivery): Record<string, string> =>
  Object.fromEntries(Object.keys(delivery.headers).map((name) => [name, header(delivery, name)]));
const bodyOf = ({ body }: Delivery): string => Buffer.from(body).toString('utf8');

/** False for an error that says that the signature is wrong; other errors are about the signed content. */
async function isAccepted(act: () => unknown, isRefusal: (error: unknown) => boolean): Promise<boolean> {
  try {
    await act();
    return true;
  } catch (error) {
    return !isRefusal(error);
  }
}

const paddleClient = new Paddle('key', { environment: Environment.production, logLevel: LogLevel.none });
const isStandardError = (error: unknown) => error instanceof StandardError;

const JUDGES: readonly Judge[] = [
  {
    seller: 'stripe 2026-10-28.endive',
    library: 'stripe 23.1.0',
    accepts: (delivery, secret) =>
      isAccepted(
        () => {
          const [body, signature] = [Buffer.from(delivery.body), header(delivery, 'stripe-signature')];
          Stripe.webhooks.constructEvent(body, signature, secret, 300, undefined, NOW);
        },
        (error) => error instanceof Stripe.errors.StripeSignatureVerificationError,
      ),
    // The library reads a time up to its first other character, and knows no future.
    stricter: ['signature_malformed', 'too_new', 'signature_repeated'],
    age: { late: 300, early: null },
  },
  {
    seller: 'paddle',
    library: '@paddle/paddle-node-sdk 3.10.0',
    accepts: (delivery, secret) =>
      paddleClient.webhooks
        .isSignatureValid(bodyOf(delivery), secret, header(delivery, 'paddle-signature'))
        .catch(() => false),
    stricter: ['signature_malformed', 'too_new', 'signature_repeated'],
    age: { late: 5, early: null },
  },
  {
    seller: 'lemonsqueezy',
    library: 'lemonsqueezy-webhooks 0.1.2',
    accepts: async (delivery, secret) => {
      let isReceived = false;
      const request = new Request('http://localhost/', {
        method: 'POST',
        headers: all(delivery),
        body: bodyOf(delivery),
      });
      const note = () => {
        isReceived = true;
      };
      await whatwgWebhooksHandler({ secret, request, onData: note, onError: () => {} });
      return isReceived;
    },
    stricter: [],
    age: null,
  },
  ...['text', 'bytes'].map((kind) => ({
    seller: `polar ${kind}`,
    library: '@polar-sh/sdk 1.0.1',
    accepts: (delivery: Delivery, secret: string) =>
      isAccepted(
        () => polarWebhooks.validateEvent(bodyOf(delivery), all(delivery), secret),
        (error) => error instanceof polarWebhooks.PolarWebhookVerificationError,
      ),
    // The library takes other writings of the same bytes and of the same time.
    stricter: ['signature_wrong', 'signature_malformed', 'signature_repeated'],
    age: { late: 300, early: 300 },
  })),
  {
    seller: 'polar text',
    library: '@polar-sh/sdk 0.49.0',
    accepts: (delivery, secret) =>
      isAccepted(
        () => validateEvent(bodyOf(delivery), all(delivery), secret),
        (error) => error instanceof WebhookVerificationError,
      ),
    stricter: ['signature_malformed', 'signature_repeated'],
    age: { late: 300, early: 300 },
  },
  {
    seller: 'polar bytes',
    library: 'standardwebhooks 1.1.1',
    accepts: (delivery, secret) =>
      isAccepted(() => new Webhook(secret).verify(bodyOf(delivery), all(delivery)), isStandardError),
    stricter: ['signature_malformed', 'signature_repeated'],
    age: { late: 300, early: 300 },
  },
  ...['x-shopify-', 'shopify-'].map((prefix) => ({
    seller: `shopify ${prefix}`,
    library: '@shopify/shopify-api 15.0.0',
    accepts: async (delivery: Delivery, secret: string) => {
      const api = shopifyApi({
        apiKey: 'key',
        apiSecretKey: secret,
        apiVersion: ApiVersion.October25,
        hostName: 'localhost',
        isEmbeddedApp: false,
        logger: { level: 0 },
      });
      const rawRequest = { method: 'POST', url: '/', headers: all(delivery) } as never;
      const judged = await api.webhooks.validate({ rawBody: bodyOf(delivery), rawRequest });
      // Headers beside the signature are the library's own wish.
      return judged.valid || judged.reason === 'missing_headers';
    },
    stricter: ['signature_repeated'],
    age: null,
  })),
];

before(() => mock.timers.enable({ apis: ['Date'], now: NOW }));
after(() => mock.timers.reset());

for (const judge of JUDGES) {
  const seller: Seller = SELLERS[judge.seller]!(BUYER);
  const [told] = seller.steps.buy!(NOW);
  const delivery = seller.sign(told!, NOW);
  const ours = (each: Delivery, secret = seller.secret) => seller.source.verify(each, [secret], NOW);

  describe(`${judge.library} and the source of ${judge.seller}`, () => {
    it('accept a request of the stand-in, and refuse it with another secret', async () => {
      assert.equal(await judge.accepts(delivery, seller.secret), true);
      assert.equal(ours(delivery), null);
      const other = 'whsec_c2VjcmV0IG9mIHNvbWVib2R5IGVsc2U=';
      assert.equal(await judge.accepts(delivery, other), false);
      assert.equal(ours(delivery, other), 'signature_wrong');
    });

    it(`agree about ${ALTERED} altered requests`, async () => {
      const stricter = new Map<string, number>();
      for (const { way, delivery: altered } of alteredDeliveries(delivery, ALTERED, 23)) {
        const rejection = ours(altered);
        const isJudgedGood = await judge.accepts(altered, seller.secret);
        if (rejection === null) assert.ok(isJudgedGood, `${way}: the library refuses it`);
        else if (isJudgedGood) {
          assert.ok(judge.stricter.includes(rejection), `${way}: the library accepts it (${rejection})`);
          stricter.set(`${way}: ${rejection}`, (stricter.get(`${way}: ${rejection}`) ?? 0) + 1);
        }
      }
      // Rare by nature: an alteration of bytes that the library does not read.
      assert.ok(
        [...stricter.values()].reduce((sum, count) => sum + count, 0) < ALTERED / 5,
        JSON.stringify([...stricter]),
      );
    });

    it('agree about the age of a signature, as far as the library looks', async () => {
      for (const seconds of [0, 3, 5, 6, 299, 300, 301, 3600, 86_400])
        for (const sign of [-1, 1]) {
          const signed = seller.sign(told!, NOW + sign * seconds * 1000);
          const limit = judge.age === null ? null : sign < 0 ? judge.age.late : judge.age.early;
          // A library that counts fractions of a second refuses the last one.
          if (seconds !== limit)
            assert.equal(
              await judge.accepts(signed, seller.secret),
              limit === null || seconds < limit,
              `${sign * seconds} s for the library`,
            );
          const isOurs = judge.age === null || seconds <= 300;
          assert.equal(ours(signed) === null, isOurs, `${sign * seconds} s`);
        }
    });
  });
}
