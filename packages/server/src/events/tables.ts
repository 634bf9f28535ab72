/** Describes the table of events. */
import type { StoredTable } from '../storage/table.ts';

/** Why statements that forget a customer are recorded nowhere by themselves. */
export const FORGETTING = 'the forgetting of a customer is recorded once, without what was forgotten';

export const eventTables: readonly StoredTable[] = [
  {
    name: 'event',
    carried: {
      inPart:
        'the notes on licenses alone (type `license.noted`): the other events tell what this service did, and an import records events of its own',
    },
    grows: true,
    changes: {
      recordedBy: 'events/record.ts',
      but: {
        'event.delete_old': 'an event is deleted when its retention ends',
        'event.enter_index_by_product': 'moves an event into an index and changes nothing that a reader sees',
        'event.rewrite': FORGETTING,
      },
    },
    addresses: ['before_facts', 'after_facts'],
  },
];
