/** Describes the tables of studio orders and their seats. */
import { FORGETTING } from '../../platform/events/tables.ts';
import type { StoredTable } from '../../storage/contract/table.ts';

export const studioOrderTables: readonly StoredTable[] = [
  {
    name: 'studio_order',
    carried: 'everywhere',
    grows: true,
    changes: {
      recordedBut: {
        'studio_order.forget': FORGETTING,
      },
    },
    addresses: ['buyer_email'],
  },
  {
    name: 'seat',
    carried: 'everywhere',
    grows: true,
    changes: {
      recordedBut: {
        'seat.forget': FORGETTING,
      },
    },
    addresses: ['redeemed_by'],
  },
];
