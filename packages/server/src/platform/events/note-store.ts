/** Reads notes of many licenses, in the order of licenses and of each license's changes. */
import { listOf, type Sql, statement } from '../../storage/contract/storage.ts';
import type { StoredRow } from '../../storage/contract/table.ts';
import { type Note, noteOf } from './note.ts';
import { eventTable } from './store.ts';

const COLUMNS = eventTable.select('e');

const listFrom = statement(
  'event.list_notes_of_all',
  (dialect) => `select ${COLUMNS} from event e
    where ${dialect.afterCursor({}, { 'e.license_key': '$1', 'e.license_number': '$2' }, { isRising: true })}
      and e.type = 'license.noted'
    order by e.license_key, e.license_number limit $3`,
);

/** A note with its number among the changes of its license. */
export type NumberedNote = Note & { readonly licenseNumber: number };

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
      and e.type = 'license.noted'`,
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
  return { ...noteOf(event), licenseNumber: event.licenseNumber ?? 0 };
}
