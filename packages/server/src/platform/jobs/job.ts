/** Jobs: work that the service does at intervals, without a call. Each slice lists its own. */
import type { Clock } from '../../ground/base/clock.ts';
import type { Storage } from '../../storage/contract/storage.ts';
import type { Lease } from './lease.ts';

/** The time that jobs use, since no call gives them one. Milliseconds since 1970. */
export interface JobTime {
  /** The time by which jobs may remove or end anything for good; null while the clock is not believed. */
  believableNow(): number | null;
  /** The time for leases: it advances evenly even if the clock jumps. */
  readonly steadyNow: Clock;
}

/** What a run of a job may use. */
export interface Work {
  readonly storage: Storage;
  /** The clock of the process. */
  readonly clock: Clock;
  /** The time for what is removed or ended by time. */
  readonly time: JobTime;
  /** Aborted when the process stops: a run ends after the step in progress. */
  readonly signal?: AbortSignal;
  /** Pause in milliseconds after each step of a run; each job's own by default. */
  readonly pauseMs?: number;
  /** Measures steps, in milliseconds; the monotonic clock by default. */
  readonly stopwatch?: () => number;
}

interface AnyJob {
  /** Unique; the name of its lease. */
  readonly name: string;
  /** Milliseconds between two starts. A start is left out while the run before it is in progress. */
  readonly every: number;
  /** True if the first run is at the start of the process, not an interval later. */
  readonly isAtStart?: boolean;
  /** True if it waits for other jobs of the same interval that take turns, so that together they load like one. */
  readonly takesTurns?: boolean;
}

/** A job that each process does for itself. */
export interface OwnJob extends AnyJob {
  readonly leased: false;
  /** @throws when it failed: the failure is reported, and the next run tries again */
  run(work: Work): Promise<unknown>;
  /** Writes the rest when the process ends, after the last call. `storage` waits for no other work. */
  atEnd?(work: Pick<Work, 'storage' | 'clock'>): Promise<unknown>;
}

/** A job that one node at a time does, the one that holds its lease. */
export interface LeasedJob extends AnyJob {
  readonly leased: true;
  /** @param lease held by no node yet; each step runs in `lease.hold` @throws as {@link OwnJob.run} */
  run(work: Work, lease: Lease): Promise<unknown>;
}

export type Job = OwnJob | LeasedJob;
