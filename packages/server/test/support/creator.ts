/** A creator in tests: an API key, with products and licenses. */
import assert from 'node:assert/strict';
import { mintId, mintUuid } from '../../src/ground/base/random.ts';
import type { Answer, TestApp } from './app.ts';

export class Creator {
  readonly app: TestApp;
  readonly creatorId: string;
  readonly apiKey: string;

  private constructor(app: TestApp, creatorId: string, apiKey: string) {
    this.app = app;
    this.creatorId = creatorId;
    this.apiKey = apiKey;
  }

  /** A creator that is unique in this app. */
  static async of(app: TestApp): Promise<Creator> {
    const creatorId = `creator ${mintId()}`;
    const { apiKey } = await mustSucceed(app.admin('/createApiKey', { creatorId, name: 'Key of the tests' }));
    return new Creator(app, creatorId, apiKey);
  }

  /** Sends a body with the creator's API key in it. */
  readonly send: TestApp['admin'] = (path, body = {}, options) =>
    this.app.send(path, { apiKey: this.apiKey, ...body }, options);

  /** Adds a product and returns its id, which ends in a letter or digit: a search strips other marks from words. */
  async product(fields: Readonly<Record<string, unknown>> = {}): Promise<string> {
    const slug = `product-${mintUuid()}`;
    return (await mustSucceed(this.send('/createProduct', { name: slug, slug, ...fields }))).productId;
  }

  /** Adds a variant and returns its id. */
  async variant(productId: string, fields: Readonly<Record<string, unknown>>): Promise<string> {
    return (await mustSucceed(this.send('/createVariant', { productId, ...fields }))).variantId;
  }

  /** Issues a license and returns its key. */
  async license(productId: string, order: Readonly<Record<string, unknown>> = {}): Promise<string> {
    const answer = this.send('/createLicense', { email: 'ada@example.com', productId, ...order });
    return (await mustSucceed(answer)).licenseKey;
  }
}

/** The body of a success; fails the test on any refusal. */
export async function mustSucceed(answer: Promise<Answer>): Promise<Answer['body']> {
  const { status, body } = await answer;
  assert.ok(status === 200 || status === 201, `${status} ${JSON.stringify(body)}`);
  return body;
}
