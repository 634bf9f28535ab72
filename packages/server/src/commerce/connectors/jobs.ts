/** Applies events of shops that the node which received them did not apply, that became due, or that failed before. */
import { SECOND_MS } from '../../ground/base/clock.ts';
import type { Job } from '../../platform/jobs/job.ts';
import type { JobContext } from '../../platform/slice/slice.ts';
import { StorageAway, StorageBusy } from '../../storage/contract/storage.ts';
import { applyShopEvent, noteFailedApplication } from './apply.ts';
import { listDueEvents } from './event-store.ts';

/** Due events that are read at once. */
const AT_ONCE = 100;

export const connectorJobs = ({ ruleContext, report }: JobContext): readonly Job[] => [
  {
    name: 'apply shop events',
    every: SECOND_MS,
    leased: true,
    async run({ storage, clock, signal }, lease) {
      for (;;) {
        const due = await storage.read((sql) => listDueEvents(sql, clock(), AT_ONCE));
        for (const { eventId } of due) {
          if (signal?.aborted === true) return;
          const context = { now: clock(), requestId: null, ruleContext };
          try {
            if ((await lease.hold((tx) => applyShopEvent(tx, eventId, context))) === null) return;
          } catch (error) {
            if (error instanceof StorageAway || error instanceof StorageBusy) throw error;
            report(error);
            const failure = error instanceof Error ? error.message : String(error);
            await lease.hold((tx) => noteFailedApplication(tx, eventId, failure, clock()));
          }
        }
        if (due.length < AT_ONCE) return lease.giveBack();
      }
    },
  },
];
