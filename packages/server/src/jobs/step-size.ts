/**
 * How large the steps of a job are. On SQLite a step holds the one writer, and every customer whose call writes waits for
 * it: it may take about 20 ms. How much work fits depends on the disk and on the rows, so each step is sized by the one
 * before it.
 */

/** The most that one step may do. A step that finds any row does one at least, however large. */
export interface StepBounds {
  readonly rows: number;
  /** Bytes of the rows' long texts, for jobs whose rows differ much in size. */
  readonly bytes: number;
}

/** The statements of a step take about this long. Their commit takes as long again: 20 ms in all. */
const TARGET_MS = 10;
/** The largest step. 200 rows take a fast disk a few milliseconds. */
const LARGEST: StepBounds = { rows: 200, bytes: 4 * 1024 * 1024 };
/** The first step of a process is a quarter of the largest: nothing is known of its disk yet. */
const FIRST_SHARE = 1 / 4;
/** One row. */
const LEAST_SHARE = 1 / LARGEST.rows;

/** The size of the steps of one job in one process. */
export class StepSize {
  #share = FIRST_SHARE;

  /** What the next step may do. */
  get bounds(): StepBounds {
    return {
      rows: Math.max(1, Math.floor(LARGEST.rows * this.#share)),
      bytes: Math.max(1, Math.floor(LARGEST.bytes * this.#share)),
    };
  }

  /**
   * Learns from a step.
   *
   * @param tookMs how long its statements took
   * @param wasFull whether it did all that its bounds allowed; a step that ran out of work says nothing of a larger one
   */
  note(tookMs: number, wasFull: boolean): void {
    if (tookMs > TARGET_MS) this.#share = Math.max(LEAST_SHARE, (this.#share * TARGET_MS) / tookMs);
    else if (wasFull && tookMs < TARGET_MS / 2) this.#share = Math.min(1, this.#share * 2);
  }
}
