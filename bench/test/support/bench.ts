/** A Latchkey on a SQLite file with licenses of the bench. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AnswerFramer } from '../../src/answer.ts';
import { Connection } from '../../src/connection.ts';
import { type LatchkeyServer, startLatchkey } from '../../src/latchkey.ts';
import { OpenConnections } from '../../src/open-connections.ts';
import { PoolCursor, type RequestSource, readPool, writePool } from '../../src/pool.ts';
import { certificateIn } from '../../src/program.ts';
import { type Contents, type Seeded, seed } from '../../src/seed.ts';
import { runWindow } from '../../src/window.ts';

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
    async expectAll(source) {
      const written = await writePool(join(dataDirectory, 'requests'), source);
      const pool = await readPool({ ...written, usesMax: 1 });
      const framer = new AnswerFramer();
      const open = new OpenConnections((listener) => Connection.open(latchkey.address, framer, listener));
      const figures = await runWindow(
        { addresses: [latchkey.address], fixedAnswer: null, connections: 8, rampSeconds: 0, seconds: 60 },
        new PoolCursor(pool, true),
        open,
        () => {},
      );
      open.close();
      assert.deepEqual(figures.errors, { count: 0, reported: [] });
      assert.equal(figures.isUsedUp, true);
    },
    async [Symbol.asyncDispose]() {
      await latchkey.stop();
      await rm(dataDirectory, { recursive: true });
    },
  };
}
