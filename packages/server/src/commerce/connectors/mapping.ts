/** Which product of this service a name of the seller's stands for. */
import { MATCHES, type Match, type ProductName, type SoldLine } from './sources/facts.ts';

/** The result of several units of one line: a license each, or one license whose limits are multiplied. */
export const QUANTITY_RULES = ['licenses', 'scale'] as const;
export type QuantityRule = (typeof QUANTITY_RULES)[number];

/** A mapping of a connector. */
export interface Mapping {
  readonly match: Match;
  /** Null for `any`. */
  readonly id: string | null;
  readonly target: MappedProduct | 'ignore';
}

/** The product that a mapping leads to. */
export interface MappedProduct {
  readonly productId: string;
  readonly variant: string | null;
  /** Null for the rule of the kind of sale: `scale` for subscriptions, `licenses` otherwise. */
  readonly quantity: QuantityRule | null;
  /** Null for either kind. */
  readonly kind: 'once' | 'subscription' | null;
  readonly keys: 'ours' | 'theirs';
  /** The least that a unit costs, in the smallest unit of the currency that was paid. */
  readonly minimumAmount: number | null;
  readonly unlockedProducts: readonly string[];
}

/** A variant of the catalogue of the connector's creator. */
export interface CatalogueVariant {
  readonly productId: string;
  readonly variant: string;
}

/**
 * Finds the product that the names of a line stand for. The vendor's own `latchkey_variant` comes first, then the most
 * exact kind of name that a mapping has, in any order of names and mappings.
 *
 * @param variantOf the only variant with a variantId among the products of the connector's creator
 */
export function mappedTo(
  names: readonly ProductName[],
  mappings: readonly Mapping[],
  variantOf: (variantId: string) => CatalogueVariant | undefined,
): MappedProduct | 'ignore' | undefined {
  for (const { by, id } of names) {
    const named = by === 'latchkey_variant' ? variantOf(id) : undefined;
    if (named !== undefined) return { ...PLAIN, ...named };
  }
  for (const match of MATCHES) {
    const found = mappings.find(
      (mapping) =>
        mapping.match === match && (match === 'any' || names.some(({ by, id }) => by === match && id === mapping.id)),
    );
    if (found !== undefined) return found.target;
  }
  return undefined;
}

/** Whether a source may take a name for one that leads to a product. */
export function isMapped(
  name: ProductName,
  mappings: readonly Mapping[],
  variantOf: (variantId: string) => CatalogueVariant | undefined,
): boolean {
  if (name.by === 'latchkey_variant') return variantOf(name.id) !== undefined;
  return mappings.some(({ match, id }) => match === name.by && id === name.id);
}

const PLAIN = {
  quantity: null,
  kind: null,
  keys: 'ours',
  minimumAmount: null,
  unlockedProducts: [],
} as const satisfies Partial<MappedProduct>;

/** The rule for the quantity of a line. */
export function quantityRuleOf(line: Pick<SoldLine, 'isRecurring'>, mapped: MappedProduct): QuantityRule {
  const isSubscription = mapped.kind === 'subscription' || (mapped.kind === null && line.isRecurring);
  return mapped.quantity ?? (isSubscription ? 'scale' : 'licenses');
}
