/** Calls of places in the code, counted by V8 while a test file ran. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Place } from './places.ts';

/** A part of a script and its number of runs, which includes no part within it that has a number of its own. */
interface Range {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

/** The calls of a test file. */
export interface Calls {
  /** Calls of each place, in the order given. */
  readonly ofPlaces: readonly number[];
  /** Calls of all functions of the sources. */
  readonly total: number;
}

/**
 * Reads the files that the processes and threads of a test file left in the folder NODE_V8_COVERAGE.
 *
 * @param root the root of the tree that the tests ran in
 * @param places places in files whose paths are below the root
 */
export function readCalls(folder: string, root: string, places: readonly Place[]): Calls {
  const indexes = Map.groupBy(places.keys(), (index) => places[index]!.file);
  const sources = new Map([...indexes.keys()].map((file) => [pathToFileURL(join(root, file)).href, file]));
  const counts = places.map(() => 0);
  let total = 0;
  for (const name of globSync('*.json', { cwd: folder })) {
    for (const { url, functions } of scriptsOf(readFileSync(join(folder, name), 'utf8'))) {
      if (!/\/packages\/\w+\/src\//.test(url)) continue;
      total += functions.reduce((sum, { ranges }) => sum + ranges[0]!.count, 0);
      for (const index of indexes.get(sources.get(url) ?? '') ?? [])
        counts[index]! += callsAt(places[index]!.start, functions);
    }
  }
  return { ofPlaces: counts, total };
}

interface Script {
  readonly url: string;
  readonly functions: readonly { readonly ranges: readonly Range[] }[];
}

function scriptsOf(text: string): readonly Script[] {
  return (JSON.parse(text) as { result: Script[] }).result;
}

/** The count of the smallest range around an offset. */
function callsAt(offset: number, functions: Script['functions']): number {
  let smallest: Range | null = null;
  for (const { ranges } of functions)
    for (const range of ranges)
      if (range.startOffset <= offset && offset < range.endOffset && (smallest === null || isIn(range, smallest)))
        smallest = range;
  return smallest?.count ?? 0;
}

function isIn(one: Range, other: Range): boolean {
  return one.startOffset >= other.startOffset && one.endOffset <= other.endOffset;
}
