/** Counts elements without a race: the page may be about to render them, or to take them away. */
import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import type { Locator } from 'playwright-core';
import { PATIENCE_MS } from './windows.ts';

const INTERVAL_MS = 25;

/** Waits until a locator finds this many elements. Fails with their number if it never does. */
export async function hasCount(found: Locator, expected: number, message?: string): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  let count = await found.count();
  while (count !== expected && performance.now() < deadline) {
    await wait(INTERVAL_MS);
    count = await found.count();
  }
  assert.equal(count, expected, message ?? String(found));
}
