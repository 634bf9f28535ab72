/** Prints the reports of the languages in their order, although several are tested at once. */

/** Whole seconds since the start of the run. */
export const secondsSoFar = () => Math.round(performance.now() / 1000);

/** Takes a line. */
export type Say = (line: string) => void;

/** The lines about one language. */
export interface Report {
  readonly say: Say;
  /** No further line comes. */
  readonly end: () => void;
}

/** Reports of which the first unfinished one is written at once, and later ones when those before them have ended. */
export class Reports {
  readonly #write: Say;
  readonly #waiting: { readonly lines: string[]; isEnded: boolean }[] = [];

  constructor(write: Say) {
    this.#write = write;
  }

  /** Begins the report after those that were begun before. */
  next(title: string): Report {
    const entry = { lines: [title], isEnded: false };
    this.#waiting.push(entry);
    this.#flush();
    return {
      say: (line) => {
        entry.lines.push(`  ${line}`);
        this.#flush();
      },
      end: () => {
        entry.isEnded = true;
        this.#flush();
      },
    };
  }

  #flush(): void {
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      for (const line of first.lines.splice(0)) this.#write(line);
      if (!first.isEnded) return;
      this.#waiting.shift();
    }
  }
}
