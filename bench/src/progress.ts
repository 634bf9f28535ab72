/** A bar and an estimate on the error output, which keeps them apart from the figures. */

const BAR_WIDTH = 30;
/** On a terminal the line is drawn anew at most this often. */
const DRAW_INTERVAL_MS = 100;
/** Into a file or a log only every so many percent are worth a line. */
const PERCENT_PER_LINE = 25;

/** Shows how far something has come. */
export class Progress {
  readonly #task: string;
  readonly #beganMs = performance.now();
  #drawnMs = Number.NEGATIVE_INFINITY;
  #drawnPercent = 0;

  /** @param task what is being done, such as `seeding 100,000 licenses` */
  constructor(task: string) {
    this.#task = task;
  }

  /** Shows that `done` of `total` parts are done. */
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
