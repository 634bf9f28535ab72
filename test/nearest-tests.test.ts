/** The tests that mutants run first are those that can notice the break. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { it } from 'node:test';
import { ROOT } from './files.ts';
import { NearestTests } from './nearest-tests.ts';

const MOST = 12;
const SERVER = join(ROOT, 'packages/server');

it('the nearest tests are those that call the broken part, also of a file that many tests import', () => {
  const nearest = new NearestTests(globSync('src/**/*.ts', { cwd: SERVER }).map((file) => join(SERVER, file)));
  for (const [source, place, test] of [
    ['licenses/license', 'return ALWAYS', 'properties/license-cache'],
    ['support/verdict-rules', 'The one slot is', 'explanations/verdicts'],
    ['commands/import', 'enterWaitingEvents(storage)', 'transfer/transfer'],
  ] as const) {
    const file = join(SERVER, `src/${source}.ts`);
    const chosen = nearest.of(file, readFileSync(file, 'utf8').indexOf(place), MOST);
    assert.ok(chosen.map((each) => relative(join(SERVER, 'test'), each)).includes(`${test}.test.ts`), source);
  }
});
