/**
 * Limits the trials of a network. Anybody who knows a code can invent e-mail addresses, so a network without a
 * credential may redeem a limited number of trial codes per hour, across all nodes. Only issued trials count.
 */
import { HOUR_MS } from '../base/clock.ts';
import type { Network } from '../base/network-address.ts';
import { countsAfter, pauseSeconds, type RecentCounts, recentCountsIn } from '../base/recent-counts.ts';
import { type Refusal, refuse } from '../endpoint/refusals.ts';
import { KeptLists } from '../storage/kept-lists-store.ts';
import type { Sql, Tx } from '../storage/storage.ts';

/** The trials of networks. */
const trials = new KeptLists('trial_rate', 'network', 'counts', recentCountsIn);

/** Refuses networks that have used up their trials, from an unlocked read, so that they wait for no lock. */
export async function refusalForTrials(
  sql: Sql,
  networks: readonly Network[],
  limit: number,
  now: number,
): Promise<Refusal<'trial_rate'> | null> {
  for (const { name, times } of networks) {
    const refusal = refusalFor(await trials.find(sql, name), limit * times, now);
    if (refusal !== null) return refusal;
  }
  return null;
}

/**
 * Counts one trial in each of these networks, or refuses it and counts nothing. The networks stay locked until the
 * transaction ends, so concurrent requests get exactly the trials that the limit allows.
 */
export async function countTrial(
  tx: Tx,
  networks: readonly Network[],
  limit: number,
  now: number,
): Promise<Refusal<'trial_rate'> | null> {
  const locked: { readonly name: string; readonly counts: RecentCounts }[] = [];
  for (const { name, times } of networks) {
    const counts = await trials.lock(tx, name, now);
    const refusal = refusalFor(counts, limit * times, now);
    if (refusal !== null) return refusal;
    locked.push({ name, counts });
  }
  for (const { name, counts } of locked) await trials.save(tx, name, countsAfter(counts, now, HOUR_MS), now);
  return null;
}

function refusalFor(counts: RecentCounts, limit: number, now: number): Refusal<'trial_rate'> | null {
  const retryAfterSeconds = pauseSeconds(counts, limit, now, HOUR_MS);
  return retryAfterSeconds === null ? null : refuse('trial_rate', { retryAfterSeconds });
}
