/** No files import each other in a circle, types included: each file can be read after those that it imports. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { it } from 'node:test';
import { ROOT } from './files.ts';

const SOURCES = '{packages/*/{src,test,scripts},bench/{src,test},clients/conformance,test}/**/*.{ts,tsx}';
/** Static imports and exports, and imports on demand. */
const IMPORT = /(?:\bfrom |\bimport\(|^import )'(\.{1,2}\/[^']+\.tsx?)'/gm;

type Imports = ReadonlyMap<string, readonly string[]>;

function readImports(): Imports {
  const paths = globSync(SOURCES, { cwd: ROOT, exclude: (path) => /node_modules|(^|\/)dist$/.test(path) });
  const files = new Set(paths.map((path) => path.replaceAll('\\', '/')));
  return new Map([...files].map((file) => [file, importsOf(file).filter((each) => files.has(each))]));
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  return [...text.matchAll(IMPORT)].map(([, target = '']) => posix.join(posix.dirname(file), target));
}

/** The files of circles, and those on a way from one circle to another. */
function filesInCircles(imports: Imports): string[] {
  const left = new Set(imports.keys());
  for (let before = -1; before !== left.size; ) {
    before = left.size;
    for (const file of left) if (!imports.get(file)?.some((each) => left.has(each))) left.delete(file);
    const imported = new Set([...left].flatMap((file) => imports.get(file) ?? []));
    for (const file of left) if (!imported.has(file)) left.delete(file);
  }
  return [...left].sort();
}

it('no files import each other in a circle', () => {
  const imports = readImports();
  assert.ok(imports.size > 2000, `${imports.size} files`);
  assert.ok(imports.get('test/circles.test.ts')?.includes('test/files.ts'), 'imports are read');
  assert.deepEqual(filesInCircles(imports), []);
});

it('a circle is found with the files that import each other, and no others', () => {
  const imports = new Map([
    ['user', ['first']],
    ['first', ['second']],
    ['second', ['third', 'first']],
    ['third', []],
  ]);
  assert.deepEqual(filesInCircles(imports), ['first', 'second']);
});
