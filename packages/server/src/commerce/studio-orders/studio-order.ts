/** Studio orders and their seats: types, the form of a seat code, and the rules of redemption. */
import Type from 'typebox';
import { mintGroups } from '../../ground/base/random.ts';
import { foldKey } from '../../ground/base/typed-text.ts';
import { oneOf, text } from '../../platform/endpoint/field-types.ts';
import { type Refusal, refuse } from '../../platform/endpoint/refusals.ts';

/** Minimum and maximum number of seats of an order (rules 8.1). */
export const MINIMUM_SEATS = 2;
export const MAX_SEATS = 50;

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

/** One redeemable code of an order; the fields of its redemption are null until it is redeemed (rules 2.9). */
export interface Seat {
  readonly code: string;
  readonly studioOrderId: string;
  /** Number of the seat within its order, from 1. */
  readonly seatNumber: number;
  /** The redeemer's e-mail address. */
  readonly redeemedBy: string | null;
  readonly redeemerUserId: string | null;
  readonly redeemedAt: string | null;
  readonly storefrontPurchaseId: string | null;
}

/** A seat code as a request field. */
export const seatCodeField = text('Seat code. Case, spaces and marks around it do not matter.', 100);

/** The status of a seat as a reply field. */
export const seatStatusSchema = oneOf('Whether the code has been used.', SEAT_STATUSES, 'SeatStatus');

/** The status of an order as a reply field. */
export const studioOrderStatusSchema = oneOf('Status of the order.', STUDIO_ORDER_STATUSES, 'StudioOrderStatus');

/** An amount in cents as a reply field. */
export const centsSchema = Type.Integer({ description: 'Cents.' });

/** A new seat code: `STUDIO-K7QW-2MNP`, one of 852 billion (rules 2.9). */
export function mintSeatCode(): string {
  return `STUDIO-${mintGroups(2, 4)}`;
}

/** A seat code of this service without hyphens. */
const SEAT_CODE = /^STUDIO([A-Z\d]{4})([A-Z\d]{4})$/;

/**
 * The stored form of a seat code that a person typed ({@link foldKey}). A code of this service is recognised with
 * hyphens, with spaces, or without separators.
 */
export function canonicalSeatCode(typed: string): string {
  const code = foldKey(typed);
  const [, first, second] = SEAT_CODE.exec(code.replaceAll('-', '')) ?? [];
  return first === undefined ? code : `STUDIO-${first}-${second}`;
}

/** A redeemed seat, with all fields of its redemption. */
export type RedeemedSeat = { readonly [Field in keyof Seat]: NonNullable<Seat[Field]> };

/** Whether a seat has been used. */
export function isRedeemed(seat: Seat): seat is RedeemedSeat {
  return seat.redeemedAt !== null;
}

/** The status of a seat in replies (rules 3.4). */
export function seatStatus({ redeemedAt }: Pick<Seat, 'redeemedAt'>): (typeof SEAT_STATUSES)[number] {
  return redeemedAt === null ? 'available' : 'redeemed';
}

/**
 * The refusal to redeem a seat of a locked order; null when it can be redeemed (rules 4.9.3). A used code is refused
 * first, even for its own redeemer: `redeemedBy` distinguishes a retry from a theft.
 *
 * @param isHolder whether the redeemer already has a seat of this order
 */
export function refusalForRedemption(
  seat: Seat,
  isHolder: boolean,
): Refusal<'seat_code_redeemed' | 'seat_already_held'> | null {
  if (seat.redeemedAt !== null)
    return refuse('seat_code_redeemed', { extra: { redeemedBy: seat.redeemedBy, redeemedAt: seat.redeemedAt } });
  return isHolder ? refuse('seat_already_held') : null;
}
