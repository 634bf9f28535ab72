/** Describes the tables of what the storefront reported. */
import type { StoredTable } from '../storage/table.ts';

export const storefrontTables: readonly StoredTable[] = [
  {
    name: 'storefront_event',
    carried: { byCopy: 'tells what the storefront reported to this service' },
    grows: true,
    changes: { unrecorded: 'is itself a record of what was reported' },
    addresses: ['email'],
  },
  {
    name: 'storefront_delivery',
    carried: { byCopy: 'holds the ids of events that this service acted on' },
    grows: true,
    changes: { unrecorded: 'holds the ids of events that were reported' },
  },
  {
    name: 'purchase',
    carried: { byCopy: 'only orders the deliveries of the storefront; the purchaseId is on the license' },
    grows: true,
    changes: { unrecorded: 'holds what deliveries queue on and nothing else' },
  },
];
