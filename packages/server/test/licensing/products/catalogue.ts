/** Products, variants and creators with keys for tests of the catalogue. Each call makes new ones. */
import { mintUuid } from '../../../src/ground/base/random.ts';
import { NO_VARIANT_TERMS } from '../../../src/licensing/products/terms.ts';
import { setFields } from '../../support/answers.ts';
import type { TestApp } from '../../support/app.ts';
import { mustSucceed } from '../../support/creator.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A name that no other test uses. */
export function unique(prefix: string): string {
  return `${prefix}-${mintUuid()}`;
}

/** Adds a product and returns its id. */
export async function product(app: TestApp, fields: Fields = {}): Promise<string> {
  const order = { name: 'Product', slug: unique('product'), creatorId: 'ada', ...fields };
  return (await mustSucceed(app.admin('/createProduct', order))).productId;
}

/** Adds a variant and returns its id. */
export async function variant(app: TestApp, fields: Fields): Promise<string> {
  return (await mustSucceed(app.admin('/createVariant', { name: 'indie', ...fields }))).variantId;
}

/** A creator without products, and its API key. */
export async function creatorWithKey(app: TestApp): Promise<{ creatorId: string; apiKey: string }> {
  const creatorId = unique('creator');
  const { apiKey } = await mustSucceed(app.admin('/createApiKey', { creatorId, name: 'Key' }));
  return { creatorId, apiKey };
}

/** The product as /listProducts shows it. */
export async function shownProduct(app: TestApp, productId: string, creatorId = 'ada') {
  const { body } = await app.admin('/listProducts', { creatorId, includeAll: true });
  return body.products.find((each: { productId: string }) => each.productId === productId);
}

/** The variants of a product as /listVariants shows them, inactive ones too, without terms that are not set. */
export async function shownVariants(app: TestApp, productId: string) {
  const { body } = await app.admin('/listVariants', { productId, includeInactive: true });
  return body.variants.map((variant: object) => setFields(variant, NO_VARIANT_TERMS));
}

/** Number of replies by status. */
export function tally(answers: readonly { readonly status: number }[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
