/** The location of Latchkey's data during a run. */
import { totalmem } from 'node:os';
import { join } from 'node:path';
import type { Database } from '@latchkey/server/storage/contract/database.ts';
import { startPostgres } from '../../packages/server/test/support/postgres-server.ts';
import type { ProcessRoots } from './processes.ts';

/** The share that PostgreSQL's manual recommends for a dedicated server. */
const SHARE_OF_MEMORY = 0.25;

/** The settings of a production server: committed data is on disk. */
const POSTGRES_SETTINGS = {
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  shared_buffers: `${Math.floor((totalmem() * SHARE_OF_MEMORY) / 2 ** 20)}MB`,
  max_wal_size: '4GB',
  deadlock_timeout: '1s',
};

/** An empty database and its own processes, if any. */
export interface StartedDatabase {
  readonly database: Database;
  readonly processes: ProcessRoots;
}

/** Starts a database: a file in the data directory, or a PostgreSQL that `running` stops. */
export async function startDatabase(
  engine: Database['engine'],
  dataDirectory: string,
  running: AsyncDisposableStack,
): Promise<StartedDatabase> {
  if (engine === 'sqlite') return { database: { engine, file: join(dataDirectory, 'latchkey.db') }, processes: {} };
  const postgres = running.adopt(await startPostgres(POSTGRES_SETTINGS), (server) => server.stop());
  return { database: { engine, url: postgres.url }, processes: { postgres: postgres.pid } };
}
