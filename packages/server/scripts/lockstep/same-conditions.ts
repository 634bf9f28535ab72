/**
 * Preloaded into every thread of a compared service (`node --import`), so that two services are under the same
 * conditions. Their clocks show the time in a file, which is read each time. Their random values follow from the time:
 * most keys are the same in both, and lists that are ordered by keys have the same order. Refusals and counts are
 * written at once, before the clock moves on.
 */
import crypto, { createHash } from 'node:crypto';
import { openSync, readSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { isMainThread } from 'node:worker_threads';

const file = openSync(process.env.LATCHKEY_TEST_LOCKSTEP_CLOCK!, 'r');
const time = new Float64Array(1);

function now(): number {
  readSync(file, time, 0, time.byteLength, 0);
  return time[0]!;
}

const startedAt = now();
Date.now = now;
performance.now = () => now() - startedAt;

/**
 * Shorter intervals in milliseconds: of refusals that wait to be written, of repeats of violations, and of counts and
 * other jobs.
 */
const SHORTER = new Map([
  [450, 10],
  [15_000, 200],
  [60_000, 200],
]);
const { setInterval: repeat } = globalThis;
globalThis.setInterval = ((work: () => void, delay = 0, ...more: []) =>
  repeat(work, SHORTER.get(delay) ?? delay, ...more)) as typeof setInterval;

let moment = startedAt;
/** Values drawn at the present moment, by kind. */
const drawn = new Map<string, number>();

function bytesOf(kind: string, size: number): Buffer {
  if (moment !== now()) drawn.clear();
  moment = now();
  const count = (drawn.get(kind) ?? 0) + 1;
  drawn.set(kind, count);
  const hashOf = (part: number) => createHash('sha256').update(`${isMainThread} ${moment} ${kind} ${count} ${part}`);
  const parts = Array.from({ length: Math.ceil(size / 32) }, (_, part) => hashOf(part).digest());
  return Buffer.concat(parts).subarray(0, size);
}

function integer(...bounds: readonly number[]): number {
  const [low, high] = bounds.length === 1 ? [0, bounds[0]!] : [bounds[0]!, bounds[1]!];
  return low + (bytesOf(`integer from ${low} to ${high}`, 6).readUIntBE(0, 6) % (high - low));
}

Object.assign(crypto, { randomBytes: (size: number) => bytesOf(`${size} bytes`, size), randomInt: integer });
syncBuiltinESMExports();
