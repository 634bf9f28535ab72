/** The growth of heaps between collections is bounded, with PostgreSQL only while the heap is large. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { boundHeapGrowth } from '../../../src/runtime/service/heap-growth.ts';

const MIB = 1024 ** 2;

/** Bounds a heap whose size the test sets. Returns the growths that were set after a look at each size, in percent. */
function growthsAt(test: TestContext, engine: 'sqlite' | 'postgres', sizes: readonly number[]): readonly number[][] {
  test.mock.timers.enable({ apis: ['setInterval'] });
  let bytes = 0;
  let set: number[] = [];
  const setSince = () => {
    const growths = set;
    set = [];
    return growths;
  };
  boundHeapGrowth(
    engine,
    () => bytes,
    (percent) => set.push(percent),
  );
  return [
    setSince(),
    ...sizes.map((size) => {
      bytes = size;
      test.mock.timers.tick(500);
      return setSince();
    }),
  ];
}

describe('the growth of heaps', () => {
  it('is bounded from the start with SQLite', (test) => {
    assert.deepEqual(growthsAt(test, 'sqlite', [30 * MIB, 200 * MIB]), [[40], [], []]);
  });

  it('is bounded above 96 MiB with PostgreSQL, until the heap is below 64 MiB again', (test) => {
    const sizes = [30, 96, 97, 200, 65, 64, 96].map((size) => size * MIB);
    assert.deepEqual(growthsAt(test, 'postgres', sizes), [[], [], [], [40], [], [], [0], []]);
  });
});
