/**
 * The interface between the service and an open database engine: dispatching calls, and the availability of the
 * database.
 */

import type { Clock } from '../../ground/base/clock.ts';
import type { Measures } from '../../ground/measures/measures.ts';
import type { ClockState } from '../../platform/believed-time/believed-time.ts';
import type { RuleContext, Settings } from '../../platform/endpoint/rule-context.ts';
import type { MemoryBounds } from '../../platform/endpoint/rule-part.ts';
import type { Report, SenderSettings } from '../../platform/senders/sender.ts';
import type { Published } from '../../storage/contract/published.ts';
import type { Availability, Storage } from '../../storage/contract/storage.ts';
import type { MigrationListener } from '../../storage/migrations/migrate.ts';
import type { WatchBounds } from '../../storage/postgres/postgres-watch.ts';
import type { Dispatcher } from '../dispatch/call.ts';
import type { ReadForVisitor } from '../dispatch/queued-work.ts';
import type { StorageThreadData, ThreadHandle, ThreadRole } from '../dispatch/storage-thread.ts';

/** An open engine. */
export interface Engine {
  readonly name: 'sqlite' | 'postgres';
  /** Runs calls; closing it ends the jobs and closes the database. */
  readonly dispatcher: Dispatcher;
  /** Reads without a queue. @throws if the database cannot be read */
  readonly read: Storage['read'];
  /** Reads for the visitors of sites, which queue like calls. @throws as `read` */
  readonly readForVisitor: ReadForVisitor;
  /** The context of the rules that run in the main thread. */
  readonly ruleContext: RuleContext;
  /** Reads something. @throws if the database cannot be read */
  probeReads(): Promise<void>;
  /** Writes something. @throws if the write fails */
  probeWrites(): Promise<void>;
  /** Sets the listener for changes of the database's availability. */
  onAvailability(listener: (availability: Availability) => void): void;
}

/** Dependencies and settings of an engine. */
export interface EngineParts {
  readonly settings: Settings;
  readonly clock: Clock;
  /** Maximum wait in milliseconds of a call outside the five client endpoints; null for no limit. */
  readonly queueWaitMs: number | null;
  readonly senders: SenderSettings;
  readonly bounds: EngineBounds;
  readonly on: EngineListeners;
  /** Aborts a start that waits for its database. */
  readonly signal: AbortSignal;
  /** Measurements of the engine's work, if enabled. */
  readonly measures?: Measures | undefined;
}

/** Bounds that are not configurable; tests use small ones. */
export interface EngineBounds {
  /** Intervals and bounds of rules' notes in memory, in place of the usual ones. */
  readonly memory?: Partial<MemoryBounds>;
  /** Maximum number of calls waiting or in progress at the place where they are decided. */
  readonly maxCalls: number;
  /**
   * Maximum number of waiting calls of the five client endpoints, and the same number of others, while PostgreSQL is
   * silent.
   */
  readonly maxCallsInSilence: number;
  /** Bounds after which a silent PostgreSQL counts as unavailable. */
  readonly watchBounds?: WatchBounds;
  /** Maximum number of queued calls outside the five client endpoints. */
  readonly maxOtherWaiting: number;
  /**
   * Whether the main thread of a node on PostgreSQL is the bottleneck, so that few calls outside the five client
   * endpoints run at once; null to measure it. Races of tests need all connections.
   */
  readonly isThreadBusy: (() => boolean) | null;
  /** Concurrent calls outside the five client endpoints in the writer of SQLite. */
  readonly otherWritesAtOnce: number;
  /** Maximum number of calls in the reader of SQLite, which runs them one by one. */
  readonly otherReadsAtOnce: number;
  /**
   * True if any time of a clock is believed (believed-time/): for tests and scripts, which move the clock by days. The
   * rounds of the comparison are then not kept.
   */
  readonly believesEveryClock?: boolean;
  /** Memory by which a test moves the clock of all threads (`clockIn`); by default, threads use the machine's clock. */
  readonly movedClock?: SharedArrayBuffer;
  /** The interval of jobs with a lease and the time of their first run, for tests; each job has its own by default. */
  readonly leasedJobIntervalMs?: number | undefined;
  /** Starts a storage thread. Tests use the threads of services that they have stopped; each service has its own. */
  readonly startThread?: (data: StorageThreadData) => ThreadHandle;
  /** Time in milliseconds that a write waits for another process to release the SQLite file. */
  readonly lockTimeoutMs: number;
  /**
   * False if the SQLite file is locked by its name alone, for tests, whose files have one name each. A lock on the
   * inode takes a process.
   */
  readonly locksInode?: boolean;
}

/** Callbacks for events that belong to no call. */
export interface EngineListeners {
  /** A job failed and will be retried. */
  failure(failure: string): void;
  /** Receives the state of this node's clock after each round of the comparison. */
  clock(state: ClockState): void;
  /** The database is not reachable yet; the start waits for it, `waitMs` milliseconds in all. */
  awaited(reason: string, waitMs: number): void;
  /** The start has reached the database. */
  reached(): void;
  /** Receives the progress of pending migrations. */
  readonly migrations: MigrationListener;
  /** Receives a warning about the PostgreSQL sessions that an operator should know; called once. */
  noticed(warning: string): void;
  /** Receives the messages of commits of this process that every thread receives. */
  committed(published: Published): void;
  /** Receives the reports of the senders. */
  readonly report: Report;
  /** A thread ended unexpectedly. */
  death(role: ThreadRole, error: Error): void;
}
