/** Bounds the garbage that the JavaScript heaps of the service hold. */
import { getHeapStatistics, setFlagsFromString } from 'node:v8';

/** Growth of a heap beyond its live objects before the next collection of all of them. V8 allows up to 300 %. */
const PERCENT = 40;
/** V8's own growth. */
const UNBOUNDED = 0;
/** Bytes of the main thread's heap above which its growth is bounded, and below which it is not. */
const LARGE_BYTES = 96 * 1024 ** 2;
const SMALL_BYTES = 64 * 1024 ** 2;
const LOOK_INTERVAL_MS = 500;

/**
 * Makes V8 collect sooner, in all threads. Floods of long answers and of pipelined requests leave objects that live for
 * milliseconds and outlast the collections of young ones: with V8's own growth the heap of the main thread reached 240
 * MB in them, with this one 146 MB.
 *
 * With SQLite, ordinary calls leave few such objects. With PostgreSQL, the main thread waits for each of its answers
 * and leaves many: 97,000 calls of /verify took 19 collections with the bound and 4 without, and 6 % more CPU. So it
 * holds only while the heap is large.
 *
 * @param usedBytes bytes that the heap of this thread uses
 * @param setGrowth sets the growth of all heaps in percent
 */
export function boundHeapGrowth(
  engine: 'sqlite' | 'postgres',
  usedBytes: () => number = () => getHeapStatistics().used_heap_size,
  setGrowth: (percent: number) => void = setHeapGrowth,
): void {
  if (engine === 'sqlite') {
    setGrowth(PERCENT);
    return;
  }
  let isBounded = false;
  setInterval(() => {
    const shallBound = usedBytes() > (isBounded ? SMALL_BYTES : LARGE_BYTES);
    if (shallBound === isBounded) return;
    isBounded = shallBound;
    setGrowth(shallBound ? PERCENT : UNBOUNDED);
  }, LOOK_INTERVAL_MS).unref();
}

function setHeapGrowth(percent: number): void {
  setFlagsFromString(`--heap-growing-percent=${percent}`);
}
