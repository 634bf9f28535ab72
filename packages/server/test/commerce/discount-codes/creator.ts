/** A creator for one test, with a product and an API key that no other test uses. */
import { creatorWithKey, product, unique } from '../../licensing/products/catalogue.ts';
import type { Answer, TestApp } from '../../support/app.ts';
import { mustSucceed } from '../../support/creator.ts';

export interface Creator {
  readonly creatorId: string;
  readonly productId: string;
  readonly apiKey: string;
}

/** Makes a creator with one live product. */
export async function makeCreator(app: TestApp): Promise<Creator> {
  const creator = await creatorWithKey(app);
  return { ...creator, productId: await product(app, { creatorId: creator.creatorId }) };
}

/** Makes a code with a unique name, as the operator unless an apiKey is among the fields, and returns the name. */
export async function makeCode(app: TestApp, fields: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const order = { code: unique('Code'), trialDays: 14, ...fields };
  const send = 'apiKey' in fields ? app.send : app.admin;
  return (await mustSucceed(send('/createDiscountCode', order))).code;
}

/** The code as /listDiscountCodes shows it to the operator; undefined when it does not exist. */
export async function readCode(app: TestApp, code: string): Promise<Answer['body']> {
  const { body } = await app.admin('/listDiscountCodes', { limit: 1000 });
  return body.codes.find((each: { code: string }) => each.code === code);
}
