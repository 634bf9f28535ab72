/** A creator for one test, with a product and an API key that no other test uses. */
import assert from 'node:assert/strict';
import { mintUuid } from '../../src/base/random.ts';
import type { TestApp } from '../support/app.ts';

export interface Creator {
  readonly creatorId: string;
  readonly productId: string;
  readonly apiKey: string;
}

/** Makes a creator with one live product. */
export async function makeCreator(app: TestApp): Promise<Creator> {
  const creatorId = `creator-${mintUuid()}`;
  const key = await app.admin('/createApiKey', { creatorId, name: 'test' });
  assert.equal(key.status, 200, JSON.stringify(key.body));
  const { apiKey } = key.body;
  return { creatorId, apiKey, productId: await makeProduct(app, { apiKey }) };
}

/** Makes a product with an API key or, with a creatorId, as the operator. */
export async function makeProduct(app: TestApp, fields: Readonly<Record<string, string>>): Promise<string> {
  const product = { name: 'Some product', slug: `product-${mintUuid()}`, ...fields };
  const { status, body } = await ('apiKey' in fields ? app.send : app.admin)('/createProduct', product);
  assert.equal(status, 200, JSON.stringify(body));
  return body.productId;
}

/** Makes a code with a unique name, as the operator unless an apiKey is among the fields, and returns the name. */
export async function makeCode(app: TestApp, fields: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const order = { code: `Code-${mintUuid()}`, trialDays: 14, ...fields };
  const { status, body } = await ('apiKey' in fields ? app.send : app.admin)('/createDiscountCode', order);
  assert.equal(status, 200, JSON.stringify(body));
  return body.code;
}

/** The code as /listDiscountCodes shows it to the operator; undefined when it does not exist. */
// biome-ignore lint/suspicious/noExplicitAny: tests read any field of any answer
export async function readCode(app: TestApp, code: string): Promise<any> {
  const { body } = await app.admin('/listDiscountCodes', { limit: 1000 });
  return body.codes.find((each: { code: string }) => each.code === code);
}
