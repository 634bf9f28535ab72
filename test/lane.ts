/** A process that runs test files in order, and takes the next one from the queue of the run. */
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from './files.ts';
import { beginLane, endLane } from './lane-end.ts';
import { after, describe, it } from './running-test.ts';
import { enterFile } from './time-limit.ts';

/** Time for a lane to end after its last file. A failed test may have left something open. */
const END_LIMIT_MS = 30_000;

/**
 * Runs files until the queue is empty. Each file is a suite of its own, so that its hooks hold for its tests alone.
 *
 * @param first the index of the first file that this lane may take
 */
export async function runLane(first = 0): Promise<void> {
  const folder = process.env.LATCHKEY_TEST_QUEUE!;
  const files: readonly string[] = JSON.parse(readFileSync(join(folder, 'queue.json'), 'utf8'));
  beginLane();
  for (const [index, file] of files.entries()) {
    if (index < first || !claim(join(folder, String(index)))) continue;
    enterFile(file);
    const { promise, resolve } = Promise.withResolvers<void>();
    const name = relative(ROOT, file);
    describe(name, async () => {
      // Registered first, so that it runs even when the import fails.
      after(() => resolve());
      try {
        await import(pathToFileURL(file).href);
      } catch (error) {
        // A suite that fails by itself is missing from the closing counts of node:test; a test is not.
        it(name, () => {
          throw error;
        });
      }
    });
    await promise;
  }
  await endLane();
  enterFile('A process whose tests had ended, one of which left something open,', END_LIMIT_MS);
}

/** Only one process can create a file that must not exist. */
function claim(file: string): boolean {
  try {
    closeSync(openSync(file, 'wx'));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
