/** The state in memory of a process or thread that its rules use and its jobs write, the same on both engines. */
import { countedChanges, jobsOf } from '../../app.ts';
import { type Clock, elapsedMs } from '../../ground/base/clock.ts';
import { RecentFiles } from '../../licensing/license-files/recent-files.ts';
import { SigningKeys } from '../../licensing/license-files/signing-keys.ts';
import { writeRepeats } from '../../licensing/licenses/violation-record.ts';
import { ObservedCalls } from '../../licensing/observed-calls/observed-calls.ts';
import { type ObservedBounds, ObservedWriter } from '../../licensing/observed-calls/write-observed.ts';
import { TokenKeys } from '../../licensing/session-tokens/token-keys.ts';
import { ViolationTally } from '../../licensing/violations/violation-tally.ts';
import { believingEvery, ClockJudge } from '../../platform/believed-time/believed-time.ts';
import type { RuleContext, Settings } from '../../platform/endpoint/rule-context.ts';
import type { Job } from '../../platform/jobs/job.ts';
import type { Storage } from '../../storage/contract/storage.ts';

/** The settings and bounds of the parts. */
export interface RulePartsOptions {
  readonly settings: Settings;
  readonly clock: Clock;
  /** Whether the database has a clock of its own, which must agree. */
  readonly hasServerClock: boolean;
  /** For tests, which move the clock. */
  readonly believesEveryClock: boolean | undefined;
  readonly observedBounds: ObservedBounds;
}

/** Writes the observations that rules keep in memory. */
export interface WrittenParts {
  /** The jobs of all slices, which write it at intervals. */
  readonly jobs: readonly Job[];
  /** Writes the rest, when no call follows. @param unqueued a storage on which writes wait for no other work */
  writeRest(unqueued: Storage): Promise<void>;
}

/** The parts; their rule context is one of the thread. */
export class RuleParts {
  /** Decides whether the clock is right; null if every clock is believed. */
  readonly judge: ClockJudge | null;
  readonly time: ClockJudge | ReturnType<typeof believingEvery>;
  readonly ruleContext: RuleContext;
  readonly #options: RulePartsOptions;

  constructor(options: RulePartsOptions) {
    const { settings, clock, observedBounds } = options;
    this.#options = options;
    this.judge = options.believesEveryClock ? null : new ClockJudge(clock, elapsedMs, options.hasServerClock);
    this.time = this.judge ?? believingEvery(clock);
    this.ruleContext = {
      settings,
      tokenKeys: new TokenKeys(settings.tokenLifetimeMs),
      signingKeys: new SigningKeys(settings.signingKeys),
      recentFiles: new RecentFiles(),
      violationTally: new ViolationTally(),
      observedCalls: new ObservedCalls(countedChanges, observedBounds.maxRefusalRows),
      licenseCache: null,
      believedTime: this.time,
    };
  }

  /** Reads the keys that sign, and makes the first ones in an empty database. Call before the first request. */
  async openKeys(storage: Storage): Promise<void> {
    await this.ruleContext.tokenKeys.open(storage, this.#options.clock);
    await this.ruleContext.signingKeys.open(storage, this.#options.clock);
  }

  /**
   * Writes what rules note in memory. Once for a database.
   *
   * @param report receives failures
   */
  writing(storage: Storage, report: (error: unknown) => void): WrittenParts {
    const { settings, clock, observedBounds } = this.#options;
    const { eventRetentionMs, expiryNoticesMs } = settings;
    const { violationTally, observedCalls } = this.ruleContext;
    const observedWriter = new ObservedWriter(storage, observedCalls, report, observedBounds);
    return {
      jobs: jobsOf({ eventRetentionMs, expiryNoticesMs, violationTally, observedWriter }),
      async writeRest(unqueued) {
        await writeRepeats(unqueued, violationTally, clock(), true).catch(report);
        await observedWriter.writeAll();
      },
    };
  }
}
