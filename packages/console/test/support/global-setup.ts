/** A fresh build of the console for its tests. LATCHKEY_TEST_CONSOLE_FOLDER names an existing build to use instead. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

let built: string | undefined;

/** Builds the console; test files find it by the environment variable. */
export async function prepare(): Promise<void> {
  if (process.env.LATCHKEY_TEST_CONSOLE_FOLDER !== undefined) return;
  built = await mkdtemp(join(tmpdir(), 'latchkey-console-'));
  await promisify(execFile)(process.execPath, [
    fileURLToPath(new URL('../../scripts/build.ts', import.meta.url)),
    built,
  ]);
  process.env.LATCHKEY_TEST_CONSOLE_FOLDER = built;
}

/** Removes the build. */
export async function remove(): Promise<void> {
  if (built !== undefined) await rm(built, { recursive: true, force: true });
}
