/** Finds trials whose machine has a paid license since (rules 14.7). */
import { DAY_MS, HOUR_MS, toTimestamp } from '../../ground/base/clock.ts';
import type { Job } from '../../platform/jobs/job.ts';
import type { JobContext } from '../../platform/slice/slice.ts';
import { TRIAL_PAID } from './counted-changes.ts';
import { beginningAt, listUnpaidTrials, markPaidTrials } from './store.ts';

/** Days from the beginning of a trial in which a paid license of its machine counts as its success. */
const COUNTED_DAYS = 90;
/** Trials that are read at once. */
const AT_ONCE = 500;

export const trialJobs = ({ ruleContext: { observedCalls } }: JobContext): readonly Job[] => [
  {
    name: 'find trials that became paid',
    every: HOUR_MS,
    leased: true,
    async run({ storage, clock, signal }, lease) {
      let last = beginningAt(toTimestamp(clock() - COUNTED_DAYS * DAY_MS));
      while (signal?.aborted !== true) {
        const { trials, paid } = await storage.read((sql) => listUnpaidTrials(sql, last, AT_ONCE));
        const now = clock();
        const marked =
          paid.length === 0 ? { done: [] } : await lease.hold((tx) => markPaidTrials(tx, paid, toTimestamp(now)));
        if (marked === null) return;
        for (const productId of marked.done) observedCalls.counters.count(productId, TRIAL_PAID, now);
        last = trials.at(-1) ?? last;
        if (trials.length < AT_ONCE) return lease.giveBack();
      }
    },
  },
];
