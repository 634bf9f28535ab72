/** Holds the table of docs/contributors/performance.md: a change that writes more, or less, changes the table. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import type { Database } from '@latchkey/server/storage/contract/database.ts';
import { startPostgres } from '../../packages/server/test/support/postgres-server.ts';
import { temporaryFolder } from '../../packages/server/test/support/temporary-folder.ts';
import { seed } from '../src/seed.ts';
import { BATCH_SIZES, LICENSES_TO_WRITE, LOADS, measureWrittenBytes, type WrittenBytes } from '../src/written-bytes.ts';

/** Maximum deviation from a stated figure. */
const TOLERANCE = 0.05;
const PERFORMANCE = new URL('../../docs/contributors/performance.md', import.meta.url);
const ENGINES = ['postgres', 'sqlite'] as const;

/** The figures of a load in the order of the columns: for each engine, one for each batch size. */
async function statedFigures(load: string): Promise<readonly number[]> {
  const line = (await readFile(PERFORMANCE, 'utf8')).split('\n').find((each) => each.startsWith(`| ${load} |`));
  assert.ok(line, `docs/contributors/performance.md has no line for: ${load}`);
  const [, , ...cells] = line.split('|');
  return cells.slice(0, ENGINES.length * BATCH_SIZES.length).map((cell) => Number(cell.replaceAll(/[,*\s]/g, '')));
}

async function measure(database: Database): Promise<readonly WrittenBytes[]> {
  return measureWrittenBytes(database, await seed(database, { licenses: LICENSES_TO_WRITE }, () => {}));
}

const folder = temporaryFolder();

const measureOn = {
  sqlite: () => measure({ engine: 'sqlite', file: join(folder, 'latchkey.db') }),
  // A server of its own, because the writes of other databases would be counted. It writes no full-page images.
  async postgres() {
    const server = await startPostgres({ autovacuum: 'off' });
    try {
      return await measure({ engine: 'postgres', url: server.url });
    } finally {
      await server.stop();
    }
  },
};

for (const [engineIndex, engine] of ENGINES.entries())
  describe(`the bytes that a call writes to the log of ${engine}`, () => {
    let written: readonly WrittenBytes[];
    before(async () => {
      written = await measureOn[engine]();
    });

    for (const load of LOADS)
      for (const [sizeIndex, batchSize] of BATCH_SIZES.entries())
        it(`are those of docs/contributors/performance.md: ${load}, batches of ${batchSize}`, async () => {
          const stated = (await statedFigures(load))[engineIndex * BATCH_SIZES.length + sizeIndex]!;
          const { log } = written.find((each) => each.load === load && each.batchSize === batchSize)!;
          assert.ok(Math.abs(log / stated - 1) <= TOLERANCE, `${log.toFixed(0)} instead of ${stated}`);
        });
  });
