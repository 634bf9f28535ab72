/** A shop in tests: a stand-in of a seller that delivers to a connector of the real service. */
import assert from 'node:assert/strict';
import { type Agent, request } from 'node:https';
import type { Buyer, Seller, Told } from '../../../scripts/shops/sellers/seller.ts';
import type { ProductName } from '../../../src/commerce/connectors/sources/facts.ts';
import type { Delivery } from '../../../src/commerce/connectors/sources/source.ts';
import { mintUuid } from '../../../src/ground/base/random.ts';
import { product, variant } from '../../licensing/products/catalogue.ts';
import { inspect } from '../../support/answers.ts';
import type { Answer, TestApp } from '../../support/app.ts';
import { mustSucceed } from '../../support/creator.ts';

type Fields = Readonly<Record<string, unknown>>;

let buyers = 0;

/** A buyer whom no other test has. */
export function newBuyer(): Buyer {
  buyers += 1;
  return { number: Number(`${process.pid}${buyers}`), email: `${mintUuid()}@example.com` };
}

/** The state of every service: keys that seal secrets, on both engines. */
export const SHOP_SETTINGS = { LATCHKEY_SECRETS_KEY: 'secrets-key-of-these-tests' };

/**
 * Delivers a request to an address of the service, over a connection of an agent or one of its own; returns the answer.
 */
export function deliver(
  app: Pick<TestApp, 'port'>,
  path: string,
  { body, headers }: Delivery,
  agent?: Agent,
): Promise<Answer> {
  const raw = Object.entries(headers).flatMap(([name, values]) => (values ?? []).map((value) => [name, value]));
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        ...{ host: '127.0.0.1', port: app.port, path, method: 'POST', rejectUnauthorized: false },
        ...(agent === undefined ? {} : { agent }),
        headers: [['host', 'localhost'], ...raw, ['content-length', String(body.length)]].flat(),
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          const { statusCode = 0 } = response;
          resolve({ status: statusCode, headers: response.headers, body: text === '' ? text : JSON.parse(text) });
        });
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

/** A connector with a product that is sold once, and one with two plans. */
export class Shop {
  readonly app: TestApp;
  readonly seller: Seller;
  connectorId = '';
  url = '';
  /** Sold once, as the variant `indie`. */
  once = '';
  /** Subscribed to, as the variant `basic` and `pro`. */
  plan = '';

  constructor(app: TestApp, seller: Seller) {
    this.app = app;
    this.seller = seller;
  }

  /** Makes the connector; fields add to it or replace. */
  async open(fields: Fields = {}): Promise<this> {
    const { app, seller } = this;
    this.once = await product(app);
    this.plan = await product(app);
    await variant(app, { productId: this.once, name: 'indie', maxMachines: 2 });
    await variant(app, { productId: this.plan, name: 'basic', maxMachines: 1 });
    await variant(app, { productId: this.plan, name: 'pro', maxMachines: 5 });
    const made = await mustSucceed(
      app.admin('/createConnector', {
        source: seller.source.name,
        name: `Shop of ${seller.source.name}`,
        mode: 'live',
        state: 'on',
        prefix: `p${mintUuid().slice(0, 18)}`,
        secret: seller.secret,
        ...(seller.apiKey === null ? {} : { sellerApiKey: seller.apiKey }),
        mappings: this.mappings(),
        ...fields,
      }),
    );
    this.connectorId = made.connectorId;
    this.url = `/connect/${made.connectorId}`;
    return this;
  }

  /** The mappings of all products. */
  mappings(): readonly Fields[] {
    const mapping = ({ by, id }: ProductName, target: Fields) => ({ match: by, id, ...target });
    // WooCommerce's subscriptions say themselves which products they have.
    const subscribed = this.seller.source.name === 'woocommerce' ? {} : { kind: 'subscription' };
    return [
      mapping(this.seller.once, { productId: this.once, variant: 'indie' }),
      mapping(this.seller.basic, { productId: this.plan, variant: 'basic', quantity: 'scale', ...subscribed }),
      mapping(this.seller.pro, { productId: this.plan, variant: 'pro', quantity: 'scale', ...subscribed }),
    ];
  }

  /** Delivers requests of the seller, one after the other; each must be accepted. */
  async tell(told: readonly Told[] = []): Promise<void> {
    for (const each of told) {
      const answer = await deliver(this.app, this.url, this.seller.sign(each, this.app.clock.now()));
      assert.deepEqual([answer.status, answer.body], [200, { received: true }]);
    }
  }

  /** The events of the connector, the oldest first, once none is applied any more. */
  async settled(): Promise<Answer['body'][]> {
    for (let looks = 0; ; looks += 1) {
      const { events } = await mustSucceed(
        this.app.admin('/listShopEvents', { connectorId: this.connectorId, limit: 1000 }),
      );
      if (!events.some(({ state }: Fields) => state === 'received' || state === 'looking up')) return events.reverse();
      assert.ok(looks < 500, JSON.stringify(events));
      // The node applies what it received right after its answer.
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** The licenses of the buyer, the oldest first. */
  async licenses(email: string): Promise<Answer['body'][]> {
    const { licenses } = await mustSucceed(this.app.admin('/listLicenses', { email }));
    const found = [];
    for (const { key } of licenses.reverse()) found.push((await inspect(this.app, key)).license);
    return found;
  }
}
