/** Events that contain data to forget, or a note to delete. Nothing else in an event ever changes. */
import { type Sql, statement, type Tx } from '../../storage/contract/storage.ts';
import type { StoredRow } from '../../storage/contract/table.ts';
import type { Event } from './event.ts';
import { eventTable } from './store.ts';

const REWRITTEN_FIELDS = ['subject', 'before', 'after'] as const;
const COLUMNS = eventTable.select('e', ['eventId', ...REWRITTEN_FIELDS]);

/** The fields of an event that may be rewritten. */
export type RewritableEvent = Pick<Event, 'eventId' | (typeof REWRITTEN_FIELDS)[number]>;

const listOfSubject = statement(
  'event.list_to_rewrite_of_subject',
  `select ${COLUMNS} from event e
   where e.license_key is null and e.subject = $1 and e.event_id > $2 order by e.event_id limit $3`,
);

const listNotes = statement(
  'event.list_notes_to_rewrite',
  // The second condition repeats that of the index.
  `select ${COLUMNS} from event e
   where e.type = 'license.noted' and e.type <> 'activation.created' and e.event_id > $1 order by e.event_id limit $2`,
);

/** The subject of these events is a former address of the license, or a user who was released; both case-folded. */
const NAMES_FORMER = "e.type in ('license.email_changed', 'user.released')";

/** The facts of these events name the user of a machine. */
export const NAMES_USER = `e.type in ('activation.created', 'activation.deleted', 'activation.moved')
    and (e.before_facts like '%"user":%' or e.after_facts like '%"user":%')`;

const listOfUsers = statement(
  'event.list_to_rewrite_of_users',
  `select ${COLUMNS} from event e
   where ${NAMES_USER} and (e.subject, e.event_id) > ($1, $2) order by e.subject, e.event_id limit $3`,
);

const findFormer = statement(
  'event.find_license_of_former_name',
  `select e.license_key as "licenseKey" from event e
   where ${NAMES_FORMER} and e.subject = $1 limit 1`,
);

const listFormer = statement(
  'event.list_of_former_name',
  `select ${COLUMNS} from event e
   where ${NAMES_FORMER} and e.subject = $1 and e.license_key = $2 limit $3`,
);

const listFormerEmails = statement(
  'event.list_former_emails',
  `select distinct e.subject as "email" from event e
   where e.type = 'license.email_changed' and e.license_key = $1 and e.subject is not null order by e.subject limit $2`,
);

const rewrite = eventTable.update('event.rewrite', ['eventId'], REWRITTEN_FIELDS);

/** Events of a thing without a license, such as a studio order, after a given event ('' is before all). */
export async function listEventsOfSubject(sql: Sql, subject: string, after: string, most: number) {
  return (await sql.all<StoredRow>(listOfSubject, subject, after, most)).map(eventFrom);
}

/** Notes on any license, after a given event ('' is before all). */
export async function listNotesAfter(sql: Sql, after: string, most: number) {
  return (await sql.all<StoredRow>(listNotes, after, most)).map(eventFrom);
}

/** The last event of a page: its subject, which is the machine, and its id. */
export type UserEventCursor = readonly [subject: string, eventId: string];

/** Events of machines that name a user, on any license, after a given one. */
export async function listUserEventsAfter(sql: Sql, [subject, eventId]: UserEventCursor, most: number) {
  return (await sql.all<StoredRow>(listOfUsers, subject, eventId, most)).map(eventFrom);
}

/** A license that once had a case-folded e-mail address or a user of this name, as long as its events exist. */
export async function findLicenseOfFormerName(sql: Sql, emailFolded: string): Promise<string | undefined> {
  return (await sql.first<{ readonly licenseKey: string }>(findFormer, emailFolded))?.licenseKey;
}

/** Events that replaced a license's case-folded e-mail address, or released a user of this name. */
export async function listEventsOfFormerName(sql: Sql, licenseKey: string, emailFolded: string, most: number) {
  return (await sql.all<StoredRow>(listFormer, emailFolded, licenseKey, most)).map(eventFrom);
}

/** The case-folded addresses that a license had before, each once, as long as its events exist. */
export async function listFormerEmailsOf(sql: Sql, licenseKey: string, most: number): Promise<readonly string[]> {
  return (await sql.all<{ readonly email: string }>(listFormerEmails, licenseKey, most)).map(({ email }) => email);
}

/** Writes the rewritten fields of events. */
export async function rewriteEvents(tx: Tx, events: readonly RewritableEvent[]): Promise<void> {
  if (events.length > 0) await tx.run(rewrite, eventTable.rows(events, ['eventId', ...REWRITTEN_FIELDS]));
}

function eventFrom(row: StoredRow): RewritableEvent {
  return eventTable.restore<RewritableEvent>(row);
}
