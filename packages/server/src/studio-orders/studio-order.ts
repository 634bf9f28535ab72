/** Studio orders and their seats: their types, the form of a seat code, and when one can be redeemed. */
import Type from 'typebox';
import { oneOf, text } from '../endpoint/field-types.ts';
import { mintGroups } from '../random.ts';
import { type Refusal, refuse } from '../refusals.ts';

/** How few and how many seats an order has (rules 8.1). */
export const MINIMUM_SEATS = 2;
export const MAXIMUM_SEATS = 50;

/** The only status of an order (rules 2.8). */
export const STUDIO_ORDER_STATUSES = ['active'] as const;

export const SEAT_STATUSES = ['available', 'redeemed'] as const;

/** A purchase of several seats of one course (rules 2.8). */
export interface StudioOrder {
  /** `so_` and a UUID. */
  readonly studioOrderId: string;
  readonly buyerEmail: string;
  readonly buyerUserId: string;
  readonly courseId: string;
  readonly courseSlug: string;
  readonly courseTitle: string;
  readonly creatorId: string;
  readonly seatCount: number;
  readonly redeemedCount: number;
  /** Cents. */
  readonly pricePerSeat: number;
  /** Cents. */
  readonly totalAmount: number;
  /** Three letters, lower-case. */
  readonly currency: string;
  readonly status: (typeof STUDIO_ORDER_STATUSES)[number];
  readonly createdAt: string;
  readonly externalOrderId: string | null;
  readonly purchaseId: string | null;
}

/** One redeemable code of an order; what tells of its redemption is null until then (rules 2.9). */
export interface Seat {
  readonly code: string;
  readonly studioOrderId: string;
  /** From 1 on, in the order's own count. */
  readonly seatNumber: number;
  /** The redeemer's e-mail address. */
  readonly redeemedBy: string | null;
  readonly redeemerUserId: string | null;
  readonly redeemedAt: string | null;
  readonly storefrontPurchaseId: string | null;
}

/** A seat code as a field of a request. */
export const seatCodeField = text('Seat code. Case and surrounding blanks do not matter.', 100);

/** A seat's status as a field of an answer. */
export const seatStatusSchema = oneOf('Whether the code has been used.', SEAT_STATUSES, 'SeatStatus');

/** An order's status as a field of an answer. */
export const studioOrderStatusSchema = oneOf('Status of the order.', STUDIO_ORDER_STATUSES, 'StudioOrderStatus');

/** A count of cents as a field of an answer. */
export const centsSchema = Type.Integer({ description: 'Cents.' });

/** A new seat code: `STUDIO-K7QW-2MNP`, one of 852 billion (rules 2.9). */
export function mintSeatCode(): string {
  return `STUDIO-${mintGroups(2, 4)}`;
}

/** A seat code as it is stored, from what a person typed. */
export function canonicalSeatCode(typed: string): string {
  return typed.trim().toUpperCase();
}

/** A seat that has been used, with all that tells of its redemption. */
export type RedeemedSeat = { readonly [Field in keyof Seat]: NonNullable<Seat[Field]> };

/** Whether a seat has been used. */
export function isRedeemed(seat: Seat): seat is RedeemedSeat {
  return seat.redeemedAt !== null;
}

/** The status of a seat as answers show it (rules 3.4). */
export function seatStatus({ redeemedAt }: Pick<Seat, 'redeemedAt'>): (typeof SEAT_STATUSES)[number] {
  return redeemedAt === null ? 'available' : 'redeemed';
}

/**
 * Why a seat of a locked order cannot be redeemed, or null (rules 4.9.3). A used code says so before
 * anything else, to its own redeemer, too: a retry is told apart from a theft by `redeemedBy`.
 *
 * @param isHolder whether the redeemer has a seat of this order already
 */
export function refusalForRedemption(
  seat: Seat,
  isHolder: boolean,
): Refusal<'seat_code_redeemed' | 'seat_already_held'> | null {
  if (seat.redeemedAt !== null)
    return refuse('seat_code_redeemed', { extra: { redeemedBy: seat.redeemedBy, redeemedAt: seat.redeemedAt } });
  return isHolder ? refuse('seat_already_held') : null;
}
