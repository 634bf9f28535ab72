/** Describes the tables of discount codes and their redemptions. */
import { FORGETTING } from '../../platform/events/tables.ts';
import type { StoredTable } from '../../storage/contract/table.ts';

export const discountCodeTables: readonly StoredTable[] = [
  {
    name: 'discount_code',
    carried: 'everywhere',
    grows: true,
    changes: 'recorded',
  },
  {
    name: 'redemption',
    carried: 'everywhere',
    replacedKey: { stays: 'names the license that the code gave' },
    grows: true,
    changes: {
      recordedBut: {
        'redemption.forget': FORGETTING,
        'redemption.forget_repeated': FORGETTING,
      },
    },
    addresses: ['email_folded'],
  },
];
