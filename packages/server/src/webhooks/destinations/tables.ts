/** Describes the tables of destinations. */
import type { StoredTable } from '../../storage/contract/table.ts';

export const destinationTables: readonly StoredTable[] = [
  {
    name: 'destination',
    carried: { byCopy: 'sealed secrets of this service; a copy leaves destinations paused' },
    grows: true,
    changes: 'recorded',
  },
  {
    name: 'destination_turn',
    carried: {
      nowhere: 'a lock, and a version that tells nodes of changes; without its row the next change inserts version 1',
    },
    grows: false,
    changes: { unrecorded: 'is a row to lock, with the number of its locks' },
  },
  {
    name: 'destination_change',
    carried: { nowhere: 'the last 1,000 changes, for senders that loaded destinations before; a copy has none' },
    grows: false,
    changes: { unrecorded: 'names the destinations of recorded changes, and of requests to send again' },
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
