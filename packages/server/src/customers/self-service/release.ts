/**
 * Pure rules for the devices that a customer frees (rules 13.5). Freeing must not help sharing more than the app itself
 * does, so it is bounded per license.
 */
import { DAY_MS, fromTimestamp, HOUR_MS, toTimestamp } from '../../ground/base/clock.ts';
import { type License, slotLimit, UNLIMITED_MACHINES } from '../../licensing/licenses/license.ts';
import { type Activation, isSessionLive } from '../../licensing/machines/activation.ts';
import { TIMES } from './settings.ts';
import type { ReleaseKind } from './shapes.ts';

/** The devices that may be freed within the period. */
export interface ReleaseBudget {
  readonly of: number;
  readonly left: number;
  /** When one more may be freed; null while any is left, and if none ever may. */
  readonly nextAt: string | null;
}

/** Fewest devices that a customer may free in the period, for licenses with a single slot. */
const FEWEST_RELEASES = 2;

/**
 * The devices that may be freed: as many as the license has slots, at least two, at most `most`.
 *
 * @param most from the configuration; null: none
 */
export function releasesOf(
  license: Pick<License, 'licenseType' | 'maxMachines' | 'maxConcurrent'>,
  most: number | null,
): number {
  if (most === null) return 0;
  const slots = slotLimit(license);
  return slots === UNLIMITED_MACHINES ? most : Math.min(Math.max(slots, FEWEST_RELEASES), most);
}

/** The period whose releases count. One that lies more than a day ahead came from a clock that was ahead. */
export function countedPeriod(now: number): { readonly since: string; readonly until: string } {
  return { since: toTimestamp(now - TIMES.releases), until: toTimestamp(now + DAY_MS) };
}

/** @param releases times of the counted releases, newest first; at least the newest `of` of them */
export function budgetOf(of: number, releases: readonly string[]): ReleaseBudget {
  const left = Math.max(0, of - releases.length);
  const oldest = of === 0 ? undefined : releases[of - 1];
  return {
    of,
    left,
    nextAt: left > 0 || oldest === undefined ? null : toTimestamp(fromTimestamp(oldest) + TIMES.releases),
  };
}

/**
 * The effect of freeing a device. `hasFile`: the device holds an offline file that has not expired and cannot be called
 * back.
 */
export function releaseKind(
  machine: Pick<Activation, 'firstSeen' | 'lastSeen'>,
  hasFile: boolean,
  { of, left }: ReleaseBudget,
  now: number,
): ReleaseKind {
  if (of === 0) return 'off';
  if (hasFile) return 'has_file';
  if (fromTimestamp(machine.firstSeen) > now - TIMES.newDevice) return 'too_new';
  if (fromTimestamp(machine.lastSeen) <= now - TIMES.unseenDevice) return 'free';
  return left === 0 ? 'spent' : 'counts';
}

/**
 * Whether an app seems to run on the device: its session is live, or it gave a sign of life within the last hour.
 *
 * @param fileIssuedAt of its offline file that has not expired, undefined without one. The file keeps a session alive,
 * and making it stores the time as that of a sign of life, both without the app.
 */
export function isRunning(machine: Activation, fileIssuedAt: string | undefined, now: number): boolean {
  const lastSeen = fromTimestamp(machine.lastSeen);
  const isSeenLately = lastSeen > now - HOUR_MS;
  if (fileIssuedAt === undefined) return isSeenLately || isSessionLive(machine, now);
  return isSeenLately && lastSeen >= fromTimestamp(fileIssuedAt) + FILE_DATE_STEP;
}

/** Files are dated by whole seconds. */
const FILE_DATE_STEP = 1000;
