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

/** The progress of one piece of work. */
export class Progress {
  readonly #output: ProgressOutput;
  readonly #elapsedMs: () => number;
  readonly #name: string;
  readonly #total: number;
  readonly #unit: string;
  readonly #before: number;
  readonly #startedAt: number;
  #done: number;
  #shownAt: number;

  /**
   * @param work the total amount, 0 if unknown; `before` of it was done earlier and does not count for the rate; `unit`
   *   is rows unless another is given
   * @param elapsedMs milliseconds since an arbitrary moment
   */
  constructor(
    output: ProgressOutput,
    elapsedMs: () => number,
    work: { name: string; total: number; before?: number; unit?: string },
  ) {
    this.#output = output;
    this.#elapsedMs = elapsedMs;
    this.#name = work.name;
    this.#total = work.total;
    this.#unit = work.unit ?? 'rows';
    this.#before = work.before ?? 0;
    this.#done = this.#before;
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
    const text = progressText(
      this.#name,
      what,
      this.#done,
      this.#total,
      this.#done - this.#before,
      at - this.#startedAt,
      this.#unit,
    );
    if (!isTerminal) this.#output.write(`${text}\n`);
    else
      this.#output.write(
        `\r\u001b[K${`${this.#total === 0 ? '' : `${barOf(this.#done, this.#total)} `}${text}`.slice(0, this.#columns() - 1)}`,
      );
  }

  /** Removes the bar from the terminal, so that a line can be written. */
  clear(): void {
    if (this.#output.isTTY === true) this.#output.write('\r\u001b[K');
  }

  #columns(): number {
    return this.#output.columns ?? DEFAULT_COLUMNS;
  }
}

/** `copying license: 512,000 of 1,000,000 rows (51%), 24,100 a second, 20s left`. `doneNow` took `elapsedMs`. */
export function progressText(
  name: string,
  what: string,
  done: number,
  total: number,
  doneNow: number,
  elapsedMs: number,
  unit = 'rows',
): string {
  const rate = doneNow / (elapsedMs / 1000);
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
