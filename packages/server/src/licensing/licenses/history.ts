/**
 * The history of a license, newest first: changes and notes, refusals, violations. Events are read as far as a page
 * needs; refusals (fifty at most) and violations (few) are read completely.
 */
import Type from 'typebox';
import { PageRoom } from '../../ground/base/page-room.ts';
import type { Scope } from '../../platform/endpoint/caller.ts';
import type { ReplyOf } from '../../platform/endpoint/endpoint.ts';
import { oneOf, resource, timestamp } from '../../platform/endpoint/field-types.ts';
import { refuseCursor } from '../../platform/endpoint/page.ts';
import type { Refusal } from '../../platform/endpoint/refusals.ts';
import { type Event, isEventId } from '../../platform/events/event.ts';
import { pageOfEvents } from '../../platform/events/listing-store.ts';
import type { Sql } from '../../storage/contract/storage.ts';
import { MAX_REFUSALS_OF_LICENSE } from '../observed-calls/kept-refusal.ts';
import { listRefusals } from '../observed-calls/store.ts';
import { refusalSchema, refusalView } from '../observed-calls/view.ts';
import type { Violation } from '../violations/violation.ts';
import { eventSchema, eventView } from './event-view.ts';
import { violationSchema, violationView } from './views.ts';

const KINDS = ['event', 'note', 'refusal', 'violation'] as const;

/** The schema of an entry. */
export const historyEntrySchema = resource('HistoryEntry', 'Something that happened to a license.', {
  kind: oneOf(
    'The kind of entry; the field of that name holds its content, for a note the field `event`.',
    KINDS,
    'HistoryKind',
  ),
  at: timestamp('When; of refusals and violations, the last time; of a note that was imported, when that was.'),
  event: Type.Optional(eventSchema),
  refusal: Type.Optional(refusalSchema),
  violation: Type.Optional(violationSchema),
});
type HistoryEntry = ReplyOf<typeof historyEntrySchema>;

/** The start of a page: after this event, and after this entry of any other kind; null starts with the newest. */
export interface HistoryCursor {
  readonly event: string | null;
  readonly other: string | null;
}

/** A page of a license's history. */
export interface HistoryPage {
  readonly entries: readonly HistoryEntry[];
  /** The cursor of the next page; null on the last page. */
  readonly next: string | null;
}

/** Reads the cursor from an earlier page; refuses any other text. */
export function readHistoryCursor(cursor: string | undefined): HistoryCursor | Refusal<'invalid_field'> {
  if (cursor === undefined) return { event: null, other: null };
  const [text = '', event = '', other = ''] =
    /^([^\n]*)\n([^\0]*)$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (text === '' || !(event === '' || isEventId(event)) || !other.isWellFormed())
    return refuseCursor('historyCursor', 'nextHistoryCursor');
  return { event: event || null, other: other || null };
}

/** A page of a license's history as `reader` may see it. `violations` are all violations of the license. */
export async function listHistory(
  sql: Sql,
  licenseKey: string,
  violations: readonly Violation[],
  reader: Scope,
  cursor: HistoryCursor,
  limit: number,
): Promise<HistoryPage> {
  const page = await pageOfEvents(sql, { productIds: null, licenseKey }, cursor.event, limit + 1);
  const refusals = await listRefusals(sql, licenseKey, null, MAX_REFUSALS_OF_LICENSE);
  const others = [
    ...refusals.map((each) => ({
      place: `${each.lastAt} ${each.refusalId}`,
      entry: { kind: 'refusal', at: each.lastAt, refusal: refusalView(each) } as const,
    })),
    ...violations.map((each) => ({
      place: `${each.lastSeen} ${each.violationId}`,
      entry: { kind: 'violation', at: each.lastSeen, violation: violationView(each) } as const,
    })),
  ]
    .filter(({ place }) => cursor.other === null || place < cursor.other)
    .sort((one, other) => (one.place < other.place ? 1 : -1));
  const entries: HistoryEntry[] = [];
  const last = { ...cursor };
  const room = new PageRoom();
  let [event, other] = [0, 0];
  while (entries.length < limit) {
    const nextEvent = page.events[event];
    const nextOther = others[other];
    if (nextEvent !== undefined && (nextOther === undefined || nextEvent.occurredAt >= nextOther.entry.at)) {
      const entry = entryOfEvent(nextEvent, reader);
      if (!room.takes(entry)) break;
      entries.push(entry);
      last.event = nextEvent.eventId;
      event += 1;
    } else if (nextOther !== undefined) {
      if (!room.takes(nextOther.entry)) break;
      entries.push(nextOther.entry);
      last.other = nextOther.place;
      other += 1;
    } else break;
  }
  const isAtEnd = event === page.events.length && page.next === null && other === others.length;
  return { entries, next: isAtEnd ? null : cursorText(last) };
}

function cursorText({ event, other }: HistoryCursor): string {
  return Buffer.from(`${event ?? ''}\n${other ?? ''}`).toString('base64url');
}

function entryOfEvent(event: Event, reader: Scope): HistoryEntry {
  const kind = event.type === 'license.noted' ? 'note' : 'event';
  return { kind, at: event.occurredAt, event: eventView(event, reader) };
}
