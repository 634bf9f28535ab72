/** Applies events of shops that the node which received them did not apply, that became due, or that failed before. */
import { MINUTE_MS, SECOND_MS } from '../../ground/base/clock.ts';
import type { Job } from '../../platform/jobs/job.ts';
import type { JobContext } from '../../platform/slice/slice.ts';
import { StorageAway, StorageBusy } from '../../storage/contract/storage.ts';
import { applyShopEvent, noteFailedApplication } from './apply.ts';
import { listDueEvents } from './event-store.ts';
import { hasRemains, removeRemains } from './remains-store.ts';

/** Rows of a deleted connector that a transaction deletes. */
const REMOVED_AT_ONCE = 500;

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
  {
    name: 'delete what deleted connectors left',
    every: MINUTE_MS,
    leased: true,
    async run({ storage, signal }, lease) {
      while (signal?.aborted !== true && (await storage.read(hasRemains)))
        if ((await lease.hold((tx) => removeRemains(tx, REMOVED_AT_ONCE))) === null) return;
    },
  },
];
