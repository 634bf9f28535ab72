/**
 * Prepares the shared parts of all test files before the first of them, and removes them after the last: one
 * PostgreSQL, a migrated database of each engine to copy, and the compiled form of every module, which each file,
 * thread and server process would otherwise compile again.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeTemplates } from './databases.ts';
import { type PostgresServer, startPostgres } from './postgres-server.ts';

let server: PostgresServer | undefined;
let templates: Awaited<ReturnType<typeof makeTemplates>> | undefined;
let compiledModules: string | undefined;

/**
 * Prepares the shared parts; test files find them by environment variables. A server or a cache that is already named
 * is kept.
 */
export async function prepare(): Promise<void> {
  if (process.env.NODE_COMPILE_CACHE === undefined) {
    compiledModules = await mkdtemp(join(tmpdir(), 'latchkey-compiled-'));
    process.env.NODE_COMPILE_CACHE = compiledModules;
  }
  if (process.env.LATCHKEY_TEST_POSTGRES_URL === undefined) {
    // Statistics that arrive while a test runs would change its plans now and then.
    server = await startPostgres({ autovacuum: 'off' });
    process.env.LATCHKEY_TEST_POSTGRES_URL = server.url;
    templates = await makeTemplates();
    Object.assign(process.env, templates.environment);
  }
}

/** Removes the shared parts. */
export async function remove(): Promise<void> {
  await server?.stop();
  await templates?.remove();
  if (compiledModules !== undefined) await rm(compiledModules, { recursive: true, force: true, maxRetries: 3 });
}
