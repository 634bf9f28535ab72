/**
 * The collections of young objects in measured processes. Their mean tells a process whose garbage survives from one
 * whose garbage does not, however busy the machine is.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Collections of young objects of one thread. */
export interface Collections {
  readonly count: number;
  readonly milliseconds: number;
}

const NONE: Collections = { count: 0, milliseconds: 0 };

/**
 * Makes every process that this one starts from now on count its collections: those of other checkouts, too, whose
 * programs know nothing of it.
 *
 * @param directory for one small file of each process
 */
export function countCollections(directory: string): void {
  const folder = join(directory, 'collections');
  mkdirSync(folder, { mode: 0o700 });
  const watch = fileURLToPath(new URL('./collections-watch.ts', import.meta.url));
  process.env.BENCH_COLLECTIONS = folder;
  process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --import=${JSON.stringify(watch)}`.trim();
}

/** Returns the collections of a process so far; none if it does not count them. */
export function collectionsOf(pid: number | undefined): Collections {
  const folder = process.env.BENCH_COLLECTIONS;
  if (folder === undefined || pid === undefined) return NONE;
  try {
    return JSON.parse(readFileSync(join(folder, `${pid}.json`), 'utf8'));
  } catch {
    return NONE;
  }
}

/** Returns the mean length of the collections between two moments in milliseconds; null if there was none. */
export function meanBetween(before: Collections, after: Collections): number | null {
  const count = after.count - before.count;
  return count <= 0 ? null : (after.milliseconds - before.milliseconds) / count;
}
