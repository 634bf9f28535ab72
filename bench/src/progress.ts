/** A progress bar with an estimate on standard error, separate from the figures on standard output. */

const BAR_WIDTH = 30;
/** Minimum interval between updates on a terminal. */
const DRAW_INTERVAL_MS = 100;
/** In a file or a log, one line per this many percent. */
const PERCENT_PER_LINE = 25;

/**
 * Begins a task. The function that it returns shows that `done` of `total` parts are complete.
 *
 * @param task such as `seeding 100,000 licenses`
 */
export function progressOf(task: string): (done: number, total: number) => void {
  const beganMs = performance.now();
  let drawnMs = Number.NEGATIVE_INFINITY;
  let drawnPercent = 0;
  return (done, total) => {
    const share = total === 0 ? 1 : done / total;
    const nowMs = performance.now();
    const elapsedSeconds = (nowMs - beganMs) / 1000;
    const rest = share > 0 && share < 1 ? `, about ${duration(elapsedSeconds * (1 / share - 1))} left` : '';
    const state = `${task}: ${Math.floor(share * 100)} % in ${duration(elapsedSeconds)}${rest}`;
    if (process.stderr.isTTY) {
      if (share < 1 && nowMs - drawnMs < DRAW_INTERVAL_MS) return;
      drawnMs = nowMs;
      const filled = Math.round(share * BAR_WIDTH);
      const bar = `${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)}`;
      process.stderr.write(`\r\u001b[K${bar} ${state}${share < 1 ? '' : '\n'}`);
    } else if (share * 100 >= drawnPercent + PERCENT_PER_LINE) {
      drawnPercent = Math.floor((share * 100) / PERCENT_PER_LINE) * PERCENT_PER_LINE;
      process.stderr.write(`${state}\n`);
    }
  };
}

function duration(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}
