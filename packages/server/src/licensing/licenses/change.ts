/** Changes one license for operators, creators, the storefront and commands: lock, decide, save, record. */
import type { Scope } from '../../platform/endpoint/caller.ts';
import { isRefusal, type Refusal, type RefusalCode, refuse } from '../../platform/endpoint/refusals.ts';
import { difference, type Facts, type Origin } from '../../platform/events/event.ts';
import type { EventType } from '../../platform/events/event-types.ts';
import type { Sql, Tx } from '../../storage/contract/storage.ts';
import type { Violation } from '../violations/violation.ts';
import { type License, storedLicenseKey } from './license.ts';
import { type LicenseEntry, type LicenseSave, openedEntry } from './license-save.ts';
import type { LicenseUpdate } from './license-table.ts';
import { lockLicensesInForce } from './replacement.ts';
import { saveLicenses } from './save.ts';
import { findLicense, lockLicense } from './store.ts';
import { licenseFacts } from './views.ts';

/** A decision on a license. */
export interface LicenseDecision {
  /** The event type for the license itself, if its fields changed; violations have events of their own. */
  readonly type: EventType;
  /** New values of the license's fields; absent when only machines, violations or notes change. */
  readonly update?: LicenseUpdate;
  /** Event facts in addition to the changed fields, such as a reason. */
  readonly details?: Facts;
  /** Event facts in place of the changed fields: about one machine, or a note. */
  readonly entry?: Pick<LicenseEntry, 'subject' | 'before' | 'after' | 'eventId'>;
  readonly machines?: LicenseSave['machines'];
  readonly releasedUsers?: LicenseSave['releasedUsers'];
  /** Violations to open. */
  readonly opened?: readonly Violation[];
  /** Open violations to resolve. */
  readonly resolved?: readonly Violation[];
}

/** A license in a caller's scope, and further data for the decision. */
export interface LicenseToChange<Known> {
  /** As the caller sent it: in any case, possibly with surrounding blanks. */
  readonly licenseKey: string;
  readonly scope: Scope;
  /** Loads the data for the decision under the license's lock. */
  readonly load?: ((license: License) => Promise<Known>) | undefined;
}

/**
 * Changes a license.
 *
 * @param decide a pure rule: takes the license and the loaded data, returns a decision or a refusal
 * @returns the license after the change, or the refusal
 */
export async function changeLicense<Known, Code extends RefusalCode = never>(
  tx: Tx,
  origin: Origin,
  { licenseKey, scope, load }: LicenseToChange<Known>,
  decide: (before: License, known: Known) => LicenseDecision | Refusal<Code>,
): Promise<License | Refusal<Code | 'license_not_found'>> {
  const before = await lockLicense(tx, storedLicenseKey(licenseKey), scope);
  if (before === undefined) return refuse('license_not_found');
  const decision = decide(before, (await load?.(before)) as Known);
  if (isRefusal(decision)) return decision;
  const save = saveOf(before, decision, origin);
  await saveLicenses(tx, [save], origin.now);
  const { license } = save;
  // Another variant brings other terms, which are read with the license.
  return license.variant === before.variant ? license : (await findLicense(tx, license.licenseKey, scope))!;
}

/**
 * Changes all of some licenses, or none: the first refusal ends it. All are locked before the first decision. The
 * licenses that took the places of some by then are changed in place of those.
 *
 * @param licenseKeys in the stored form
 * @param load loads the data for the decision about one license
 * @returns the licenses after the change, in the order of their keys as given; or the refusal
 */
export async function changeLicenses<Known, Code extends RefusalCode = never>(
  tx: Tx,
  origin: Origin,
  { licenseKeys, load }: { readonly licenseKeys: readonly string[]; readonly load?: LicenseToChange<Known>['load'] },
  decide: (before: License, known: Known) => LicenseDecision | Refusal<Code>,
): Promise<readonly License[] | Refusal<Code>> {
  const saves: ReturnType<typeof saveOf>[] = [];
  for (const before of await lockLicensesInForce(tx, licenseKeys)) {
    const decision = decide(before, (await load?.(before)) as Known);
    if (isRefusal(decision)) return decision;
    saves.push(saveOf(before, decision, origin));
  }
  await saveLicenses(tx, saves, origin.now);
  const hasOtherTerms = saves.some(({ before, license }) => license.variant !== before.variant);
  const changed = saves.map(({ license }) => license);
  if (!hasOtherTerms) return changed;
  return lockLicensesInForce(
    tx,
    changed.map(({ licenseKey }) => licenseKey),
  );
}

/** The change that a decision makes of a locked license. */
function saveOf(before: License, decision: LicenseDecision, origin: Origin) {
  const { update, machines, releasedUsers, opened = [], resolved = [] } = decision;
  const license = licenseAfter(before, decision);
  return {
    kind: update === undefined ? 'unchanged' : 'changed',
    before,
    license,
    ...(machines === undefined ? {} : { machines }),
    ...(releasedUsers === undefined ? {} : { releasedUsers }),
    opened,
    resolved: resolved.map(({ violationId }) => violationId),
    entries: entriesOf(before, license, decision, origin),
  } satisfies LicenseSave;
}

/**
 * Runs the rule of {@link changeLicense} without locking, changing or recording anything.
 *
 * @returns the license as the change would leave it, or the refusal
 */
export async function foreseeChange<Known, Code extends RefusalCode = never>(
  sql: Sql,
  { licenseKey, scope, load }: LicenseToChange<Known>,
  decide: (before: License, known: Known) => LicenseDecision | Refusal<Code>,
): Promise<License | Refusal<Code | 'license_not_found'>> {
  const before = await findLicense(sql, storedLicenseKey(licenseKey), scope);
  if (before === undefined) return refuse('license_not_found');
  const decision = decide(before, (await load?.(before)) as Known);
  return isRefusal(decision) ? decision : licenseAfter(before, decision);
}

/** The license as a decision leaves it. */
export function licenseAfter(before: License, { update }: Pick<LicenseDecision, 'update'>): License {
  return update === undefined ? before : { ...before, ...update };
}

/** An entry for the change of the license, and one for each violation opened or resolved with it. */
function entriesOf(before: License, license: License, decision: LicenseDecision, origin: Origin): LicenseEntry[] {
  const { now } = origin;
  const { type, details = {}, entry, opened = [], resolved = [] } = decision;
  const differing = difference(licenseFacts(before, now), licenseFacts(license, now));
  const entries: LicenseEntry[] = [];
  if (entry !== undefined) entries.push({ type, ...entry, origin });
  else if (Object.keys(differing.after).length > 0)
    entries.push({ type, subject: null, before: differing.before, after: { ...differing.after, ...details }, origin });
  for (const each of opened) entries.push(openedEntry(each, license.threatLevel, origin));
  for (const { violationId, type: kind, severity } of resolved)
    entries.push({
      type: 'violation.resolved',
      subject: violationId,
      before: { type: kind, severity },
      after: { threatLevel: license.threatLevel },
      origin,
    });
  return entries;
}
