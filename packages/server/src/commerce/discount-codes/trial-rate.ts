/**
 * Limits the trials of a network. Anybody who knows a code can invent e-mail addresses, so a network without a
 * credential may redeem a limited number of trial codes per hour. Only issued trials count.
 */
import { HOUR_MS } from '../../ground/base/clock.ts';
import { countsAfter, pauseSeconds, recentCountsIn } from '../../ground/base/recent-counts.ts';
import { KeptLists } from '../../storage/contract/kept-lists-store.ts';
import { NetworkLimit } from './network-limit.ts';

/** The limit on the trials of a network. */
export const trialLimit = new NetworkLimit(
  new KeptLists('trial_rate', 'network', 'counts', recentCountsIn),
  {
    pauseSeconds: (counts, limit, now) => pauseSeconds(counts, limit, now, HOUR_MS),
    after: (counts, now) => countsAfter(counts, now, HOUR_MS),
  },
  'trial_rate',
);
