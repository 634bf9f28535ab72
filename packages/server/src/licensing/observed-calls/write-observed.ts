/**
 * Writes observations: refusals within a second, counts and countries of licenses once a minute, and all of them at
 * shutdown. No call waits for it. If the database is unavailable, observations stay in memory as far as there is room,
 * and are retried; the failure is reported once. If they may have been committed already, or can never be, they are
 * dropped, because counting too little is better than counting twice.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { MINUTE_MS } from '../../ground/base/clock.ts';
import type { Job } from '../../platform/jobs/job.ts';
import { type Storage, StorageAway, StorageBusy } from '../../storage/contract/storage.ts';
import { statisticsOf } from './counters.ts';
import { addCountriesOfLicenses } from './license-country-store.ts';
import type { ObservedCalls } from './observed-calls.ts';
import { addStatistics } from './statistic-store.ts';
import type { Statistic } from './statistic-table.ts';
import { addRefusals, renameRefusedMachines } from './store.ts';

/** Intervals and bounds of the writer. */
export interface ObservedBounds {
  /** Interval between writes of refusals, in milliseconds. */
  readonly refusalIntervalMs: number;
  /** Interval between writes of counts, and of countries of licenses, in milliseconds. */
  readonly countIntervalMs: number;
  /** Maximum number of new refusal rows per second. */
  readonly maxRefusalRows: number;
}

declare module '../../platform/endpoint/rule-part.ts' {
  interface MemoryBounds extends ObservedBounds {}
}

/**
 * With SQLite a refusal of /verify takes two refusal intervals: from the main thread to the writer, and to the disk.
 */
const OBSERVED_BOUNDS: ObservedBounds = {
  refusalIntervalMs: 450,
  countIntervalMs: MINUTE_MS,
  maxRefusalRows: 1_000,
};

/** The usual bounds, and those that replace them. */
export function observedBounds(given: Partial<ObservedBounds>): ObservedBounds {
  return { ...OBSERVED_BOUNDS, ...given };
}

/** Rows per transaction, and the pause between transactions, so that calls hardly wait for them. */
const STATISTICS_AT_ONCE = 200;
const SIGHTINGS_AT_ONCE = 200;
const PAUSE_MS = 20;
/** Licenses whose refused machines are renamed in one transaction. */
const RENAMED_AT_ONCE = 100;

/** Writes the observations of one {@link ObservedCalls}. */
export class ObservedWriter {
  readonly #storage: Storage;
  readonly #observed: ObservedCalls;
  /** Statistics taken from the counters but not written yet. */
  #unwritten: readonly Statistic[] = [];
  readonly #report: (error: unknown) => void;
  readonly #bounds: ObservedBounds;
  #hasFailed = false;

  /** @param report receives the first of several consecutive failures, and the losses at shutdown */
  constructor(
    storage: Storage,
    observed: ObservedCalls,
    report: (error: unknown) => void,
    bounds: ObservedBounds = OBSERVED_BOUNDS,
  ) {
    this.#storage = storage;
    this.#observed = observed;
    this.#report = report;
    this.#bounds = bounds;
  }

  /** Writes the refusals since the last call. */
  async writeRefusals(): Promise<void> {
    await this.#renameWritten();
    const refusals = this.#observed.refusals.take();
    if (refusals.length === 0) return;
    const isWritten = await this.#try(
      () => this.#storage.transaction((tx) => addRefusals(tx, refusals)),
      () => this.#observed.refusals.giveBack(refusals),
    );
    if (isWritten) await this.#renameWritten();
  }

  /**
   * Erases the machine names of forgotten customers in refusals that were being written when the customer was
   * forgotten. The news may arrive during the write or only after it. No write is in progress while this runs.
   */
  async #renameWritten(): Promise<void> {
    const renamed = [...this.#observed.refusals.takeRenamed()];
    for (let first = 0; first < renamed.length; first += RENAMED_AT_ONCE) {
      const together = renamed.slice(first, first + RENAMED_AT_ONCE);
      await this.#try(
        () =>
          this.#storage.transaction(async (tx) => {
            for (const [licenseKey, hostname] of together) await renameRefusedMachines(tx, licenseKey, hostname);
          }),
        () => this.#observed.refusals.giveBackRenamed(together),
      );
    }
  }

  /** Adds the counts since the last call to the statistics, a few hundred at a time. */
  async writeCounts(pauseMs = PAUSE_MS): Promise<void> {
    if (this.#unwritten.length === 0) this.#unwritten = statisticsOf(this.#observed.counters.take());
    while (this.#unwritten.length > 0) {
      const together = this.#unwritten.slice(0, STATISTICS_AT_ONCE);
      const rest = this.#unwritten.slice(STATISTICS_AT_ONCE);
      this.#unwritten = rest;
      const isWritten = await this.#try(
        () => this.#storage.transaction((tx) => addStatistics(tx, together)),
        () => {
          this.#unwritten = [...together, ...rest];
        },
      );
      if (!isWritten) return;
      if (rest.length > 0 && pauseMs > 0) await wait(pauseMs);
    }
  }

  /** Adds the countries that licenses were used from since the last call, a few hundred at a time. */
  async writeCountries(pauseMs = PAUSE_MS): Promise<void> {
    const { sightings } = this.#observed;
    while (!sightings.isEmpty) {
      const together = sightings.take(SIGHTINGS_AT_ONCE);
      const isWritten = await this.#try(
        () => this.#storage.transaction((tx) => addCountriesOfLicenses(tx, together)),
        () => sightings.add(together),
      );
      if (!isWritten) return;
      if (!sightings.isEmpty && pauseMs > 0) await wait(pauseMs);
    }
  }

  /** Writes all observations. */
  async writeAll(): Promise<void> {
    await this.writeRefusals();
    await this.writeCountries(0);
    // First the rest of an earlier attempt, then the counts since.
    await this.writeCounts(0);
    await this.writeCounts(0);
    const { refusals, sightings } = this.#observed;
    if (this.#unwritten.length > 0 || !refusals.isEmpty || !sightings.isEmpty)
      this.#report(new Error('refusals, counts or countries are lost: the database did not take them before the end'));
  }

  /** The jobs that write at intervals. */
  jobs(): readonly Job[] {
    const { refusalIntervalMs, countIntervalMs } = this.#bounds;
    return [
      {
        name: 'write refusals',
        every: refusalIntervalMs,
        leased: false,
        run: () => this.writeRefusals(),
        atEnd: () => this.writeAll(),
      },
      { name: 'write counts', every: countIntervalMs, leased: false, run: () => this.writeCounts() },
      { name: 'write countries of licenses', every: countIntervalMs, leased: false, run: () => this.writeCountries() },
    ];
  }

  async #try(write: () => Promise<void>, keep: () => void): Promise<boolean> {
    try {
      await write();
      this.#hasFailed = false;
      return true;
    } catch (error) {
      if (error instanceof StorageAway || error instanceof StorageBusy) keep();
      // An unavailable database gets one line in the log, regardless of who notices it.
      if (!this.#hasFailed && !(error instanceof StorageAway)) this.#report(error);
      this.#hasFailed = true;
      return false;
    }
  }
}
