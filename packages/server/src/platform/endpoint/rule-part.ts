/**
 * The state in memory that the rules of a slice use (`Slice.ruleParts`): keys, caches, counts. Each thread that runs
 * rules has its own.
 */
import type { Clock } from '../../ground/base/clock.ts';
import type { Measures } from '../../ground/measures/measures.ts';
import type { CommitListener } from '../../storage/contract/published.ts';
import type { Storage, Tx } from '../../storage/contract/storage.ts';
import type { CountedChanges } from './counted-changes.ts';
import type { RuleContext, Settings } from './rule-context.ts';

/**
 * The threads that run rules. With PostgreSQL one thread is `alone`. With SQLite the `front` answers apps, and the
 * `writer` and the `reader` run what it passes on to them.
 */
export type RuleThread = 'alone' | 'front' | 'writer' | 'reader';

/** Intervals and bounds that are not configurable; tests set small ones. A slice declares its own. */
// biome-ignore lint/suspicious/noEmptyInterface: slices add to it
export interface MemoryBounds {}

/** What a part is made of. */
export interface RulePartOptions {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly thread: RuleThread;
  /** Bounds in place of the usual ones. */
  readonly bounds: Partial<MemoryBounds>;
  /** The counted metrics of all slices. */
  readonly counted: readonly CountedChanges[];
  /** Moves the rows of all slices from the key of a license to the one that replaces it. */
  readonly moveRows: (tx: Tx, from: string, to: string) => Promise<void>;
}

/** Observations that the front thread makes and the writer stores. */
export interface HandedOver<What = unknown> {
  /** Time between two messages, in milliseconds. */
  readonly everyMs: number;
  /** Takes the observations since the last time, as plain data; null if there are none. */
  take(): What | null;
  /** Adds the observations of another thread. */
  // A method, so that a part of any type is one of `unknown`.
  accept(what: What): void;
}

/** The part of a slice in one thread. */
export interface RulePart<Given extends Partial<RuleContext> = Partial<RuleContext>> {
  /** The values that rules get. */
  readonly given: Given;
  /** Reads what it needs, in the thread that writes, before the first request. */
  open?(storage: Storage): Promise<void>;
  /**
   * Receives the messages of each commit of this thread, and those for every thread of the commits of the process, once
   * they are certain and before any of the calls behind them is answered.
   */
  readonly onCommitted?: CommitListener;
  readonly handedOver?: HandedOver;
  /** Measures itself at each scrape. */
  measure?(measures: Measures): void;
}
