/** Starts one PostgreSQL for the whole run, before the first test file, and stops it after the last. */
import { type PostgresServer, startPostgres } from './postgres-server.ts';

let server: PostgresServer | undefined;

/** Called by node:test; test files find the server by the environment variable. One that is set already is kept. */
export async function globalSetup(): Promise<void> {
  if (process.env.LATCHKEY_TEST_POSTGRES_URL !== undefined) return;
  server = await startPostgres();
  process.env.LATCHKEY_TEST_POSTGRES_URL = server.url;
}

/** Called by node:test. */
export async function globalTeardown(): Promise<void> {
  await server?.stop();
}
