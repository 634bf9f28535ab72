/** The tests that are most likely to notice a break of a source file: by imports and by names. */
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { isSystemTest, opensBrowser, packageOf, ROOT, testFiles } from './files.ts';

/** Tests of many rules at once, for files that few tests import. */
const BROAD = ['reference/examples', 'model/model'].map((name) => join(ROOT, `packages/server/test/${name}.test.ts`));

const nameOf = (file: string) => basename(file).replace(/(\.test)?\.tsx?$/, '');

/** The files that a file imports, as far as they are sources. */
function importsOf(file: string): readonly string[] {
  return [...readFileSync(file, 'utf8').matchAll(/\bfrom '(\.[^']+)'/g)].map(([, path = '']) =>
    resolve(dirname(file), path),
  );
}

/** Finds the nearest tests of source files. Reads each file of the tests and of the sources once. */
export class NearestTests {
  readonly #tests: readonly { readonly file: string; readonly imports: readonly string[] }[];
  readonly #importers = new Map<string, string[]>();

  /** @param sources all source files */
  constructor(sources: readonly string[]) {
    const files = testFiles({ paths: [], isSystem: false }).filter(
      (file) => !isSystemTest(file) && !opensBrowser(file),
    );
    this.#tests = files.map((file) => ({ file, imports: importsOf(file) }));
    for (const source of sources)
      for (const imported of importsOf(source))
        this.#importers.set(imported, [...(this.#importers.get(imported) ?? []), source]);
  }

  /** Test files, the nearest one first, at most `most` of them. */
  of(source: string, most: number): readonly string[] {
    const importers = this.#importers.get(source) ?? [];
    const further = importers.flatMap((each) => this.#importers.get(each) ?? []);
    const ranked = this.#tests
      .filter(({ file }) => packageOf(file) === packageOf(source))
      .map(({ file, imports }) => ({ file, rank: rankOf({ file, imports }, source, importers, further) }))
      .filter(({ rank }) => rank < Number.POSITIVE_INFINITY)
      .toSorted((one, other) => one.rank - other.rank)
      .map(({ file }) => file);
    const isServer = packageOf(source) === 'packages/server';
    return [...new Set([...ranked.slice(0, most), ...(isServer ? BROAD.filter(existsSync) : [])])];
  }
}

function rankOf(
  { file, imports }: { readonly file: string; readonly imports: readonly string[] },
  source: string,
  importers: readonly string[],
  further: readonly string[],
): number {
  const isIn = (one: string, other: string) => folderOf(one) === folderOf(other);
  if (nameOf(file) === nameOf(source)) return isIn(file, source) ? 0 : 1;
  if (imports.includes(source)) return 2;
  if (importers.some((each) => nameOf(each) === nameOf(file))) return 3;
  if (importers.some((each) => imports.includes(each))) return 4;
  if (isIn(file, source)) return 5;
  if (further.some((each) => nameOf(each) === nameOf(file) || imports.includes(each))) return 6;
  return importers.some((each) => isIn(file, each)) ? 7 : Number.POSITIVE_INFINITY;
}

/** The first folder below `src` or `test`: `licenses`. */
function folderOf(file: string): string {
  return relative(ROOT, file).replace(/\\/g, '/').split('/')[3] ?? '';
}
