/**
 * Counts the changes of creators (rules 8.1). Each change is stored for long, so a creator has a number of them a day,
 * and a smaller number of those that add something. The operator and the storefront have none.
 */
import { DAY_MS } from '../../ground/base/clock.ts';
import type { Caller } from '../../platform/endpoint/caller.ts';
import type { Endpoint } from '../../platform/endpoint/endpoint.ts';
import { type CreatorQuotas, type Quota, refuseQuota } from '../../platform/endpoint/quotas.ts';
import type { Refusal } from '../../platform/endpoint/refusals.ts';
import { askRates, lockRates, type RateLimit } from '../../platform/rates/rates.ts';
import type { Tx } from '../../storage/contract/storage.ts';

/** A limit that counts for a quota. */
interface QuotaLimit extends RateLimit {
  readonly quota: Quota;
}

/** The quotas of a call, locked until its transaction ends, so that no two calls pass the same bound. */
export interface LockedQuotas {
  /** Counts the call, which has succeeded. */
  count(): Promise<void>;
}

/**
 * Locks the quotas that a call of a creator uses. Nothing is locked before them, so no two calls wait for each other.
 *
 * @param fields of the call; a dry run changes nothing
 * @param now milliseconds since 1970
 * @returns the refusal if a quota is used up; null if the call uses none
 */
export async function lockQuotas(
  tx: Tx,
  { quota, endsSession, work }: Pick<Endpoint, 'quota' | 'endsSession' | 'work'>,
  caller: Caller,
  quotas: CreatorQuotas,
  fields: Readonly<Record<string, unknown>>,
  now: number,
): Promise<LockedQuotas | Refusal | null> {
  // Recording the use of a session makes a read run as a write.
  if (caller.kind !== 'creator' || work.kind !== 'write' || endsSession || fields.dryRun === true) return null;
  const used: readonly Quota[] = quota === undefined ? ['saves'] : ['saves', quota];
  const limits = used.flatMap((each): QuotaLimit[] => {
    const max = quotas[each];
    return max === null
      ? []
      : [{ quota: each, subject: `quota of ${each} of ${caller.creatorId}`, max, windowMs: DAY_MS }];
  });
  if (limits.length === 0) return null;
  // Asked without a lock first, so that a creator whose quota is used up waits for nobody.
  for (const limit of limits) {
    const pause = await askRates(tx, [limit], now);
    if (pause !== null) return refuseQuota(limit.quota, limit.max, pause);
  }
  const locked = await lockRates(tx, limits, now);
  for (const limit of limits) {
    const pause = locked.pauseSeconds(1, [limit]);
    if (pause !== null) return refuseQuota(limit.quota, limit.max, pause);
  }
  return {
    count() {
      locked.count();
      return locked.save();
    },
  };
}
