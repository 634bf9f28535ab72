/**
 * A bounded, in-memory cache of the files issued to apps a moment ago. A repeated call gets the same file, which costs
 * neither a signature nor a write.
 */
import { fromTimestamp, MINUTE_MS } from '../../ground/base/clock.ts';
import type { IssuedFile } from './issue.ts';

declare module '../../platform/endpoint/rule-context.ts' {
  interface RuleContext {
    /** License files that this process issued to apps a moment ago. */
    readonly recentFiles: RecentFiles;
  }
}

/** How long a cached file is returned again. */
const GIVEN_AGAIN_MS = MINUTE_MS;
/** A cached file and its data take about 3 KB. */
const MAX_FILES = 1_000;

interface RecentFile {
  readonly file: IssuedFile;
  /** The content of the file without its time of issue, as text. */
  readonly content: string;
  /** Milliseconds since 1970. */
  readonly givenAt: number;
}

export class RecentFiles {
  readonly #most: number;
  /** By license and machine, oldest first. */
  readonly #files = new Map<string, RecentFile>();

  /** @param most maximum number of cached files */
  constructor(most = MAX_FILES) {
    this.#most = most;
  }

  /** The file that the machine received within the last minute, if it has this content and need not be renewed yet. */
  find(licenseKey: string, fingerprint: string, content: string, now: number): IssuedFile | null {
    const known = this.#files.get(nameOf(licenseKey, fingerprint));
    if (known === undefined || known.content !== content) return null;
    const { file, givenAt } = known;
    const isFresh = now >= givenAt && now < givenAt + GIVEN_AGAIN_MS && now < fromTimestamp(file.renewAfter);
    return isFresh ? file : null;
  }

  /** Caches a machine's file; drops files older than a minute, and the oldest ones beyond the bound. */
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
