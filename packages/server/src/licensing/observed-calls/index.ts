/** Observed calls: the tables and the jobs. */
import { recordedChanges } from '../../platform/events/recorded-changes.ts';
import type { Slice } from '../../platform/slice/slice.ts';
import { observedCallJobs } from './jobs.ts';
import { type Observed, ObservedCalls } from './observed-calls.ts';
import { observedCallTables } from './tables.ts';
import { observedBounds } from './write-observed.ts';

export const observedCalls = {
  tables: observedCallTables,
  jobs: observedCallJobs,
  ruleParts({ counted, bounds }) {
    const { refusalIntervalMs, maxRefusalRows } = observedBounds(bounds);
    const calls = new ObservedCalls(counted, maxRefusalRows);
    return {
      given: { observedCalls: calls },
      onCommitted: (published) => calls.noteChanges(published.of(recordedChanges)),
      handedOver: {
        everyMs: refusalIntervalMs,
        take: () => calls.take(),
        accept: (what) => calls.add(what as Observed),
      },
    };
  },
} satisfies Slice;
