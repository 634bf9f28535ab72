/** Describes the tables of destinations. */
import type { StoredTable } from '../../storage/contract/table.ts';

export const destinationTables: readonly StoredTable[] = [
  {
    name: 'destination',
    carried: { byCopy: 'sealed secrets of this service; a copy leaves destinations paused' },
    grows: true,
    changes: { recordedBy: 'webhooks/destinations/change.ts' },
  },
  {
    name: 'destination_turn',
    carried: { nowhere: 'a row that only serves as a lock; the next change of a destination inserts it' },
    grows: false,
    changes: { unrecorded: 'is a row to lock' },
  },
  {
    name: 'destination_progress',
    carried: { byCopy: 'progress of each destination' },
    grows: true,
    changes: { unrecorded: 'says how far a destination has come, and changes with every delivery' },
  },
  {
    name: 'destination_key',
    carried: { byCopy: 'the API keys that created or changed each destination' },
    grows: true,
    changes: { unrecorded: 'follows from the recorded changes of destinations' },
  },
  {
    name: 'event_replay',
    carried: { byCopy: 'replays under way, which go on in the copy when its destinations are resumed' },
    grows: true,
    changes: { unrecorded: 'says how far a replay has come' },
  },
];
