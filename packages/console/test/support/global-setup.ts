/**
 * Prepares what the test files share: what those of the server share on SQLite, and the console as it is built now. One that was
 * built already is named by LATCHKEY_TEST_CONSOLE_FOLDER.
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
