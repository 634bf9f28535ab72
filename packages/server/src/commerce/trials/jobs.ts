/** Finds trials whose machine has a paid license since (rules 14.7). */
import { DAY_MS, HOUR_MS, toTimestamp } from '../../ground/base/clock.ts';
import type { Job } from '../../platform/jobs/job.ts';
import type { JobContext } from '../../platform/slice/slice.ts';
import type { Tx } from '../../storage/contract/storage.ts';
import { countSales } from '../sales/count-sales.ts';
import { TRIAL_COUNTS_DAYS } from '../sales/sale-metric.ts';
import { TRIAL_PAID } from './counted-changes.ts';
import { beginningAt, listUnpaidTrials, markPaidTrials, type TriedVariant } from './store.ts';
import type { Trial } from './trial.ts';

/** Trials that are read at once. */
const AT_ONCE = 500;

export const trialJobs = ({ ruleContext: { observedCalls } }: JobContext): readonly Job[] => [
  {
    name: 'find trials that became paid',
    every: HOUR_MS,
    leased: true,
    async run({ storage, clock, signal }, lease) {
      let last = beginningAt(toTimestamp(clock() - TRIAL_COUNTS_DAYS * DAY_MS));
      while (signal?.aborted !== true) {
        const { trials, paid } = await storage.read((sql) => listUnpaidTrials(sql, last, AT_ONCE));
        const now = clock();
        const marked = paid.length === 0 ? { done: [] } : await lease.hold((tx) => markAndCount(tx, paid, now));
        if (marked === null) return;
        for (const { productId } of marked.done) observedCalls.counters.count(productId, TRIAL_PAID, now);
        last = trials.at(-1) ?? last;
        if (trials.length < AT_ONCE) return lease.giveBack();
      }
    },
  },
];

async function markAndCount(tx: Tx, paid: readonly Trial[], now: number): Promise<readonly TriedVariant[]> {
  const at = toTimestamp(now);
  const marked = await markPaidTrials(tx, paid, at);
  await countSales(
    tx,
    marked.map((tried) => ({ ...tried, metric: 'trialsConverted', at })),
  );
  return marked;
}
