/** Programs beside the service, run to their end as an operator runs them. */
import { execFile } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommandLine } from '../../src/operations/commands/command-line.ts';
import type { Database } from '../../src/storage/contract/database.ts';
import { processEnvironment } from './process-environment.ts';

/** Result of a program. */
export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs a file of packages/server with no environment but the given one. */
export function runProgram(
  file: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const program = fileURLToPath(new URL(`../../${file}`, import.meta.url));
  return new Promise((resolve) => {
    const env = { ...processEnvironment, ...environment };
    const child = execFile(process.execPath, [program, ...args], { env }, (_error, out, err) =>
      resolve({ code: child.exitCode, out, err }),
    );
  });
}

/**
 * Runs a command line in this process: its output and its exit are the same, without the start of a Node.js. {@link
 * runCommand} tests that a command ends its process and leaves nothing open.
 */
export async function runCommandHere(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const said = { out: '', err: '' };
  const code = await runCommandLine(
    args,
    { ...processEnvironment, ...environment },
    {
      out: (text) => {
        said.out += text;
      },
      err: (text) => {
        said.err += text;
      },
    },
  );
  return { code, ...said };
}

/** Runs a command as `npm run latchkey -- ...` does. */
export function runCommand(args: readonly string[], environment?: Readonly<Record<string, string>>): Promise<Ended> {
  return runProgram('src/cli.ts', args, environment);
}

/** Environment variables that name a database. */
export function environmentOf(database: Database): Record<string, string> {
  return database.engine === 'postgres'
    ? { DATABASE_URL: database.url }
    : { LATCHKEY_DATA_DIR: dirname(database.file) };
}

/** A database as an argument of a command names it. */
export const nameOf = (database: Database): string => (database.engine === 'postgres' ? database.url : database.file);
