/** Events that hold what is to be forgotten. Nothing else of an event is ever changed. */
import { type Sql, statement, type Tx } from '../storage/storage.ts';
import type { StoredRow } from '../storage/table.ts';
import type { Event } from './event.ts';
import { eventTable } from './store.ts';

const REWRITTEN_FIELDS = ['subject', 'before', 'after'] as const;
const COLUMNS = eventTable.select('e', ['eventId', ...REWRITTEN_FIELDS]);

/** What may be rewritten of an event. */
export type RewritableEvent = Pick<Event, 'eventId' | (typeof REWRITTEN_FIELDS)[number]>;

const listOfSubject = statement(
  'event.list_to_rewrite_of_subject',
  `select ${COLUMNS} from event e
   where e.license_key is null and e.subject = $1 and e.event_id > $2 order by e.event_id limit $3`,
);

const listNotes = statement(
  'event.list_notes_to_rewrite',
  // The second condition is that of the index.
  `select ${COLUMNS} from event e
   where e.type = 'license.noted' and e.type <> 'activation.created' and e.event_id > $1 order by e.event_id limit $2`,
);

const findFormer = statement(
  'event.find_license_of_former_email',
  `select e.license_key as "licenseKey" from event e
   where e.type = 'license.email_changed' and e.subject = $1 limit 1`,
);

const listFormer = statement(
  'event.list_email_changes',
  `select ${COLUMNS} from event e
   where e.type = 'license.email_changed' and e.subject = $1 and e.license_key = $2 limit $3`,
);

const rewrite = eventTable.update('event.rewrite', ['eventId'], REWRITTEN_FIELDS);

/** Events of a thing that is no license and belongs to none, such as a studio order, after one of them ('' is before all). */
export async function listEventsOfSubject(sql: Sql, subject: string, after: string, most: number) {
  return (await sql.all<StoredRow>(listOfSubject, subject, after, most)).map(eventFrom);
}

/** Notes on any license, likewise. */
export async function listNotesAfter(sql: Sql, after: string, most: number) {
  return (await sql.all<StoredRow>(listNotes, after, most)).map(eventFrom);
}

/** A license that once had an e-mail address, without case, as long as its events tell. */
export async function findLicenseOfFormerEmail(sql: Sql, emailFolded: string): Promise<string | undefined> {
  return (await sql.first<{ readonly licenseKey: string }>(findFormer, emailFolded))?.licenseKey;
}

/** Events by which a license lost an e-mail address, without case. */
export async function listEmailChanges(sql: Sql, licenseKey: string, emailFolded: string, most: number) {
  return (await sql.all<StoredRow>(listFormer, emailFolded, licenseKey, most)).map(eventFrom);
}

/** Writes what events are to say from now on. */
export async function rewriteEvents(tx: Tx, events: readonly RewritableEvent[]): Promise<void> {
  if (events.length > 0) await tx.run(rewrite, eventTable.rows(events, ['eventId', ...REWRITTEN_FIELDS]));
}

function eventFrom(row: StoredRow): RewritableEvent {
  return eventTable.restore<RewritableEvent>(row);
}
