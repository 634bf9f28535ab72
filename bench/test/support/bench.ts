/** A Latchkey on a SQLite file with licenses of the bench. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LatchkeyServer, startLatchkey } from '../../src/latchkey.ts';
import type { RequestSource } from '../../src/pool.ts';
import { certificateIn } from '../../src/program.ts';
import { type Contents, type Seeded, seed } from '../../src/seed.ts';
import { expectAll } from './window.ts';

/** A filled database with a running server, for tests. */
export interface Bench extends AsyncDisposable {
  readonly seeded: Seeded;
  readonly latchkey: LatchkeyServer;
  /** Sends each request of a source once and expects the correct responses. */
  expectAll(source: RequestSource): Promise<void>;
}

/** Fills a database and starts Latchkey on it, over plain HTTP unless `tls` is set. The caller disposes of it. */
export async function benchOn(contents: Contents, { tls = false } = {}): Promise<Bench> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'latchkey-bench-test-'));
  const database = { engine: 'sqlite', file: join(dataDirectory, 'latchkey.db') } as const;
  const seeded = await seed(database, contents, () => {});
  const certificate = tls ? (await certificateIn(dataDirectory)).certificate : null;
  const latchkey = await startLatchkey({ database, dataDirectory, certificate, floatingTimeout: '1d' });
  return {
    seeded,
    latchkey,
    expectAll: (source) => expectAll(latchkey.address, source, join(dataDirectory, 'requests')),
    async [Symbol.asyncDispose]() {
      await latchkey.stop();
      await rm(dataDirectory, { recursive: true });
    },
  };
}
