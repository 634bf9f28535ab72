/**
 * Files that this process gave to apps a moment ago: whoever repeats a call is given the same file, which takes neither a
 * signature nor a write. In memory, a bounded number of them.
 */
import { fromTimestamp, MINUTE_MS } from '../clock.ts';
import type { IssuedFile } from './issue.ts';

/** How long a file is given again. */
const GIVEN_AGAIN_MS = MINUTE_MS;
/** A file and what is kept with it take some 3 KB. */
const MOST_FILES = 1_000;

interface RecentFile {
  readonly file: IssuedFile;
  /** What the file says beside when it was issued, as text. */
  readonly content: string;
  /** Milliseconds since 1970. */
  readonly givenAt: number;
}

export class RecentFiles {
  readonly #most: number;
  /** By license and machine, the oldest first. */
  readonly #files = new Map<string, RecentFile>();

  /** @param most files that are kept */
  constructor(most = MOST_FILES) {
    this.#most = most;
  }

  /** The file that a machine was given within the last minute, if it says this and need not be renewed yet. */
  find(licenseKey: string, fingerprint: string, content: string, now: number): IssuedFile | null {
    const known = this.#files.get(nameOf(licenseKey, fingerprint));
    if (known === undefined || known.content !== content) return null;
    const { file, givenAt } = known;
    const isFresh = now >= givenAt && now < givenAt + GIVEN_AGAIN_MS && now < fromTimestamp(file.renewAfter);
    return isFresh ? file : null;
  }

  /** Keeps a file that a machine was given; those of the minute before, and the oldest beyond the bound, are let go. */
  keep(licenseKey: string, fingerprint: string, content: string, file: IssuedFile, now: number): void {
    const name = nameOf(licenseKey, fingerprint);
    this.#files.delete(name);
    this.#files.set(name, { file, content, givenAt: now });
    for (const [oldest, { givenAt }] of this.#files) {
      if (this.#files.size <= this.#most && now < givenAt + GIVEN_AGAIN_MS) return;
      this.#files.delete(oldest);
    }
  }
}

function nameOf(licenseKey: string, fingerprint: string): string {
  return `${licenseKey} ${fingerprint}`;
}
