/** Loads idle machines of full licenses, which give up their slot to a machine that asks for one (rules 14.5). */
import { toTimestamp } from '../../ground/base/clock.ts';
import type { BelievedTime } from '../../platform/believed-time/believed-time.ts';
import type { Sql } from '../../storage/contract/storage.ts';
import { idleSince, slotLimit, slotsUsed, UNLIMITED_MACHINES, type UsedLicense } from '../licenses/license.ts';
import type { Activation } from '../machines/activation.ts';
import { nextAttemptAt } from '../machines/activation-rate.ts';
import { listIdleMachines, type MachineOfLicense } from '../machines/activation-store.ts';
import type { LicenseChanges } from './license-changes.ts';

/** A call of a batch. */
interface Call extends MachineOfLicense {
  /** Whether it may bind its machine. */
  readonly bindsMachine: boolean;
}

type Believed = Pick<BelievedTime, 'believableNow'>;

/**
 * Loads the idle machines that the calls of a batch may need, after their licenses are locked. A statement runs only if
 * a machine that is not bound may find a license with the term full.
 */
export async function loadIdleMachines(
  sql: Sql,
  calls: readonly Call[],
  licenses: ReadonlyMap<string, LicenseChanges>,
  now: number,
  believedTime: Believed,
): Promise<void> {
  const asked = new Set<LicenseChanges>();
  for (const { licenseKey, fingerprint, bindsMachine } of calls) {
    const changes = licenses.get(licenseKey);
    if (bindsMachine && changes !== undefined && changes.license.terms.releaseIdleDays !== null)
      if (changes.machine(fingerprint) === undefined) asked.add(changes);
  }
  const full = [...asked].filter(({ license }) => {
    const ofLicense = calls.filter(({ licenseKey }) => licenseKey === license.licenseKey);
    // An attempt beyond the limit of an hour binds no machine. Named users have limits of their own.
    const mayBind = license.terms.maxUsers !== null || nextAttemptAt(license.attempts, now) <= now;
    return mayBind && mayFill(license, ofLicense.length);
  });
  // A call uses at most one idle machine: it takes its slot, or is a sign of its life.
  if (full.length > 0) await loadFor(sql, full, calls.length, now, believedTime);
}

/** Loads the idle machine of a locked license that may make room for one other. */
export async function loadIdleMachine(
  sql: Sql,
  changes: LicenseChanges,
  now: number,
  believedTime: Believed,
): Promise<void> {
  await loadFor(sql, [changes], 1, now, believedTime);
}

async function loadFor(
  sql: Sql,
  licenses: readonly LicenseChanges[],
  limit: number,
  now: number,
  believedTime: Believed,
): Promise<void> {
  // A clock that is ahead would make every machine idle.
  const believableNow = believedTime.believableNow(now);
  if (believableNow === null) return;
  const changesOf = new Map(licenses.map((changes) => [changes.license.licenseKey, changes]));
  const all = licenses.map(({ license }) => license);
  for (const machine of await idleMachinesOf(sql, all, limit, believableNow))
    changesOf.get(machine.licenseKey)?.loadIdle(machine);
}

/** The idle machines of licenses that have the term, up to a limit for each license, its longest idle first. */
export async function idleMachinesOf(
  sql: Sql,
  licenses: readonly UsedLicense[],
  limit: number,
  now: number,
): Promise<readonly Activation[]> {
  const bounds = licenses.flatMap((license) => {
    const lastSeen = idleSince(license, now);
    return lastSeen === null ? [] : [{ licenseKey: license.licenseKey, lastSeen }];
  });
  return bounds.length === 0 ? [] : listIdleMachines(sql, bounds, limit, toTimestamp(now));
}

/** Whether this number of calls may take more slots than are free. */
function mayFill(license: UsedLicense, calls: number): boolean {
  const limit = slotLimit(license);
  return limit !== UNLIMITED_MACHINES && limit - slotsUsed(license) < calls;
}
