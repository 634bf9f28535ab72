/** Describes the tables of connectors. */
import type { StoredTable } from '../../storage/contract/table.ts';

const OF_CONNECTORS = 'sales as sellers told them to this service';

export const connectorTables: readonly StoredTable[] = [
  {
    name: 'connector',
    carried: { byCopy: 'sealed secrets of this service' },
    grows: true,
    changes: 'recorded',
  },
  {
    name: 'connector_mapping',
    carried: { byCopy: 'names at the sellers of this service' },
    grows: true,
    changes: 'recorded',
  },
  {
    name: 'connector_catch_up',
    carried: { byCopy: 'when this service asks its sellers; a copy keeps it only with `--keep-sending`' },
    grows: true,
    changes: { unrecorded: 'says when sellers are asked' },
  },
  {
    name: 'connector_remains',
    carried: { byCopy: 'names deleted connectors of this service' },
    grows: true,
    changes: { unrecorded: 'says which rows a job deletes' },
  },
  {
    name: 'connector_rejection',
    carried: { byCopy: 'counts of requests to this service' },
    grows: true,
    changes: { unrecorded: 'counts requests of strangers' },
  },
  {
    name: 'shop_event',
    carried: { byCopy: 'events that sellers delivered to this service' },
    grows: true,
    changes: { unrecorded: 'is itself a record of reports' },
    addresses: ['body', 'looked_up'],
    kept: { job: 'delete old shop events', ageMs: 0, by: 'kept_until', key: ['event_id'] },
  },
  {
    name: 'shop_waiting',
    carried: { byCopy: OF_CONNECTORS },
    grows: true,
    changes: { unrecorded: 'says what held events wait for' },
  },
  {
    name: 'shop_subject',
    carried: { byCopy: OF_CONNECTORS },
    grows: true,
    changes: { unrecorded: 'follows from events of sellers' },
    addresses: ['email', 'email_folded'],
  },
  {
    name: 'shop_reference',
    carried: { byCopy: OF_CONNECTORS },
    grows: true,
    changes: { unrecorded: 'follows from events of sellers' },
  },
  {
    name: 'shop_unit',
    carried: { byCopy: OF_CONNECTORS },
    replacedKey: { moves: ['license_key'] },
    grows: true,
    changes: { unrecorded: 'follows from the recorded changes of licenses' },
  },
  {
    name: 'shop_key',
    carried: { byCopy: OF_CONNECTORS },
    replacedKey: { stays: 'a key that the seller issued and names' },
    grows: true,
    changes: { unrecorded: 'follows from events of sellers' },
  },
  {
    name: 'shop_fact',
    carried: { byCopy: OF_CONNECTORS },
    grows: true,
    changes: { unrecorded: 'says which facts were carried out' },
  },
  {
    name: 'shop_customer',
    carried: { byCopy: OF_CONNECTORS },
    grows: true,
    changes: { unrecorded: 'follows from events of sellers' },
    addresses: ['email', 'email_folded'],
  },
];
