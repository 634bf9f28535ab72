/** `npm start` as a service manager runs it: signals to npm reach the service. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { engines, freshDatabase } from './support/databases.ts';
import { processEnvironment } from './support/process-environment.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const IS_WINDOWS = process.platform === 'win32' && 'Windows has no SIGTERM';

interface Line {
  readonly event: string;
  readonly pid: number;
  readonly port: number;
  readonly reason?: string;
}

/** The log of a service, line by line, without npm's own output. */
function linesOf(npm: ChildProcess): { readonly lines: Line[]; readonly started: Promise<Line> } {
  const lines: Line[] = [];
  const started = Promise.withResolvers<Line>();
  createInterface({ input: npm.stdout! }).on('line', (text) => {
    if (!text.startsWith('{')) return;
    const line: Line = JSON.parse(text);
    lines.push(line);
    if (line.event === 'service.started') started.resolve(line);
  });
  npm.once('exit', (code) => started.reject(new Error(`npm ended with ${code}`)));
  return { lines, started: started.promise };
}

const isThere = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** Ends a process that a failed test has left. */
const killAfter = (test: TestContext, pid: number) =>
  test.after(() => {
    if (isThere(pid)) process.kill(pid, 'SIGKILL');
  });

for (const engine of engines)
  describe(`npm start on ${engine}`, { skip: IS_WINDOWS }, () => {
    it('ends the service in order when it gets SIGTERM, and the port is free', async (test) => {
      const directory = temporaryFolder(test);
      const { database } = await freshDatabase(engine, test);
      const npm = spawn('npm', ['start'], {
        cwd: ROOT,
        env: {
          ...processEnvironment,
          HOME: directory,
          HOST: '127.0.0.1',
          PORT: '0',
          LATCHKEY_DATA_DIR: directory,
          ...(database.engine === 'postgres' ? { DATABASE_URL: database.url } : {}),
        },
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      killAfter(test, npm.pid!);
      const { lines, started } = linesOf(npm);
      const { pid, port } = await started;
      killAfter(test, pid);

      const closed = once(npm, 'close');
      npm.kill('SIGTERM');
      assert.deepEqual(await closed, [0, null]);
      assert.equal(isThere(pid), false, 'the server was left behind');
      const socket = connect(port, '127.0.0.1');
      await assert.rejects(once(socket, 'connect'), { code: 'ECONNREFUSED' });
      const [stopping, stopped] = lines.slice(-2);
      assert.deepEqual([stopping?.event, stopping?.reason], ['service.stopping', 'SIGTERM']);
      assert.equal(stopped?.event, 'service.stopped');
    });
  });
