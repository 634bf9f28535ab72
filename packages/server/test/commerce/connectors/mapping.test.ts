import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isMapped, type Mapping, mappedTo, quantityRuleOf } from '../../../src/commerce/connectors/mapping.ts';
import { MATCHES, type Match, type ProductName } from '../../../src/commerce/connectors/sources/facts.ts';
import { mappedProduct } from './policies.ts';

const mapping = (match: Match, id: string | null, productId: string): Mapping => ({
  match,
  id,
  target: mappedProduct({ productId }),
});
const productOf = (names: readonly ProductName[], mappings: readonly Mapping[]) => {
  const found = mappedTo(names, mappings, (id) =>
    id === 'studio-pro' ? { productId: 'studio', variant: 'pro' } : undefined,
  );
  return found === 'ignore' || found === undefined ? found : `${found.productId}/${found.variant}`;
};

describe('the mapping of a sold product', () => {
  it('is the most exact one, in whatever order names and mappings stand', () => {
    const names = MATCHES.flatMap((by) => (by === 'any' ? [] : [{ by, id: '1' }]));
    const all = MATCHES.map((match) => mapping(match, match === 'any' ? null : '1', match));
    for (const [index, match] of MATCHES.entries()) {
      const left = all.slice(index);
      assert.equal(productOf(names, left), `${match}/null`);
      assert.equal(productOf(names.toReversed(), left.toReversed()), `${match}/null`);
    }
  });

  it('is first of all what the vendor wrote beside the price, if it is a variant', () => {
    const names = [
      { by: 'price', id: '1' },
      { by: 'latchkey_variant', id: 'studio-pro' },
    ] as const;
    assert.equal(productOf(names, [mapping('price', '1', 'other')]), 'studio/pro');
    const unknown = [
      { by: 'latchkey_variant', id: 'gone' },
      { by: 'price', id: '1' },
    ] as const;
    assert.equal(productOf(unknown, [mapping('price', '1', 'other')]), 'other/null');
  });

  it('may say that there is no license', () => {
    assert.equal(
      productOf([{ by: 'sku', id: 'T-SHIRT' }], [{ match: 'sku', id: 'T-SHIRT', target: 'ignore' }]),
      'ignore',
    );
  });

  it('is none for another id, and for the same id of another kind', () => {
    assert.equal(
      productOf([{ by: 'price', id: '1' }], [mapping('price', '2', 'a'), mapping('product', '1', 'b')]),
      undefined,
    );
  });

  it('is known to a source by its exact name', () => {
    const mappings = [mapping('payment_link', 'plink_1', 'studio'), mapping('any', null, 'rest')];
    const asks = (name: ProductName) => isMapped(name, mappings, () => undefined);
    assert.equal(asks({ by: 'payment_link', id: 'plink_1' }), true);
    assert.equal(asks({ by: 'payment_link', id: 'plink_2' }), false);
    assert.equal(asks({ by: 'latchkey_variant', id: 'plink_1' }), false);
  });
});

describe('several units of a line', () => {
  it('are a license each when sold once, and one license of a subscription, unless the mapping says otherwise', () => {
    assert.equal(quantityRuleOf({ isRecurring: false }, mappedProduct()), 'licenses');
    assert.equal(quantityRuleOf({ isRecurring: true }, mappedProduct()), 'scale');
    assert.equal(quantityRuleOf({ isRecurring: false }, mappedProduct({ kind: 'subscription' })), 'scale');
    assert.equal(quantityRuleOf({ isRecurring: true }, mappedProduct({ kind: 'once' })), 'licenses');
    assert.equal(quantityRuleOf({ isRecurring: true }, mappedProduct({ quantity: 'licenses' })), 'licenses');
  });
});
