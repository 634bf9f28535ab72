/** Describes the tables of licenses, their machines, violations and tokens. */
import { DAY_MS } from '../clock.ts';
import { FORGETTING } from '../events/tables.ts';
import type { StoredTable } from '../storage/table.ts';

export const licenseTables: readonly StoredTable[] = [
  {
    name: 'license',
    carried: 'everywhere',
    grows: true,
    changes: {
      recordedBy: 'licenses/save.ts',
      but: {
        'license.mark_lapsed': 'the mark helps lists and decides nothing',
        'license.mark_lapsed_singly': 'the mark helps lists and decides nothing',
        'license.mark_unlapsed': 'the mark helps lists and decides nothing',
        'license.mark_unlapsed_singly': 'the mark helps lists and decides nothing',
      },
    },
    addresses: ['email', 'email_folded'],
  },
  {
    name: 'activation',
    carried: 'everywhere',
    grows: true,
    changes: {
      recordedBy: 'licenses/save.ts',
      but: {
        'activation.release_lapsed': 'a lapsed session has ended already',
        'activation.index_new': 'the mark helps searches and decides nothing',
        'activation.index_new_singly': 'the mark helps searches and decides nothing',
        'activation.rename': FORGETTING,
      },
    },
    addresses: ['hostname'],
  },
  {
    name: 'violation',
    carried: 'everywhere',
    grows: true,
    changes: {
      recordedBy: 'licenses/save.ts',
      but: {
        'violation.rewrite': FORGETTING,
      },
    },
    addresses: ['evidence'],
  },
  {
    name: 'session_pool',
    carried: { byCopy: 'an index of licenses with sessions, for lists' },
    grows: true,
    changes: { unrecorded: 'is an index for lists and decides nothing' },
  },
  {
    name: 'support_extension',
    carried: { byCopy: 'counts for a limit' },
    grows: true,
    changes: { unrecorded: 'counts for a limit; each extension is recorded with its license' },
    // Support's extensions of a license count for 30 days (rules 5.6).
    kept: { job: 'delete old extensions by support', ageMs: 31 * DAY_MS, by: 'last_at', key: ['license_key'] },
  },
  {
    name: 'token_key',
    carried: { byCopy: 'secrets of this service' },
    grows: false,
    changes: {
      recordedBy: 'licenses/token-keys.ts',
      but: {
        'token_key.insert': 'the service makes keys by itself; commands that make keys print them',
        'token_key.raise_lifetime': 'extends the use of a key and changes nothing that it signs',
      },
    },
  },
];
