/** A process that runs test files and ends at the first failure. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A break that makes a test wait for ever is noticed. */
const FILE_LIMIT_MS = 120_000;

/** How to run test files. */
export interface TestProcessOptions {
  /** The root of the tree whose files run. */
  readonly root: string;
  /** Kills the process. */
  readonly signal: AbortSignal;
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Runs test files one after the other until the first failure, in a lane, so that they share one import of the service.
 *
 * @param files paths below the root
 * @returns the failure; null if all tests passed
 */
export async function failureOf(files: readonly string[], options: TestProcessOptions): Promise<string | null> {
  const { root, signal, env } = options;
  const here = (name: string) => join(root, 'test', name);
  const queue = mkdtempSync(join(tmpdir(), 'queue-'));
  const lane = join(queue, 'lane.test.ts');
  writeFileSync(join(queue, 'queue.json'), JSON.stringify(files.map((file) => join(root, file))));
  writeFileSync(lane, `import { runLane } from ${JSON.stringify(here('lane.ts'))};\nawait runLane();\n`);
  const args = ['--test', `--import=${here('time-limit.ts')}`, `--test-reporter=${here('reporter.ts')}`, lane];
  const child = spawn(process.execPath, args, {
    ...{ cwd: root, detached: true, stdio: ['ignore', 'pipe', 'ignore'] },
    env: {
      ...process.env,
      // A run within a run of node:test would skip its files.
      NODE_TEST_CONTEXT: undefined,
      INIT_CWD: root,
      LATCHKEY_TEST_QUEUE: queue,
      LATCHKEY_TEST_FILE_LIMIT_MS: String(FILE_LIMIT_MS),
      ...env,
    },
  });
  // The whole group, so that no service of the test stays.
  const end = () => child.exitCode === null && process.kill(-child.pid!, 'SIGKILL');
  signal.addEventListener('abort', end);
  let said = '';
  let failure: string | null = null;
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString();
    failure ??= /^✖ (.*)$/m.exec(said)?.[1] ?? null;
    if (failure !== null) end();
  });
  const [code] = await once(child, 'close');
  signal.removeEventListener('abort', end);
  rmSync(queue, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  return failure ?? (code === 0 ? null : `the tests ended with ${code}`);
}
