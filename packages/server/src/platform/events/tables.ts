/** Describes the table of events. */
import type { StoredTable } from '../../storage/contract/table.ts';

/** Why statements that forget a customer are recorded nowhere by themselves. */
export const FORGETTING = 'forgetting a customer is one event, without the forgotten data';

/** Why statements that move rows to a new key are recorded nowhere by themselves. */
export const REPLACING = 'the replacement of a key is recorded with both licenses';

export const eventTables: readonly StoredTable[] = [
  {
    name: 'event',
    carried: {
      inPart:
        'only notes on licenses (type `license.noted`): other events record changes by this service, and an import records its own',
    },
    replacedKey: { stays: 'records the changes of its license; the new license gets the notes' },
    grows: true,
    changes: {
      recordedBut: {
        'event.delete_old': 'an event is deleted when its retention ends',
        'event.enter_late_indexes': 'moves an event into indexes and changes nothing that a reader sees',
        'event.enter_sales': 'notes that the figures of sales include an event, and changes nothing that a reader sees',
        'event.rewrite': `${FORGETTING}; deleting a note is one event, too`,
      },
    },
    addresses: ['before_facts', 'after_facts'],
  },
  {
    name: 'event_feed',
    carried: { byCopy: 'the order in which this service committed its events' },
    grows: true,
    changes: { unrecorded: 'is the order in which events were committed' },
  },
];
