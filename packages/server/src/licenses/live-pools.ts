/** Which licenses a board of live sessions shows, and how full they are (rules 4.2). */

import { toTimestamp } from '../clock.ts';
import type { Sql } from '../storage/storage.ts';
import { type Activation, isSessionLive } from './activation.ts';
import { listActivations } from './activation-store.ts';
import { type CheckedLicense, slotLimit, slotsUsed, UNLIMITED_MACHINES } from './license.ts';
import { listLicensesOf } from './license-set-store.ts';
import { listSessionPools } from './session-pool-store.ts';

/** Licenses that are looked at for one page, so that those whose sessions have all lapsed make none long. */
const MOST_LOOKED_AT = 1_000;
const LOOKED_AT_ONCE = 100;

/** A license with live sessions. */
export interface LivePool {
  readonly license: CheckedLicense;
  /** How many sessions it may have at once; -1 is unlimited. */
  readonly limit: number;
  /** How many are live. */
  readonly inUse: number;
}

/** Which pools to show. */
export interface LivePoolFilter {
  /** Each once; null shows those of all products. */
  readonly productIds: readonly string[] | null;
  /** How much of the limit is in use, in percent, at least; 0 shows unlimited ones as well. */
  readonly minimumUsePercent: number;
}

/** The pool of a license as it is at a moment; its sessions are those that live then. */
export function livePoolOf(license: CheckedLicense): LivePool {
  return { license, limit: slotLimit(license), inUse: slotsUsed(license) };
}

/** Whether a pool has live sessions, and enough of them. A pool without a limit is never full to any part. */
export function isShown({ limit, inUse }: LivePool, minimumUsePercent: number): boolean {
  if (inUse <= 0) return false;
  return minimumUsePercent === 0 || (limit !== UNLIMITED_MACHINES && inUse * 100 >= minimumUsePercent * limit);
}

/**
 * A page of pools, the highest license key first. It may hold fewer than fit, none even, where there are more: as many
 * licenses as one page may look at had no session that lives.
 *
 * @param after the key after which the page begins; '~' is before all keys
 * @returns the pools, and the key after which the next page begins; null where there are no more
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
  for (let lookedAt = 0; lookedAt < MOST_LOOKED_AT; lookedAt += LOOKED_AT_ONCE) {
    const licenseKeys = await listSessionPools(sql, productIds, last, LOOKED_AT_ONCE);
    const licenses = licenseKeys.length === 0 ? [] : await listLicensesOf(sql, licenseKeys, toTimestamp(now));
    const pool = new Map(licenses.map(({ license }) => [license.licenseKey, livePoolOf(license)]));
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

/** Machines of one license that are looked at for one answer, so that those that are not in use make none long. */
const MOST_MACHINES = 1_000;

/**
 * Machines of a license whose sessions live, by fingerprint. They may be fewer than fit where there are more: as many
 * machines as one answer may look at had none.
 *
 * @param after the fingerprint after which they begin; '' is before all
 * @returns the machines, and the fingerprint after which the next begin; null where there are no more
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
  for (let lookedAt = 0; lookedAt < MOST_MACHINES; lookedAt += part) {
    if (lookedAt > 0) part = Math.min(2 * part, MOST_MACHINES - lookedAt);
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
