/**
 * Records notices about licenses that expire and updates that end, as changes of these licenses. The status of a
 * license is computed on each request and needs no job; only the event does.
 *
 * A search walks the index of an end once for each kind of notice and stores its place. So it reads each license
 * once, however many have expired. A row for each notice prevents a second one if the search comes to a license again:
 * on a node that took over, or after a clock that was ahead.
 */
import { fromTimestamp, toTimestamp } from '../../ground/base/clock.ts';
import { daysRemaining, statusAt, type UsedLicense } from '../../licensing/licenses/license.ts';
import type { LicenseSave } from '../../licensing/licenses/license-save.ts';
import { saveLicenses } from '../../licensing/licenses/save.ts';
import type { Origin } from '../../platform/events/event.ts';
import type { StepBounds } from '../../platform/jobs/step-size.ts';
import type { StepDone } from '../../platform/jobs/tidying.ts';
import type { Sql, Tx } from '../../storage/contract/storage.ts';
import { findDestinationsVersion } from '../destinations/turn-store.ts';
import { listWantedTypes } from '../destinations/wanted-types-store.ts';
import {
  DELAY_MS,
  EXPIRY_JOB,
  type ExpiryPosition,
  type ExpiryRange,
  momentOf,
  NOTICE_TYPES,
  type NoticeKind,
  rangeOf,
} from './notice.ts';
import {
  forgetSearchPositions,
  insertNotices,
  listReaching,
  listSearchPositions,
  lockUntouched,
  type StoredNotice,
  saveSearchPositions,
} from './store.ts';

/** A part of the search for one kind: licenses that may need a notice. */
interface Search {
  readonly kind: NoticeKind;
  readonly range: ExpiryRange;
  readonly found: readonly ExpiryPosition[];
  /** True if more licenses may follow. */
  readonly isFull: boolean;
}

/** A license to record a notice of. */
interface Due {
  readonly license: UsedLicense;
  readonly kind: NoticeKind;
  readonly expiresAt: string;
}

/** Records the notices of one process. Keeps in memory which types destinations want, until one of them changes. */
export class NoticeRecorder {
  readonly #kinds: readonly NoticeKind[];
  #version = -1;
  #wanted: ReadonlySet<string> = new Set();

  constructor(kinds: readonly NoticeKind[]) {
    this.#kinds = kinds;
  }

  /** Looks at the destinations; returns whether {@link step} has anything to do. */
  readonly look = async (sql: Sql): Promise<boolean> => {
    const version = await findDestinationsVersion(sql);
    if (version !== this.#version) {
      this.#wanted = await listWantedTypes(sql, NOTICE_TYPES);
      this.#version = version;
    }
    return this.#wantedKinds().length > 0 || (await listSearchPositions(sql)).length > 0;
  };

  /**
   * Records the next notices and stores the places that the search has reached.
   *
   * @param before the time at which licenses expired or came close to it, as a timestamp
   */
  readonly step = async (tx: Tx, before: string, { rows: most }: StepBounds): Promise<StepDone> => {
    const now = fromTimestamp(before);
    const kinds = this.#wantedKinds();
    const positions = new Map((await listSearchPositions(tx)).map((each) => [each.kind, each]));
    const unwanted = [...positions.keys()].filter((known) => !kinds.some(({ name }) => name === known));
    if (unwanted.length > 0) await forgetSearchPositions(tx, unwanted);
    const searches: Search[] = [];
    let left = most;
    for (const kind of kinds) {
      if (left === 0) break;
      const range = rangeOf(kind, now, positions.get(kind.name));
      const found = await listReaching(tx, kind.end, range, left);
      const isFull = found.length === left;
      searches.push({ kind, range, found, isFull });
      left -= found.length;
    }
    const locked = await this.#record(tx, searches, now + DELAY_MS);
    const reached = searches.map((search) => ({ search, place: placeAfter(search, locked) }));
    if (reached.length > 0)
      await saveSearchPositions(
        tx,
        reached.map(({ search, place }) => ({ kind: search.kind.name, ...place })),
      );
    const goesOn = searches.length < kinds.length || reached.some(({ search }) => search.isFull);
    const hasMoved = reached.some(({ search, place }) => search.isFull && place !== search.range.from);
    return { rows: most - left, isLast: !goesOn || !hasMoved };
  };

  #wantedKinds(): readonly NoticeKind[] {
    return this.#kinds.filter(({ type }) => this.#wanted.has(type));
  }

  /** Records the due notices among the found licenses; returns the keys of the licenses that it could lock. */
  async #record(tx: Tx, searches: readonly Search[], now: number): Promise<ReadonlySet<string>> {
    const found = searches.flatMap(({ kind, found }) => found.map((place) => ({ kind, ...place })));
    if (found.length === 0) return new Set();
    const licenses = await lockUntouched(
      tx,
      found.map(({ licenseKey }) => licenseKey),
    );
    const byKey = new Map(licenses.map((license) => [license.licenseKey, license]));
    // The license may have been revoked or renewed since the index was read.
    const due = found.flatMap(({ kind, licenseKey, expiresAt }): Due[] => {
      const license = byKey.get(licenseKey);
      const isDue = license !== undefined && isNoticed(license, kind, now) && momentOf(license, kind.end) === expiresAt;
      return isDue ? [{ license, kind, expiresAt }] : [];
    });
    if (due.length === 0) return new Set(byKey.keys());
    const added = await insertNotices(
      tx,
      due.map((each) => noticeOf(each, now)),
    );
    const recorded = due.filter(({ license, kind }) =>
      added.some((each) => each.licenseKey === license.licenseKey && each.kind === kind.name),
    );
    await saveLicenses(tx, [...Map.groupBy(recorded, ({ license }) => license).values()].map(saveOf(now)), now);
    return new Set(byKey.keys());
  }
}

/** The place that a search has reached: before the first license that another transaction has locked. */
function placeAfter({ range, found, isFull }: Search, locked: ReadonlySet<string>): ExpiryPosition {
  const skipped = found.findIndex(({ licenseKey }) => !locked.has(licenseKey));
  if (skipped !== -1) return found[skipped - 1] ?? range.from;
  const last = found.at(-1);
  return isFull && last !== undefined ? last : { expiresAt: range.until, licenseKey: '' };
}

function noticeOf({ license, kind, expiresAt }: Due, now: number): StoredNotice {
  return { licenseKey: license.licenseKey, kind: kind.name, expiresAt, recordedAt: toTimestamp(now) };
}

/** Whether a license gets notices of a kind. The updates of a license that is not active interest nobody. */
function isNoticed(license: UsedLicense, { type }: NoticeKind, now: number): boolean {
  return type === 'license.updates_expiring' ? statusAt(license, now) === 'active' : license.revocation === null;
}

/** The notices of one license: its expiry and its updates may end on one day. */
function saveOf(now: number): (notices: readonly Due[]) => LicenseSave {
  const origin: Origin = { actor: { kind: 'service', name: EXPIRY_JOB }, requestId: null, now };
  return (notices) => {
    const { license } = notices[0]!;
    const entries = notices.map(({ kind }) => ({
      type: kind.type,
      subject: null,
      ...factsOf(license, kind, now),
      origin,
    }));
    return { kind: 'unchanged', before: license, license, entries };
  };
}

function factsOf({ expiresAt, updatesUntil }: UsedLicense, { type }: NoticeKind, now: number) {
  switch (type) {
    case 'license.expired':
      return { before: { status: 'active' }, after: { status: 'expired', expiresAt } };
    case 'license.expiring':
      return { before: null, after: { expiresAt, daysRemaining: daysRemaining(expiresAt, now) } };
    case 'license.updates_expiring':
      return { before: null, after: { updatesUntil, daysRemaining: daysRemaining(updatesUntil, now) } };
  }
}
