/** The endpoints of discount codes, in the order of rules 4.7. */
import type { Slice } from '../../platform/slice/slice.ts';
import { createDiscountCode } from './create-discount-code.ts';
import { deleteDiscountCode } from './delete-discount-code.ts';
import { listDiscountCodes } from './list-discount-codes.ts';
import { listRedemptions } from './list-redemptions.ts';
import { redeemTrialCode } from './redeem-trial-code.ts';
import { discountCodeRefusals } from './refusals.ts';
import { discountCodeTables } from './tables.ts';
import { updateDiscountCode } from './update-discount-code.ts';

export const discountCodes: Slice = {
  refusals: [discountCodeRefusals],
  sections: [
    {
      title: 'Discount codes',
      description: 'Codes that give a trial, redeemed by customers or with a purchase.',
      endpoints: [
        createDiscountCode,
        listDiscountCodes,
        updateDiscountCode,
        deleteDiscountCode,
        redeemTrialCode,
        listRedemptions,
      ],
    },
  ],
  tables: discountCodeTables,
};
