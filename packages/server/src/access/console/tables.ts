/** Describes the tables of console sessions, the keys of people, and their sign-ins. */
import { DAY_MS, HOUR_MS } from '../../ground/base/clock.ts';
import type { StoredTable } from '../../storage/contract/table.ts';

export const consoleTables: readonly StoredTable[] = [
  {
    name: 'console_session',
    carried: { byCopy: 'people sign in again' },
    grows: true,
    changes: {
      recordedBut: {
        'console_session.delete_old': 'these sessions have expired already',
        'console_session.delete_some': 'a restore ends sessions that come back with a backup',
        'console_session.keep_use': 'happens with every call and only moves the end of a session',
      },
    },
    // Late, so that nodes whose clocks differ agree that they are over.
    kept: { job: 'delete old console sessions', ageMs: DAY_MS, by: 'expires_at', key: ['session_id'] },
  },
  {
    name: 'operator_key',
    carried: { byCopy: 'people get new keys; the hashes have no use elsewhere' },
    grows: true,
    changes: { recordedBut: { 'operator_key.keep_use': 'happens with sign-ins and with the calls of sessions' } },
  },
  {
    name: 'sign_in_code',
    carried: { byCopy: 'valid for five minutes' },
    grows: false,
    changes: { unrecorded: 'holds codes for five minutes; a sign-in with one is recorded as a session' },
    kept: { job: 'delete old sign-in codes', ageMs: HOUR_MS, by: 'expires_at', key: ['hash'] },
  },
  {
    name: 'sign_in_event',
    carried: { byCopy: 'lets sign-ins of an hour share an event' },
    grows: true,
    changes: { unrecorded: 'names recorded events' },
    kept: { job: 'delete old sign-in events', ageMs: 2 * HOUR_MS, by: 'last_at', key: ['source', 'name'] },
  },
  {
    name: 'sign_in_turn',
    carried: { nowhere: 'a row that only serves as a lock; without its row the next sign-in inserts it' },
    grows: false,
    changes: { unrecorded: 'is only a lock' },
  },
];
