/**
 * A job that counts licenses: it scans all of them and stores the totals per status and product, because counting ten
 * million of them on demand would take too long (rules 10.10). It reads small slices with a pause after each, so that
 * nobody waits for it, and replaces the previous totals in one step at the end. A scan that is stopped leaves the
 * previous totals in place, and the next one starts from the beginning.
 *
 * Of several nodes one counts. It renews its lease during the scan and writes only while it holds it. The count uses
 * the clock even if it is not believed, because the next count replaces it.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { type Clock, fromTimestamp, HOUR_MS, MINUTE_MS, toTimestamp } from '../../ground/base/clock.ts';
import { listLicensesOf } from '../../licensing/licenses/license-set-store.ts';
import { ALL_PRODUCTS } from '../../licensing/observed-calls/statistic-table.ts';
import type { Job } from '../../platform/jobs/job.ts';
import { Lease } from '../../platform/jobs/lease.ts';
import type { Sql, Storage } from '../../storage/contract/storage.ts';
import { type CountedLicense, LicenseCount, NO_LICENSES, sumOfTotals } from './license-total.ts';
import {
  deleteOldTotals,
  findLastScanNumber,
  findNewestTotal,
  insertTotals,
  listLicensesFrom,
  type StoredTotal,
} from './license-total-store.ts';

const JOB = 'count licenses';
/** Interval of the checks if a count is due. */
const LOOK_INTERVAL_MS = MINUTE_MS;
/** Up to this number of licenses, a scan takes a few seconds and runs often. */
const FEW_LICENSES = 100_000;
const INTERVAL_OF_FEW_MS = 5 * MINUTE_MS;
const INTERVAL_MS = HOUR_MS;
/** Licenses per slice: a millisecond or two. */
const LICENSES_AT_ONCE = 500;
/** Pause after each slice; ten million licenses take some minutes. */
const PAUSE_MS = 10;
/** Rows per write. */
const TOTALS_AT_ONCE = 200;

/** Options of a count. */
export interface CountingOptions {
  /** The lease of the job; by default one on the clock of the count. */
  readonly lease?: Lease;
  /** Ends the scan after the current slice. */
  readonly signal?: AbortSignal | undefined;
  /** Pause in milliseconds after each slice; {@link PAUSE_MS} by default. */
  readonly pauseMs?: number | undefined;
  /** {@link LICENSES_AT_ONCE} by default. */
  readonly licensesAtOnce?: number;
}

/**
 * Counts all licenses if a count is due and no other node is counting.
 *
 * @returns true if new totals were written
 */
export async function countLicenses(storage: Storage, clock: Clock, options: CountingOptions = {}): Promise<boolean> {
  const asOf = clock();
  if (!(await storage.read((sql) => isDue(sql, asOf)))) return false;
  const { lease = new Lease(storage, JOB, clock) } = options;
  try {
    // Checked again, because the transaction may have waited for a node that has counted.
    const isStillDue = await lease.hold((tx) => isDue(tx, clock()));
    if (isStillDue?.done !== true) return false;
    const count = await countAll(storage, lease, new LicenseCount(asOf), options);
    return count !== null && (await replaceTotals(lease, count));
  } finally {
    await lease.giveBack();
  }
}

/** True if the last totals are too old, or come from a clock that was fast. */
async function isDue(sql: Sql, now: number): Promise<boolean> {
  const last = await findNewestTotal(sql);
  if (last === undefined) return true;
  const isFew = last.active + last.revoked + last.expired <= FEW_LICENSES;
  const age = now - fromTimestamp(last.asOf);
  return age < 0 || age >= (isFew ? INTERVAL_OF_FEW_MS : INTERVAL_MS);
}

/** Counts slice by slice; null if it was stopped or another node has taken over. */
async function countAll(
  storage: Storage,
  lease: Lease,
  count: LicenseCount,
  { signal, pauseMs = PAUSE_MS, licensesAtOnce = LICENSES_AT_ONCE }: CountingOptions,
): Promise<LicenseCount | null> {
  let last: CountedLicense | undefined;
  while (!signal?.aborted && (await lease.renew())) {
    const slice = await storage.read((sql) => readSlice(sql, last, licensesAtOnce, count.asOf));
    for (const license of slice) count.add(license);
    if (slice.length < licensesAtOnce) return count;
    last = slice.at(-1);
    await wait(pauseMs, undefined, { signal }).catch(() => {});
  }
  return null;
}

/** The licenses that follow the last one; `sessionsHeld` counts only the sessions that are live at `asOf`. */
async function readSlice(sql: Sql, last: CountedLicense | undefined, limit: number, asOf: number) {
  const slice = await listLicensesFrom(sql, last, limit);
  const floating = slice.filter(({ sessionsHeld }) => sessionsHeld > 0).map(({ licenseKey }) => licenseKey);
  if (floating.length === 0) return slice;
  const found = await listLicensesOf(sql, floating, toTimestamp(asOf));
  const live = new Map(found.map((license) => [license.licenseKey, license.sessionsHeld]));
  return slice.map((license) => ({ ...license, sessionsHeld: live.get(license.licenseKey) ?? 0 }));
}

/** Writes the totals under a new number, which takes effect when the last of them is written. */
async function replaceTotals(lease: Lease, { asOf, totals }: LicenseCount): Promise<boolean> {
  const numbered = await lease.hold(async (tx) => (await findLastScanNumber(tx)) + 1);
  if (numbered === null) return false;
  const number = numbered.done;
  const all = [...totals.values()].reduce(sumOfTotals, NO_LICENSES);
  const rows = [...totals, [ALL_PRODUCTS, all] as const].map(
    ([productId, total]): StoredTotal => ({ ...total, productId, scan: number, asOf: toTimestamp(asOf) }),
  );
  for (let first = 0; first < rows.length; first += TOTALS_AT_ONCE) {
    const part = rows.slice(first, first + TOTALS_AT_ONCE);
    if ((await lease.hold((tx) => insertTotals(tx, part))) === null) return false;
  }
  for (;;) {
    const deleted = await lease.hold((tx) => deleteOldTotals(tx, number, TOTALS_AT_ONCE));
    if (deleted === null || deleted.done < TOTALS_AT_ONCE) return true;
  }
}

/** The job of a process. */
export const statisticsJobs = (): readonly Job[] => [
  {
    name: JOB,
    every: LOOK_INTERVAL_MS,
    leased: true,
    run: ({ storage, clock, signal, pauseMs }, lease) => countLicenses(storage, clock, { lease, signal, pauseMs }),
  },
];
