/** The endpoints of discount codes, in the order of rules 4.7. */
import { createDiscountCode } from './create-discount-code.ts';
import { deleteDiscountCode } from './delete-discount-code.ts';
import { listDiscountCodes } from './list-discount-codes.ts';
import { listRedemptions } from './list-redemptions.ts';
import { redeemTrialCode } from './redeem-trial-code.ts';
import { updateDiscountCode } from './update-discount-code.ts';

export const discountCodeEndpoints = [
  createDiscountCode,
  listDiscountCodes,
  updateDiscountCode,
  deleteDiscountCode,
  redeemTrialCode,
  listRedemptions,
];
