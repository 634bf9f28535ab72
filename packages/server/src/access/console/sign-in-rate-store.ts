/** Stored sign-in counts of keys; see sign-in-rate.ts. */

import { recentCountsIn } from '../../ground/base/recent-counts.ts';
import type { SharedEvent } from '../../platform/events/event.ts';
import { type Sql, statement, type Tx } from '../../storage/contract/storage.ts';
import { isFiniteNumber, isText, recordOf } from '../../storage/contract/stored-json.ts';
import { jsonColumn, type StoredRow, Table, textColumn } from '../../storage/contract/table.ts';
import type { ConsoleSession } from './session.ts';
import { noSignIns, type SignInRate } from './sign-in-rate.ts';

const rateTable = new Table<SignInRate>('sign_in_rate', {
  source: textColumn('source'),
  name: textColumn('name'),
  counts: jsonColumn('counts', recentCountsIn),
  createdEvent: jsonColumn('created_event', sharedEventIn),
  endedEvent: jsonColumn('ended_event', sharedEventIn),
  lastAt: textColumn('last_at'),
});

const find = statement(
  'sign_in_rate.find',
  `select ${rateTable.select('r')} from sign_in_rate r where r.source = $1 and r.name = $2`,
);

const CHANGED = rateTable
  .columns(['counts', 'createdEvent', 'endedEvent', 'lastAt'])
  .map((column) => `${column} = excluded.${column}`);

const save = rateTable.insert('sign_in_rate.save', {
  conflict: `on conflict (source, name) do update set ${CHANGED.join(', ')}`,
});

/** The event in a stored value of unknown form. */
function sharedEventIn(stored: unknown): SharedEvent | null {
  const { eventId, firstAt, count } = recordOf(stored);
  return isText(eventId) && isFiniteNumber(firstAt) && isFiniteNumber(count) ? { eventId, firstAt, count } : null;
}

/** The recent sign-ins of a session's key. */
export async function findSignInRate(sql: Sql, session: ConsoleSession): Promise<SignInRate> {
  const row = await sql.first<StoredRow>(find, session.source, session.name ?? '');
  return row === undefined ? noSignIns(session) : rateTable.restore(row);
}

/** Stores a sign-in rate; the caller holds the turn of sign-ins (access/console/sign-in-store.ts). */
export async function saveSignInRate(tx: Tx, rate: SignInRate): Promise<void> {
  await tx.run(save, rateTable.rows([rate], rateTable.fields));
}
