/** The product and its pure rules (rules 2.4, 3.3). */

/** On sale; off sale, with working licenses; discontinued and read-only. */
export const PRODUCT_STATUSES = ['live', 'unlisted', 'archived'] as const;
/** One of {@link PRODUCT_STATUSES}. */
export type ProductStatus = (typeof PRODUCT_STATUSES)[number];

/** A product; times are 24-character timestamps. */
export interface Product {
  /** Equals the slug. */
  readonly productId: string;
  readonly name: string;
  readonly creatorId: string;
  readonly status: ProductStatus;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** The legacy flag, derived from the status. It is never stored, so that the two cannot disagree. */
export function isActive(status: ProductStatus): boolean {
  return status !== 'archived';
}

/**
 * The status after a write. A given `status` decides; otherwise the legacy flag does: false archives, true restores an
 * archived product to `live` and leaves an unlisted one unlisted.
 */
export function statusAfter(
  present: ProductStatus,
  given: { readonly status?: ProductStatus | undefined; readonly active?: boolean | undefined },
): ProductStatus {
  if (given.status !== undefined) return given.status;
  if (given.active === undefined || given.active === isActive(present)) return present;
  return given.active ? 'live' : 'archived';
}
