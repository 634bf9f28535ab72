/** The storefront in tests: reports events and reads the resulting licenses. */
import assert from 'node:assert/strict';
import { mintUuid } from '../../src/base/random.ts';
import type { Answer, TestApp } from '../support/app.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A customer of the storefront with an e-mail address that no other test has; fields add to an event or replace. */
export class Customer {
  readonly app: TestApp;
  readonly email = `${mintUuid()}@example.com`;
  productId = 'app';

  constructor(app: TestApp) {
    this.app = app;
  }

  /** Reports an event of this customer. */
  report(type: string, fields: Fields = {}): Promise<Answer> {
    const { email, productId } = this;
    return this.app.webhook('/storefrontWebhook', { type, email, productId, ...fields });
  }

  /** Reports an event, which must succeed; returns the body. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field of any answer
  async reported(type: string, fields: Fields = {}): Promise<any> {
    const { status, body } = await this.report(type, fields);
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  }

  /** Buys, and returns the license as /getLicense shows it. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field of any answer
  async bought(fields: Fields = {}): Promise<any> {
    return readLicense(this.app, (await this.reported('purchase.completed', fields)).licenseKey);
  }
}

/** A license as /getLicense shows it. */
// biome-ignore lint/suspicious/noExplicitAny: tests read any field of any answer
export async function readLicense(app: TestApp, licenseKey: string): Promise<any> {
  const { status, body } = await app.admin('/getLicense', { licenseKey });
  assert.equal(status, 200, JSON.stringify(body));
  return body.license;
}

/** A product of the catalogue with one variant, `indie` unless the fields name another. */
export async function makeProductWithVariant(app: TestApp, variant: Fields): Promise<string> {
  const product = { name: 'Some product', slug: `product-${mintUuid()}`, creatorId: 'ada' };
  const { productId } = (await app.admin('/createProduct', product)).body;
  const { status, body } = await app.admin('/createVariant', { productId, name: 'indie', ...variant });
  assert.equal(status, 200, JSON.stringify(body));
  return productId;
}
