/** The service as operators run it: a separate process that uses the machine's clock. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent } from 'node:https';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Database } from '../../src/storage/contract/database.ts';
import { ADMIN_SECRET, sendRequest, type TestApp, WEBHOOK_SECRET } from './app.ts';
import { processEnvironment } from './process-environment.ts';

/** A server process that accepts calls. */
export interface ServerProcess extends Pick<TestApp, 'port' | 'send'> {
  /** The lines of its log so far; later ones are appended. */
  readonly log: readonly Readonly<Record<string, unknown>>[];
  /** Resolves with its exit code when it has ended, for any reason. */
  readonly ended: Promise<number | null>;
  /** The number of the process. */
  readonly pid: number;
  /** Stops it, as a service manager would, and waits until it has ended. Returns its exit code. */
  stop(): Promise<number | null>;
  /** Ends it at once, as a power cut would, and waits until it is gone. */
  kill(): Promise<void>;
}

/**
 * Starts a server process on a database that has its tables. `environment` adds to its configuration; `program` is the
 * file, below src/ or anywhere, and its arguments. The command given as `through` must run the command line appended to
 * it.
 */
export async function startServerProcess(
  database: Database,
  environment: Readonly<Record<string, string>> = {},
  [file, ...args]: readonly [string, ...string[]] = ['main.ts'],
  through: readonly string[] = [],
): Promise<ServerProcess> {
  const directory = await mkdtemp(join(tmpdir(), 'latchkey-process-'));
  const program = resolve(import.meta.dirname, '../../src', file);
  const [command, ...parts] = [...through, process.execPath, program, ...args] as [string, ...string[]];
  const server = spawn(command, parts, {
    env: {
      ...processEnvironment,
      HOST: '127.0.0.1',
      PORT: '0',
      LATCHKEY_DATA_DIR: directory,
      LATCHKEY_ADMIN_SECRET: ADMIN_SECRET,
      LATCHKEY_WEBHOOK_SECRET: WEBHOOK_SECRET,
      ...(database.engine === 'postgres' ? { DATABASE_URL: database.url } : {}),
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(server, 'exit') as Promise<[number | null]>;
  const said = text(server.stderr);
  const log: Record<string, unknown>[] = [];
  const port = await Promise.race([
    portIn(server.stdout, log),
    exited.then(async () => {
      await rm(directory, { recursive: true, force: true });
      throw new Error(`the server process ended: ${await said}`);
    }),
  ]);
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false, maxSockets: 64 });
  const end = async (signal: NodeJS.Signals) => {
    agent.destroy();
    server.kill(signal);
    const [code] = await exited;
    await rm(directory, { recursive: true, force: true });
    return code;
  };
  return {
    port,
    log,
    ended: exited.then(([code]) => code),
    pid: server.pid!,
    send: (path, body, options = {}) => sendRequest(agent, port, path, body, options),
    stop: () => end('SIGTERM'),
    async kill() {
      await end('SIGKILL');
    },
  };
}

/**
 * The port that the log names once the service listens; reads the log to its end into `lines`, so that the pipe never
 * fills up.
 */
function portIn(log: Readable, lines: Record<string, unknown>[]): Promise<number> {
  return new Promise((resolve) => {
    let rest = '';
    // Not node:readline, which ends a line at U+2028, too.
    log.setEncoding('utf8').on('data', (text: string) => {
      const read = (rest + text).split('\n');
      rest = read.pop()!;
      for (const line of read) {
        const { event, port, ...more } = JSON.parse(line) as { event: string; port: number };
        lines.push({ event, port, ...more });
        if (event === 'service.started') resolve(port);
      }
    });
  });
}
