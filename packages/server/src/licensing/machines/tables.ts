/** Describes the tables of machines and their sessions. */
import { FORGETTING, REPLACING } from '../../platform/events/tables.ts';
import type { StoredTable } from '../../storage/contract/table.ts';

export const machineTables: readonly StoredTable[] = [
  {
    name: 'activation',
    carried: 'everywhere',
    replacedKey: { moves: ['license_key'] },
    grows: true,
    changes: {
      recordedBut: {
        'activation.release_lapsed': 'a lapsed session has ended already',
        'activation.touch': 'a sign of life changes no right',
        'activation.index_new': 'the mark helps searches and decides nothing',
        'activation.rename': FORGETTING,
        'activation.rename_user': FORGETTING,
        'activation.follow_license_key': REPLACING,
      },
    },
    addresses: ['hostname', 'user_name', 'user_folded'],
  },
  {
    name: 'license_user',
    carried: 'everywhere',
    replacedKey: { moves: ['license_key'] },
    grows: true,
    changes: {
      recordedBut: { 'license_user.rename': FORGETTING, 'license_user.follow_license_key': REPLACING },
    },
    addresses: ['user_name', 'user_folded'],
  },
  {
    name: 'session_pool',
    carried: { byCopy: 'an index of licenses with sessions, for lists' },
    replacedKey: { moves: ['license_key'] },
    grows: true,
    changes: { unrecorded: 'is an index for lists and decides nothing' },
  },
];
