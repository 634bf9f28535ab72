/** What the steps of an operator's journey share: what they hand on, and how they use the package. */
import { execFile } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Database } from '../../src/storage/open.ts';
import type { InstalledPackage } from '../../test/support/installed-package.ts';
import type { PostgresServer } from '../../test/support/postgres-server.ts';
import { type ServerProcess, startServerProcess } from '../../test/support/server-process.ts';
import type { Issued, Ledger } from './ledger.ts';

/** How many calls of a load are under way at once. */
export const WORKERS = 16;

/** What the steps hand on. */
export interface Journey {
  readonly place: string;
  readonly installed: InstalledPackage;
  service: ServerProcess;
  ledger: Ledger;
  adminSecret: string;
  beforeBackup: readonly Issued[];
  keysAfterKill: ReadonlySet<string>;
  /** All that the restored backup holds. */
  restored: readonly Issued[];
  /** The PostgreSQL servers that were started: the primary, and its standby. */
  servers: readonly PostgresServer[];
  /** The nodes that share them. */
  nodes: readonly ServerProcess[];
}

/** One thing that an operator does. */
export interface Step {
  readonly name: string;
  /** Does it. @returns what was seen @throws when it is not as it should be */
  run(journey: Journey): Promise<string>;
}

/** The data directory in which the backup is restored. */
export function elsewhereOf({ place }: Journey): string {
  return join(place, 'elsewhere');
}

/** Runs the command of the package by its name, for a data directory. @returns what it printed */
export async function latchkey(
  { installed }: Pick<Journey, 'installed'>,
  data: string,
  ...args: string[]
): Promise<string> {
  const env = { ...installed.environment, LATCHKEY_DATA_DIR: data };
  const { stdout } = await promisify(execFile)(installed.command, args, { env });
  return stdout.trim();
}

/** Starts the packed service on a database, with the secrets that are in a data directory. */
export function servePackage(installed: InstalledPackage, database: Database, data: string): Promise<ServerProcess> {
  const environment = { LATCHKEY_DATA_DIR: data, LATCHKEY_ADMIN_SECRET: '', LATCHKEY_WEBHOOK_SECRET: '' };
  return startServerProcess(database, environment, [join(installed.folder, 'bin', 'latchkey.cjs'), 'serve']);
}

/** Copies the secrets of an installation to another data directory: they are in no backup and in no copy. */
export async function takeSecrets(from: string, to: string): Promise<void> {
  for (const secret of ['admin-secret', 'webhook-secret']) await cp(join(from, secret), join(to, secret));
}
