/** Lists the changes of a database since a moment by its events, as far back as they are kept. */
import { type Event, eventIdBound } from '../../platform/events/event.ts';
import type { EventType } from '../../platform/events/event-types.ts';
import { scanEventsUp } from '../../platform/events/scan-store.ts';
import type { Sql } from '../../storage/contract/storage.ts';
import { causeOf, extension, type ReportedChange } from './change.ts';
import { eventPages } from './state-store.ts';

/** Events of one type that are read at a time. */
const EVENTS_AT_ONCE = 200;

const textOr = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** The reported changes of an event, by its type: one event may both revoke and extend a license. */
const REPORTED: Readonly<Partial<Record<EventType, (event: Event) => readonly ReportedChange[]>>> = {
  'license.created': (event) => [{ change: 'license.issued', ...licenseOf(event) }],
  'license.revoked': (event) => [revokedBy(event)],
  'license.reinstated': (event) => (event.after?.status === undefined ? [] : [reinstatedBy(event)]),
  'license.updated': (event) => [...revocationsOf(event), ...extensionsOf(event)],
  'license.renewed': extensionsOf,
  'customer.forgotten': (event) =>
    event.subject === null
      ? []
      : [
          {
            change: 'customer.forgotten',
            ...causeOf(event),
            pseudonym: event.subject,
            licenses: typeof event.after?.licenses === 'number' ? event.after.licenses : null,
          },
        ],
  'api_key.created': (event) => [{ change: 'api_key.created', ...keyOf(event), creatorId: event.creatorId }],
  'api_key.revoked': (event) => [
    {
      change: 'api_key.revoked',
      ...keyOf(event),
      creatorId: event.creatorId,
      ...(typeof event.after?.revoked === 'number' ? { keys: event.after.revoked } : {}),
    },
  ],
  'operator_key.created': (event) => [{ change: 'operator_key.created', ...keyOf(event) }],
  'operator_key.revoked': (event) => [{ change: 'operator_key.revoked', ...keyOf(event) }],
  'token_key.dropped': (event) => [{ change: 'token_key.dropped', ...causeOf(event), key: event.subject }],
};

function licenseOf(event: Event) {
  return { ...causeOf(event), licenseKey: event.licenseKey ?? '', productId: event.productId };
}

function keyOf(event: Event) {
  const name = textOr(event.after?.name) ?? textOr(event.before?.name);
  return { ...causeOf(event), key: event.subject, name };
}

function revokedBy(event: Event): ReportedChange {
  return { change: 'license.revoked', ...licenseOf(event), revocation: textOr(event.after?.revocation) };
}

function reinstatedBy(event: Event): ReportedChange {
  return { change: 'license.reinstated', ...licenseOf(event) };
}

/** A change of the status overrides the revocation without an event of its own type. */
function revocationsOf(event: Event): readonly ReportedChange[] {
  const { after } = event;
  if (after === null || !('revocation' in after)) return [];
  return [after.revocation === null ? reinstatedBy(event) : revokedBy(event)];
}

function extensionsOf(event: Event): readonly ReportedChange[] {
  const { before, after } = event;
  if (after === null || !('expiresAt' in after)) return [];
  const [from, to] = [textOr(before?.expiresAt), textOr(after.expiresAt)];
  return [{ change: extension(from, to), ...licenseOf(event), from, to }];
}

/**
 * Yields the changes since a moment, oldest first. Dropped keys of license files and new keys of session tokens are
 * missing, because they have no events.
 *
 * @param since milliseconds since 1970
 */
export async function* changesSince(sql: Sql, since: number): AsyncGenerator<ReportedChange> {
  const streams = (Object.keys(REPORTED) as EventType[]).map((type) => eventsUp(sql, type, eventIdBound(since)));
  const next: (Event | undefined)[] = [];
  // Sequentially, because they share a connection.
  for (const stream of streams) next.push((await stream.next()).value);
  for (;;) {
    let first = -1;
    for (const [index, event] of next.entries())
      if (event && (first === -1 || event.eventId < next[first]!.eventId)) first = index;
    const event = next[first];
    if (!event) return;
    yield* REPORTED[event.type]!(event);
    next[first] = (await streams[first]!.next()).value;
  }
}

/** The events of a type from an id on, oldest first. */
async function* eventsUp(sql: Sql, type: EventType, from: string): AsyncGenerator<Event, undefined> {
  for await (const page of eventPages(from, (after) => scanEventsUp(sql, type, after, EVENTS_AT_ONCE))) yield* page;
}
