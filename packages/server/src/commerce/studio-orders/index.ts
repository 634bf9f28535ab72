/** The endpoints of studio orders (several seats of a course bought together), in the order of rules 4.9. */
import type { Slice } from '../../platform/slice/slice.ts';
import { createStudioOrder } from './create-studio-order.ts';
import { getStudioOrder } from './get-studio-order.ts';
import { listStudioOrders } from './list-studio-orders.ts';
import { redeemSeatCode } from './redeem-seat-code.ts';
import { studioOrderRefusals } from './refusals.ts';
import { searchStudioOrders } from './search-studio-orders.ts';
import { studioOrderTables } from './tables.ts';
import { validateSeatCode } from './validate-seat-code.ts';

export const studioOrders: Slice = {
  refusals: [studioOrderRefusals],
  sections: [
    {
      title: 'Studio orders',
      description: 'Several seats of one course, bought together and redeemed by code, one seat a person.',
      endpoints: [
        createStudioOrder,
        validateSeatCode,
        redeemSeatCode,
        getStudioOrder,
        listStudioOrders,
        searchStudioOrders,
      ],
    },
  ],
  tables: studioOrderTables,
};
