/**
 * A job that notes the most live sessions of each floating license on a UTC day. It looks once a minute, apart from any
 * call, along the licenses that hold sessions; sessions that begin and end between two looks are not seen.
 */
import { DAY_MS, MINUTE_MS, toTimestamp } from '../../ground/base/clock.ts';
import type { Job } from '../../platform/jobs/job.ts';
import type { Sql } from '../../storage/contract/storage.ts';
import { findLivePools } from './live-pools.ts';
import { findHighestPeak, listPeaksSince, type PoolPeak, raisePeaks } from './pool-peak-store.ts';

/** Days of the peak that the board of live sessions shows. */
export const BOARD_PEAK_DAYS = 30;
/** Licenses that are looked at together. */
const AT_ONCE = 100;

const dayOf = (moment: number) => toTimestamp(Math.floor(moment / DAY_MS) * DAY_MS);

/** The peaks of a page of pools that are higher than the stored ones. */
async function findHigher(sql: Sql, after: string, now: number) {
  const { pools, next } = await findLivePools(sql, { productIds: null, minimumUsePercent: 0 }, after, AT_ONCE, now);
  const day = dayOf(now);
  const stored = await listPeaksSince(
    sql,
    pools.map(({ license }) => license.licenseKey),
    day,
  );
  const ofToday = stored.filter((each) => each.day === day);
  const known = new Map(ofToday.map(({ licenseKey, peak }) => [licenseKey, peak]));
  const higher = pools
    .map(({ license, inUse }): PoolPeak => ({ licenseKey: license.licenseKey, day, peak: inUse }))
    .filter(({ licenseKey, peak }) => peak > (known.get(licenseKey) ?? 0));
  return { higher, next };
}

/** The most live sessions of a license in the last {@link BOARD_PEAK_DAYS} days, of which `inUse` are live now. */
export async function peakOf(sql: Sql, licenseKey: string, inUse: number, now: number): Promise<number> {
  return Math.max(inUse, await findHighestPeak(sql, licenseKey, dayOf(now - BOARD_PEAK_DAYS * DAY_MS)));
}

/** The job of a process. */
export const peakJob: Job = {
  name: 'note peaks of pools',
  every: MINUTE_MS,
  leased: true,
  async run({ storage, clock, signal }, lease) {
    for (let after: string | null = '~'; after !== null && signal?.aborted !== true; ) {
      const from: string = after;
      const now = clock();
      const { higher, next } = await storage.read((sql) => findHigher(sql, from, now));
      if (higher.length > 0 && (await lease.hold((tx) => raisePeaks(tx, higher))) === null) return;
      after = next;
    }
    await lease.done();
  },
};
