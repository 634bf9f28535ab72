/** The tests that are most likely to notice a break of a source file: by imports, names and calls. */
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

/** The quoted paths of the endpoints in a source file, and its own name, which is that of its command if it has one. */
function calledAs(file: string): readonly string[] {
  return [...(readFileSync(file, 'utf8').match(/'\/[a-z]\w+'/g) ?? []), `'${nameOf(file)}'`];
}

/** A declaration at the top level of a file. */
const DECLARATION = /^(export )?(?:abstract )?(?:async )?(?:function\*?|const|let|class|interface|type) (\w+)/gm;

/**
 * The exports of a source that depend on a place in it: the declaration around the place, or those that name it.
 *
 * @param start index of the place in the text
 */
function exportsAround(text: string, start: number): readonly string[] {
  const declared = [...text.matchAll(DECLARATION)].map((match, index, all) => ({
    name: match[2]!,
    isExported: match[1] !== undefined,
    from: match.index,
    body: text.slice(match.index, all[index + 1]?.index),
  }));
  const around = declared.findLast(({ from }) => from <= start);
  if (around === undefined) return [];
  if (around.isExported) return [around.name];
  return declared.filter(({ isExported, body }) => isExported && body.includes(around.name)).map(({ name }) => name);
}

/** The text of a test file and of the helpers that it imports. */
function textOf(file: string, imports: readonly string[]): string {
  const helpers = imports.filter((each) => each.includes('/test/') && existsSync(each));
  return [file, ...helpers].map((each) => readFileSync(each, 'utf8')).join();
}

interface TestFile {
  readonly file: string;
  readonly imports: readonly string[];
  readonly text: string;
}

/** A broken source file, and its place among the others. */
interface Source {
  readonly file: string;
  /** The files that use the broken part. */
  readonly importers: readonly string[];
  /** Importers of the importers. */
  readonly further: readonly string[];
  /** Names by which tests call the file, its importers, and the importers of these. */
  readonly names: readonly (readonly string[])[];
  /** True for a text that names an export which depends on the break. */
  usesPlace(text: string): boolean;
}

/** Finds the nearest tests of source files. */
export class NearestTests {
  readonly #tests: readonly TestFile[];
  readonly #importers = new Map<string, string[]>();

  /** @param sources all source files */
  constructor(sources: readonly string[]) {
    const files = testFiles({ paths: [], isSystem: false }).filter(
      (file) => !isSystemTest(file) && !opensBrowser(file),
    );
    this.#tests = files.map((file) => {
      const imports = importsOf(file);
      return { file, imports, text: textOf(file, imports) };
    });
    for (const source of sources)
      for (const imported of importsOf(source))
        this.#importers.set(imported, [...(this.#importers.get(imported) ?? []), source]);
  }

  /**
   * Test files, the nearest one first, at most `most` of them.
   *
   * @param start index of the break in the text of the source
   */
  of(file: string, start: number, most: number): readonly string[] {
    const exported = exportsAround(readFileSync(file, 'utf8'), start);
    const usesPlace = (text: string) => exported.length === 0 || exported.some((name) => text.includes(name));
    const importers = (this.#importers.get(file) ?? []).filter((each) => usesPlace(readFileSync(each, 'utf8')));
    const further = importers.flatMap((each) => this.#importers.get(each) ?? []);
    const names = [[file], importers, further].map((files) => [...new Set(files.flatMap(calledAs))]);
    const source = { file, importers, further, names, usesPlace };
    const ranked = this.#tests
      .filter((test) => packageOf(test.file) === packageOf(file))
      .map((test) => ({ test, rank: rankOf(test, source) }))
      .filter(({ rank }) => rank < Number.POSITIVE_INFINITY)
      .toSorted(
        (one, other) => one.rank - other.rank || calls(other.test, names.flat()) - calls(one.test, names.flat()),
      )
      .map(({ test }) => test.file);
    const isServer = packageOf(file) === 'packages/server';
    return [...new Set([...ranked.slice(0, most), ...(isServer ? BROAD.filter(existsSync) : [])])];
  }
}

/** How often a test names one of the things that it may call. */
function calls({ text }: TestFile, names: readonly string[]): number {
  return names.reduce((count, name) => count + text.split(name).length - 1, 0);
}

function rankOf(test: TestFile, { file, importers, further, names, usesPlace }: Source): number {
  const { imports, text } = test;
  const isIn = (one: string, other: string) => folderOf(one) === folderOf(other);
  const isNamedLike = (each: string) => nameOf(each) === nameOf(test.file);
  const [own = [], ofImporters = [], ofFurther = []] = names;
  const ranks = [
    isNamedLike(file) && isIn(test.file, file),
    isNamedLike(file),
    imports.includes(file) && usesPlace(text),
    importers.some(isNamedLike),
    importers.some((each) => imports.includes(each)),
    calls(test, own) > 0,
    calls(test, ofImporters) > 0,
    isIn(test.file, file),
    further.some((each) => isNamedLike(each) || imports.includes(each)),
    calls(test, ofFurther) > 0,
    importers.some((each) => isIn(test.file, each)),
  ];
  return ranks.includes(true) ? ranks.indexOf(true) : Number.POSITIVE_INFINITY;
}

/** The first folder below `src` or `test`: `licenses`. */
function folderOf(file: string): string {
  return relative(ROOT, file).replace(/\\/g, '/').split('/')[3] ?? '';
}
