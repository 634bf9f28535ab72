/**
 * Products, discount codes and studio orders, in proportion to the licenses. Each is computed from its number alone.
 */

import type { DiscountCode } from '@latchkey/server/commerce/discount-codes/discount-code.ts';
import type { StudioOrder } from '@latchkey/server/commerce/studio-orders/studio-order.ts';
import { toTimestamp } from '@latchkey/server/ground/base/clock.ts';
import { mintUuid } from '@latchkey/server/ground/base/random.ts';
import type { Product } from '@latchkey/server/licensing/products/product.ts';
import { agedMoment } from './catalogue.ts';

const LICENSES_PER_PRODUCT = 50;
const LICENSES_PER_CODE = 10;
const LICENSES_PER_ORDER = 50;
/** Number of creators who share the products, codes and orders. */
export const CREATORS = 10;
/**
 * The oldest products are archived, and each of the oldest codes is for one product: rare rows far from the start of
 * lists.
 */
const OLD_SHARE = 0.05;

/** The contents of a database besides licenses. */
export class Shop {
  readonly products: number;
  readonly codes: number;
  readonly orders: number;
  readonly #filledAt: number;

  /** @param filledAt milliseconds since 1970 */
  constructor(licenses: number, filledAt: number) {
    this.products = Math.ceil(licenses / LICENSES_PER_PRODUCT);
    this.codes = Math.ceil(licenses / LICENSES_PER_CODE);
    this.orders = Math.ceil(licenses / LICENSES_PER_ORDER);
    this.#filledAt = filledAt;
  }

  /** The product with a number from 0, the oldest first. */
  product(number: number): Product {
    const createdAt = this.#createdAt(number / this.products);
    return {
      productId: `product-${number}`,
      name: `Product ${number}`,
      creatorId: creatorOf(number),
      status: number < this.products * OLD_SHARE ? 'archived' : 'live',
      createdAt,
      updatedAt: createdAt,
    };
  }

  /** The discount code with a number from 0, the oldest first. */
  code(number: number): DiscountCode {
    return {
      code: `CODE-${number}`,
      productId: number < this.codes * OLD_SHARE ? `product-${number % CREATORS}` : null,
      creatorId: creatorOf(number),
      trialDays: 14,
      maxUses: 100,
      usedCount: 0,
      active: true,
      createdAt: this.#createdAt(number / this.codes),
      expiresAt: null,
    };
  }

  /** The studio order with a number from 0, the oldest first. */
  order(number: number): StudioOrder {
    return {
      studioOrderId: `so_${mintUuid()}`,
      buyerEmail: `buyer-${number}@example.com`,
      buyerUserId: `buyer-${number}`,
      courseId: `course-${number % CREATORS}`,
      courseSlug: `course-${number % CREATORS}`,
      courseTitle: `Course ${number % CREATORS}`,
      creatorId: creatorOf(number),
      seatCount: 2,
      redeemedCount: 0,
      pricePerSeat: 4900,
      totalAmount: 9800,
      currency: 'usd',
      status: 'active',
      createdAt: this.#createdAt(number / this.orders),
      externalOrderId: null,
      purchaseId: null,
    };
  }

  #createdAt(position: number): string {
    return toTimestamp(agedMoment(position, this.#filledAt));
  }
}

/** The owner of the product, code or order with a number. */
export function creatorOf(number: number): string {
  return `creator-${number % CREATORS}`;
}
