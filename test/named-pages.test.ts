/** Pages of the documentation that sources name by their paths are there. */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { ROOT } from './files.ts';

const SOURCES =
  '{packages/*/{src,test,scripts},bench/{src,test},test,examples,clients}/**/*.{ts,tsx,js,mjs,c,h,hpp,m,cs,py,go,rs,md,txt}';
/** A path from the root. A path of the service, which begins with a slash, is none. */
const PAGE = /(?<![\w/.-])docs\/[\w/.-]+\.md\b/g;

it('every page that a source names is there', () => {
  const files = globSync(SOURCES, {
    cwd: ROOT,
    exclude: (path) => /(^|\/)(node_modules|dist|build|target)$/.test(path),
  });
  const named = files.flatMap((file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(PAGE)].map(([page]) => ({ file, page })),
  );
  assert.ok(named.length > 100, `${named.length} names of pages`);
  assert.deepEqual(
    named.filter(({ page }) => !existsSync(join(ROOT, page))),
    [],
  );
});
