/**
 * Prepares the shared parts of the test files: those of the server on SQLite, and a fresh build of the console.
 * LATCHKEY_TEST_CONSOLE_FOLDER names an existing build to use instead.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as ofServer from '../../../server/test/support/global-setup.ts';

let built: string | undefined;

/** Called by node:test. */
export async function globalSetup(): Promise<void> {
  await ofServer.prepare(['sqlite']);
  if (process.env.LATCHKEY_TEST_CONSOLE_FOLDER !== undefined) return;
  built = await mkdtemp(join(tmpdir(), 'latchkey-console-'));
  await promisify(execFile)(process.execPath, [
    fileURLToPath(new URL('../../scripts/build.ts', import.meta.url)),
    built,
  ]);
  process.env.LATCHKEY_TEST_CONSOLE_FOLDER = built;
}

/** Called by node:test. */
export async function globalTeardown(): Promise<void> {
  await ofServer.globalTeardown();
  if (built !== undefined) await rm(built, { recursive: true, force: true });
}
