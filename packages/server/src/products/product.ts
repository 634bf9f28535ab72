/** The product and its pure rules (rules 2.4, 3.3). */

/** On sale; removed from sale, while licenses keep working; discontinued and read-only. */
export const PRODUCT_STATUSES = ['live', 'unlisted', 'archived'] as const;
/** One of {@link PRODUCT_STATUSES}. */
export type ProductStatus = (typeof PRODUCT_STATUSES)[number];

/** A product as the rules see it; times are 24-character timestamps. */
export interface Product {
  /** Equals the slug. */
  readonly productId: string;
  readonly name: string;
  readonly creatorId: string;
  readonly status: ProductStatus;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** The legacy flag: it is never stored, so that it cannot fall out of step with the status. */
export function isActive(status: ProductStatus): boolean {
  return status !== 'archived';
}

/**
 * The status after a write. `status` decides where it is given; else the legacy flag does: false archives, true brings
 * an archived product back to `live` and leaves an unlisted one unlisted.
 */
export function statusAfter(
  present: ProductStatus,
  given: { readonly status?: ProductStatus | undefined; readonly active?: boolean | undefined },
): ProductStatus {
  if (given.status !== undefined) return given.status;
  if (given.active === undefined || given.active === isActive(present)) return present;
  return given.active ? 'live' : 'archived';
}
