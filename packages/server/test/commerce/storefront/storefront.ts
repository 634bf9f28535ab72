/** The storefront in tests: reports events and reads the resulting licenses. */
import { mintUuid } from '../../../src/ground/base/random.ts';
import { product, variant } from '../../licensing/products/catalogue.ts';
import { inspect } from '../../support/answers.ts';
import type { Answer, TestApp } from '../../support/app.ts';
import { mustSucceed } from '../../support/creator.ts';

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
  reported(type: string, fields: Fields = {}): Promise<Answer['body']> {
    return mustSucceed(this.report(type, fields));
  }

  /** Buys, and returns the license as /getLicense shows it. */
  async bought(fields: Fields = {}): Promise<Answer['body']> {
    return readLicense(this.app, (await this.reported('purchase.completed', fields)).licenseKey);
  }
}

/** A license as the answers of the storefront show it. */
export async function readLicense(app: TestApp, licenseKey: string): Promise<Answer['body']> {
  return (await inspect(app, licenseKey)).license;
}

/** A product of the catalogue with one variant, `indie` unless the fields name another. */
export async function makeProductWithVariant(app: TestApp, fields: Fields): Promise<string> {
  const productId = await product(app);
  await variant(app, { productId, ...fields });
  return productId;
}
