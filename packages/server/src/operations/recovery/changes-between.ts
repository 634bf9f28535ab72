/**
 * Finds the changes of a database since an earlier state of it, such as a backup. Compares the rows of both, because
 * events may have been deleted by then and keys of session tokens have none. Events only add the time and the author.
 */
import { isPseudonym } from '../../customers/records/address.ts';
import type { Event } from '../../platform/events/event.ts';
import type { EventType } from '../../platform/events/event-types.ts';
import { listEventsOfSubject } from '../../platform/events/rewrite-store.ts';
import { followEvents, scanEvents } from '../../platform/events/scan-store.ts';
import type { Sql } from '../../storage/contract/storage.ts';
import { type ChangeKind, causeOf, extension, type ReportedChange } from './change.ts';
import {
  eventPages,
  findLicenseStates,
  KEY_KINDS,
  type KeyKind,
  type KeyState,
  keyStates,
  LAST_EVENT,
  type LicenseState,
  licenseStates,
  presentEvents,
} from './state-store.ts';

/** Most events of a license that are searched for the one of a change. */
const EVENTS_LOOKED_AT = 100;
/** Most events that are searched for those of keys. */
const KEY_EVENTS_LOOKED_AT = 1_000;
/** Events of forgotten customers that are read at a time. */
const EVENTS_AT_ONCE = 200;

/**
 * Yields the changes that `later` has and `earlier` lacks. Each may have the tables of any version.
 *
 * @param ownSince timestamp from which `earlier` made its own keys; null if it has not changed since the backup
 */
export async function* changesBetween(
  earlier: Sql,
  later: Sql,
  ownSince: string | null = null,
): AsyncGenerator<ReportedChange> {
  const pseudonyms = new Map<string, number>();
  for await (const page of licenseStates(later)) {
    const before = await findLicenseStates(
      earlier,
      page.map(({ licenseKey }) => licenseKey),
    );
    for (const license of page) {
      const was = before.get(license.licenseKey);
      if (was === undefined) yield issuedOf(license);
      else {
        if (isPseudonym(license.email) && was.email !== license.email)
          pseudonyms.set(license.email, (pseudonyms.get(license.email) ?? 0) + 1);
        const events = isSame(was, license) ? [] : await recentEvents(later, license);
        yield* changesOfLicense(was, license, events);
      }
    }
  }
  yield* forgottenSince(earlier, later, pseudonyms);
  for (const kind of KEY_KINDS) {
    const before = await keyStates(earlier, kind);
    const after = await keyStates(later, kind);
    yield* changesOfKeys(kind, before, after, await endsOfKeys(later, kind), ownSince);
  }
}

function issuedOf({ licenseKey, productId, createdAt }: LicenseState): ReportedChange {
  return { change: 'license.issued', at: createdAt, by: null, licenseKey, productId };
}

function isSame(was: LicenseState, license: LicenseState): boolean {
  return was.revocation === license.revocation && was.expiresAt === license.expiresAt;
}

const recentEvents = (sql: Sql, { licenseKey }: LicenseState) => followEvents(sql, licenseKey, null, EVENTS_LOOKED_AT);

function* changesOfLicense(
  was: LicenseState,
  license: LicenseState,
  events: readonly Event[],
): Generator<ReportedChange> {
  const { licenseKey, productId, revocation, expiresAt } = license;
  const cause = (tells: (event: Event) => boolean) => causeOf(events.find(tells));
  if (was.revocation !== revocation) {
    // By its facts, not its type: a change of the status overrides the revocation, too.
    const reported = cause(({ after }) => after !== null && 'revocation' in after && after.revocation === revocation);
    if (revocation !== null) yield { change: 'license.revoked', ...reported, licenseKey, productId, revocation };
    else yield { change: 'license.reinstated', ...reported, licenseKey, productId };
  }
  if (was.expiresAt !== expiresAt) {
    const reported = cause(({ after }) => after?.expiresAt === expiresAt);
    yield {
      change: extension(was.expiresAt, expiresAt),
      ...reported,
      licenseKey,
      productId,
      from: was.expiresAt,
      to: expiresAt,
    };
  }
}

/** Forgotten customers: those whose event `earlier` lacks, and those known only by pseudonyms on licenses. */
async function* forgottenSince(
  earlier: Sql,
  later: Sql,
  pseudonyms: ReadonlyMap<string, number>,
): AsyncGenerator<ReportedChange> {
  const reported = new Set<string>();
  const read = (after: string) => scanEvents(later, ['type', 'customer.forgotten'], after, EVENTS_AT_ONCE);
  // A known event does not end the search: a clock that was put back dates later events before it.
  for await (const page of eventPages(LAST_EVENT, read)) {
    const known = await eventsIn(earlier, page);
    for (const event of page) {
      const { subject: pseudonym, eventId } = event;
      if (pseudonym === null) continue;
      reported.add(pseudonym);
      if (known.has(eventId) || (await isForgottenIn(earlier, pseudonym))) continue;
      yield { change: 'customer.forgotten', ...causeOf(event), pseudonym, licenses: pseudonyms.get(pseudonym) ?? 0 };
    }
  }
  for (const [pseudonym, licenses] of pseudonyms)
    if (!reported.has(pseudonym)) yield { change: 'customer.forgotten', at: null, by: null, pseudonym, licenses };
}

/** Whether that database has forgotten the customer of a pseudonym, too, for example by an earlier carry-over. */
async function isForgottenIn(sql: Sql, pseudonym: string): Promise<boolean> {
  return (await listEventsOfSubject(sql, pseudonym, '', 1)).length > 0;
}

async function eventsIn(sql: Sql, events: readonly Event[]): Promise<ReadonlySet<string>> {
  return presentEvents(
    sql,
    events.map(({ eventId }) => eventId),
  );
}

/**
 * Returns a function that finds the event by which a key was revoked or dropped, if it is still stored: by the key, or
 * by the creator if all keys of a creator were revoked at once.
 */
async function endsOfKeys(
  sql: Sql,
  kind: KeyKind,
): Promise<(key: string, creatorId: string | null) => Event | undefined> {
  const type = KEY_ENDS[kind];
  if (type === null) return () => undefined;
  const events = await scanEvents(sql, ['type', type], LAST_EVENT, KEY_EVENTS_LOOKED_AT);
  return (key, creatorId) =>
    events.find(({ subject }) => subject === key) ??
    events.find((event) => creatorId !== null && event.subject === null && event.creatorId === creatorId);
}

const KEY_ENDS = {
  api_key: 'api_key.revoked',
  operator_key: 'operator_key.revoked',
  token_key: 'token_key.dropped',
  signing_key: null,
} as const satisfies Readonly<Record<KeyKind, EventType | null>>;

function* changesOfKeys(
  kind: KeyKind,
  before: ReadonlyMap<string, KeyState>,
  after: ReadonlyMap<string, KeyState>,
  endOf: Awaited<ReturnType<typeof endsOfKeys>>,
  ownSince: string | null,
): Generator<ReportedChange> {
  const isRevocable = kind === 'api_key' || kind === 'operator_key';
  const gone: ChangeKind = isRevocable ? `${kind}.revoked` : `${kind}.dropped`;
  for (const [key, { name, creatorId, createdAt, isActive }] of after) {
    const was = before.get(key);
    const about = isRevocable ? { key, name, creatorId } : { key };
    if (was === undefined) yield { change: `${kind}.created`, at: createdAt, by: null, ...about };
    if (!isActive && was?.isActive !== false) yield { change: gone, ...causeOf(endOf(key, creatorId)), ...about };
  }
  // A revoked key stays in the list of keys, a dropped one does not.
  if (isRevocable) return;
  for (const [key, { createdAt }] of before)
    if (!after.has(key) && (ownSince === null || createdAt < ownSince))
      yield { change: gone, ...causeOf(endOf(key, null)), key };
}
