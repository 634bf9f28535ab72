/** The commands and the receiver of docs/shops/events.md, from `npm start` to a verified event. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { fixedPort } from '../../support/fixed-port.ts';
import { processEnvironment } from '../../support/process-environment.ts';
import { blocksOf, blockWith } from './events-page.ts';

const ROOT = fileURLToPath(new URL('../../../../../', import.meta.url));
const NO_SHELL = process.platform === 'win32' && 'the page has commands for a POSIX shell';

/** Resolves with the first line that fits. Rejects if the process ends before. */
function lineOf<Line>(child: ChildProcess, fitting: (line: string) => Line | undefined): Promise<Line> {
  const { promise, resolve, reject } = Promise.withResolvers<Line>();
  const seen: string[] = [];
  createInterface({ input: child.stdout! }).on('line', (line) => {
    seen.push(line);
    const found = fitting(line);
    if (found !== undefined) resolve(found);
  });
  child.once('close', (code) => reject(new Error(`ended with ${code}: ${seen.join('\n')}`)));
  return promise;
}

describe('docs/shops/events.md', { skip: NO_SHELL }, () => {
  it('leads from npm start to a verified license.created in a receiver of its own', async (test) => {
    const directory = await mkdtemp(join(tmpdir(), 'latchkey-events-page-'));
    const ended: (() => Promise<unknown>)[] = [];
    test.after(async () => {
      for (const end of ended) await end();
      await rm(directory, { recursive: true, force: true });
    });
    const run = (text: string, environment: NodeJS.ProcessEnv, cwd: string) => {
      const child = spawn('sh', ['-c', text], {
        cwd,
        env: environment,
        stdio: ['ignore', 'pipe', 'inherit'],
        detached: true,
      });
      ended.push(async () => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        process.kill(-child.pid!, 'SIGTERM');
        await once(child, 'close');
      });
      return child;
    };
    const port = await fixedPort();
    // A stranger's shell finds the Node.js of the tests.
    const environment = {
      ...processEnvironment,
      PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
      HOME: directory,
      HOST: '127.0.0.1',
      PORT: '0',
      LATCHKEY_DATA_DIR: join(directory, 'data'),
    };
    const started = await lineOf(run(blockWith('sh', 'npm start'), environment, ROOT), (line) => {
      if (!line.includes('"service.started"')) return undefined;
      return JSON.parse(line) as { readonly port: number };
    });
    const replaced = (text: string) => text.replaceAll('8443', String(started.port)).replaceAll('4430', String(port));
    await symlink(join(ROOT, 'node_modules'), join(directory, 'node_modules'));
    await writeFile(join(directory, 'receiver.mjs'), replaced(blockWith('js', "from 'standardwebhooks'")));
    const [, create = '', receive = ''] = blocksOf('sh');
    assert.match(create, /createDestination/);
    assert.match(receive, /node receiver\.mjs &\n/);
    // A person takes longer to type the next command than the receiver takes to listen.
    const listening = `until curl -s http://127.0.0.1:${port}/ >/dev/null; do sleep 0.1; done`;
    const commands = [create, receive.replace('node receiver.mjs &\n', `node receiver.mjs &\n${listening}\n`), 'wait'];
    const shell = run(replaced(commands.join('\n')), environment, directory);
    const printed = await lineOf(shell, (line) => (line.startsWith('license.') ? line : undefined));
    assert.equal(printed, 'license.created 1 active');
  });
});
