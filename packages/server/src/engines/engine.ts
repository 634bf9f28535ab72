/** What the service needs of a database engine that is open: where calls go, and what the database can do. */
import type { ClockState } from '../believed-time/believed-time.ts';
import type { Clock } from '../clock.ts';
import type { Dispatcher } from '../dispatch/call.ts';
import type { ThreadRole } from '../dispatch/storage-thread.ts';
import type { PublishedKeys } from '../license-files/signing-keys.ts';
import type { Measures } from '../measures/measures.ts';
import type { ObservedBounds } from '../observed-calls/write-observed.ts';
import type { Settings } from '../rule-context.ts';
import type { MigrationListener } from '../storage/migrate.ts';
import type { WatchBounds } from '../storage/postgres-watch.ts';
import type { Availability } from '../storage/storage.ts';

/** An engine that is open. */
export interface Engine {
  readonly name: 'sqlite' | 'postgres';
  /** Runs calls; its closing ends the jobs and closes the database. */
  readonly dispatcher: Dispatcher;
  /** What anybody may know of the keys that sign license files. @throws when the database cannot be read */
  readonly publishedKeys: () => Promise<PublishedKeys>;
  /** Reads something. @throws when the database cannot be read */
  probeReads(): Promise<void>;
  /** Writes something. @throws when it takes no writes */
  probeWrites(): Promise<void>;
  /** Names who hears of each change of what the database can do. */
  onAvailability(listener: (availability: Availability) => void): void;
}

/** What engines are opened with. */
export interface EngineParts {
  readonly settings: Settings;
  readonly clock: Clock;
  /** How long a call outside the five client endpoints may have to wait for its turn; null: however long it takes. */
  readonly queueWaitMs: number | null;
  readonly bounds: EngineBounds;
  readonly on: EngineListeners;
  /** Ends a start that waits for its database. */
  readonly signal: AbortSignal;
  /** Where the engine's work is measured, if anywhere. */
  readonly measures?: Measures | undefined;
}

/** Bounds that nobody configures; tests set them small. */
export interface EngineBounds extends ObservedBounds {
  /** Calls that may wait or be under way at once where they are decided. */
  readonly mostCalls: number;
  /** Calls of the five client endpoints, and as many others, that may wait at once while PostgreSQL is silent. */
  readonly mostCallsInSilence: number;
  /** When PostgreSQL counts as away because it is silent. */
  readonly watchBounds?: WatchBounds;
  /** Calls outside the five client endpoints that may wait for their turn at once. */
  readonly mostOtherWaiting: number;
  /** Calls outside the five client endpoints that the writer of SQLite has at once. */
  readonly otherWritesAtOnce: number;
  /** Calls that the reader of SQLite has at once: it takes one after the other. */
  readonly otherReadsAtOnce: number;
  /**
   * Whether whatever a clock says is believed (believed-time/): for tests and scripts, which move the clock by days. The
   * rounds are not kept then.
   */
  readonly believesEveryClock?: boolean;
  /** How long a write waits for another process to let go of the file of SQLite, in milliseconds. */
  readonly lockTimeoutMs: number;
}

/** Who hears of what no call is answered with. */
export interface EngineListeners {
  /** A job failed; it will try again. */
  failure(failure: string): void;
  /** What is known of the clock of this node, after each round of the comparison. */
  clock(state: ClockState): void;
  /** The database is not there yet, and the start waits for it, for so many milliseconds in all. */
  awaited(reason: string, waitMs: number): void;
  /** The database that was waited for is there. */
  reached(): void;
  /** What becomes of the migrations that the database has not seen. */
  readonly migrations: MigrationListener;
  /** Something about the sessions of PostgreSQL that an operator should know; told once. */
  noticed(warning: string): void;
  /** A thread ended though nobody asked for it. */
  death(role: ThreadRole, error: Error): void;
}
