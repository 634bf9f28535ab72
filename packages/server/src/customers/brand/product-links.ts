/** The links that the pages for customers show beside a license: one set for each product, chosen by the brand. */
import { isHttpsAddress } from '../../ground/base/web-address.ts';
import { type Refusal, refuse } from '../../platform/endpoint/refusals.ts';

/** The kinds of links, in the order in which pages show them. */
export const LINK_KINDS = ['download', 'renew', 'receipt'] as const;
export type LinkKind = (typeof LINK_KINDS)[number];

/** The links of a product: https addresses; null for none of that kind. */
export type Links = Readonly<Record<LinkKind, string | null>>;

/** The links of one product. */
export interface ProductLinks extends Links {
  readonly productId: string;
}

/** The links of a product that the brand gives none. */
export const NO_LINKS: Links = { download: null, renew: null, receipt: null };

/** Products of a brand with links: a page reads all of them. */
export const MAX_LINKED_PRODUCTS = 100;
/** Length of a link, in characters. */
export const LONGEST_LINK = 500;

/** Refuses links that pages cannot show, and a product that is named twice; null if all can be shown. */
export function refuseLinks(all: readonly ProductLinks[]): Refusal<'invalid_field'> | null {
  const invalid = (message: string) => refuse('invalid_field', { details: { message } });
  for (const [index, { productId, ...links }] of all.entries()) {
    for (const kind of LINK_KINDS) {
      const link = links[kind];
      if (link !== null && !isHttpsAddress(link))
        return invalid(`productLinks[${index}].${kind} must be an https address`);
    }
    if (all.findIndex((other) => other.productId === productId) !== index)
      return invalid(`productLinks[${index}].productId names a product for the second time`);
  }
  return null;
}

/** Reads stored links. */
export function productLinksFrom(stored: unknown): readonly ProductLinks[] {
  if (!Array.isArray(stored)) throw new TypeError('the stored links of a brand are no list');
  return stored;
}
