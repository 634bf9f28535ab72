/** Describes the tables of the storefront's reports. */
import type { StoredTable } from '../../storage/contract/table.ts';

export const storefrontTables: readonly StoredTable[] = [
  {
    name: 'storefront_event',
    carried: { byCopy: 'events that the storefront reported to this service' },
    replacedKey: { stays: 'is a record of reports; the old license links to the new one' },
    grows: true,
    changes: { unrecorded: 'is itself a record of reports' },
    addresses: ['email'],
  },
  {
    name: 'storefront_delivery',
    carried: { byCopy: 'ids of events that this service applied' },
    replacedKey: { stays: 'is found by its event; the old license leads to the new one' },
    grows: true,
    changes: { unrecorded: 'holds ids of reported events' },
  },
  {
    name: 'sold_unit',
    carried: 'everywhere',
    replacedKey: { moves: ['license_key', 'first_key'] },
    grows: true,
    changes: { unrecorded: 'ties licenses to lines and subscriptions; the licenses record their changes' },
  },
  {
    name: 'purchase',
    carried: { byCopy: 'a lock for deliveries of the storefront; the license has the purchaseId' },
    grows: true,
    changes: { unrecorded: 'is only a lock for deliveries' },
  },
];
