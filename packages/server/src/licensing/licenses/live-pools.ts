/** Selects the licenses for a board of live sessions, and computes their use (rules 4.2). */

import { toTimestamp } from '../../ground/base/clock.ts';
import type { Sql } from '../../storage/contract/storage.ts';
import { type Activation, isSessionLive } from '../machines/activation.ts';
import { listActivations } from '../machines/activation-store.ts';
import { listSessionPools } from '../machines/session-pool-store.ts';
import { type CheckedLicense, slotLimit, slotsUsed, UNLIMITED_MACHINES } from './license.ts';
import { listLicensesOf } from './license-set-store.ts';

/** Licenses read for one page at most, so that pools whose sessions have all lapsed cannot make a page slow. */
const MAX_LOOKED_AT = 1_000;
const LOOKED_AT_ONCE = 100;

/** A license with live sessions. */
export interface LivePool {
  readonly license: CheckedLicense;
  /** Maximum number of concurrent sessions; -1 is unlimited. */
  readonly limit: number;
  /** Number of live sessions. */
  readonly inUse: number;
}

/** The filter of the board. */
export interface LivePoolFilter {
  /** Each once; null shows pools of all products. */
  readonly productIds: readonly string[] | null;
  /** Minimum use of the limit in percent; 0 includes unlimited pools. */
  readonly minimumUsePercent: number;
}

/** The pool of a license at a given time, from its live sessions at that time. */
export function livePoolOf(license: CheckedLicense): LivePool {
  return { license, limit: slotLimit(license), inUse: slotsUsed(license) };
}

/** Whether a pool has live sessions and reaches the minimum use. An unlimited pool reaches no percentage above 0. */
export function isShown({ limit, inUse }: LivePool, minimumUsePercent: number): boolean {
  if (inUse <= 0) return false;
  return minimumUsePercent === 0 || (limit !== UNLIMITED_MACHINES && inUse * 100 >= minimumUsePercent * limit);
}

/**
 * A page of pools, highest license key first. A page may be short or even empty although more follow, because it reads
 * a bounded number of licenses and some have no live session.
 *
 * @param after the license key after which the page starts; '~' starts before all keys
 * @returns the pools, and the key after which the next page starts; null when no more follow
 */
export async function findLivePools(
  sql: Sql,
  { productIds, minimumUsePercent }: LivePoolFilter,
  after: string,
  limit: number,
  now: number,
): Promise<{ readonly pools: readonly LivePool[]; readonly next: string | null }> {
  const pools: LivePool[] = [];
  let last = after;
  for (let lookedAt = 0; lookedAt < MAX_LOOKED_AT; lookedAt += LOOKED_AT_ONCE) {
    const licenseKeys = await listSessionPools(sql, productIds, last, LOOKED_AT_ONCE);
    const licenses = licenseKeys.length === 0 ? [] : await listLicensesOf(sql, licenseKeys, toTimestamp(now));
    const pool = new Map(licenses.map((license) => [license.licenseKey, livePoolOf(license)]));
    for (const licenseKey of licenseKeys) {
      const found = pool.get(licenseKey);
      if (found === undefined || !isShown(found, minimumUsePercent)) continue;
      if (pools.length === limit) return { pools, next: pools.at(-1)?.license.licenseKey ?? null };
      pools.push(found);
    }
    if (licenseKeys.length < LOOKED_AT_ONCE) return { pools, next: null };
    last = licenseKeys.at(-1) ?? last;
  }
  return { pools, next: last };
}

/** Machines of one license read for one reply at most, so that machines without a live session cannot make it slow. */
const MAX_MACHINES = 1_000;

/**
 * Machines of a license with live sessions, by fingerprint. The result may be short although more follow, because it
 * reads a bounded number of machines and some have no live session.
 *
 * @param after the fingerprint after which the result starts; '' starts before all
 * @returns the machines, and the fingerprint after which the next result starts; null when no more follow
 */
export async function findLiveSessions(
  sql: Sql,
  licenseKey: string,
  after: string,
  limit: number,
  now: number,
): Promise<{ readonly sessions: readonly Activation[]; readonly next: string | null }> {
  const sessions: Activation[] = [];
  let last = after;
  let part = 2 * limit;
  for (let lookedAt = 0; lookedAt < MAX_MACHINES; lookedAt += part) {
    if (lookedAt > 0) part = Math.min(2 * part, MAX_MACHINES - lookedAt);
    const machines = await listActivations(sql, licenseKey, last, part);
    for (const machine of machines) {
      if (!isSessionLive(machine, now)) continue;
      if (sessions.length === limit) return { sessions, next: sessions.at(-1)?.fingerprint ?? null };
      sessions.push(machine);
    }
    if (machines.length < part) return { sessions, next: null };
    last = machines.at(-1)?.fingerprint ?? last;
  }
  return { sessions, next: last };
}
