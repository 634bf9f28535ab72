/**
 * Sizes the steps of a job. On SQLite a step holds the only writer, and every call that writes waits for it, so a step
 * may take about 20 ms. The amount of work that fits depends on the disk and on the rows, so the duration of each step
 * sizes the next.
 */

/** The bounds of one step. A step that finds any row processes at least one, however large. */
export interface StepBounds {
  readonly rows: number;
  /** Bytes of the rows' long texts, for jobs whose rows differ much in size. */
  readonly bytes: number;
}

/** Target duration of the statements of a step. Their commit takes as long again: 20 ms in all. */
const TARGET_MS = 10;
/** The largest step. 200 rows take a fast disk a few milliseconds. */
const LARGEST: StepBounds = { rows: 200, bytes: 4 * 1024 * 1024 };
/** The first step of a process is a quarter of the largest, because nothing is known of its disk yet. */
const FIRST_SHARE = 1 / 4;
/** The smallest step: one row. */
const LEAST_SHARE = 1 / LARGEST.rows;

/** The size of the steps of one job in one process. */
export class StepSize {
  #share = FIRST_SHARE;

  /** The bounds of the next step. */
  get bounds(): StepBounds {
    return {
      rows: Math.max(1, Math.floor(LARGEST.rows * this.#share)),
      bytes: Math.max(1, Math.floor(LARGEST.bytes * this.#share)),
    };
  }

  /**
   * Adjusts the size after a step.
   *
   * @param tookMs duration of its statements
   * @param wasFull whether it used its bounds fully; a step that ran out of work proves nothing about a larger one
   */
  note(tookMs: number, wasFull: boolean): void {
    if (tookMs > TARGET_MS) this.#share = Math.max(LEAST_SHARE, (this.#share * TARGET_MS) / tookMs);
    else if (wasFull && tookMs < TARGET_MS / 2) this.#share = Math.min(1, this.#share * 2);
  }
}
