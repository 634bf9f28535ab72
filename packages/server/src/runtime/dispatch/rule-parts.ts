/** The state in memory of a process or thread that its rules use and its jobs write, the same on both engines. */
import { countedChanges, jobsOf, makeRuleParts } from '../../app.ts';
import { type Clock, elapsedMs } from '../../ground/base/clock.ts';
import { believingEvery, ClockJudge } from '../../platform/believed-time/believed-time.ts';
import type { RuleContext, Settings } from '../../platform/endpoint/rule-context.ts';
import type { MemoryBounds, RulePart, RuleThread } from '../../platform/endpoint/rule-part.ts';
import type { Job } from '../../platform/jobs/job.ts';
import { repeat } from '../../platform/jobs/repeat.ts';
import type { CommitListener } from '../../storage/contract/published.ts';
import type { Storage } from '../../storage/contract/storage.ts';

/** The settings and bounds of the parts. */
export interface RulePartsOptions {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly thread: RuleThread;
  /** For tests, which move the clock. */
  readonly believesEveryClock: boolean | undefined;
  readonly bounds: Partial<MemoryBounds>;
}

/** The writing of rules' notes in memory. */
export interface WrittenParts {
  /** The jobs of all slices, which write it at intervals. */
  readonly jobs: readonly Job[];
  /** Writes the rest, when no call follows. @param unqueued a storage on which writes wait for no other work */
  writeRest(unqueued: Storage): Promise<void>;
}

/** Observations of one thread that another one stores: those of a part, by its place among the parts. */
export interface Observations {
  readonly part: number;
  readonly what: unknown;
}

/** The parts; their rule context is one of the thread. */
export class RuleParts {
  /** Decides whether the clock is right; null if every clock is believed. */
  readonly judge: ClockJudge | null;
  readonly time: ClockJudge | ReturnType<typeof believingEvery>;
  readonly ruleContext: RuleContext;
  /** In the same order in all threads. */
  readonly parts: readonly RulePart[];
  /** Receives the messages of each commit. */
  readonly onCommitted: CommitListener;
  readonly #options: RulePartsOptions;

  constructor(options: RulePartsOptions) {
    const { settings, clock, thread, bounds } = options;
    this.#options = options;
    // The database of this thread alone has a clock of its own, which must agree.
    this.judge = options.believesEveryClock ? null : new ClockJudge(clock, elapsedMs, thread === 'alone');
    this.time = this.judge ?? believingEvery(clock);
    const { parts, given } = makeRuleParts({ settings, clock, thread, bounds, counted: countedChanges });
    this.parts = parts;
    this.onCommitted = (published) => {
      for (const { onCommitted } of parts) onCommitted?.(published);
    };
    this.ruleContext = { ...given, settings, believedTime: this.time };
  }

  /** Reads the data of the parts. Call before the first request. */
  async open(storage: Storage): Promise<void> {
    for (const part of this.parts) await part.open?.(storage);
  }

  /** Adds the observations of another thread. */
  accept({ part, what }: Observations): void {
    this.parts[part]?.handedOver?.accept(what);
  }

  /**
   * Passes observations to the thread that writes, at intervals until stopped. It sends more only after the previous
   * ones were accepted, so that the backlog stays bounded.
   *
   * @param hand resolves when the observations have been accepted
   * @returns a function that stops and passes on the rest
   */
  startHandingOver(hand: (observations: Observations) => Promise<void>): () => void {
    const stops = this.parts.flatMap(({ handedOver }, part) => {
      if (handedOver === undefined) return [];
      const handOver = async () => {
        const what = handedOver.take();
        if (what !== null) await hand({ part, what });
      };
      const stop = repeat(handedOver.everyMs, handOver);
      return () => {
        void stop();
        void handOver();
      };
    });
    return () => {
      for (const stop of stops) stop();
    };
  }

  /**
   * Writes rules' notes in memory. Once for a database.
   *
   * @param report receives failures
   */
  writing(storage: Storage, report: (error: unknown) => void): WrittenParts {
    const { settings, clock, bounds } = this.#options;
    const jobs = jobsOf({ settings, ruleContext: this.ruleContext, storage, report, bounds });
    return {
      jobs,
      async writeRest(unqueued) {
        for (const job of jobs) if (!job.leased) await job.atEnd?.({ storage: unqueued, clock }).catch(report);
      },
    };
  }
}
