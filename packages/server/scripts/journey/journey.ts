/** The shared state of the steps of an operator's journey, and their use of the package. */
import { execFile } from 'node:child_process';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Database } from '../../src/storage/contract/database.ts';
import type { InstalledPackage } from '../../test/support/installed-package.ts';
import type { PostgresServer } from '../../test/support/postgres-server.ts';
import { type ServerProcess, startServerProcess } from '../../test/support/server-process.ts';
import type { Issued, Ledger } from './ledger.ts';

/** Number of concurrent calls under load. */
export const WORKERS = 16;

/** State that the steps pass on. */
export interface Journey {
  readonly place: string;
  readonly installed: InstalledPackage;
  service: ServerProcess;
  ledger: Ledger;
  adminSecret: string;
  beforeBackup: readonly Issued[];
  keysAfterKill: ReadonlySet<string>;
  /** All licenses of the restored backup. */
  restored: readonly Issued[];
  /** The started PostgreSQL servers: the primary and its standby. */
  servers: readonly PostgresServer[];
  /** The nodes on these servers. */
  nodes: readonly ServerProcess[];
}

/** One step of an operator. */
export interface Step {
  readonly name: string;
  /** Runs the step. @returns its result as text @throws if a check fails */
  run(journey: Journey): Promise<string>;
}

/** The data directory for the restored backup. */
export function elsewhereOf({ place }: Journey): string {
  return join(place, 'elsewhere');
}

/** Runs the installed command of the package for a data directory. @returns its output */
export async function latchkey(
  { installed }: Pick<Journey, 'installed'>,
  data: string,
  ...args: string[]
): Promise<string> {
  const env = { ...installed.environment, LATCHKEY_DATA_DIR: data };
  const { stdout } = await promisify(execFile)(installed.command, args, { env });
  return stdout.trim();
}

/** Starts the packed service on a database with the secrets of a data directory. */
export function servePackage(installed: InstalledPackage, database: Database, data: string): Promise<ServerProcess> {
  const environment = { LATCHKEY_DATA_DIR: data, LATCHKEY_ADMIN_SECRET: '', LATCHKEY_WEBHOOK_SECRET: '' };
  return startServerProcess(database, environment, [join(installed.folder, 'bin', 'latchkey.cjs'), 'serve']);
}

/** Copies the secrets of an installation to another data directory, because backups and copies do not contain them. */
export async function takeSecrets(from: string, to: string): Promise<void> {
  for (const secret of ['admin-secret', 'webhook-secret']) await cp(join(from, secret), join(to, secret));
}
