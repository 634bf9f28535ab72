/**
 * Writes what was observed: refusals within a second, counts once a minute, and both at the end. No call waits for it.
 * What the database cannot take now stays in memory, as far as there is room, and is tried again; that is reported once.
 * What it may have taken, or will never take, is dropped: rather too little is counted than anything twice.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { MINUTE_MS } from '../clock.ts';
import { type Storage, StorageAway, StorageBusy } from '../storage/storage.ts';
import { statisticsOf } from './counters.ts';
import type { Observed, ObservedCalls } from './observed-calls.ts';
import { addStatistics } from './statistic-store.ts';
import type { Statistic } from './statistic-table.ts';
import { addRefusals, renameRefusedMachines } from './store.ts';

/** How often, and how much; tests set them small. */
export interface ObservedBounds {
  /** How often gathered refusals are written, in milliseconds. */
  readonly refusalIntervalMs: number;
  /** How often counts are written, in milliseconds. */
  readonly countIntervalMs: number;
  /** Rows of refusals that may begin within a second. */
  readonly mostRefusalRows: number;
}

/** With SQLite a refusal of /verify takes two of these intervals, from the main thread to the writer and to the disk. */
export const OBSERVED_BOUNDS: ObservedBounds = {
  refusalIntervalMs: 450,
  countIntervalMs: MINUTE_MS,
  mostRefusalRows: 1_000,
};

/** Statistics per transaction, and the pause after each but the last: calls hardly wait for them. */
const STATISTICS_AT_ONCE = 200;
const PAUSE_MS = 20;
/** Licenses whose refused machines are renamed in one transaction. */
const RENAMED_AT_ONCE = 100;

/** Writes what one {@link ObservedCalls} observed. */
export class ObservedWriter {
  readonly #storage: Storage;
  readonly #observed: ObservedCalls;
  /** Statistics that were taken out of the counters and are not written yet. */
  #unwritten: readonly Statistic[] = [];
  readonly #report: (error: unknown) => void;
  #hasFailed = false;

  /** @param report hears of the first of several failures in a row, and of what is lost at the end */
  constructor(storage: Storage, observed: ObservedCalls, report: (error: unknown) => void) {
    this.#storage = storage;
    this.#observed = observed;
    this.#report = report;
  }

  /** Writes the refusals that were gathered since the last time. */
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
   * Forgets the names of machines whose customer was forgotten while refusals of them were on their way to the table: that
   * may be told while they are written, or only after that. Nothing is on its way while this runs.
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

  /** Adds what was counted since the last time to the statistics, some hundred at a time. */
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

  /** Writes everything there is. */
  async writeAll(): Promise<void> {
    await this.writeRefusals();
    // First what an earlier try left, then what was counted since.
    await this.writeCounts(0);
    await this.writeCounts(0);
    if (this.#unwritten.length > 0 || !this.#observed.refusals.isEmpty)
      this.#report(new Error('refusals or counts are lost: the database did not take them before the end'));
  }

  /**
   * Writes at intervals until stopped.
   *
   * @returns stops: resolves when what is under way has ended
   */
  start({ refusalIntervalMs, countIntervalMs }: ObservedBounds): () => Promise<void> {
    const stops = [
      repeat(refusalIntervalMs, () => this.writeRefusals()),
      repeat(countIntervalMs, () => this.writeCounts()),
    ];
    return async () => {
      await Promise.all(stops.map((stop) => stop()));
    };
  }

  async #try(write: () => Promise<void>, keep: () => void): Promise<boolean> {
    try {
      await write();
      this.#hasFailed = false;
      return true;
    } catch (error) {
      if (error instanceof StorageAway || error instanceof StorageBusy) keep();
      // The log has one line when the database goes away, whoever finds out.
      if (!this.#hasFailed && !(error instanceof StorageAway)) this.#report(error);
      this.#hasFailed = true;
      return false;
    }
  }
}

/**
 * Hands what was observed to the thread that writes, at intervals until stopped; never more before it has taken what it
 * was handed, so that what waits stays bounded.
 *
 * @param hand resolves when it was taken
 * @returns stops, and hands over the rest
 */
export function startHandingOver(
  observed: ObservedCalls,
  hand: (what: Observed) => Promise<void>,
  intervalMs: number,
): () => void {
  const handOver = async () => {
    const what = observed.take();
    if (what !== null) await hand(what);
  };
  const stop = repeat(intervalMs, handOver);
  return () => {
    void stop();
    void handOver();
  };
}

/** Does something at intervals, never twice at once, until stopped. */
function repeat(intervalMs: number, act: () => Promise<void>): () => Promise<void> {
  let underWay: Promise<void> | null = null;
  const timer = setInterval(() => {
    underWay ??= act().finally(() => {
      underWay = null;
    });
  }, intervalMs);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await underWay;
  };
}
