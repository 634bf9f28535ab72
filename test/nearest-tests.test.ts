/** The choice of tests that mutants run first: those that call the broken code. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type MeasuredTest, nearestTests } from './nearest-tests.ts';

const BROKEN = 'packages/server/src/licensing/licenses/verify.ts';

/** A test with these numbers of calls of two places and of all code. */
function measured(name: string, ofPlaces: readonly number[], total: number, seconds = 1): MeasuredTest {
  return { file: `packages/server/test/${name}.test.ts`, calls: { ofPlaces, total }, seconds };
}

function chosen(tests: readonly MeasuredTest[], seconds = 60): readonly string[] {
  const likeness = (file: string) => (file.endsWith('/words.test.ts') ? 1 : 0);
  const found = nearestTests(tests, { file: BROKEN, places: [0], likeness }, seconds);
  return found.map((file) => file.slice('packages/server/test/'.length, -'.test.ts'.length));
}

it('are those of that name, then in turn those that call little else, share its words, and call it most', () => {
  const tests = [
    measured('other', [0, 9], 100),
    measured('model', [50, 0], 1000),
    measured('license', [10, 0], 100),
    measured('words', [1, 0], 2000),
    measured('journey', [40, 0], 2000),
    measured('verify', [1, 0], 1000),
  ];
  assert.deepEqual(chosen(tests), ['verify', 'license', 'words', 'model', 'journey']);
});

it('are as many as fit into the time, but at least three, and quick ones come first', () => {
  const tests = [
    measured('slow', [9, 0], 10, 50),
    measured('slower', [8, 0], 10, 60),
    measured('quick', [7, 0], 10, 1),
    measured('long', [6, 0], 10, 20),
    measured('quicker', [5, 0], 10, 0.5),
  ];
  assert.deepEqual(chosen(tests), ['quick', 'slow', 'slower']);
  assert.deepEqual(chosen(tests, 112), ['quicker', 'quick', 'slow', 'slower']);
});
