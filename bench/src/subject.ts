/** What is measured against the control: Latchkey on a full database, or a second control. */
import { join } from 'node:path';
import type { Database } from '@latchkey/server/storage/open.ts';
import { startPostgres } from '../../packages/server/test/support/postgres-server.ts';
import { SESSION_LIFETIME_MS } from './catalogue.ts';
import type { Driver, Server } from './comparison.ts';
import { type CertificateWithKey, startControl } from './control-server.ts';
import type { Endpoint } from './endpoints.ts';
import { startLatchkey } from './latchkey.ts';
import type { Options } from './options.ts';
import type { RequestSource } from './pool.ts';
import { Progress } from './progress.ts';
import { rehearsedAnswer, rehearsedRequests } from './rehearsal.ts';
import { seed } from './seed.ts';

/** As an operator would run it: what is committed is on disk. */
const POSTGRES_SETTINGS = {
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  shared_buffers: '256MB',
  max_wal_size: '4GB',
  deadlock_timeout: '1s',
};

/** A server that runs, and the requests it understands. */
export interface Subject {
  requestsTo(endpoint: Endpoint): RequestSource;
  /** An answer of the subject, for the control to give too. The driver has loaded the endpoint's requests. */
  exampleAnswer(endpoint: Endpoint, driver: Driver): Promise<string>;
  /** @param answer what the control answers */
  server(answer: string): Server;
}

/** Starts a second control; `running` stops it. */
export async function secondControl(tls: CertificateWithKey | null, running: AsyncDisposableStack): Promise<Subject> {
  const control = running.adopt(await startControl(tls), (server) => server.stop());
  const { address, pid } = control;
  return {
    requestsTo: rehearsedRequests,
    exampleAnswer: async (endpoint) => {
      await control.answerWith(rehearsedAnswer(endpoint));
      return rehearsedAnswer(endpoint);
    },
    server: (answer) => ({ name: 'control 2', address, fixedAnswer: answer, processes: { 'control 2': pid } }),
  };
}

/** Fills a database and starts Latchkey on it; `running` stops it. */
export async function seededLatchkey(
  { engine, licenses }: Options,
  dataDirectory: string,
  certificate: string | null,
  running: AsyncDisposableStack,
): Promise<Subject> {
  const { database, processes } = await databaseOf(engine, dataDirectory, running);
  const progress = new Progress(`seeding ${licenses.toLocaleString('en')} licenses`);
  const requestsTo = await seed(database, licenses, (done) => progress.show(done, licenses));
  const floatingTimeout = `${SESSION_LIFETIME_MS / 1000}s`;
  const latchkey = running.adopt(
    await startLatchkey({ database, dataDirectory, certificate, floatingTimeout }),
    (server) => server.stop(),
  );
  const { address, pid } = latchkey;
  const server: Server = { name: 'latchkey', address, fixedAnswer: null, processes: { latchkey: pid, ...processes } };
  return {
    requestsTo,
    exampleAnswer: async (endpoint, driver) => {
      const { body, fault } = await driver.ask({ kind: 'probe', server: server.name, address }, 'probed');
      if (fault !== null) throw new Error(`the first answer of /${endpoint} is wrong: ${fault}`);
      return body;
    },
    server: () => server,
  };
}

async function databaseOf(
  engine: Options['engine'],
  dataDirectory: string,
  running: AsyncDisposableStack,
): Promise<{ database: Database; processes: Server['processes'] }> {
  if (engine === 'sqlite') return { database: { engine, file: join(dataDirectory, 'latchkey.db') }, processes: {} };
  const postgres = running.adopt(await startPostgres(POSTGRES_SETTINGS), (server) => server.stop());
  return { database: { engine, url: postgres.url }, processes: { postgres: postgres.pid } };
}
