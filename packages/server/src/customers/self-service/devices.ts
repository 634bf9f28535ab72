/** The devices of a license and the budget for freeing them, as stored. */
import { toTimestamp } from '../../ground/base/clock.ts';
import { type HeldFile, listHeldOfflineFiles } from '../../licensing/license-files/store.ts';
import type { License } from '../../licensing/licenses/license.ts';
import type { Activation } from '../../licensing/machines/activation.ts';
import { listActivations } from '../../licensing/machines/activation-store.ts';
import type { Sql } from '../../storage/contract/storage.ts';
import { budgetOf, countedPeriod, type ReleaseBudget, releasesOf } from './release.ts';
import { listReleases } from './release-store.ts';
import type { SelfServiceSettings } from './settings.ts';

/** The most devices of a license that its page shows; a site license may have a million. */
export const MAX_DEVICES = 200;

/** The devices of a license that its customer sees. */
export interface DevicesOfLicense {
  readonly machines: readonly Activation[];
  readonly hasMore: boolean;
  /** The offline files that have not expired, by the fingerprint of their machine. */
  readonly files: ReadonlyMap<string, HeldFile>;
  readonly budget: ReleaseBudget;
}

/** Reads the devices; exact if the license is locked. */
export async function devicesOf(
  sql: Sql,
  license: License,
  { maxReleases }: Pick<SelfServiceSettings, 'maxReleases'>,
  now: number,
): Promise<DevicesOfLicense> {
  const { licenseKey } = license;
  const of = releasesOf(license, maxReleases);
  const [found, releases] = await Promise.all([
    listActivations(sql, licenseKey, '', MAX_DEVICES + 1),
    listReleases(sql, licenseKey, countedPeriod(now), of),
  ]);
  const machines = found.slice(0, MAX_DEVICES);
  const held = await listHeldOfflineFiles(sql, machines, toTimestamp(now));
  return {
    machines,
    hasMore: found.length > MAX_DEVICES,
    files: new Map(held.map((file) => [file.fingerprint, file])),
    budget: budgetOf(of, releases),
  };
}
