/**
 * Gathers the observations of the client endpoints into violations. New or more severe violations are written at once,
 * repeats once a minute (see violation-tally.ts). Counts are added to the stored counts, so several servers can count.
 */
import { fromTimestamp } from '../../ground/base/clock.ts';
import type { Origin } from '../../platform/events/event.ts';
import type { Storage, Tx } from '../../storage/contract/storage.ts';
import { countsSessions } from '../products/license-type.ts';
import type { Observation } from '../violations/observation.ts';
import { gather, merged, type Violation } from '../violations/violation.ts';
import {
  findLastResolution,
  type GatheringViolation,
  listGatheringViolations,
  listViolationsByIds,
} from '../violations/violation-store.ts';
import { isDue, type Remembered, type ViolationTally } from '../violations/violation-tally.ts';
import type { UsedLicense } from './license.ts';
import { type LicenseEntry, type LicenseSave, openedEntry } from './license-save.ts';
import { lockLicenses } from './license-set-store.ts';
import { saveLicenses } from './save.ts';

/** Violations written in one transaction. */
const VIOLATIONS_AT_ONCE = 50;

/** An observation and the call that made it. */
export interface Observed {
  readonly observation: Observation;
  readonly origin: Origin;
}

/** A locked license with observations. */
export interface ObservedLicense {
  readonly license: Pick<UsedLicense, 'licenseKey' | 'email' | 'licenseType' | 'threatLevel'>;
  readonly observations: readonly Observed[];
  raiseThreat(severity: number): void;
}

/** The violations of a license to write, for {@link LicenseSave}. */
export interface CollectedViolations {
  readonly opened: Violation[];
  /** `occurrences` is the number to add. */
  readonly repeated: Violation[];
  readonly entries: LicenseEntry[];
}

/** Observations of one license and type, and the open violation that gathers them. */
interface Collected {
  readonly on: ObservedLicense;
  readonly open: GatheringViolation | undefined;
  readonly observations: Observed[];
}

/** Stored violations by license key. */
type Stored = ReadonlyMap<string, readonly Violation[]>;

/** Gathers the observations of locked licenses, by license key, and raises their threat levels. */
export async function collectViolations(
  tx: Tx,
  observed: readonly ObservedLicense[],
  tally: ViolationTally,
  now: number,
): Promise<ReadonlyMap<string, CollectedViolations>> {
  const licenseKeys = observed.map((each) => each.license.licenseKey);
  const open = byLicense(await listGatheringViolations(tx, licenseKeys));
  const all = observed.flatMap((on) => collectedOn(on, open.get(on.license.licenseKey) ?? []));
  const unknown = all.flatMap((each) => (each.open && tally.recall(each.open) === undefined ? [each.open] : []));
  const stored = byLicense(unknown.length === 0 ? [] : await listViolationsByIds(tx, unknown));

  const results = new Map(
    licenseKeys.map((key) => [key, { opened: [], repeated: [], entries: [] } as CollectedViolations]),
  );
  const resultOf = ({ licenseKey }: { readonly licenseKey: string }) => results.get(licenseKey) as CollectedViolations;
  const growing: { readonly violation: Violation; readonly each: Collected }[] = [];
  for (const each of all) {
    const { on, open: found, observations } = each;
    const { licenseKey } = on.license;
    if (found === undefined) {
      const violation = await openedBy(tx, each, tally, now);
      if (violation === null) continue;
      on.raiseThreat(violation.severity);
      const result = resultOf(violation);
      result.opened.push(violation);
      result.entries.push(openedEntry(violation, on.license.threatLevel, originOf(observations)));
      tx.afterwards((isCommitted) => {
        if (!isCommitted) return;
        if (violation.type === 'machine_limit') tally.waiting.forget(licenseKey);
        tally.written(violation, now);
      });
      continue;
    }
    const before = tally.recall(found) ?? rememberedFrom(stored, found);
    const after = gatherAll(before.violation, observations, licenseKey, now);
    // Another process may have written it more recently.
    const writtenAt = Math.max(before.writtenAt, fromTimestamp(found.lastSeen));
    if (after.severity <= found.severity && !isDue(writtenAt, now) && tally.hasRoomFor(found)) {
      on.raiseThreat(found.severity);
      tx.afterwards(
        (isCommitted) => isCommitted && tally.count({ ...before, writtenAt }, after, observations.length, now),
      );
    } else growing.push({ violation: { ...after, occurrences: observations.length }, each });
  }
  if (growing.length === 0) return results;
  const additions = await additionsTo(
    tx,
    growing.map(({ violation }) => violation),
    tally,
    now,
  );
  for (const { violation, each } of growing) {
    const addition = additions.get(violation.violationId);
    if (addition === undefined) continue;
    const { on, observations } = each;
    on.raiseThreat(addition.openSeverity);
    const result = resultOf(violation);
    if (addition.repeated.occurrences > 0) result.repeated.push(addition.repeated);
    result.entries.push(...raising(addition, on.license.threatLevel, originOf(observations)));
  }
  return results;
}

function byLicense<Row extends { readonly licenseKey: string }>(rows: readonly Row[]): Map<string, readonly Row[]> {
  return Map.groupBy(rows, ({ licenseKey }) => licenseKey);
}

/** The observations of one license by type, each with the open violation of that type. */
function collectedOn(on: ObservedLicense, open: readonly GatheringViolation[]): Collected[] {
  const byType = new Map<string, Collected>();
  for (const observed of on.observations) {
    const { type } = observed.observation;
    const known = byType.get(type);
    if (known !== undefined) known.observations.push(observed);
    else {
      const found = open.find((each) => each.type === type);
      byType.set(type, { on, open: found, observations: [observed] });
    }
  }
  return [...byType.values()];
}

/** The violation that observations open; null while only a few new machines wait for a seat of a floating license. */
async function openedBy(
  tx: Tx,
  { on, observations }: Collected,
  { waiting }: ViolationTally,
  now: number,
): Promise<Violation | null> {
  const { licenseKey, licenseType } = on.license;
  if (!countsSessions(licenseType)) return gatherAll(undefined, observations, licenseKey, now);
  for (const [index, { observation }] of observations.entries()) {
    if (observation.type !== 'machine_limit') return gatherAll(undefined, observations, licenseKey, now);
    if (!waiting.add(on.license, observation, now)) continue;
    // Another node may have opened a violation of its own waits meanwhile, and support may have resolved it.
    const waits = waiting.after(licenseKey, await findLastResolution(tx, licenseKey, observation.type));
    if (waits === null) continue;
    let violation: Violation | undefined;
    for (const wait of waits) violation = gather(violation, wait.observation, licenseKey, wait.at);
    return gatherAll(violation, observations.slice(index + 1), licenseKey, now);
  }
  return null;
}

function gatherAll(
  before: Violation | undefined,
  observations: readonly Observed[],
  licenseKey: string,
  now: number,
): Violation {
  let violation = before;
  for (const { observation } of observations) violation = gather(violation, observation, licenseKey, now);
  return violation as Violation;
}

/** The origin of the last observation, which triggered the change. */
function originOf(observations: readonly Observed[]): Origin {
  return (observations.at(-1) as Observed).origin;
}

function raising({ before, repeated }: Addition, threatLevel: number, origin: Origin): LicenseEntry[] {
  const { violationId, type, severity } = repeated;
  if (severity <= before.severity) return [];
  const facts = { type, severity, threatLevel };
  const was = { type, severity: before.severity };
  return [{ type: 'violation.raised', subject: violationId, before: was, after: facts, origin }];
}

function rememberedFrom(stored: Stored, { licenseKey, violationId }: GatheringViolation): Remembered {
  const violation = stored.get(licenseKey)?.find((each) => each.violationId === violationId);
  if (violation === undefined) throw new Error(`violation ${violationId} is gone`);
  return { violation, writtenAt: fromTimestamp(violation.lastSeen), pending: 0 };
}

/** An addition to a stored violation. */
interface Addition {
  readonly before: Violation;
  /** `occurrences` is the number to add; 0 means no write. */
  readonly repeated: Violation;
  /** Its severity while it is open, else 0. */
  readonly openSeverity: number;
}

/**
 * Additions to stored violations of locked licenses: the collected ones (each with `occurrences` to add) and pending
 * repeats.
 *
 * @returns by violationId; without violations that no longer exist
 */
async function additionsTo(
  tx: Tx,
  collected: readonly Violation[],
  tally: ViolationTally,
  now: number,
): Promise<ReadonlyMap<string, Addition>> {
  const additions = new Map<string, Addition>();
  const stored: Stored = byLicense(await listViolationsByIds(tx, collected));
  for (const each of collected) {
    const before = stored.get(each.licenseKey)?.find(({ violationId }) => violationId === each.violationId);
    if (before === undefined) continue;
    const violation = merged(before, each, now);
    const pending = tally.take(each);
    const isOpen = before.resolvedAt === null;
    additions.set(each.violationId, {
      before,
      repeated: { ...violation, occurrences: each.occurrences + pending },
      openSeverity: isOpen ? violation.severity : 0,
    });
    tx.afterwards((isCommitted) => {
      if (!isCommitted) tally.giveBack({ violation: each, writtenAt: now, pending });
      else if (isOpen) tally.written(violation, now);
    });
  }
  return additions;
}

/**
 * Writes repeats that have been pending for a minute. Raises a threat level when the counts of several servers together
 * make a violation more severe.
 *
 * @param isLast whether to write all pending repeats because the process ends
 * @throws errors of the storage; unwritten repeats stay pending
 */
export async function writeRepeats(
  storage: Storage,
  tally: ViolationTally,
  now: number,
  isLast: boolean,
): Promise<void> {
  const due = tally.due(now, isLast);
  for (let first = 0; first < due.length; first += VIOLATIONS_AT_ONCE) {
    const violations = due.slice(first, first + VIOLATIONS_AT_ONCE).map(({ violation }) => violation);
    await storage.transaction(async (tx) => {
      const licenses = await lockLicenses(tx, [...new Set(violations.map(({ licenseKey }) => licenseKey))]);
      const repeats = violations.map((each) => ({ ...each, occurrences: 0 }));
      const additions = [...(await additionsTo(tx, repeats, tally, now)).values()];
      await saveLicenses(
        tx,
        licenses.map((license) => repeatsOf(license, additions, now)),
        now,
      );
    });
  }
}

function repeatsOf(license: UsedLicense, additions: readonly Addition[], now: number): LicenseSave {
  const origin: Origin = { actor: { kind: 'service', name: 'gather violations' }, requestId: null, now };
  const own = additions.filter(({ repeated }) => repeated.licenseKey === license.licenseKey);
  const threatLevel = Math.max(license.threatLevel, ...own.map(({ openSeverity }) => openSeverity));
  return {
    kind: threatLevel === license.threatLevel ? 'unchanged' : 'used',
    before: license,
    license: { ...license, threatLevel },
    isVisible: false,
    repeated: own.map(({ repeated }) => repeated).filter(({ occurrences }) => occurrences > 0),
    entries: own.flatMap((addition) => raising(addition, threatLevel, origin)),
  };
}
