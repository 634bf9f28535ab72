/** Describes the tables of e-mails to the operator. */
import { DAY_MS } from '../../ground/base/clock.ts';
import type { StoredTable } from '../../storage/contract/table.ts';

export const noticeTables: readonly StoredTable[] = [
  {
    name: 'operator_notice',
    carried: { byCopy: 'the conditions of this service that the operator was told of' },
    grows: false,
    changes: { unrecorded: 'says what the operator was told, and decides nothing' },
  },
  {
    name: 'node_condition',
    carried: { nowhere: 'reports of nodes, which come again within minutes' },
    grows: false,
    changes: { unrecorded: 'holds reports of nodes, which change nothing' },
    kept: { job: 'delete old reports of nodes', ageMs: DAY_MS, by: 'seen_at', key: ['kind', 'subject'] },
  },
];
