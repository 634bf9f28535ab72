/** Products (specification, "Product"). */

export const PRODUCT_STATUSES = ['live', 'unlisted', 'archived'] as const;
export type ProductStatus = (typeof PRODUCT_STATUSES)[number];

export interface Product {
  /** Equals the slug. */
  readonly productId: string;
  readonly name: string;
  readonly creatorId: string;
  readonly status: ProductStatus;
  readonly createdAt: string;
  readonly updatedAt: string;
}
