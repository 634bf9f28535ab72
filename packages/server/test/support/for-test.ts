/** Databases and services that a test, or a file of tests, has for itself. They are removed at its end. */

import type { Bounds } from '../../src/runtime/service/server.ts';
import type { Database } from '../../src/storage/contract/database.ts';
import { startApp, type TestApp } from './app.ts';
import { type Engine, emptyDatabase, freshDatabase } from './databases.ts';
import type { TestDatabase } from './test-database.ts';

/** A test, or `{ after }` of node:test. */
export interface Owner {
  after(remove: () => Promise<void>): void;
}

type DatabaseOf<Kind extends Engine> = Extract<Database, { readonly engine: Kind }>;

/** A database with the service's tables: see {@link freshDatabase}. */
export function freshFor<Kind extends Engine>(test: Owner, engine: Kind): Promise<DatabaseOf<Kind>> {
  return databaseOf(freshDatabase(engine, test));
}

/** A database without tables: see {@link emptyDatabase}. */
export function emptyFor<Kind extends Engine>(test: Owner, engine: Kind): Promise<DatabaseOf<Kind>> {
  return databaseOf(emptyDatabase(engine, test));
}

async function databaseOf<Kind extends Engine>(made: Promise<TestDatabase>): Promise<DatabaseOf<Kind>> {
  return (await made).database as DatabaseOf<Kind>;
}

/** A service, with the parameters of {@link startApp}. */
export async function appFor(test: Owner, ...started: Parameters<typeof startApp>): Promise<TestApp> {
  const app = await startApp(...started);
  test.after(() => app.stop());
  return app;
}

/** Two nodes on one PostgreSQL, each with a clock of its own. */
export async function twoNodesFor(
  test: Owner,
  environment: Readonly<Record<string, string>> = {},
  bounds: Partial<Bounds> = {},
): Promise<readonly [one: TestApp, other: TestApp]> {
  const shared = await freshDatabase('postgres');
  const start = () => startApp('postgres', environment, shared, bounds);
  const nodes = [await start(), await start()] as const;
  test.after(async () => {
    await Promise.all(nodes.map((node) => node.stop()));
    await shared.remove();
  });
  return nodes;
}

/** Runs `work` with a service on a database, which remains when the service stops. */
export async function served<T>(
  database: Database,
  work: (app: TestApp) => Promise<T>,
  environment: Readonly<Record<string, string>> = {},
): Promise<T> {
  const app = await startApp(database.engine, environment, { database, remove: async () => {} });
  try {
    return await work(app);
  } finally {
    await app.stop();
  }
}
