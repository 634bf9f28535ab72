/** The events that the sign-ins of one key share, so that they do not fill the history. */
import type { SharedEvent } from '../../platform/events/event.ts';
import { type Sql, statement, type Tx } from '../../storage/contract/storage.ts';
import { isFiniteNumber, isText, recordOf } from '../../storage/contract/stored-json.ts';
import { jsonColumn, type StoredRow, Table, textColumn } from '../../storage/contract/table.ts';
import type { ConsoleSession } from './session.ts';

/** The events of one key, or of one name with the admin secret. */
export interface SignInEvents {
  /** As in {@link ConsoleSession}. */
  readonly source: string;
  /** Empty for a session without a name. */
  readonly name: string;
  /** The event of started sessions; null before the first. */
  readonly createdEvent: SharedEvent | null;
  /** The event of sessions ended to make room; null without any. */
  readonly endedEvent: SharedEvent | null;
  /** The event of refused people without rights; null without any. */
  readonly refusedEvent: SharedEvent | null;
  readonly lastAt: string;
}

const eventTable = new Table<SignInEvents>('sign_in_event', {
  source: textColumn('source'),
  name: textColumn('name'),
  createdEvent: jsonColumn('created_event', sharedEventIn),
  endedEvent: jsonColumn('ended_event', sharedEventIn),
  refusedEvent: jsonColumn('refused_event', sharedEventIn),
  lastAt: textColumn('last_at'),
});

const find = statement(
  'sign_in_event.find',
  `select ${eventTable.select('e')} from sign_in_event e where e.source = $1 and e.name = $2`,
);

const CHANGED = eventTable
  .columns(['createdEvent', 'endedEvent', 'refusedEvent', 'lastAt'])
  .map((column) => `${column} = excluded.${column}`);

const save = eventTable.insert('sign_in_event.save', {
  conflict: `on conflict (source, name) do update set ${CHANGED.join(', ')}`,
});

/** The event in a stored value of unknown form. */
function sharedEventIn(stored: unknown): SharedEvent | null {
  const { eventId, firstAt, count } = recordOf(stored);
  return isText(eventId) && isFiniteNumber(firstAt) && isFiniteNumber(count) ? { eventId, firstAt, count } : null;
}

/** The events of a session's key. */
export async function findSignInEvents(
  sql: Sql,
  { source, name }: Pick<ConsoleSession, 'source' | 'name'>,
): Promise<SignInEvents> {
  const row = await sql.first<StoredRow>(find, source, name ?? '');
  if (row !== undefined) return eventTable.restore(row);
  return { source, name: name ?? '', createdEvent: null, endedEvent: null, refusedEvent: null, lastAt: '' };
}

/** Stores the events; the caller holds the turn of sign-ins (access/console/sign-in-store.ts). */
export async function saveSignInEvents(tx: Tx, events: SignInEvents): Promise<void> {
  await tx.run(save, eventTable.rows([events], eventTable.fields));
}
