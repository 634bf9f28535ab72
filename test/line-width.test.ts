/** Comments are wrapped at the width of a line. The formatter wraps code only. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { ROOT } from './files.ts';

/** As `lineWidth` in biome.json. */
const WIDTH = 120;
const SOURCES = '{packages/*/{src,test,scripts},bench/{src,test},test,examples}/**/*.{ts,tsx,js,mjs}';

/** A suppression of the linter must be one line, and a link cannot be broken. */
const isUnbreakable = (line: string) => /biome-ignore|https?:\/\//.test(line);

function longCommentsIn(file: string): string[] {
  const lines = readFileSync(join(ROOT, file), 'utf8').split('\n');
  return lines.flatMap((line, index) =>
    [...line].length > WIDTH && /^\s*(\/\/|\/?\*)/.test(line) && !isUnbreakable(line) ? [`${file}:${index + 1}`] : [],
  );
}

it('every comment is wrapped at the width of a line', () => {
  const files = globSync(SOURCES, { cwd: ROOT, exclude: (path) => /node_modules|(^|\/)dist$/.test(path) });
  assert.ok(files.length > 500, `${files.length} files`);
  assert.deepEqual(files.flatMap(longCommentsIn), []);
});
