/** Shows progress to a person: a bar on a terminal, an occasional line on any other output. */

/** The output for progress, such as `process.stderr`. */
export interface ProgressOutput {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** Intervals at which the bar is redrawn, and at which a line is written if there is no terminal. */
const BAR_INTERVAL_MS = 200;
const LINE_INTERVAL_MS = 10_000;
const BAR_WIDTH = 24;
const DEFAULT_COLUMNS = 80;

/** A piece of work. */
export interface Work {
  readonly name: string;
  /** 0 if unknown. */
  readonly total: number;
  /** The amount that was done earlier, which does not count for the rate. */
  readonly before?: number;
  /** Rows unless another is given. */
  readonly unit?: string;
}

/** The progress of one piece of work. */
export class Progress {
  readonly #output: ProgressOutput;
  readonly #elapsedMs: () => number;
  readonly #work: Work;
  readonly #startedAt: number;
  #done: number;
  #shownAt: number;

  /** @param elapsedMs milliseconds since an arbitrary moment */
  constructor(output: ProgressOutput, elapsedMs: () => number, work: Work) {
    this.#output = output;
    this.#elapsedMs = elapsedMs;
    this.#work = work;
    this.#done = work.before ?? 0;
    this.#startedAt = elapsedMs();
    this.#shownAt = this.#startedAt;
  }

  /** Adds to the amount done. @param what the part of the work in progress, such as a table */
  add(amount: number, what: string): void {
    this.#done += amount;
    const isTerminal = this.#output.isTTY === true;
    const at = this.#elapsedMs();
    if (at - this.#shownAt < (isTerminal ? BAR_INTERVAL_MS : LINE_INTERVAL_MS)) return;
    this.#shownAt = at;
    const text = progressText(this.#work, what, this.#done, at - this.#startedAt);
    const bar = this.#work.total === 0 ? '' : `${barOf(this.#done, this.#work.total)} `;
    const { columns = DEFAULT_COLUMNS } = this.#output;
    this.#output.write(isTerminal ? `\r\u001b[K${`${bar}${text}`.slice(0, columns - 1)}` : `${text}\n`);
  }

  /** Removes the bar from the terminal, so that a line can be written. */
  clear(): void {
    if (this.#output.isTTY === true) this.#output.write('\r\u001b[K');
  }
}

/** `copying license: 512,000 of 1,000,000 rows (51%), 24,100 a second, 20s left`. */
export function progressText(
  { name, total, before = 0, unit = 'rows' }: Work,
  what: string,
  done: number,
  elapsedMs: number,
): string {
  const rate = (done - before) / (elapsedMs / 1000);
  const number = (value: number) => Math.round(value).toLocaleString('en-US');
  const amount =
    total === 0
      ? `${number(done)} ${unit}`
      : `${number(done)} of ${number(total)} ${unit} (${Math.floor(share(done, total) * 100)}%)`;
  const left = total === 0 || rate === 0 ? '' : `, ${durationText(Math.max(0, total - done) / rate)} left`;
  return `${name} ${what}: ${amount}, ${number(rate)} a second${left}`;
}

function barOf(done: number, total: number): string {
  const filled = Math.round(share(done, total) * BAR_WIDTH);
  return `[${'#'.repeat(filled)}${'-'.repeat(BAR_WIDTH - filled)}]`;
}

const share = (done: number, total: number) => (total === 0 ? 1 : Math.min(1, done / total));

function durationText(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)}s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m ${Math.floor(seconds % 60)}s`;
  return `${Math.floor(seconds / 3_600)}h ${Math.floor((seconds % 3_600) / 60)}m`;
}
