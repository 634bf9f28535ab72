/** A progress bar with an estimate on standard error, separate from the figures on standard output. */

const BAR_WIDTH = 30;
/** Minimum interval between updates on a terminal. */
const DRAW_INTERVAL_MS = 100;
/** In a file or a log, one line per this many percent. */
const PERCENT_PER_LINE = 25;

/** Shows the progress of a task. */
export class Progress {
  readonly #task: string;
  readonly #beganMs = performance.now();
  #drawnMs = Number.NEGATIVE_INFINITY;
  #drawnPercent = 0;

  /** @param task such as `seeding 100,000 licenses` */
  constructor(task: string) {
    this.#task = task;
  }

  /** Shows that `done` of `total` parts are complete. */
  show(done: number, total: number): void {
    const share = total === 0 ? 1 : done / total;
    const nowMs = performance.now();
    const elapsedSeconds = (nowMs - this.#beganMs) / 1000;
    const rest = share > 0 && share < 1 ? `, about ${duration(elapsedSeconds * (1 / share - 1))} left` : '';
    const state = `${this.#task}: ${Math.floor(share * 100)} % in ${duration(elapsedSeconds)}${rest}`;
    if (process.stderr.isTTY) {
      if (share < 1 && nowMs - this.#drawnMs < DRAW_INTERVAL_MS) return;
      this.#drawnMs = nowMs;
      const filled = Math.round(share * BAR_WIDTH);
      const bar = `${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)}`;
      process.stderr.write(`\r\u001b[K${bar} ${state}${share < 1 ? '' : '\n'}`);
    } else if (share * 100 >= this.#drawnPercent + PERCENT_PER_LINE) {
      this.#drawnPercent = Math.floor((share * 100) / PERCENT_PER_LINE) * PERCENT_PER_LINE;
      process.stderr.write(`${state}\n`);
    }
  }
}

function duration(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}
