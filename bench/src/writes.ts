/**
 * `npm run writes`: prints the bytes that calls of the client endpoints write to the log of the database. README.md
 * explains the loads.
 */
import { join } from 'node:path';
import type { Database } from '@latchkey/server/storage/contract/database.ts';
import { startPostgres } from '../../packages/server/test/support/postgres-server.ts';
import { count, ENGINES, option, someOf, valuesIn } from './option-values.ts';
import { runProgram } from './program.ts';
import { progressOf } from './progress.ts';
import { seed } from './seed.ts';
import { LICENSES_TO_WRITE, measureWrittenBytes, type WrittenBytes } from './written-bytes.ts';

const OPTIONS = {
  engines: option('engine', ENGINES.join(','), someOf(ENGINES)),
  licenses: option('licenses', '10k', count(LICENSES_TO_WRITE, 10_000_000)),
};

const USAGE = `Prints how many bytes a call of a client endpoint writes to the log of the database.

npm run writes -- [options]

  --engine sqlite,postgres   the databases (both)
  --licenses N               licenses in the database, 10k to 10M (10k)
  --help                     this text
`;

async function measure(database: Database, licenses: number): Promise<readonly WrittenBytes[]> {
  const seeded = await seed(database, { licenses }, progressOf(`seeding ${licenses.toLocaleString('en')} licenses`));
  return measureWrittenBytes(database, seeded);
}

/** PostgreSQL without background work that writes. */
async function measureOnPostgres(full_page_writes: 'on' | 'off', licenses: number): Promise<readonly WrittenBytes[]> {
  const server = await startPostgres({ autovacuum: 'off', max_wal_size: '16GB', full_page_writes });
  try {
    return await measure({ engine: 'postgres', url: server.url }, licenses);
  } finally {
    await server.stop();
  }
}

await runProgram({
  usage: USAGE,
  readOptions: (args) => valuesIn(args, OPTIONS),
  async run({ engines, licenses }, directory) {
    const print = (text: string) => void process.stdout.write(`${text}\n`);
    const line = ({ load, batchSize, log }: WrittenBytes) =>
      `  ${load.padEnd(36)}${String(batchSize).padStart(8)}${Math.round(log).toLocaleString('en').padStart(10)}`;
    const heading = `  ${''.padEnd(36)}${'batch of'.padStart(8)}${'bytes'.padStart(10)}`;
    for (const engine of engines)
      if (engine === 'sqlite') {
        print(`sqlite, log per call\n${heading}`);
        const written = await measure({ engine, file: join(directory, 'latchkey.db') }, licenses);
        for (const each of written) print(line(each));
      } else {
        print(
          `postgres, WAL per call, and full-page images right after a checkpoint\n${heading}${'images'.padStart(10)}`,
        );
        const written = await measureOnPostgres('off', licenses);
        const withImages = await measureOnPostgres('on', licenses);
        for (const [index, each] of written.entries())
          print(line(each) + Math.round(withImages[index]!.images).toLocaleString('en').padStart(10));
      }
    return true;
  },
});
