/** A storefront that sells courses, for the tests of studio orders. */
import { mintId } from '../../../src/ground/base/random.ts';
import type { Answer, TestApp } from '../../support/app.ts';
import { mustSucceed } from '../../support/creator.ts';

/** All required fields of an order. */
export const ORDER = {
  buyerEmail: 'head@school.example',
  buyerUserId: 'buyer-1',
  courseId: 'course-1',
  courseSlug: 'watercolour',
  courseTitle: 'Watercolour for beginners',
  creatorId: 'creator-1',
  seatCount: 3,
  pricePerSeat: 4900,
  totalAmount: 14700,
  currency: 'usd',
};

/** An order that was created. */
export interface CreatedOrder {
  readonly studioOrderId: string;
  /** Seat 1 first. */
  readonly codes: readonly string[];
}

/** Creates an order, which must succeed. */
export async function orderSeats(app: TestApp, fields: Readonly<Record<string, unknown>> = {}): Promise<CreatedOrder> {
  const { studioOrderId, seats } = await mustSucceed(app.webhook('/createStudioOrder', { ...ORDER, ...fields }));
  return { studioOrderId, codes: seats.map(({ code }: { code: string }) => code) };
}

/** Redeems a code for a user. */
export function redeem(app: TestApp, code: string, redeemerUserId = `user-${mintId()}`): Promise<Answer> {
  const redeemerEmail = `${redeemerUserId}@school.example`;
  return app.webhook('/redeemSeatCode', { code, redeemerEmail, redeemerUserId, storefrontPurchaseId: 'record-1' });
}

/** Redeems a code for a user, which must succeed. */
export function redeemed(app: TestApp, code: string, redeemerUserId?: string): Promise<Answer['body']> {
  return mustSucceed(redeem(app, code, redeemerUserId));
}

/** The stored order, with its seats. */
export async function readOrder(app: TestApp, studioOrderId: string): Promise<Answer['body']> {
  return (await mustSucceed(app.webhook('/getStudioOrder', { studioOrderId }))).studioOrder;
}
