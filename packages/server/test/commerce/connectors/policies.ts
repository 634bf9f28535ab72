/** Values for tests of the policies of a connector. */
import type { MappedProduct } from '../../../src/commerce/connectors/mapping.ts';
import type { SalePolicy } from '../../../src/commerce/connectors/sale-policy.ts';
import { DEFAULT_SETTINGS } from '../../../src/commerce/connectors/settings.ts';
import type { SoldLine } from '../../../src/commerce/connectors/sources/facts.ts';

export const NOW = Date.UTC(2027, 0, 4, 9, 30);

export function mappedProduct(changes: Partial<MappedProduct> = {}): MappedProduct {
  return {
    productId: 'studio',
    variant: null,
    quantity: null,
    kind: null,
    keys: 'ours',
    minimumAmount: null,
    unlockedProducts: [],
    ...changes,
  };
}

export function soldLine(changes: Partial<SoldLine> = {}): SoldLine {
  return {
    line: 'l1',
    names: [],
    quantity: 1,
    amount: 4900,
    isRecurring: false,
    period: null,
    countsFor: null,
    ...changes,
  };
}

export function policyWith(changes: Partial<SalePolicy> = {}): SalePolicy {
  return { settings: DEFAULT_SETTINGS, mode: 'live', variantGraceDays: 0, issuedAt: NOW, ...changes };
}
