/** Notes on licenses: finds one, deletes one, and reads those of many licenses in the order of their changes. */
import { listOf, type Sql, statement, type Tx } from '../../storage/contract/storage.ts';
import type { StoredRow } from '../../storage/contract/table.ts';
import type { Event } from './event.ts';
import { type Note, noteOf } from './note.ts';
import { rewriteEvents } from './rewrite-store.ts';
import { eventTable } from './store.ts';

const COLUMNS = eventTable.select('e');

/** A note that was not deleted: see {@link deleteNote}. */
export const IS_NOTE = "e.type = 'license.noted' and e.after_facts <> 'null'";

const find = statement(
  'event.find_note',
  `select ${COLUMNS} from event e where e.event_id = $1 and e.license_key = $2 and ${IS_NOTE}`,
);

/** Returns the event of a note on a license; undefined if there is none, or the note was deleted. */
export async function findNote(sql: Sql, licenseKey: string, eventId: string): Promise<Event | undefined> {
  const row = await sql.first<StoredRow>(find, eventId, licenseKey);
  return row && eventTable.restore<Event>(row);
}

/**
 * Deletes the text of a note. Its event stays, without facts, because later events of the license link to it, and is
 * deleted with other old events. The caller holds the lock of the license.
 */
export async function deleteNote(tx: Tx, eventId: string): Promise<void> {
  await rewriteEvents(tx, [{ eventId, subject: null, before: null, after: null }]);
}

const listFrom = statement(
  'event.list_notes_of_all',
  (dialect) => `select ${COLUMNS} from event e
    where ${dialect.afterCursor({}, { 'e.license_key': '$1', 'e.license_number': '$2' }, { isRising: true })}
      and ${IS_NOTE}
    order by e.license_key, e.license_number limit $3`,
);

/** A note with its event, and with its number among the changes of its license. */
export type NumberedNote = Note & { readonly eventId: string; readonly licenseNumber: number };

/** Notes of all licenses after a given one; null starts with the first. */
export async function listNotesOfAll(
  sql: Sql,
  after: Pick<NumberedNote, 'licenseKey' | 'licenseNumber'> | null,
  limit: number,
): Promise<NumberedNote[]> {
  const { licenseKey, licenseNumber } = after ?? { licenseKey: '', licenseNumber: 0 };
  return (await sql.all<StoredRow>(listFrom, licenseKey, licenseNumber, limit)).map(numberedNote);
}

const listBetween = statement(
  'event.list_notes_between',
  (dialect) => `select ${COLUMNS} from event e
    where e.license_key ${dialect.among('$1')} and e.license_number > $2 and e.license_number <= $3
      and ${IS_NOTE}`,
);

/** Changes of licenses searched for notes per statement; each yields at most one note. */
const CHANGES_AT_ONCE = 4_000;

/**
 * All notes of some licenses, in batches of bounded size.
 *
 * @param licenses each once, at most {@link CHANGES_AT_ONCE}; `eventCount` is the number of recorded changes
 */
export async function* listNotesOfLicenses(
  sql: Sql,
  licenses: readonly { readonly licenseKey: string; readonly eventCount: number }[],
): AsyncGenerator<NumberedNote[]> {
  // Starts with the first change of each license. The fewer licenses have further changes, the more changes of each are
  // read at a time.
  for (let after = 0; ; ) {
    const keys = licenses.flatMap(({ licenseKey, eventCount }) => (eventCount > after ? [licenseKey] : []));
    if (keys.length === 0) return;
    const last = after + Math.max(1, Math.floor(CHANGES_AT_ONCE / keys.length));
    yield (await sql.all<StoredRow>(listBetween, listOf(keys), after, last)).map(numberedNote);
    after = last;
  }
}

function numberedNote(row: StoredRow): NumberedNote {
  const event = eventTable.restore(row);
  return { ...noteOf(event), eventId: event.eventId, licenseNumber: event.licenseNumber ?? 0 };
}
