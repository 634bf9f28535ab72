/** Describes the tables of replies kept for safe retries. */
import { DAY_MS } from '../../ground/base/clock.ts';
import type { StoredTable } from '../../storage/contract/table.ts';

export const keptReplyTables: readonly StoredTable[] = [
  {
    name: 'idempotent_reply',
    carried: { byCopy: 'encrypted answers for the retries of one day' },
    grows: true,
    changes: { unrecorded: 'holds answers for a day' },
  },
  {
    name: 'kept_reply_room',
    carried: { byCopy: 'bytes of these answers by caller and day' },
    grows: false,
    changes: { unrecorded: 'counts bytes of these answers' },
    // Late, so that nodes whose clocks differ agree that the day is over.
    kept: { job: 'delete old room of replies', ageMs: 2 * DAY_MS, by: 'day_begins_at', key: ['caller'] },
  },
];
